package alibaba

import (
	"errors"
	"fmt"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// Limits against hostile input; no sensible trace comes near them.
const (
	maxLines = 1 << 30
	// maxShared is the longest name that is kept once for all tasks; longer ones are rarely alike.
	maxShared = 24
)

// The fields of a line.
const (
	nameField = iota
	instancesField
	jobField
	typeField
	statusField
	startField
	endField
	cpuField
	memoryField
	fields
)

// fieldNames name them in messages.
var fieldNames = [fields]string{"task name", "number of instances", "job name", "task type", "status", "start time",
	"end time", "planned CPU", "planned memory"}

// instanceFields is how many fields a line of the trace's file batch_instance.csv has.
const instanceFields = 14

// terminated is the status of a task that ended as intended.
const terminated = "Terminated"

// row is one line.
type row struct {
	name       string
	job        int32
	line       int32
	file       int32
	instances  int32
	start, end model.Time
	cpu        float64 // cores; 0: unknown
	kept       bool
}

// table is what all files hold.
type table struct {
	rows  []row
	jobs  trace.Numbering
	names trace.Numbering // of tasks, if they are short
	files []string
	count [len(doubts)]int
	pairs int64 // of tasks of which one waits for the other
	found *model.Findings
}

// position is where a line is.
func (t *table) position(r *row) model.Position {
	return model.Position{File: t.files[r.file], Line: r.line, Column: 1}
}

// file is one file that is being read.
type file struct {
	*table
	*textpos.Records
	opt   *Options
	begun bool // a line was read that may be one of such a file
}

// readFile adds the lines of one file.
func (t *table) readFile(from File, opt *Options) {
	f := &file{table: t, Records: trace.NewRecords(from, t.found), opt: opt}
	t.files = append(t.files, from.Name)
	f.FieldsPerRecord = fields
	f.Each(f.line, f.otherShape)
}

// otherShape reports a line of another number of fields; false if it is the first, and the file of another format.
func (f *file) otherShape(record []string) bool {
	hint := "is a field missing?"
	switch len(record) {
	case instanceFields:
		hint = "this looks like batch_instance.csv; batch_task.csv is needed"
	case 1:
		hint = "separate fields with commas"
	}
	f.Report(model.CodeRowShape, 0, fmt.Sprintf("the line has length %d", len(record)),
		"9 fields: task name, instances, job name, type, status, start, end, CPU and memory", hint)
	return f.begun
}

// line reads one line of the right shape; false if nothing more is to be read.
func (f *file) line(record []string) bool {
	if !f.begun {
		f.begun = true
		if strings.IndexByte(record[nameField], 0) >= 0 {
			f.Report(model.CodeTraceObject, nameField, "this is an archive, not a file of lines", "batch_task.csv",
				"unpack it: tar -xzOf FILE | mrsched import alibaba -")
			return false
		}
		if record[nameField] == "task_name" { // people add a header
			return true
		}
		if !numeric(record[instancesField]) && !numeric(record[startField]) && !numeric(record[endField]) {
			f.Report(model.CodeTraceObject, nameField, "the first line has no numbers where instances, start and end should be",
				"lines of batch_task.csv", "")
			return false
		}
	}
	if len(f.rows) == maxLines {
		f.Report(model.CodeOverflow, nameField, fmt.Sprintf("there are more than %d tasks", maxLines), "fewer", "")
		return false
	}
	if !f.checkIDs(record) {
		return true
	}
	r := row{name: f.shared(record[nameField]), job: f.jobs.Of(record[jobField]), file: int32(len(f.files) - 1),
		line: f.At(nameField).Line}
	instances, known := numberOf(f, record, instancesField, model.ParseBytes)
	if int64(instances) > maxRows {
		f.Report(model.CodeOverflow, instancesField, fmt.Sprintf("%d instances", instances),
			fmt.Sprintf("at most %d", maxRows), "")
		return true
	}
	r.instances = int32(instances)
	var starts, ends bool
	r.start, starts = numberOf(f, record, startField, model.ParseTime)
	r.end, ends = numberOf(f, record, endField, model.ParseTime)
	if v, ok := numberOf(f, record, cpuField, model.ParseTime); ok { // a decimal; memory is ignored
		r.cpu = v.Seconds() / 100
	}
	switch {
	case record[statusField] != terminated && !f.opt.IncludeFailed:
		f.count[notTerminated]++
	case !known || r.instances == 0:
		f.count[withoutInstances]++
	case !starts || !ends || r.start == 0 || r.end == 0:
		f.count[withoutTimes]++
	case r.end < r.start:
		f.count[reversed]++
	default:
		r.kept = true
	}
	f.rows = append(f.rows, r)
	return true
}

// checkIDs reports a missing or too long name of a task or job; false if there is one.
func (f *file) checkIDs(record []string) bool {
	for _, k := range []int{nameField, jobField} {
		switch n := len(record[k]); {
		case n == 0:
			f.Report(model.CodeMissing, k, "the "+fieldNames[k]+" is missing", "text", "")
			return false
		case n > trace.MaxID:
			f.Report(model.CodeTooLong, k, fmt.Sprintf("the %s has %d bytes", fieldNames[k], n),
				fmt.Sprintf("at most %d", trace.MaxID), "")
			return false
		}
	}
	return true
}

// numeric says whether a field may be a number, or nothing.
func numeric(text string) bool {
	_, err := model.ParseFixed(text, 0)
	return text == "" || !errors.Is(err, model.ErrNotANumber)
}

// numberOf reads a field that may be empty; the trace writes -1 for a planned CPU that it does not know.
func numberOf[T any](f *file, record []string, k int, parse func(string) (T, error)) (v T, ok bool) {
	if record[k] == "" || k == cpuField && record[k] == "-1" {
		return v, false
	}
	v, err := parse(record[k])
	if err != nil {
		expected := "a number of seconds"
		switch k {
		case instancesField:
			expected = "a whole number"
		case cpuField:
			expected = "a number, 100 being a core"
		}
		f.found.Add(textpos.NumberFinding(f.At(k), fieldNames[k], record[k], err, expected))
		return v, false
	}
	return v, true
}

// shared is a copy of a name; the same for all tasks if it is short.
func (t *table) shared(name string) string {
	if len(name) > maxShared {
		return strings.Clone(name)
	}
	return t.names.IDs[t.names.Of(name)]
}
