package result

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// ReadBatch reads summary.json of a batch's directory. Its mistakes, and differences from summary.csv, are violations;
// if it cannot be read as a batch at all, the batch is nil. An error means that a file cannot be opened.
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
		return nil, []model.Violation{malformed(SummaryFile, fmt.Errorf("format %q, expected %q", b.Format, SummaryFormat))},
			nil
	}
	var found []model.Violation
	if err := canonical(text, b.WriteJSON); err != nil {
		found = append(found, malformed(SummaryFile, err))
	}
	found = append(found, b.rows()...)
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

// rows notes the paths of the results and lists rows that solve never writes, whatever the results: two rows for one
// result, an impossible path, or no path.
func (s *Batch) rows() (found []model.Violation) {
	bad := func(format string, args ...any) {
		found = append(found, malformed(SummaryFile, fmt.Errorf(format, args...)))
	}
	s.at = map[string]int{}
	for i, r := range s.Rows {
		if r.Result == "" {
			if (r != BatchRow{Instance: r.Instance, Problem: r.Problem, Algorithm: r.Algorithm, Status: r.Status, Exit: r.Exit,
				Code: r.Code, Error: r.Error}) {
				bad("row %d, of %q, tells of a result and does not name it", i+1, r.Instance)
			} else if !slices.Contains([]model.Status{StatusError, StatusNotRun, model.StatusSkipped}, r.Status) {
				bad("row %d, of %q, has the status %q and names no result", i+1, r.Instance, r.Status)
			}
			continue
		}
		if !plainBelow(r.Result) {
			bad("row %d names the result %q, which is no place of one in the directory", i+1, r.Result)
		}
		if _, told := s.at[r.Result]; told {
			bad("row %d is another one of the result %q", i+1, r.Result)
			continue
		}
		s.at[r.Result] = i
	}
	return found
}

// plainBelow says whether a path with slashes names a folder of the directory, or a folder in such a folder.
func plainBelow(at string) bool {
	parts := strings.Split(at, "/")
	return len(parts) <= 2 && !slices.ContainsFunc(parts, func(name string) bool {
		return name == "" || name[0] == '.' ||
			strings.ContainsAny(name, "\\\x00")
	})
}

// Row is the first row for the result at a path with slashes below the batch's directory, of a batch that was read; nil
// if there is none.
func (s *Batch) Row(path string) *BatchRow {
	if i, ok := s.at[path]; ok {
		return &s.Rows[i]
	}
	return nil
}

// States lists how a row contradicts the result that it names. Only the row itself states how the run ended and the
// instance's name.
func (r *BatchRow) States(of *model.Result) []model.Violation {
	want := NewBatchRow(r.Instance, of)
	want.Result, want.Exit = r.Result, r.Exit
	if want == *r {
		return nil
	}
	return []model.Violation{malformed(SummaryFile, fmt.Errorf("the row of %s is not that of the result", r.Result))}
}
