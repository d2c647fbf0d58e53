package artifact

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"mrsched/io/trace/swim"
	"mrsched/model"
)

// recognised is how many bytes of a file, perhaps compressed, show its format.
const recognised = 256 << 10

// look is a kind of file that is recognised.
type look struct {
	format string // its name as an argument of import; empty if nothing imports it
	is     string // in words
	hint   string // what to do with such a file, if not to import it
	// alike judges by the beginning of a file. Numbers alone, which layouts share, do not count.
	alike func(text string) bool
}

// looks are tried in order. Each tests for a beginning that no other kind of file has.
func looks() []look { return slices.Concat(ours(), theirs()) }

// ours are the documents of mrsched.
func ours() []look {
	return []look{
		{"", "a workload of mrsched", "it needs no import: mrsched solve FILE",
			func(t string) bool { return isJSON(t) && strings.Contains(t, `"mrsched-workload/`) }},
		{"", "a result of mrsched", "",
			func(t string) bool { return isJSON(t) && strings.Contains(t, `"mrsched-result/`) }},
	}
}

// theirs are the files of other programs.
func theirs() []look {
	return []look{
		{"spark", "an event log of Spark", "", func(t string) bool { return strings.HasPrefix(t, `{"Event":"`) }},
		{"rumen", "a Rumen trace", "", func(t string) bool {
			return isJSON(t) && mentions(t, "jobID", "mapTasks",
				"submitTime")
		}},
		{"wfformat", "a WfFormat document", "", func(t string) bool {
			return isJSON(t) && mentions(t, "schemaVersion", "workflow", "runtimeInSeconds")
		}},
		{"", "a topology of Rumen", "it goes beside the trace: mrsched import rumen TRACE --topology FILE",
			func(t string) bool { return isJSON(t) && mentions(t, "children") }},
		{"swim", "a SWIM trace", "", func(t string) bool { return swim.IsLine(strings.Split(firstLine(t), "\t")) }},
		{"alibaba", "Alibaba's batch_task.csv", "", func(t string) bool {
			f := strings.Split(firstLine(t), ",")
			return len(f) == 9 && (f[0] == "task_name" || numeric(f[1]) && !numeric(f[4]) && numeric(f[5]) && numeric(f[6]))
		}},
		{"airflow", "a table of Airflow", "", func(t string) bool {
			line := firstLine(t)
			return strings.Contains(line, "dag_id") && strings.Contains(line, "run_id") ||
				isJSON(t) && mentions(t, "task_instances")
		}},
		{"slurm", "jobs of Slurm's sacct", "", func(t string) bool {
			line := firstLine(t)
			return strings.Contains("|"+line, "|JobID|") || strings.Count(line, "|") == 25
		}},
		{"swf", "a log in the Standard Workload Format", "", func(t string) bool {
			return strings.HasPrefix(t, ";") && (strings.Contains(t, "MaxProcs:") || strings.Contains(t, "UnixStartTime:"))
		}},
		{"dbt", "an artifact of dbt", "", func(t string) bool { return isJSON(t) && mentions(t, "dbt_schema_version") }},
		{"psplib", "a project with resources (RCPSP)", "", func(t string) bool {
			return strings.HasPrefix(t, "***") && strings.Contains(t, "supersource/sink")
		}},
	}
}

// OtherFormat is the format that a file looks like, if that differs from the expected one; false if it looks as
// expected, or like no known format: then the format's reader reports what is wrong.
func OtherFormat(format, text string) (look, bool) {
	var first *look
	for _, l := range looks() {
		if format == "csv" || !l.alike(text) { // a map says what a table of any program is
			continue
		}
		if l.format == format {
			return look{}, false
		}
		if first == nil {
			first = &l
		}
	}
	if first == nil {
		return look{}, false
	}
	return *first, true
}

// ofOtherProgram is what a file of another program looks like, and what to do with it; in the hint, FILE is its path.
func ofOtherProgram(text string) (kind, hint string, ok bool) {
	for _, l := range theirs() {
		switch {
		case !l.alike(text):
		case l.hint == "":
			return l.is, fmt.Sprintf("mrsched import %s FILE -o FILE.json makes a workload of it", l.format), true
		default:
			return l.is, l.hint, true
		}
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(firstLine(text))+" ", " "); numeric(strings.Split(first, ",")[0]) {
		return "a file of numbers", "mrsched import FORMAT FILE -o FILE.json makes a workload of a benchmark; FORMAT is " +
			"stg (graphs), psplib (projects), pcmax, rcmax or rwct (times on machines)", true
	}
	return "", "", false
}

// Finding says what a file looks like.
func (l *look) Finding(format, path string) model.Finding {
	f := model.Finding{Code: model.CodeTraceObject, Pos: model.Position{File: Titled(path), Line: 1, Column: 1},
		What: "this looks like " + l.is, Hint: strings.ReplaceAll(l.hint, "FILE", path),
		Expected: "a file of the format " + format}
	for _, own := range slices.Backward(looks()) { // the first of a format counts
		if own.format == format {
			f.Expected = own.is
		}
	}
	if l.hint == "" && l.format != "" {
		f.Hint = fmt.Sprintf("mrsched import %s %s", l.format, path)
	}
	return f
}

func isJSON(text string) bool { return strings.HasPrefix(text, "{") }

// mentions says whether a text has one of the keys.
func mentions(text string, keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool {
		_, after, ok := strings.Cut(text, `"`+k+`"`)
		return ok && strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), ":")
	})
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// numeric says whether a field is a number, of either sign.
func numeric(field string) bool {
	_, err := model.ParseTime(strings.TrimPrefix(field, "-"))
	return err == nil
}

// Peeked lets one look at the beginning of a file before it is read.
func Peeked(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, recognised) }

// Beginning is the text that a file begins with, unpacked and without leading blanks. Errors come again when the file
// is read.
func Beginning(r *bufio.Reader) string {
	text, _ := r.Peek(r.Size())
	if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		unpacked := make([]byte, r.Size())
		n, _ := io.ReadFull(z, unpacked) // cut short as it is
		text = unpacked[:n]
	}
	return strings.TrimLeft(strings.TrimPrefix(string(text), "\ufeff"), " \t\r\n")
}

// Titled is the name of a file that its job is named after.
func Titled(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}
