package textpos

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"

	"mrsched/model"
)

// Records reads the records of a CSV file and reports what is wrong with their fields.
type Records struct {
	*csv.Reader
	Found *model.Findings
	in    *Reader
	start int64 // of the record
}

// NewRecords reads the records of text, of about at most this many bytes each. The text comes from in.
func NewRecords(in *Reader, text io.Reader, most int64, found *model.Findings) *Records {
	r := &Records{Reader: csv.NewReader(bufio.NewReaderSize(text, bufferSize)), in: in, Found: found}
	r.ReuseRecord = true
	in.Limit(most, func() int64 { return r.start }) // the offset of csv.Reader grows within a record
	return r
}

// Each calls row for every further record, or otherLength for one of another number of fields, until one of them
// returns false. It reports an error of Read, and is then false.
func (r *Records) Each(row, otherLength func(record []string) bool) bool {
	for more := true; more; {
		r.start = r.InputOffset()
		r.in.Release(r.start)
		record, err := r.Read()
		switch {
		case err == nil:
			more = row(record)
		case errors.Is(err, csv.ErrFieldCount):
			more = otherLength(record)
		case errors.Is(err, io.EOF):
			return true
		default:
			r.Fail(err)
			return false
		}
	}
	return true
}

// Fail reports an error of Read.
func (r *Records) Fail(err error) {
	f := r.in.CSVFinding(err)
	if f.Code == model.CodeSyntax && r.Comma == '\t' {
		f.Expected, f.Hint = "tab-separated fields", "drop the quotes"
	}
	r.Found.Add(f)
}

// At is the position of a field of the last record.
func (r *Records) At(field int) model.Position {
	line, column := r.FieldPos(field)
	return model.Position{File: r.in.name, Line: int32(line), Column: int32(column)}
}

// Report adds a finding at a field of the last record.
func (r *Records) Report(code model.Code, field int, what, expected, hint string) {
	r.Found.Add(model.Finding{Code: code, Pos: r.At(field), What: what, Expected: expected, Hint: hint})
}
