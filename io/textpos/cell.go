package textpos

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
)

// Spreadsheets run a cell of a CSV file as a formula if it begins with one of a few characters. Such a text is written
// with an apostrophe before it, and so is a text that is one with apostrophes before it: then reading can remove
// exactly one apostrophe.

// formulaStarts are the characters with which a cell that a spreadsheet runs may begin: those of every spreadsheet,
// blanks that some of them drop first, and the full-width forms that some take for the narrow ones.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// apostrophe begins a cell that is text whatever follows.
const apostrophe = "'"

// GuardCell is a cell's text as CSV files have it: with an apostrophe before what a spreadsheet would run. Plain
// decimals, such as -7 or 1e-07, stay as they are. BareCell undoes it.
func GuardCell(text string) string {
	if !looksRun(text) || decimal.MatchString(text) {
		return text
	}
	return apostrophe + text
}

// BareCell is the text of a cell that GuardCell wrote.
func BareCell(cell string) string {
	if strings.HasPrefix(cell, apostrophe) && looksRun(cell) {
		return cell[len(apostrophe):]
	}
	return cell
}

// looksRun says whether a spreadsheet would run a text, apostrophes before it aside.
func looksRun(text string) bool {
	for _, c := range text {
		if c != '\'' {
			return strings.ContainsRune(formulaStarts, c)
		}
	}
	return false
}

// decimal is a decimal number, with an exponent or without: no formula, whatever its sign.
var decimal = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// CSVWriter writes the records of a CSV file, whose cells pass through GuardCell. All CSV files are written with it.
type CSVWriter struct {
	out  *csv.Writer
	line []string
}

// NewCSVWriter writes to w.
func NewCSVWriter(w io.Writer) *CSVWriter { return &CSVWriter{out: csv.NewWriter(w)} }

// Write writes one record; see csv.Writer.
func (w *CSVWriter) Write(record []string) error {
	w.line = w.line[:0]
	for _, text := range record {
		w.line = append(w.line, GuardCell(text))
	}
	return w.out.Write(w.line)
}

// Flush writes what is still in memory.
func (w *CSVWriter) Flush() { w.out.Flush() }

// Error is the first error of Write or Flush.
func (w *CSVWriter) Error() error { return w.out.Error() }

// WriteAll writes records, and what is still in memory.
func (w *CSVWriter) WriteAll(records [][]string) error {
	for _, record := range records {
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Bare undoes GuardCell for every cell of a record, in place.
func Bare(record []string) {
	for i, cell := range record {
		record[i] = BareCell(cell)
	}
}
