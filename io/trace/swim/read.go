package swim

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Limits against hostile input; no sensible trace comes near them.
const (
	maxRecord = 1 << 20 // bytes
	maxID     = 64 << 10
	maxJobs   = 50_000_000
)

// The fields of a line.
const (
	idField = iota
	submitField
	gapField
	inputField
	shuffleField
	outputField
	fields
)

// fieldNames name them in messages.
var fieldNames = [fields]string{"job id", "submission", "gap", "map input", "shuffle", "output"}

// job is one line.
type job struct {
	id                     string
	submit                 model.Time
	input, shuffle, output model.Bytes
	at                     model.Position
}

// file is one file that is being read.
type file struct {
	in    *textpos.Reader
	name  string
	lines *csv.Reader
	found *model.Findings
}

// readFile reads the jobs of one file, whose ids get a prefix.
func readFile(from File, prefix string, found *model.Findings) (jobs []job) {
	f := &file{in: textpos.NewReader(from.Text, from.Name), name: from.Name, found: found}
	f.lines = csv.NewReader(f.in)
	f.lines.Comma, f.lines.FieldsPerRecord, f.lines.ReuseRecord = '\t', fields, true
	start := int64(0)
	f.in.Limit(maxRecord, func() int64 { return start })
	for {
		start = f.lines.InputOffset()
		f.in.Release(start)
		record, err := f.lines.Read()
		switch {
		case err == nil:
			j := f.job(record, len(jobs) == 0)
			j.id = prefix + j.id
			if jobs = append(jobs, j); len(jobs) > maxJobs {
				f.report(model.CodeOverflow, 0, fmt.Sprintf("there are more than %d jobs", maxJobs), "fewer", "")
				return jobs
			}
		case errors.Is(err, io.EOF):
			return jobs
		case errors.Is(err, csv.ErrFieldCount):
			hint := "is a field missing, or a tab inside one?"
			if len(record) == 1 {
				hint = "separate fields with tabs"
			}
			f.report(model.CodeRowShape, 0, fmt.Sprintf("the line has length %d", len(record)),
				"6 fields: job id, submission, gap, and bytes of map input, shuffle and output", hint)
			if len(jobs) == 0 { // not such a file at all
				return nil
			}
		default:
			finding := f.in.CSVFinding(err)
			if finding.Code == model.CodeSyntax {
				finding.Expected, finding.Hint = "tab-separated fields", "drop the quotes"
			}
			found.Add(finding)
			return jobs
		}
	}
}

// job reads one line; first says that none was read before.
func (f *file) job(record []string, first bool) job {
	j := job{id: record[idField], at: f.at(idField)}
	switch {
	case j.id == "":
		f.report(model.CodeMissing, idField, "the job has no id", "text", "")
	case len(j.id) > maxID:
		f.report(model.CodeTooLong, idField, fmt.Sprintf("the id has %d bytes", len(j.id)), fmt.Sprintf("at most %d", maxID),
			"")
	}
	for k := submitField; k < fields; k++ {
		text := record[k]
		var v model.Bytes
		var err error
		if k == submitField || k == gapField {
			var t model.Time
			if t, err = model.ParseTime(text); k == submitField {
				j.submit = t
			}
		} else {
			v, err = model.ParseBytes(text)
		}
		switch {
		case text == "":
			f.report(model.CodeMissing, k, "the "+fieldNames[k]+" is missing", "a number", "")
		case err != nil:
			finding := textpos.NumberFinding(f.at(k), fieldNames[k], text, err, expected(k))
			if first && k == submitField && finding.Code == model.CodeNumber {
				finding.Hint = "a SWIM file has no header"
			}
			f.found.Add(finding)
		}
		switch k {
		case inputField:
			j.input = v
		case shuffleField:
			j.shuffle = v
		case outputField:
			j.output = v
		}
	}
	return j
}

// expected is what a number field holds.
func expected(field int) string {
	if field <= gapField {
		return "seconds"
	}
	return "a whole number of bytes"
}

// at is where a field of the last record stands.
func (f *file) at(field int) model.Position {
	line, column := f.lines.FieldPos(field)
	return model.Position{File: f.name, Line: int32(line), Column: int32(column)}
}

func (f *file) report(code model.Code, field int, what, expected, hint string) {
	f.found.Add(model.Finding{Code: code, Pos: f.at(field), What: what, Expected: expected, Hint: hint})
}
