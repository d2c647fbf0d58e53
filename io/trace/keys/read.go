package keys

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

// Limits against hostile input; no sensible counts come near them.
const (
	maxRecord = 1 << 20 // bytes
	maxID     = 64 << 10
	maxRows   = 1 << 30
)

// columns are the names of the columns; the numbers of a row's fields follow their order.
var columns = []string{"map", "key", "count"}

const (
	mapColumn = iota
	keyColumn
	countColumn
)

// file is one file that is being read.
type file struct {
	in    *textpos.Reader
	name  string
	csv   *csv.Reader
	found *model.Findings
	place [3]int // field of a record that holds a column
}

// readFile adds the counts of one file.
func readFile(from File, t *tally, found *model.Findings) {
	f := &file{in: textpos.NewReader(from.Text, from.Name), name: from.Name, found: found}
	f.csv = csv.NewReader(f.in)
	f.csv.ReuseRecord = true
	start := int64(0)
	f.in.Limit(maxRecord, func() int64 { return start })
	header, err := f.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		found.Add(model.Finding{Code: model.CodeRowShape, Pos: model.Position{File: f.name}, What: "the file is empty",
			Expected: "a header row with the columns map, key, count"})
		return
	case err != nil:
		found.Add(f.in.CSVFinding(err))
		return
	case !f.header(header):
		return
	}
	for {
		start = f.csv.InputOffset()
		f.in.Release(start)
		record, err := f.csv.Read()
		switch {
		case err == nil:
			if !f.row(record, t) {
				return
			}
		case errors.Is(err, io.EOF):
			return
		case errors.Is(err, csv.ErrFieldCount):
			f.report(model.CodeRowShape, f.at(0), fmt.Sprintf("the row has length %d", len(record)),
				strconv.Itoa(f.csv.FieldsPerRecord)+" fields, as the header", "quote fields that contain commas")
		default:
			found.Add(f.in.CSVFinding(err))
			return
		}
	}
}

// header finds the columns.
func (f *file) header(names []string) bool {
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		f.report(model.CodeRowShape, f.at(0), "the header is one field", "the columns map, key, count",
			"separate columns with commas")
		return false
	}
	f.place = [3]int{-1, -1, -1}
	ok := true
	for k, name := range names {
		c := slices.Index(columns, name)
		switch {
		case c < 0:
			hint := ""
			if near := model.Nearest(name, columns); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			f.report(model.CodeUnknown, f.at(k), fmt.Sprintf("unknown column %.80q", name), "the columns map, key, count", hint)
			ok = false
		case f.place[c] >= 0:
			f.report(model.CodeTwice, f.at(k), fmt.Sprintf("column %q is given twice", name), "unique columns",
				"keep one of the two")
			ok = false
		default:
			f.place[c] = k
		}
	}
	for c, name := range columns {
		if f.place[c] < 0 {
			f.report(model.CodeMissing, f.at(0), "the header has no column "+name, "the columns map, key, count", "")
			ok = false
		}
	}
	return ok
}

// row adds one count. It returns false if nothing further shall be read.
func (f *file) row(record []string, t *tally) bool {
	mapper, key, text := record[f.place[mapColumn]], record[f.place[keyColumn]], record[f.place[countColumn]]
	for c, value := range []string{mapper, key} {
		if len(value) > maxID {
			f.report(model.CodeTooLong, f.at(f.place[c]), fmt.Sprintf("%s has %d bytes", columns[c], len(value)),
				fmt.Sprintf("at most %d", maxID), "look for a missing quote")
			return true
		}
	}
	if key == "" {
		f.report(model.CodeMissing, f.at(f.place[keyColumn]), "the key is missing", "text",
			"name the empty key, for instance (empty)")
		return true
	}
	at := f.at(f.place[countColumn])
	n, err := model.ParseBytes(text)
	switch {
	case text == "":
		f.report(model.CodeMissing, at, "the count is missing", "a whole number", "")
	case err != nil:
		finding := textpos.NumberFinding(at, "count", text, err, "a whole number")
		if _, fixed := model.ParseTime(text); finding.Code == model.CodeNumber && fixed == nil {
			finding.What = fmt.Sprintf("count %s is not a whole number", text)
		}
		f.found.Add(finding)
	case t.read == maxRows:
		f.report(model.CodeOverflow, at, fmt.Sprintf("there are more than %d counts", maxRows), "fewer", "")
		return false
	case !t.add(mapper, key, int64(n), at):
		f.report(model.CodeOverflow, at, fmt.Sprintf("the values of key %.80q add up to more than 2^63 bytes in this map",
			key), "fewer", "")
	}
	return true
}

// at is where a field of the last record stands.
func (f *file) at(field int) model.Position {
	line, column := f.csv.FieldPos(field)
	return model.Position{File: f.name, Line: int32(line), Column: int32(column)}
}

func (f *file) report(code model.Code, at model.Position, what, expected, hint string) {
	f.found.Add(model.Finding{Code: code, Pos: at, What: what, Expected: expected, Hint: hint})
}
