package keys

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// maxRows bounds the counts of all files.
const maxRows = 1 << 30

// columns are the names of the columns; file.place follows their order.
var columns = []string{"map", "key", "count"}

// wanted is what messages expect of a header.
const wanted = "the columns map, key, count"

// file is one file that is being read.
type file struct {
	*textpos.Records
	place [3]int // field of a record that holds a column, or -1
}

// readFile adds the counts of one file.
func readFile(from File, t *tally, found *model.Findings) {
	f := &file{Records: trace.NewRecords(from, found)}
	header, err := f.Read()
	switch {
	case errors.Is(err, io.EOF):
		found.Add(model.Finding{Code: model.CodeRowShape, Pos: model.Position{File: from.Name}, What: "the file is empty",
			Expected: "a header row with " + wanted})
	case err != nil:
		f.Fail(err)
	case f.header(header):
		f.Each(func(record []string) bool { return f.row(record, t) }, func(record []string) bool {
			f.Report(model.CodeRowShape, 0, fmt.Sprintf("the row has length %d", len(record)),
				strconv.Itoa(f.FieldsPerRecord)+" fields, as the header", "quote fields that contain commas")
			return true
		})
	}
}

// header finds the columns.
func (f *file) header(names []string) bool {
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		f.Report(model.CodeRowShape, 0, "the header is one field", wanted, "separate columns with commas")
		return false
	}
	f.place = [3]int{-1, -1, -1}
	ok := true
	for k, name := range names {
		c := slices.Index(columns, name)
		switch {
		case c < 0:
			f.Report(model.CodeUnknown, k, fmt.Sprintf("unknown column %.80q", name), wanted, model.DidYouMean(name, columns))
			ok = false
		case f.place[c] >= 0:
			f.Found.Add(textpos.Twice(f.At(k), "column", name))
			ok = false
		default:
			f.place[c] = k
		}
	}
	for c, name := range columns {
		if f.place[c] < 0 {
			f.Report(model.CodeMissing, 0, "the header has no column "+name, wanted, "")
			ok = false
		}
	}
	return ok
}

// row adds one count. It returns false if nothing more is to be read.
func (f *file) row(record []string, t *tally) bool {
	mapper, key, text := record[f.place[0]], record[f.place[1]], record[f.place[2]]
	for c, value := range []string{mapper, key} {
		if len(value) > trace.MaxID {
			f.Report(model.CodeTooLong, f.place[c], fmt.Sprintf("%s has %d bytes", columns[c], len(value)),
				fmt.Sprintf("at most %d", trace.MaxID), "look for a missing quote")
			return true
		}
	}
	if key == "" {
		f.Report(model.CodeMissing, f.place[1], "the key is missing", "text",
			"name the empty key, for instance (empty)")
		return true
	}
	field := f.place[2]
	n, err := model.ParseBytes(text)
	switch {
	case text == "":
		f.Report(model.CodeMissing, field, "the count is missing", "a whole number", "")
	case err != nil:
		finding := textpos.NumberFinding(f.At(field), "count", text, err, "a whole number")
		if _, fixed := model.ParseTime(text); finding.Code == model.CodeNumber && fixed == nil {
			finding.What = fmt.Sprintf("count %s is not a whole number", text)
		}
		f.Found.Add(finding)
	case t.read == maxRows:
		f.Report(model.CodeOverflow, field, fmt.Sprintf("there are more than %d counts", maxRows), "fewer", "")
		return false
	case !t.add(mapper, key, int64(n), f.At(field)):
		f.Report(model.CodeOverflow, field,
			fmt.Sprintf("the values of key %.80q add up to more than 2^63 bytes in this map", key), "fewer", "")
	}
	return true
}

// tally adds up the counts of each map and key.
type tally struct {
	bytesPerValue int64
	maps, keys    trace.Numbering
	rows          []row
	at            map[[2]int32]int32 // rows by map and key
	read          int
}

// row is what a map writes for a key.
type row struct {
	mapper, key int32
	bytes       model.Bytes
	at          model.Position // of the first count
}

// add adds a count; false if the bytes are more than can be kept.
func (t *tally) add(mapper, key string, count int64, at model.Position) bool {
	t.read++
	if count > math.MaxInt64/t.bytesPerValue {
		return false
	}
	bytes := model.Bytes(count * t.bytesPerValue)
	pair := [2]int32{t.maps.Of(mapper), t.keys.Of(key)}
	i, ok := t.at[pair]
	if !ok {
		t.at[pair] = int32(len(t.rows))
		t.rows = append(t.rows, row{pair[0], pair[1], bytes, at})
		return true
	}
	if t.rows[i].bytes > math.MaxInt64-bytes {
		return false
	}
	t.rows[i].bytes += bytes
	return true
}
