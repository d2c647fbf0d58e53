package trace

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// MaxCells is how many numbers a matrix may have; no sensible one comes near it.
const MaxCells = 1 << 24

// Matrix is a file of lines of numbers, separated by commas, without a header. Blanks around numbers and empty lines
// are skipped.
type Matrix struct {
	*textpos.Records
	Rows  [][]model.Time
	Lines []int32 // by row: where it is
	cells int
	// cell returns what messages call a number of a row, and what they expect in its place.
	cell func(row int) (what, expected string)
}

// ReadMatrix reads a matrix from text, which comes from in, whose name is given. Findings say where it is malformed.
func ReadMatrix(in *textpos.Reader, text io.Reader, name string, found *model.Findings,
	cell func(row int) (what, expected string)) *Matrix {
	m := &Matrix{Records: textpos.NewRecords(in, text, MaxLine, found), cell: cell}
	m.FieldsPerRecord, m.TrimLeadingSpace = -1, true
	m.Each(m.line, nil)
	if len(m.Rows) == 0 && found.Empty() {
		found.Add(model.Finding{Code: model.CodeNothingLeft, Pos: model.Position{File: name}, What: "the matrix is empty",
			Expected: "one line per machine, one number per job", Hint: "separate the numbers with commas"})
	}
	return m
}

// Width is how many numbers a row has.
func (m *Matrix) Width() int {
	if len(m.Rows) == 0 {
		return 0
	}
	return len(m.Rows[0])
}

// line takes a line; false if nothing more is to be read.
func (m *Matrix) line(record []string) bool {
	if len(record) == 1 && strings.TrimSpace(record[0]) == "" {
		return true
	}
	if m.cells += len(record); m.cells > MaxCells {
		m.Found.Add(TooManyCells(m.At(0)))
		return false
	}
	if len(m.Rows) == 0 && numberless(record) {
		m.Report(model.CodeNumber, 0, "this is no matrix: the first line has no number",
			"seconds, separated by commas, a line a machine", "separate numbers with commas; a matrix has no header")
		return false
	}
	m.row(record)
	return true
}

// TooManyCells is the finding of a matrix that is too large.
func TooManyCells(at model.Position) model.Finding {
	return model.Finding{Code: model.CodeOverflow, Pos: at, What: fmt.Sprintf("the matrix has more than %d numbers",
		MaxCells), Expected: "a smaller matrix"}
}

// numberless reports whether no field of a line is a number: then this is not a matrix, and its rest needs no findings.
func numberless(record []string) bool {
	for _, field := range record {
		text := strings.TrimSpace(field)
		if _, err := model.ParseTime(text); text == "" || !errors.Is(err, model.ErrNotANumber) {
			return false
		}
	}
	return true
}

// row takes the numbers of one line.
func (m *Matrix) row(record []string) {
	what, expected := m.cell(len(m.Rows))
	row := make([]model.Time, len(record))
	for k, field := range record {
		text := strings.TrimSpace(field)
		t, err := model.ParseTime(text)
		switch {
		case text == "":
			m.Report(model.CodeMissing, k, fmt.Sprintf("number %d of the line is missing", k+1), expected,
				"look for a comma too many")
		case err != nil:
			m.Found.Add(textpos.NumberFinding(m.At(k), what, text, err, expected))
		}
		row[k] = t
	}
	if len(m.Rows) > 0 && len(record) != m.Width() {
		m.Report(model.CodeRowShape, 0, fmt.Sprintf("the line has length %d", len(record)),
			fmt.Sprintf("%d numbers, as in the first line", m.Width()), "")
	}
	m.Rows, m.Lines = append(m.Rows, row), append(m.Lines, m.At(0).Line)
}
