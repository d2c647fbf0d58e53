package workload

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// csvFile reads one table from CSV.
type csvFile struct {
	lane    *lane
	in      *textpos.Reader
	file    string
	csv     *records
	columns []column
	place   []int // field of a record that holds a column, or -1
	width   int   // fields of a record
}

// readCSV reads a table with a header row.
func (t *table[R, M]) readCSV(l *lane, in *textpos.Reader) {
	text := &textpos.Apostrophes{From: in}
	f := &csvFile{lane: l, in: in, csv: newRecords(text, in.Release), columns: t.columns, file: in.Position(0).File}
	in.Limit(maxGap, f.csv.offset)
	fail := func(finding model.Finding) {
		t.lose(l)
		l.findings.Add(finding)
	}
	if err := f.csv.read(); err != nil {
		fail(f.explain(err))
		return
	}
	f.width = len(f.csv.fields)
	if !f.header(l.opt.swap.applied(t.tableName(), f.csv.fields)) {
		t.lose(l)
		return
	}
	load := t.loader(l, f.file, newInterner(), f.at)
	load.bad = make([]bool, len(t.columns))
	defer load.flush()
	for {
		start := f.csv.offset()
		if err := f.csv.read(); err != nil {
			if err != io.EOF {
				fail(f.explain(err))
			}
			load.warnGroups()
			return
		}
		if len(f.csv.fields) != f.width {
			fail(f.wrongWidth())
			continue
		}
		for i, k := range f.place {
			if k >= 0 {
				*load.cells[i] = f.csv.fields[k]
			}
		}
		if f.csv.offset()-start > maxField {
			f.clearLong(load.cells, load.bad)
		}
		if text.Seen {
			bareCells(f.columns, load.cells)
		}
		load.take(f.field(0))
		clear(load.bad)
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
func (f *csvFile) field(k int) place { return f.csv.places[k] }

// at is the position of a column of the current record, or of the record if the file lacks the column.
func (f *csvFile) at(column int) place {
	return f.field(max(f.place[column], 0))
}

// wrongWidth is the finding of a record that is longer or shorter than the header.
func (f *csvFile) wrongWidth() model.Finding {
	n := len(f.csv.fields)
	finding := model.Finding{Code: model.CodeRowShape, Pos: f.field(0).in(f.file),
		What: fmt.Sprintf("%d %s", n, model.Plural(n, "field")), Expected: strconv.Itoa(f.width)}
	if n > f.width {
		finding.Hint = cmp.Or(splitThousands(f.csv.fields), "quote fields that contain commas; decimals take a point "+
			"(0.5), and each of several ids a row of its own")
	} else {
		finding.Hint = "add the commas of empty fields; if the line goes on in the next one, join the two"
	}
	return finding
}

// explain turns an error of the CSV reader into a finding.
func (f *csvFile) explain(err error) model.Finding {
	if err == io.EOF {
		return model.Finding{Code: model.CodeRowShape, Pos: model.Position{File: f.file}, What: "the file is empty",
			Expected: "a header row with the columns " + strings.Join(requiredNames(f.columns), ", ")}
	}
	return f.in.CSVFinding(err)
}
