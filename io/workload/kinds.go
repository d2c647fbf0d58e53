package workload

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"mrsched/model"
)

// Format is the format of the documents that this package reads and writes.
const Format = "mrsched-workload/1"

// maxCount bounds counts (machines, slots, reduces): dense indices are 32 bits wide.
const maxCount = math.MaxInt32

// kind describes the values of a column.
type kind struct {
	name    string
	number  bool     // a JSON number, else a JSON string
	whole   bool     // an integer
	above   bool     // 0 is not allowed
	least   string   // the smallest number, "" for 0
	most    string   // the largest number, "" if there is no limit but the type's
	unit    string   // of numbers
	words   []string // the only strings allowed
	signed  bool     // numbers may be negative
	clock   clock    // whether clock times are allowed, and what they mean
	texts   string   // a pattern of the JSON strings that a number may be
	nested  bool     // neither number nor string: cost.go reads it, and its cell holds canonical JSON
	expects string   // how messages describe a valid value
	advice  string   // the hint for an unknown word
	tiny    string   // the hint for a number above 0 that would be stored as 0
}

// clock says what a clock time means in a column.
type clock uint8

const (
	noClock      clock = iota
	sinceOrigin        // the column is a time from the origin
	sinceRelease       // the column is a time from the row's release
)

// Patterns of JSON strings: with a unit, or with a unit or clock time.
const (
	unitTexts  = `^-?[0-9.]+ ?[A-Za-zµμ]`
	clockTexts = unitTexts + `|:`
)

const wholeMicroseconds = "times are whole microseconds"

// kinds are the kinds that the tags of rows.go name.
var kinds = byName(
	kind{name: "format", words: []string{Format}, expects: `"` + Format + `"`},
	kind{name: "id", expects: "an id"},
	kind{name: "ref", expects: "an id"},
	kind{name: "text", expects: "text"},
	kind{name: "clock time", expects: "a clock time, such as 2026-11-23T22:00 or 22:00"},
	kind{name: "taskkind", words: []string{model.Map.String(), model.Reduce.String()}},
	kind{name: "runstate", words: model.RunStateNames()},
	kind{name: "nodekind", words: model.NodeKindNames(),
		advice: "a machine that runs tasks is a " + model.HostNode.String()},
	timeKind("time", unitTexts, noClock, "seconds, such as 12.5 or 1h30m"),
	timeKind("moment", clockTexts, sinceOrigin, "seconds, such as 12.5 or 1h30m, or a clock time, such as 22:30"),
	timeKind("start", clockTexts, sinceOrigin, "seconds, such as 12.5 or -1h30m, or a clock time, such as 22:30"),
	timeKind("due", clockTexts, sinceRelease, "seconds, such as 12.5 or 1h30m, or a clock time, such as 22:30"),
	kind{name: "weight", number: true, most: model.Weight(math.MaxInt64).String(), expects: "a number, such as 1.5",
		tiny: "multiply all weights by the same factor"},
	kind{name: "cost", number: true, most: model.Cost(math.MaxInt64).String(), expects: "a number, such as 1.5",
		tiny: "multiply all costs by the same factor"},
	kind{name: "amount", number: true, most: model.Amount(math.MaxInt64).String(), expects: "a number, such as 1.5",
		tiny: "count the resource in smaller units"},
	kind{name: "bytes", number: true, whole: true, unit: "bytes", most: model.Bytes(math.MaxInt64).String(),
		texts: unitTexts, expects: "a whole number of bytes, such as 512 or 64MiB"},
	kind{name: "count", number: true, whole: true, most: fmt.Sprint(maxCount), expects: "a whole number"},
	kind{name: "positive count", number: true, whole: true, least: "1", most: fmt.Sprint(maxCount),
		expects: "a whole number, at least 1"},
	kind{name: "ratio", number: true, expects: "a number, such as 0.5"},
	kind{name: "positive", number: true, above: true, expects: "a number above 0"},
	kind{name: "rate", number: true, above: true, unit: "bytes per second", texts: unitTexts,
		expects: "a number above 0, such as 1e8 or 125MB/s"},
	kind{name: "object", nested: true, expects: "an object"},
	kind{name: "remote", nested: true, unit: "seconds", most: model.MaxTime.String(), tiny: wholeMicroseconds,
		expects: "a number, an object or an array"},
)

func timeKind(name, texts string, clock clock, expects string) kind {
	return kind{name: name, number: true, unit: "seconds", most: model.MaxTime.String(), texts: texts, clock: clock,
		signed: name == "start", expects: expects, tiny: wholeMicroseconds}
}

func byName(list ...kind) map[string]kind {
	m := make(map[string]kind, len(list))
	for _, k := range list {
		if k.words != nil {
			k.expects = wordList(k.words)
		}
		m[k.name] = k
	}
	return m
}

// wordList prints `"a", "b" or "c"`.
func wordList(words []string) string {
	text := ""
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += `"` + w + `"`
	}
	return text
}

// column is one column of a table, read from the tags of a row struct.
type column struct {
	name, unit, byDefault, doc string
	required                   bool
	omit                       bool     // the default is not written
	borrowed                   bool     // the builder copies what it keeps of the text
	also                       []string // other common names, plain
	negative                   string   // the hint for a negative number
	kind
}

// columnsOf reads the tags of a row struct.
func columnsOf[R any]() []column {
	t := reflect.TypeFor[R]()
	list := make([]column, t.NumField())
	for i := range list {
		tag := t.Field(i).Tag
		k := kinds[tag.Get("kind")]
		c := column{name: tag.Get("csv"), unit: k.unit, byDefault: tag.Get("default"), doc: tag.Get("doc"),
			required: tag.Get("need") == "yes", omit: tag.Get("print") != "", borrowed: tag.Get("copy") == "no", kind: k,
			also: strings.Fields(tag.Get("also")), negative: tag.Get("negative")}
		if unit := tag.Get("unit"); unit != "" {
			c.unit = unit
		}
		list[i] = c
	}
	return list
}

// cellsOf are pointers to the fields of a row, in the order of its columns.
func cellsOf[R any](row *R) []*string {
	v := reflect.ValueOf(row).Elem()
	cells := make([]*string, v.NumField())
	for i := range cells {
		cells[i] = v.Field(i).Addr().Interface().(*string)
	}
	return cells
}

// find is the index of a column, or -1.
func find(columns []column, name string) int {
	for i := range columns {
		if columns[i].name == name {
			return i
		}
	}
	return -1
}

// columnNames lists the columns' names.
func columnNames(columns []column) []string {
	list := make([]string, len(columns))
	for i := range columns {
		list[i] = columns[i].name
	}
	return list
}
