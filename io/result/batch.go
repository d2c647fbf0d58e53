package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// SummaryFormat is the `format` of summary.json.
const SummaryFormat = "mrsched-summary/1"

// The files of a batch, next to one folder per instance.
const (
	SummaryFile  = "summary.json"
	SummaryTable = "summary.csv"
)

// Statuses that only rows of a batch have.
const (
	StatusError  model.Status = "error"   // the run could not be carried out; Code says why
	StatusNotRun model.Status = "not-run" // it was interrupted before it began
)

// Batch is the outcome of several instances.
type Batch struct {
	Format string     `json:"format"`
	Rows   []BatchRow `json:"rows"`
	// Ranking compares the algorithms over all instances; only of compare.
	Ranking []RankingRow `json:"ranking,omitempty"`

	at map[string]int // by Result: the first row; only of a batch that was read
}

// BatchRow is one algorithm on one instance, or an instance that cannot be read. Unknown values are absent.
type BatchRow struct {
	Instance   string       `csv:"instance" json:"instance"` // as the command line names it
	Problem    string       `csv:"problem" json:"problem,omitempty"`
	Algorithm  string       `csv:"algorithm" json:"algorithm,omitempty"`
	Status     model.Status `csv:"status" json:"status"`
	Name       string       `csv:"objective_name" json:"objective_name,omitempty"`
	Objective  model.Number `csv:"objective" json:"objective,omitempty"`
	LowerBound model.Number `csv:"lower_bound" json:"lower_bound,omitempty"`
	Method     string       `csv:"method" json:"method,omitempty"`
	Ratio      model.Number `csv:"ratio" json:"ratio,omitempty"` // rounded up
	Factor     model.Number `csv:"guarantee" json:"guarantee,omitempty"`
	Additive   model.Number `csv:"additive" json:"additive,omitempty"`
	Verdict    string       `csv:"verdict" json:"verdict,omitempty"`
	Result     string       `csv:"result" json:"result,omitempty"` // below the batch's directory, with slashes
	Exit       int          `csv:"exit" json:"exit"`               // the code with which a run of this row alone would end
	Code       string       `csv:"code" json:"code,omitempty"`     // of the first finding, or the kind of error
	Error      string       `csv:"error" json:"error,omitempty"`   // its text
}

// NewBatchRow is the row of a result.
func NewBatchRow(instance string, r *model.Result) BatchRow {
	row := BatchRow{Instance: instance, Problem: r.Problem, Algorithm: r.Algorithm, Status: r.Status, Ratio: r.Ratio}
	if r.Objective != nil {
		row.Name, row.Objective = r.Objective.Name, r.Objective.Value
	}
	if r.LowerBound != nil {
		row.LowerBound, row.Method = r.LowerBound.Value, r.LowerBound.Method
	}
	if g := r.Guarantee; g != nil {
		row.Factor, row.Additive, row.Verdict = g.Factor, g.Additive, g.Verdict
	}
	return row
}

// inUTF8 makes both files hold the same texts.
func (s *Batch) inUTF8() {
	for i := range s.Rows {
		r := &s.Rows[i]
		r.Instance, r.Result, r.Error = textpos.UTF8(r.Instance), textpos.UTF8(r.Result), textpos.UTF8(r.Error)
	}
	for i := range s.Ranking {
		s.Ranking[i].WorstInstance = textpos.UTF8(s.Ranking[i].WorstInstance)
	}
}

// WriteJSON writes summary.json.
func (s *Batch) WriteJSON(w io.Writer) error {
	s.Format = SummaryFormat
	s.inUTF8()
	return show.WriteJSON(w, s)
}

// Records are summary.csv.
func (s *Batch) Records() show.Records {
	s.inUTF8()
	return show.RecordsOf(s.Rows)
}

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
	var found violations
	if err := canonical(text, b.WriteJSON); err != nil {
		found.malformed(SummaryFile, err)
	}
	found = append(found, b.rows()...)
	if len(b.Ranking) > 0 && !slices.Equal(b.Ranking, Rank(b.Rows)) {
		found.malformed(SummaryFile, errors.New("its ranking does not follow from its rows"))
	}
	is, err := textpos.ReadBelow(dir, SummaryTable)
	if err != nil {
		return nil, nil, unreadable(filepath.Join(dir, SummaryTable), err)
	}
	var table bytes.Buffer
	if err := b.Records().WriteCSV(&table); err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(is, table.Bytes()) {
		found.malformed(SummaryTable, errors.New("it is not the table of "+SummaryFile))
	}
	return b, found, nil
}

// rows notes the paths of the results and lists rows that solve never writes: two rows for one result, an impossible
// path, or no path.
func (s *Batch) rows() (found violations) {
	bad := func(format string, args ...any) { found.malformed(SummaryFile, fmt.Errorf(format, args...)) }
	s.at = map[string]int{}
	for i, r := range s.Rows {
		if r.Result == "" {
			if (r != BatchRow{Instance: r.Instance, Problem: r.Problem, Algorithm: r.Algorithm, Status: r.Status, Exit: r.Exit,
				Code: r.Code, Error: r.Error}) {
				bad("row %d, of %q, states a result without naming it", i+1, r.Instance)
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
