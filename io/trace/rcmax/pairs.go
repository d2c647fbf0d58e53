package rcmax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// pairs reads the layout of the R||Cmax benchmark: a line "n m" (or "n m k", whose k is not used), perhaps a line with
// m or n alone, and a line a job with m pairs of a machine, counted from 0, and a time.
type pairs struct {
	*reader
	text   *bufio.Reader
	offset int64 // bytes of text before the line
	failed bool  // the file cannot be read further, which is a finding

	number int32  // of the line
	line   []byte // the line
	words  []word // of the line
	jobs   int
}

// word is where a word of a line begins and ends.
type word struct{ from, to int32 }

const blanks = " \t\r\n"

// pairsBegin says whether a file that begins so has this layout: its first line has numbers between blanks, no commas.
func pairsBegin(head string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(head, blanks), "\n")
	fields := strings.Fields(line)
	if len(fields) < 2 || strings.Contains(line, ",") {
		return false
	}
	_, err := model.ParseBytes(fields[0])
	return !errors.Is(err, model.ErrNotANumber)
}

// next goes to the next line that has a word; at the end, and if a finding says why there is no more, it has none.
func (p *pairs) next() {
	for p.words = p.words[:0]; len(p.words) == 0; {
		text, err := p.text.ReadSlice('\n')
		p.line = append(p.line[:0], text...)
		if errors.Is(err, bufio.ErrBufferFull) {
			text, err = p.text.ReadBytes('\n')
			p.line = append(p.line, text...)
		}
		p.number++
		p.offset += int64(len(p.line))
		p.in.Release(p.offset)
		if err != nil && !errors.Is(err, io.EOF) {
			p.findings.Add(p.in.Finding(err))
			p.failed = true
			return
		}
		p.split()
		if err != nil {
			return
		}
	}
}

// split cuts the line at its blanks.
func (p *pairs) split() {
	for i := 0; i < len(p.line); {
		if strings.IndexByte(blanks, p.line[i]) >= 0 {
			i++
			continue
		}
		end := bytes.IndexAny(p.line[i:], blanks)
		if end < 0 {
			end = len(p.line) - i
		}
		p.words = append(p.words, word{int32(i), int32(i + end)})
		i += end
	}
}

// word is a word of the line.
func (p *pairs) word(i int) string { return string(p.line[p.words[i].from:p.words[i].to]) }

// place is where a word of the line stands.
func (p *pairs) place(i int) model.Position {
	return model.Position{File: p.name, Line: p.number, Column: p.words[i].from + 1}
}

func (p *pairs) read() {
	p.in.Limit(maxLine, func() int64 { return p.offset })
	p.next()
	if p.failed || !p.header() {
		return
	}
	if p.next(); len(p.words) == 1 {
		p.again()
		p.next()
	}
	lines := 0
	for ; len(p.words) > 0; p.next() {
		if lines++; lines > p.jobs {
			p.report(model.CodeRowShape, p.place(0), fmt.Sprintf("a line follows those of the %s", model.Counted(p.jobs, "job")),
				"the end of the file", "setup times and other further data are not read")
			return
		}
		p.row()
	}
	if lines < p.jobs && !p.failed {
		p.report(model.CodeRowShape, model.Position{File: p.name, Line: p.number, Column: 1},
			fmt.Sprintf("the file ends after %s", model.Counted(lines, "job")),
			fmt.Sprintf("%d, as the first line says", p.jobs), "")
	}
}

// header reads the first line; false if a finding says that it makes no sense.
func (p *pairs) header() bool {
	if n := len(p.words); n != 2 && n != 3 {
		p.report(model.CodeRowShape, p.place(0), fmt.Sprintf("the first line has %d words and no comma", n),
			`"n m": the numbers of jobs and of machines`, "separate the numbers of a matrix with commas")
		return false
	}
	var counts [3]int64
	fine := true
	for k := range p.words {
		what := [...]string{"number of jobs", "number of machines", "third number"}[k]
		v, ok := p.whole(k, what, "a whole number")
		if ok && v == 0 && k < 2 {
			p.report(model.CodeNegative, p.place(k), "the "+what+" is 0", "1 or more", "")
			ok = false
		}
		counts[k], fine = v, fine && ok
	}
	if !fine {
		return false
	}
	if counts[0] > maxCells/counts[1] {
		p.tooLarge(p.place(0))
		return false
	}
	p.jobs, p.width = int(counts[0]), int(counts[1])
	return true
}

// again reads a line of one number, which repeats one of the first line.
func (p *pairs) again() {
	v, ok := p.whole(0, "number", "the number of machines or of jobs again")
	if ok && v != int64(p.width) && v != int64(p.jobs) {
		p.report(model.CodeRowShape, p.place(0), fmt.Sprintf("the line is %d", v),
			fmt.Sprintf("%d (machines) or %d (jobs) again, or the pairs of the first job", p.width, p.jobs), "")
	}
}

// whole reads a whole number, or reports what is wrong with it.
func (p *pairs) whole(i int, what, expected string) (int64, bool) {
	v, err := model.ParseBytes(p.word(i))
	if err != nil {
		p.findings.Add(textpos.NumberFinding(p.place(i), what, p.word(i), err, expected))
	}
	return int64(v), err == nil
}

// row reads the pairs of one job.
func (p *pairs) row() {
	if len(p.words) != 2*p.width {
		p.report(model.CodeRowShape, p.place(0), fmt.Sprintf("the line has length %d", len(p.words)),
			fmt.Sprintf("%d numbers: a machine and seconds for each of %s", 2*p.width, model.Counted(p.width, "machine")), "")
		return
	}
	machines := fmt.Sprintf("0 to %d", p.width-1)
	row, seen := make([]model.Time, p.width), make([]bool, p.width)
	for i := 0; i < len(p.words); i += 2 {
		m, ok := p.whole(i, "machine", machines)
		t, err := model.ParseTime(p.word(i + 1))
		if err != nil {
			p.findings.Add(textpos.NumberFinding(p.place(i+1), "time", p.word(i+1), err, seconds))
		}
		switch {
		case !ok:
		case m >= int64(p.width):
			p.report(model.CodeOverflow, p.place(i), fmt.Sprintf("machine %d", m), machines, "machines count from 0")
		case seen[m]:
			p.report(model.CodeTwice, p.place(i), fmt.Sprintf("machine %d is in the line twice", m), "every machine once", "")
		default:
			row[m], seen[m] = t, true
		}
	}
	p.rows, p.lines = append(p.rows, row), append(p.lines, p.number)
}
