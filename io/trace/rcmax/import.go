package rcmax

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Limits against hostile input; no sensible matrix comes near them.
const (
	maxLine  = 1 << 24 // bytes
	maxCells = 1 << 24
)

// Import reads a matrix, plain or gzip; name is the file's, for messages and the workload's name. What had to be assumed
// stands in the workload's notes.
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
	b.Scalars(title, "realtime", model.Optional[int64]{}, []string{
		fmt.Sprintf("imported from a matrix of %d × %d times (machines × jobs): its jobs are the partitions of one job", len(r.rows), r.width),
		"every partition is given a byte for each microsecond of its least time, as a matrix knows no sizes",
	})
	r.emit(b, title)
	return b.Build()
}

// reader reads one matrix.
type reader struct {
	in       *textpos.Reader
	name     string
	csv      *csv.Reader
	findings model.Findings
	rows     [][]model.Time // by machine, by job
	lines    []int32        // by machine: where its row stands
	width    int            // of the first line
	cells    int
}

func (r *reader) read() {
	r.csv = csv.NewReader(r.in)
	r.csv.FieldsPerRecord, r.csv.TrimLeadingSpace, r.csv.ReuseRecord = -1, true, true
	start := int64(0)
	r.in.Limit(maxLine, func() int64 { return start })
	for {
		record, err := r.csv.Read()
		if errors.Is(err, io.EOF) && record == nil {
			break
		}
		if err != nil {
			r.findings.Add(r.in.CSVFinding(err))
			return
		}
		start = r.csv.InputOffset()
		r.in.Release(start)
		if len(record) == 1 && strings.TrimSpace(record[0]) == "" {
			continue
		}
		if r.cells += len(record); r.cells > maxCells {
			r.findings.Add(model.Finding{Code: model.CodeOverflow, Pos: r.at(0), What: fmt.Sprintf("the matrix has more than %d numbers", maxCells), Expected: "a smaller matrix"})
			return
		}
		if len(r.rows) == 0 && numberless(record) {
			r.findings.Add(model.Finding{Code: model.CodeNumber, Pos: r.at(0), What: "this is no matrix: the first line has no number", Expected: "seconds, separated by commas, a line a machine",
				Hint: "separate numbers with commas; a matrix has no header"})
			return
		}
		r.row(record)
	}
	if len(r.rows) == 0 && r.findings.Empty() {
		r.findings.Add(model.Finding{Code: model.CodeNothingLeft, Pos: model.Position{File: r.name}, What: "the matrix is empty",
			Expected: "a line a machine, a number a job", Hint: "separate the numbers with commas"})
	}
}

// at is where a field of the last record stands.
func (r *reader) at(field int) model.Position {
	line, column := r.csv.FieldPos(field)
	return model.Position{File: r.name, Line: int32(line), Column: int32(column)}
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
			r.findings.Add(model.Finding{Code: model.CodeMissing, Pos: r.at(k), What: fmt.Sprintf("number %d of the line is missing", k+1), Expected: "seconds, such as 12.5",
				Hint: "look for a comma too many"})
		case err != nil:
			r.findings.Add(textpos.NumberFinding(r.at(k), "time", text, err, "seconds, such as 12.5"))
		}
		row[k] = t
	}
	if len(r.rows) == 0 {
		r.width = len(record)
	} else if len(record) != r.width {
		r.findings.Add(model.Finding{Code: model.CodeRowShape, Pos: r.at(0), What: fmt.Sprintf("the line has length %d", len(record)),
			Expected: fmt.Sprintf("%d numbers, as in the first line", r.width)})
	}
	r.rows, r.lines = append(r.rows, row), append(r.lines, r.at(0).Line)
}

// emit enters the matrix into a workload.
func (r *reader) emit(b *model.Builder, job string) {
	at := func(machine int) model.Locus {
		return model.Locus{Pos: model.Position{File: r.name, Line: r.lines[machine], Column: 1}}
	}
	b.Job(model.Job{ID: job, Weight: model.UnitWeight, Reduces: model.Some(int64(len(r.rows)))}, at(0))
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at(0))
	for m := range r.rows {
		b.Node(model.Node{ID: machineName(m), Kind: model.HostNode, ReduceSlots: 1}, "root", at(m))
	}
	column := make([]model.Time, len(r.rows))
	for k := range r.width {
		for m, row := range r.rows {
			column[m] = row[k]
		}
		partition := "p" + strconv.Itoa(k+1)
		b.Part(model.Part{Partition: partition, Bytes: model.Bytes(slices.Min(column))}, job, at(0))
		for m, t := range column {
			b.GivenTime(model.GivenTime{Task: partition, Time: t}, job, machineName(m), at(m))
		}
	}
}

func machineName(m int) string { return "m" + strconv.Itoa(m+1) }
