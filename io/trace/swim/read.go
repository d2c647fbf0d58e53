package swim

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// maxJobs bounds the jobs of all files.
const maxJobs = 50_000_000

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

// mostFields is how many fields a line has with the paths of input and output, and with a tab at its end.
const mostFields = fields + 3

// paths says whether fields may be paths: a number is a sign of a tab inside another field.
func paths(list []string) bool { return !slices.ContainsFunc(list, numeric) }

func numeric(text string) bool {
	_, err := model.ParseTime(strings.TrimPrefix(text, "-"))
	return err == nil
}

// IsLine says whether fields between tabs look like a line of such a file.
func IsLine(record []string) bool {
	n := len(record)
	return n >= fields && n <= mostFields && paths(record[fields:]) &&
		!slices.ContainsFunc(record[submitField:fields], func(text string) bool { return !numeric(text) })
}

// fieldNames name them in messages.
var fieldNames = [fields]string{"job id", "submission", "gap", "map input", "shuffle", "output"}

// job is one line.
type job struct {
	id                     string
	submit                 model.Time
	input, shuffle, output model.Bytes
	paths                  bool // it names paths, which are not used
	at                     model.Position
}

// file is one file that is being read.
type file struct{ *textpos.Records }

// readFile reads the jobs of one file, whose ids get a prefix.
func readFile(from File, prefix string, found *model.Findings) (jobs []job) {
	f := &file{trace.NewRecords(from, found)}
	f.Comma, f.FieldsPerRecord = '\t', fields
	take := func(record []string) bool {
		j := f.job(record, len(jobs) == 0)
		j.id = prefix + j.id
		if jobs = append(jobs, j); len(jobs) > maxJobs {
			f.Report(model.CodeOverflow, 0, fmt.Sprintf("there are more than %d jobs", maxJobs), "fewer", "")
			return false
		}
		return true
	}
	f.Each(take, func(record []string) bool {
		if len(record) > fields && len(record) <= mostFields && paths(record[fields:]) {
			return take(record)
		}
		hint := "is a field missing, or a tab inside one?"
		if len(record) == 1 {
			hint = "separate fields with tabs"
		}
		f.Report(model.CodeRowShape, 0, fmt.Sprintf("the line has length %d", len(record)),
			"6 fields: job id, submission, gap, and bytes of map input, shuffle and output; then perhaps paths", hint)
		return len(jobs) > 0 // else the file is of another format
	})
	return jobs
}

// job reads one line; first says that none was read before.
func (f *file) job(record []string, first bool) job {
	j := job{id: record[idField], at: f.At(idField),
		paths: slices.ContainsFunc(record[fields:], func(path string) bool { return path != "" })}
	switch {
	case j.id == "":
		f.Report(model.CodeMissing, idField, "the job has no id", "text", "")
	case len(j.id) > trace.MaxID:
		f.Report(model.CodeTooLong, idField, fmt.Sprintf("the id has %d bytes", len(j.id)),
			fmt.Sprintf("at most %d", trace.MaxID), "")
	}
	j.submit = number(f, record, submitField, "seconds", model.ParseTime, first)
	number(f, record, gapField, "seconds", model.ParseTime, false)
	for k, to := range []*model.Bytes{&j.input, &j.shuffle, &j.output} {
		*to = number(f, record, inputField+k, "a whole number of bytes", model.ParseBytes, false)
	}
	return j
}

// number reads a field; header says that the line may be a header.
func number[T any](f *file, record []string, field int, expected string, parse func(string) (T, error),
	header bool) T {
	text := record[field]
	v, err := parse(text)
	switch {
	case text == "":
		f.Report(model.CodeMissing, field, "the "+fieldNames[field]+" is missing", "a number", "")
	case err != nil:
		finding := textpos.NumberFinding(f.At(field), fieldNames[field], text, err, expected)
		if header && finding.Code == model.CodeNumber {
			finding.Hint = "a SWIM file has no header"
		}
		f.Found.Add(finding)
	}
	return v
}
