package result

import (
	"encoding/json"
	"io"

	"github.com/gocarina/gocsv"

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
}

// WriteJSON writes summary.json.
func (s *Batch) WriteJSON(w io.Writer) error {
	s.Format = SummaryFormat
	s.inUTF8()
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// WriteCSV writes summary.csv.
func (s *Batch) WriteCSV(w io.Writer) error {
	s.inUTF8()
	return gocsv.MarshalCSV(s.Rows, textpos.NewCSVWriter(w))
}
