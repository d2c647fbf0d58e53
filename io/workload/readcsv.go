package workload

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// csvFile reads one table from CSV.
type csvFile struct {
	*textpos.Records
	intake  *intake
	file    string
	columns []column
	place   []int // field of a record that holds a column, or -1
}

// readCSV reads a table with a header row.
func (t *table[R, M]) readCSV(l *intake, in *textpos.Reader) {
	f := &csvFile{textpos.NewRecords(in, in, maxGap, &l.findings), l, in.Position(0).File, t.columns, nil}
	names, err := f.Read()
	if err == io.EOF {
		l.findings.Add(model.Finding{Code: model.CodeRowShape, Pos: model.Position{File: f.file}, What: "the file is empty",
			Expected: "a header row with the columns " + strings.Join(requiredNames(f.columns), ", ")})
	} else if err != nil {
		f.Fail(err)
	}
	if err != nil || !f.header(slices.Clone(names)) {
		t.lose(l)
		return
	}
	load := t.loader(l, f.file, newInterner(), f.at)
	load.bad = make([]bool, len(t.columns))
	row := func(record []string) bool {
		clear(load.bad)
		for i, k := range f.place {
			if k >= 0 {
				*load.cells[i] = f.cell(i, record[k], load.bad)
			}
		}
		load.take(f.field(0))
		return true
	}
	if !f.Each(row, func(record []string) bool {
		t.lose(l)
		f.wrongWidth(record)
		return true
	}) {
		t.lose(l)
	}
}

// cell is the text of a column. One that is too long is reported and bad. An apostrophe that protects a text, which a
// spreadsheet would otherwise execute, is removed.
func (f *csvFile) cell(column int, text string, bad []bool) string {
	c := &f.columns[column]
	if len(text) > maxField {
		bad[column] = true
		f.Report(model.CodeTooLong, f.place[column], fmt.Sprintf("%s has %d bytes", c.name, len(text)),
			fmt.Sprintf("at most %d", maxField), "look for a missing quote")
		return ""
	}
	if c.number {
		return text
	}
	return textpos.BareCell(text)
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

// field is the position of a field of the current record.
func (f *csvFile) field(k int) place { return placeOf(f.At(k)) }

// at is the position of a column of the current record, or of the record if the file lacks the column.
func (f *csvFile) at(column int) place {
	return f.field(max(f.place[column], 0))
}

// wrongWidth reports a record that is longer or shorter than the header.
func (f *csvFile) wrongWidth(record []string) {
	hint := "add the commas of empty fields; if the line goes on in the next one, join the two"
	if len(record) > f.FieldsPerRecord {
		hint = cmp.Or(splitThousands(record), "quote fields that contain commas; decimals take a point (0.5), and each of "+
			"several ids a row of its own")
	}
	f.Report(model.CodeRowShape, 0, model.Counted(len(record), "field"), strconv.Itoa(f.FieldsPerRecord), hint)
}
