package workload

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gocarina/gocsv"

	"mrsched/io/textpos"
	"mrsched/model"
)

// chunkRows is how many rows are held as text at a time.
const chunkRows = 1024

// writeCSV writes a table with its header row.
//
// Errors: those of w, and text that CSV cannot keep.
func (t *table[R, M]) writeCSV(w io.Writer, wl *model.Workload) error {
	buffered := bufio.NewWriterSize(w, flushAt)
	out := textpos.NewCSVWriter(buffered)
	chunk := make([]R, 0, chunkRows)
	if err := gocsv.MarshalCSV(chunk, out); err != nil {
		return err
	}
	row := new(R)
	cells, read := cellsOf(row), t.texts(wl, row)
	rows := t.count(wl)
	for i := range rows {
		read(i)
		if err := t.keepable(cells); err != nil {
			return err
		}
		chunk = append(chunk, *row)
		if len(chunk) == chunkRows || i == rows-1 {
			if err := gocsv.MarshalCSVWithoutHeaders(chunk, out); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	return buffered.Flush()
}

// keepable refuses text that would not be read back unchanged: CSV readers turn "\r\n" into "\n".
func (t *table[R, M]) keepable(cells []*string) error {
	for i, cell := range cells {
		if t.columns[i].number {
			continue
		}
		if strings.Contains(*cell, "\r\n") || !utf8.ValidString(*cell) {
			return fmt.Errorf("%s.csv: %s %s cannot be kept in CSV: write JSON, or rename it", t.name, t.columns[i].name,
				textpos.Quoted(*cell))
		}
	}
	return nil
}
