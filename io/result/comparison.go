package result

import (
	"io"

	"mrsched/io/show"
	"mrsched/model"
)

// ComparisonFormat is the `format` of compare.json.
const ComparisonFormat = "mrsched-comparison/1"

// The files of a comparison, next to one result directory per algorithm.
const (
	ComparisonFile  = "compare.json"
	ComparisonTable = "compare.csv"
)

// Comparison is several algorithms on one instance, judged against one lower bound.
type Comparison struct {
	Format   string                `json:"format"`
	Problem  string                `json:"problem"`
	Instance model.InstanceSummary `json:"instance"`
	// Objective is its name.
	Objective  string            `json:"objective,omitempty"`
	LowerBound *model.LowerBound `json:"lower_bound,omitempty"` // the strongest one of all algorithms
	BoundFrom  string            `json:"lower_bound_from,omitempty"`
	Rows       []ComparisonRow   `json:"rows"`
	// Columns names the metrics that the CSV shows after the other columns.
	Columns []string `json:"-"`
}

// ComparisonRow is one algorithm's line. Unknown values are absent.
type ComparisonRow struct {
	Algorithm string       `csv:"algorithm" json:"algorithm"`
	Status    model.Status `csv:"status" json:"status"`
	Objective model.Number `csv:"objective" json:"objective,omitempty"`
	// the strongest bound that the algorithm itself proved
	OwnBound   model.Number `csv:"own_bound" json:"own_bound,omitempty"`
	LowerBound model.Number `csv:"lower_bound" json:"lower_bound,omitempty"` // the strongest of the run
	Method     string       `csv:"method" json:"method,omitempty"`
	Ratio      model.Number `csv:"ratio" json:"ratio,omitempty"` // objective over lower_bound, rounded up
	Factor     model.Number `csv:"guarantee" json:"guarantee,omitempty"`
	Additive   model.Number `csv:"additive" json:"additive,omitempty"`
	Verdict    string       `csv:"verdict" json:"verdict,omitempty"`
	Note       string       `csv:"note" json:"note,omitempty"`
	// Metrics are the measures by which schedules of this problem are compared.
	Metrics map[string]any `csv:"-" json:"metrics,omitempty"`
}

// WriteJSON writes compare.json.
func (c *Comparison) WriteJSON(w io.Writer) error {
	c.Format = ComparisonFormat
	return show.WriteJSON(w, c)
}

// Records are compare.csv: the rows with the metrics that Columns names.
func (c *Comparison) Records() show.Records {
	r := show.RecordsOf(c.Rows)
	rows := r.Each
	r.Columns = append(r.Columns, show.Numbers(c.Columns...)...)
	r.Each = func(write func(row []string) error) error {
		i := 0
		return rows(func(row []string) error {
			for _, name := range c.Columns {
				row = append(row, show.Metric(c.Rows[i].Metrics, name))
			}
			i++
			return write(row)
		})
	}
	return r
}
