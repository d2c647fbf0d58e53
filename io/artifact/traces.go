package artifact

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mrsched/model"
)

// guessed is how many bytes of a file, perhaps compressed, show its format.
const guessed = 8 << 10

// look is a kind of file that is recognised by its beginning.
type look struct {
	format string // its name as an argument of import; empty if nothing imports it
	is     string // in words
	hint   string // what to do with such a file, instead of an import
	alike  func(text string) bool
}

const identical = "an instance of P||Cmax"

// looks are tried in order. Each tests for a beginning that no other kind of file has.
func looks() []look {
	return []look{
		{"", "a workload of mrsched", "it needs no import: mrsched solve FILE",
			func(t string) bool { return isJSON(t) && strings.Contains(t, `"mrsched-workload/`) }},
		{"", "a result of mrsched", "", func(t string) bool { return isJSON(t) && strings.Contains(t, `"mrsched-result/`) }},
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
		{"swim", "a SWIM trace", "", func(t string) bool {
			f := strings.Split(firstLine(t), "\t")
			return len(f) == 6 && !slices.ContainsFunc(f[1:], func(s string) bool { return !numeric(s) })
		}},
		{"alibaba", "Alibaba's batch_task.csv", "", func(t string) bool {
			f := strings.Split(firstLine(t), ",")
			return len(f) == 9 && (f[0] == "task_name" || numeric(f[1]) && !numeric(f[4]) && numeric(f[5]) && numeric(f[6]))
		}},
		{"keys", "counts of keys", "", func(t string) bool {
			f := strings.Split(firstLine(t), ",")
			slices.Sort(f)
			return slices.Equal(f, []string{"count", "key", "map"})
		}},
		{"psplib", "a project of PSPLIB", "", func(t string) bool {
			return strings.HasPrefix(t, "***") && strings.Contains(t, "supersource/sink")
		}},
		{"stg", "a standard task graph", "", func(t string) bool {
			return lineOf(t, 1, 1) && lineOf(secondLine(t), 3, math.MaxInt)
		}},
		{"pcmax", identical, "", numberALine},
		{"rcmax", "a matrix of times", "", func(t string) bool {
			return matrix(t) || numberALine(t) || lineOf(t, 2, 3) // the layout of pairs: "n m" or "n m k"
		}},
		{"pcmax", identical, "", func(t string) bool { return lineOf(t, 1, math.MaxInt) }},
		{"rwct", "weights and a matrix of times", "", matrix},
	}
}

// OtherFormat is the format that a file looks like, if that differs from the expected one; false if it looks as
// expected, or like no known format: then the format's reader reports what is wrong.
func OtherFormat(format, text string) (look, bool) {
	var first *look
	for _, l := range looks() {
		if !l.alike(text) {
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

// Finding says what a file looks like.
func (l *look) Finding(format, path string) model.Finding {
	f := model.Finding{Code: model.CodeTraceObject, Pos: model.Position{File: Titled(path), Line: 1, Column: 1},
		What: "this looks like " + l.is, Hint: strings.ReplaceAll(l.hint, "FILE", path)}
	for _, own := range looks() {
		if own.format == format {
			f.Expected = own.is
		}
	}
	if l.format != "" {
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

// secondLine is what follows the first line of a text, without the blanks in between.
func secondLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return strings.TrimLeft(rest, " \t\r\n")
}

// lineOf says whether the first line of a text is this many whole numbers between blanks.
func lineOf(text string, least, most int) bool {
	f := strings.Fields(firstLine(text))
	return len(f) >= least && len(f) <= most && !slices.ContainsFunc(f, func(s string) bool { return !whole(s) })
}

// numberALine says whether a text begins with lines of one whole number.
func numberALine(text string) bool {
	second := secondLine(text)
	return lineOf(text, 1, 1) && (second == "" || lineOf(second, 1, 1))
}

// matrix says whether the first line of a text is numbers between commas.
func matrix(text string) bool {
	f := strings.Split(firstLine(text), ",")
	return len(f) > 1 && !slices.ContainsFunc(f, func(s string) bool { return !numeric(strings.TrimSpace(s)) })
}

// numeric says whether a field is a number, of either sign.
func numeric(field string) bool {
	_, err := model.ParseTime(strings.TrimPrefix(field, "-"))
	return err == nil
}

// whole says whether a field is a whole number, not negative.
func whole(field string) bool {
	_, err := model.ParseBytes(field)
	return err == nil
}

// Peeked lets one look at the beginning of a file before it is read.
func Peeked(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, guessed) }

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
