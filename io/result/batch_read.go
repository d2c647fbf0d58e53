package result

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"mrsched/io/textpos"
	"mrsched/model"
)

// ReadBatch reads summary.json of a batch's directory. What is wrong with it, or what summary.csv says otherwise, is a violation;
// without a batch it cannot be read as one at all. An error means that a file cannot be opened.
func ReadBatch(dir string) (*Batch, []model.Violation, error) {
	text, err := textpos.ReadBelow(dir, SummaryFile)
	if err != nil {
		return nil, nil, unreadable(filepath.Join(dir, SummaryFile), err)
	}
	b := &Batch{}
	if err := strict(text, b); err != nil {
		return nil, []model.Violation{malformed(SummaryFile, err)}, nil
	}
	if b.Format != SummaryFormat {
		return nil, []model.Violation{malformed(SummaryFile, fmt.Errorf("format %q, expected %q", b.Format, SummaryFormat))}, nil
	}
	var found []model.Violation
	if err := canonical(text, b.WriteJSON); err != nil {
		found = append(found, malformed(SummaryFile, err))
	}
	is, err := textpos.ReadBelow(dir, SummaryTable)
	if err != nil {
		return nil, nil, unreadable(filepath.Join(dir, SummaryTable), err)
	}
	var table bytes.Buffer
	if err := b.WriteCSV(&table); err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(is, table.Bytes()) {
		found = append(found, malformed(SummaryTable, errors.New("it is not the table of "+SummaryFile)))
	}
	return b, found, nil
}

// Row is the row of the result at a path below the batch's directory, with slashes; nil: there is none.
func (s *Batch) Row(path string) *BatchRow {
	for i := range s.Rows {
		if s.Rows[i].Result == path {
			return &s.Rows[i]
		}
	}
	return nil
}

// States lists in what a row contradicts the result that it names: how the run ended, and what the instance is called, follow
// from nothing else.
func (r *BatchRow) States(of *model.Result) []model.Violation {
	want := NewBatchRow(r.Instance, of)
	want.Result, want.Exit = r.Result, r.Exit
	if want == *r {
		return nil
	}
	return []model.Violation{malformed(SummaryFile, fmt.Errorf("the row of %s is not that of the result", r.Result))}
}
