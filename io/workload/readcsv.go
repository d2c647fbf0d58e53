package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gocarina/gocsv"

	"mrsched/io/textpos"
	"mrsched/model"
)

// releaseEvery is how many records pass before the positions of their lines are dropped.
const releaseEvery = 64

// csvFile reads one table from CSV.
type csvFile struct {
	lane    *lane
	in      *textpos.Reader
	file    string
	csv     *csv.Reader
	columns []column
	place   []int // field of a record that holds a column, or -1
	record  int64 // where the current record starts
}

// readCSV reads a table with a header row.
func (t *table[R, M]) readCSV(l *lane, in *textpos.Reader) {
	text := &textpos.Apostrophes{From: in}
	f := &csvFile{lane: l, in: in, csv: csv.NewReader(text), columns: t.columns, file: in.Position(0).File}
	in.Limit(maxGap, func() int64 { return f.record })
	fail := func(err error) {
		l.lost = l.lost || t.referred
		l.findings.Add(f.explain(err))
	}
	rows, err := gocsv.NewUnmarshaller(f.csv, new(R))
	if err != nil {
		fail(err)
		return
	}
	if !f.header(rows.Headers) {
		l.lost = l.lost || t.referred
		return
	}
	// gocsv matches loosely (spaces, zero-width characters); only exact names shall count.
	if err := rows.RenormalizeHeaders(f.exactOnly); err != nil {
		fail(err)
		return
	}
	f.csv.ReuseRecord = true
	load := t.loader(l, f.file, newInterner(), f.at)
	load.bad = make([]bool, len(t.columns))
	defer load.flush()
	for n := 0; ; n++ {
		f.record = f.csv.InputOffset()
		if n%releaseEvery == 0 {
			in.Release(f.record)
		}
		row, err := rows.Read()
		switch {
		case err == nil:
			r := row.(*R)
			if f.csv.InputOffset()-f.record > maxField {
				f.clearLong(cellsOf(r), load.bad)
			}
			if text.Seen {
				bareCells(f.columns, cellsOf(r))
			}
			load.take(r, f.field(0))
			clear(load.bad)
		case errors.Is(err, io.EOF):
			return
		default:
			fail(err)
			if !errors.Is(err, csv.ErrFieldCount) {
				return
			}
		}
	}
}

// bareCells removes the apostrophes that protect texts which a spreadsheet would otherwise execute.
func bareCells(columns []column, cells []*string) {
	for i, cell := range cells {
		if !columns[i].number {
			*cell = textpos.BareCell(*cell)
		}
	}
}

func requiredNames(columns []column) []string {
	var list []string
	for i := range columns {
		if columns[i].required {
			list = append(list, columns[i].name)
		}
	}
	return list
}

// noColumn is a header that matches no column.
const noColumn = "\x00"

// exactOnly renames the headers to ignore.
func (f *csvFile) exactOnly(headers []string) []string {
	list := make([]string, len(headers))
	for k, name := range headers {
		list[k] = noColumn
		if i := find(f.columns, name); i >= 0 && f.place[i] == k {
			list[k] = name
		}
	}
	return list
}

// clearLong reports and empties fields that are too long, and marks them as bad.
func (f *csvFile) clearLong(cells []*string, bad []bool) {
	for i, cell := range cells {
		if len(*cell) > maxField {
			c := f.columns[i].name
			f.report(model.CodeTooLong, f.at(i), fmt.Sprintf("%s has %d bytes", c, len(*cell)),
				fmt.Sprintf("at most %d", maxField), "look for a missing quote")
			*cell, bad[i] = "", true
		}
	}
}

func (f *csvFile) report(code model.Code, at place, what, expected, hint string) {
	f.lane.findings.Add(model.Finding{Code: code, Pos: at.in(f.file), What: what, Expected: expected, Hint: hint})
}

// field is the position of a field of the current record.
func (f *csvFile) field(k int) place {
	line, column := f.csv.FieldPos(k)
	return place{int32(line), int32(column)}
}

// at is the position of a column of the current record, or of the record if the file lacks the column.
func (f *csvFile) at(column int) place {
	return f.field(max(f.place[column], 0))
}

// fieldCount is how many fields the last record has. gocsv drops records whose length differs from the header's, and
// csv.Reader reveals the length only by its panic behind the last field.
func fieldCount(r *csv.Reader) (n int) {
	defer func() { _ = recover() }()
	for ; ; n++ {
		r.FieldPos(n)
	}
}

// explain turns an error of the CSV reader into a finding.
func (f *csvFile) explain(err error) model.Finding {
	if errors.Is(err, io.EOF) {
		return model.Finding{Code: model.CodeRowShape, Pos: model.Position{File: f.file}, What: "the file is empty",
			Expected: "a header row with the columns " + strings.Join(requiredNames(f.columns), ", ")}
	}
	if e, ok := errors.AsType[*csv.ParseError](err); ok && errors.Is(err, csv.ErrFieldCount) {
		n, want := fieldCount(f.csv), f.csv.FieldsPerRecord
		finding := model.Finding{Code: model.CodeRowShape,
			Pos:  model.Position{File: f.file, Line: int32(e.Line), Column: int32(e.Column)},
			What: fmt.Sprintf("%d %s", n, model.Plural(n, "field")), Expected: strconv.Itoa(want)}
		if n > want {
			finding.Hint = "quote fields that contain commas"
		}
		return finding
	}
	return f.in.CSVFinding(err)
}
