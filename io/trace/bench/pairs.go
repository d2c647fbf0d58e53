package bench

import (
	"errors"
	"fmt"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// pairs reads the layout of the R||Cmax benchmark: a line "n m" (or "n m k", whose k is not used), perhaps a line with
// m or n alone, and a line per job with m pairs of a machine, counted from 0 and ascending, and a time. Lines that
// begin with # are comments.
type pairs struct {
	*trace.Words
	*input
	rows        [][]model.Time // by job
	lines       []int32        // by job: where it is
	jobs, width int
	shop        bool // a line's machines do not ascend, which is a finding
}

// pairsBegin says whether a file that begins so has this layout: its first line has numbers between blanks, no commas.
func pairsBegin(head string) bool {
	line, rest, more := strings.Cut(strings.TrimLeft(head, " \t\r\n"), "\n")
	if more && strings.HasPrefix(line, "#") {
		return pairsBegin(rest)
	}
	fields := strings.Fields(line)
	if len(fields) < 2 || strings.Contains(line, ",") {
		return false
	}
	_, err := model.ParseBytes(fields[0])
	return !errors.Is(err, model.ErrNotANumber)
}

func (p *pairs) read() {
	if !p.Next() || !p.header() {
		return
	}
	if p.Next() && p.Len() == 1 {
		p.again()
		p.Next()
	}
	lines := 0
	for ; p.Len() > 0; p.Next() {
		if lines++; lines > p.jobs {
			p.Report(model.CodeRowShape, p.At(0), fmt.Sprintf("a line follows those of the %s",
				model.Counted(p.jobs, "job")), "the end of the file", "setup times and other further data are not read")
			return
		}
		p.row()
	}
	if lines < p.jobs && !p.Failed() {
		p.Shape(p.Line(), fmt.Sprintf("the file ends after %s", model.Counted(lines, "job")),
			fmt.Sprintf("%d, as the first line says", p.jobs))
	}
}

// header reads the first line; false if it is invalid, which is a finding.
func (p *pairs) header() bool {
	if n := p.Len(); n != 2 && n != 3 {
		p.Report(model.CodeRowShape, p.At(0), fmt.Sprintf("the first line has %d words and no comma", n),
			`"n m": the numbers of jobs and of machines`, "separate the numbers of a matrix with commas")
		return false
	}
	jobs, fine := p.Count(0, "number of jobs")
	machines, ok := p.Count(1, "number of machines")
	fine = fine && ok
	if p.Len() == 3 {
		_, ok = p.Whole(2, "third number", "a whole number")
		fine = fine && ok
	}
	if !fine {
		return false
	}
	if jobs > trace.MaxCells/machines {
		p.Findings.Add(trace.TooManyCells(p.At(0)))
		return false
	}
	p.jobs, p.width = int(jobs), int(machines)
	return true
}

// again reads a line of one number, which repeats one of the first line.
func (p *pairs) again() {
	v, ok := p.Whole(0, "number", "the number of machines or of jobs again")
	if ok && v != int64(p.width) && v != int64(p.jobs) {
		p.Shape(p.At(0), fmt.Sprintf("the line is %d", v),
			fmt.Sprintf("%d (machines) or %d (jobs) again, or the pairs of the first job", p.width, p.jobs))
	}
}

// noShop is the hint about lines whose machines do not ascend.
const noShop = "a job shop, whose jobs visit machines in this order, is no R||Cmax: mrsched imports none"

// row reads the pairs of one job.
func (p *pairs) row() {
	if p.Len() != 2*p.width {
		p.Shape(p.At(0), fmt.Sprintf("the line has length %d", p.Len()),
			fmt.Sprintf("%d numbers: a machine and seconds for each of %s", 2*p.width, model.Counted(p.width, "machine")))
		return
	}
	machines := fmt.Sprintf("0 to %d", p.width-1)
	row, seen := make([]model.Time, p.width), make([]bool, p.width)
	before := int64(0)
	for i := 0; i < p.Len(); i += 2 {
		m, ok := p.Whole(i, "machine", machines)
		t := p.Time(i+1, "time")
		if ok && m < before && !p.shop {
			p.shop = true
			p.Report(model.CodeTraceObject, p.At(i), fmt.Sprintf("machine %d is after machine %d", m, before),
				"the machines in ascending order, of which the job runs on one", noShop)
		}
		before = m
		switch {
		case !ok:
		case m >= int64(p.width):
			p.Report(model.CodeOverflow, p.At(i), fmt.Sprintf("machine %d", m), machines, "machines count from 0")
		case seen[m]:
			p.Report(model.CodeTwice, p.At(i), fmt.Sprintf("machine %d is in the line twice", m),
				"every machine once", noShop)
		default:
			row[m], seen[m] = t, true
		}
	}
	p.rows, p.lines = append(p.rows, row), append(p.lines, p.Line().Line)
}
