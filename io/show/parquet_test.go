package show

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"mrsched/model"
)

// written returns a Parquet file of some columns and rows, also opened.
func written(t rapid.TB, columns []Column, rows [][]string) ([]byte, *parquet.File) {
	var b bytes.Buffer
	try(t, (&Table{Columns: columns, Rows: rows}).Records().WriteParquet(&b))
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	try(t, err)
	return b.Bytes(), file
}

// values are the rows of a file.
func values(t rapid.TB, file *parquet.File) (list []parquet.Row) {
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		for buf := make([]parquet.Row, 3); ; {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				list = append(list, row.Clone())
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		try(t, rows.Close())
	}
	return list
}

// header lists the columns with their types.
func header(file *parquet.File) string {
	var list []string
	for _, f := range file.Schema().Fields() {
		list = append(list, f.Name()+" "+f.Type().String())
	}
	return strings.Join(list, ", ")
}

var manyTypes = []Column{{Name: "task"}, {Name: "end", Unit: model.UnitMoment}, {Name: "ratio", Number: true},
	{Name: "jobs", Whole: true}, {Name: "ok", Truth: true}, {Name: "a.b,c \"d\""}}

// TestParquet: columns keep their order, names and types, also without rows; empty cells are null.
func TestParquet(t *testing.T) {
	text, file := written(t, manyTypes, [][]string{{"=1+1", "1446.6", "1.121396", "-3", "true", "x"},
		{"", "", "", "", "", ""}, {"ü\xff", "0.000001", "0", "9223372036854775807", "false", "y"}})
	want := `task STRING, end DOUBLE, ratio DOUBLE, jobs INT(64,true), ok BOOLEAN, a.b,c "d" STRING`
	if got := header(file); got != want {
		t.Errorf("columns %s\nwant %s", got, want)
	}
	got := fmt.Sprintf("%+v", values(t, file))
	want = "[[C:0 D:1 R:0 V:=1+1 C:1 D:1 R:0 V:1446.6 C:2 D:1 R:0 V:1.121396 C:3 D:1 R:0 V:-3 C:4 D:1 R:0 V:true " +
		"C:5 D:1 R:0 V:x] [C:0 D:0 R:0 V:<null> C:1 D:0 R:0 V:<null> C:2 D:0 R:0 V:<null> C:3 D:0 R:0 V:<null> " +
		"C:4 D:0 R:0 V:<null> C:5 D:0 R:0 V:<null>] [C:0 D:1 R:0 V:ü� C:1 D:1 R:0 V:1e-06 C:2 D:1 R:0 V:0 " +
		"C:3 D:1 R:0 V:9223372036854775807 C:4 D:1 R:0 V:false C:5 D:1 R:0 V:y]]"
	if got != want {
		t.Errorf("rows %s\nwant %s", got, want)
	}
	if m := file.Metadata(); m.CreatedBy != "mrsched version 1(build 0)" || len(m.KeyValueMetadata) > 0 {
		t.Errorf("made by %q, %v", m.CreatedBy, m.KeyValueMetadata)
	}
	if _, empty := written(t, manyTypes, nil); empty.NumRows() != 0 || header(empty) != header(file) {
		t.Errorf("an empty table has %d rows, %s", empty.NumRows(), header(empty))
	}
	// The digest is the same on every processor, and changes only with the library.
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:8]); got != "178d0cf04c37b022" {
		t.Errorf("digest %s", got)
	}
}

// TestParquetExact: values that a column cannot hold appear as text in a column next to it, which exists only then.
func TestParquetExact(t *testing.T) {
	for cell, lost := range map[string]bool{
		"9007199254740993": true, "9007199254740992": false, "123456789.123456": false, "123456789012345.123456": true,
		"0.1000000000000000055511151231257827": true, "0.10000000000000000000": false, "many": true, "NaN": true,
		"1e+06": false, "1e400": true, "-4503599627370495.5": false, "-4503599627370496.5": true,
	} {
		_, file := written(t, []Column{{Name: "x", Number: true}, {Name: "y"}}, [][]string{{"1", "a"}, {cell, "b"}})
		want := "x DOUBLE, y STRING"
		if lost {
			want = "x DOUBLE, x_exact STRING, y STRING"
		}
		if got := header(file); got != want {
			t.Errorf("%s: columns %s, want %s", cell, got, want)
			continue
		}
		if rows := values(t, file); lost && (!rows[0][1].IsNull() || rows[1][1].String() != cell) {
			t.Errorf("%s: %+v", cell, rows)
		}
	}
	_, file := written(t, Counts("seed"), [][]string{{"18446744073709551615"}, {"7"}})
	if got, want := fmt.Sprint(values(t, file)), "[[<null> 18446744073709551615] [7 <null>]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestParquetLoses: no number is lost. Each is the shortest decimal of its double or appears as text.
func TestParquetLoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{0,5}[1-9])?`)
		cells := rapid.SliceOfN(number, 1, 20).Draw(t, "cells")
		rows := make([][]string, len(cells))
		for i, c := range cells {
			rows[i] = []string{c}
		}
		_, file := written(t, Numbers("x"), rows)
		for i, row := range values(t, file) {
			got := strconv.FormatFloat(row[0].Double(), 'f', -1, 64)
			if len(row) > 1 && !row[1].IsNull() {
				got = row[1].String()
			}
			a, _ := new(big.Rat).SetString(got)
			b, _ := new(big.Rat).SetString(cells[i])
			if a.Cmp(b) != 0 {
				t.Fatalf("%s became %s", cells[i], got)
			}
		}
	})
}

// TestParquetFails: errors of the rows and of the writer are returned.
func TestParquetFails(t *testing.T) {
	boom := errors.New("boom")
	for calls := range 2 {
		r := Records{Texts("x"), func(write func([]string) error) error {
			if calls--; calls < 0 {
				return boom
			}
			return write([]string{"1"})
		}}
		if err := r.WriteParquet(io.Discard); !errors.Is(err, boom) {
			t.Errorf("%v", err)
		}
	}
	if err := (&Table{Columns: Texts("x")}).Records().WriteParquet(full{boom}); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
}

// full is a writer that fails.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// TestRecordsOf: fields are columns by their csv tags.
func TestRecordsOf(t *testing.T) {
	r := RecordsOf([]struct {
		A string       `csv:"a"`
		B model.Number `csv:"b"`
		C int          `csv:"c"`
		D []int        `csv:"-"`
		E bool
		F model.Status `csv:"f"`
	}{{"x", "1.5", 3, nil, true, model.StatusLimit}, {}})
	var b strings.Builder
	try(t, r.WriteCSV(&b))
	if want := "a,b,c,f\nx,1.5,3,limit\n,,0,\n"; b.String() != want {
		t.Errorf("%s", b.String())
	}
	want := []Column{{Name: "a"}, {Name: "b", Number: true}, {Name: "c", Whole: true}, {Name: "f"}}
	if !slices.EqualFunc(r.Columns, want, func(a, b Column) bool {
		return a.Name == b.Name && a.Number == b.Number && a.Whole == b.Whole
	}) {
		t.Errorf("%+v", r.Columns)
	}
}
