package rcmax

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/realtime"
)

// Limits against hostile input; no sensible matrix comes near them.
const (
	maxLine  = 1 << 24 // bytes
	maxCells = 1 << 24
)

// maxHead is how many bytes of a file tell its layout.
const maxHead = 64 << 10

// seconds is what a message expects in place of a number.
const seconds = "seconds, such as 12.5"

// Import reads a matrix in one of the two layouts, plain or gzip; name is the file's, for messages and the workload's
// name. The workload's notes say what was assumed.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes). Memory: the numbers, never the file.
func Import(matrix io.Reader, name string) (*model.Workload, error) {
	r := &reader{in: textpos.NewReader(matrix, name), name: name}
	r.read()
	if err := r.findings.Err(); err != nil {
		return nil, err
	}
	title := textpos.Stem(name, ".gz", ".txt", ".csv")
	b := model.NewBuilder()
	machines, jobs := r.size()
	b.Scalars(title, realtime.Name, model.Optional[int64]{}, []string{
		fmt.Sprintf("imported from a matrix of %d × %d times (machines × jobs): its jobs are the partitions of one job",
			machines, jobs),
		"every partition is given a byte for each microsecond of its least time, as a matrix knows no sizes",
	})
	r.emit(b, title)
	return b.Build()
}

// reader reads one file.
type reader struct {
	*trace.Records // of a matrix
	in             *textpos.Reader
	name           string
	findings       model.Findings
	rows           [][]model.Time // as the file has them: a line a machine in a matrix, a line a job in pairs
	lines          []int32        // by row: where it stands
	pairs          *pairs         // nil: a matrix
	width          int            // numbers of a row
	cells          int
}

// read reads the file in the layout that its first line is of.
func (r *reader) read() {
	text := bufio.NewReaderSize(r.in, maxHead)
	head, _ := text.Peek(maxHead) // an error comes again
	if pairsBegin(string(head)) {
		r.pairs = &pairs{reader: r, text: text}
		r.pairs.read()
		return
	}
	r.Records = trace.NewRecordsOf(r.in, text, r.name, maxLine, &r.findings)
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	r.Each(r.line, nil)
	if len(r.rows) == 0 && r.findings.Empty() {
		r.report(model.CodeNothingLeft, model.Position{File: r.name}, "the matrix is empty",
			"a line a machine, a number a job", "separate the numbers with commas")
	}
}

// line takes a line of a matrix; false if nothing further shall be read.
func (r *reader) line(record []string) bool {
	if len(record) == 1 && strings.TrimSpace(record[0]) == "" {
		return true
	}
	if r.cells += len(record); r.cells > maxCells {
		r.tooLarge(r.At(0))
		return false
	}
	if len(r.rows) == 0 && numberless(record) {
		r.Report(model.CodeNumber, 0, "this is no matrix: the first line has no number",
			"seconds, separated by commas, a line a machine", "separate numbers with commas; a matrix has no header")
		return false
	}
	r.row(record)
	return true
}

func (r *reader) report(code model.Code, at model.Position, what, expected, hint string) {
	r.findings.Add(model.Finding{Code: code, Pos: at, What: what, Expected: expected, Hint: hint})
}

func (r *reader) tooLarge(at model.Position) {
	r.report(model.CodeOverflow, at, fmt.Sprintf("the matrix has more than %d numbers", maxCells), "a smaller matrix", "")
}

// size is how many machines and jobs there are.
func (r *reader) size() (machines, jobs int) {
	if r.pairs != nil {
		return r.width, len(r.rows)
	}
	return len(r.rows), r.width
}

// time is what a job takes on a machine.
func (r *reader) time(machine, job int) model.Time {
	if r.pairs != nil {
		return r.rows[job][machine]
	}
	return r.rows[machine][job]
}

// numberless says whether no field of a line is a number: then this is no matrix, and the rest of it not worth a word.
func numberless(record []string) bool {
	for _, field := range record {
		text := strings.TrimSpace(field)
		if _, err := model.ParseTime(text); text == "" || !errors.Is(err, model.ErrNotANumber) {
			return false
		}
	}
	return true
}

// row takes the times of one machine.
func (r *reader) row(record []string) {
	row := make([]model.Time, len(record))
	for k, field := range record {
		text := strings.TrimSpace(field)
		t, err := model.ParseTime(text)
		switch {
		case text == "":
			r.Report(model.CodeMissing, k, fmt.Sprintf("number %d of the line is missing", k+1), seconds,
				"look for a comma too many")
		case err != nil:
			r.findings.Add(textpos.NumberFinding(r.At(k), "time", text, err, seconds))
		}
		row[k] = t
	}
	if len(r.rows) == 0 {
		r.width = len(record)
	} else if len(record) != r.width {
		r.Report(model.CodeRowShape, 0, fmt.Sprintf("the line has length %d", len(record)),
			fmt.Sprintf("%d numbers, as in the first line", r.width), "")
	}
	r.rows, r.lines = append(r.rows, row), append(r.lines, r.At(0).Line)
}

// emit enters the matrix into a workload.
func (r *reader) emit(b *model.Builder, job string) {
	machines, jobs := r.size()
	at := func(machine, job int) model.Locus { // where the row of this time stands
		row := machine
		if r.pairs != nil {
			row = job
		}
		return model.Locus{Pos: model.Position{File: r.name, Line: r.lines[row], Column: 1}}
	}
	b.Job(model.Job{ID: job, Weight: model.UnitWeight, Reduces: model.Some(int64(machines))}, at(0, 0))
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at(0, 0))
	for m := range machines {
		b.Node(model.Node{ID: machineName(m), Kind: model.HostNode, ReduceSlots: 1}, "root", at(m, 0))
	}
	for k := range jobs {
		least := r.time(0, k)
		for m := range machines {
			least = min(least, r.time(m, k))
		}
		partition := "p" + strconv.Itoa(k+1)
		b.Part(model.Part{Partition: partition, Bytes: model.Bytes(least)}, job, at(0, k))
		for m := range machines {
			b.GivenTime(model.GivenTime{Task: partition, Time: r.time(m, k)}, job, machineName(m), at(m, k))
		}
	}
}

func machineName(m int) string { return "m" + strconv.Itoa(m+1) }
