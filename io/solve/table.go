package solve

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"

	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// table is what solve and compare print: one row a result.
type table struct {
	j     *Job
	Rows  []*model.Result
	Notes []string // for standard error
}

// NewTable starts a table; its first notes are the tasks that the problem leaves out, and how the instance was
// understood.
func NewTable(j *Job) *table {
	t := &table{j: j, Notes: j.Run.View().LeftOut()}
	t.Notes = append(t.Notes, j.Problem.Notes(j.Run.View(), j.Params)...)
	return t
}

// Replanned adds notes on the rows of an earlier result, if there is one.
func (t *table) Replanned(b *result.Bundle) {
	if t.j.Merged {
		return // what has happened differs from the plan, and columns count it
	}
	if p := t.j.Replan; p != nil && p.Until == 0 {
		t.Note("without --freeze-until nothing is frozen: also what has begun by now may be planned again")
	}
	left := 0
	for _, x := range b.Tables() {
		if x.Name != model.ReplanTable {
			continue
		}
		for text := range model.ReplanNotes(x) {
			if left++; left <= maxReplanNotes {
				t.Note("%s", text)
			}
		}
	}
	if left -= maxReplanNotes; left > 0 {
		t.Note("… and %s of this kind: see the table %s of the result", show.Counted(left, "more task"), model.ReplanTable)
	}
}

// maxReplanNotes is how many tasks have a note of their own.
const maxReplanNotes = 10

func (t *table) Add(r *model.Result) { t.Rows = append(t.Rows, r) }

func (t *table) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// Exact are a table's documents for programs.
type Exact struct {
	JSON    func(w io.Writer) error
	Records func() show.Records
}

// Print writes the table, or the documents that --format names, to standard output; with -o - the results go there, and
// the table goes to standard error. Notes go to standard error.
func (t *table) Print(exact Exact) error {
	j := t.j
	t.told()
	if !j.Quiet {
		for _, n := range t.Notes {
			fmt.Fprintf(j.Stderr, "note: %s\n", textpos.Visible(n))
		}
	}
	out, ok := j.people()
	switch {
	case ok:
	case j.toStdout():
		return nil
	case j.Stdout.ForRecords() && exact.Records != nil:
		return exact.Records().WriteCSV(j.Stdout)
	default:
		return exact.JSON(j.Stdout)
	}
	fmt.Fprintf(out, "%s: %s\n", j.Problem.Name, j.sizes())
	if err := out.Print(t.table()); err != nil {
		return err
	}
	if j.Out == "" || j.toStdout() {
		return nil
	}
	for _, r := range t.Rows {
		if r.Digest == "" { // not a result: skipped, or recorded
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", r.Algorithm, textpos.Visible(j.target(r.Algorithm)))
	}
	return nil
}

// told adds notes on how the runs ended: a search that more time may improve, or one that was not made, and that all
// algorithms are optimal.
func (t *table) told() {
	var costs []model.Number
	for _, r := range t.Rows {
		switch end := t.j.runs[r.Algorithm]; {
		case r.Status == model.StatusOptimal:
		case end.Why == WhyImpossible:
			t.Note("%s: %s", r.Algorithm, end.Reason)
		case end.Why == WhyIterations:
			t.Note("%s: the search ended after %s; a --time-limit such as 30s, or more --iterations, may find better",
				r.Algorithm, show.Counted(t.j.Iterations, "iteration"))
		}
		if r.Objective != nil && r.Status == model.StatusOptimal {
			costs = append(costs, r.Objective.Value)
		}
	}
	if alike := len(slices.Compact(costs)) == 1; alike && len(costs) == len(t.Rows) && len(costs) >= severalAlgorithms {
		t.Note("all algorithms reach the optimum: this objective does not distinguish them on this instance")
	}
}

// severalAlgorithms is from how many algorithms on it is worth noting that all are optimal.
const severalAlgorithms = 3

// people is where tables for people go: standard error if the results themselves go to standard output. ok is false if
// none are printed.
func (j *Job) people() (out show.Output, ok bool) {
	if out = j.Stdout; !j.toStdout() {
		return out, out.ForPeople()
	}
	out.Writer = j.Stderr
	return out, out.ForPeople() && !j.Quiet
}

// table has a row a result.
func (t *table) table() *show.Table {
	about := t.j.Problem.Results
	objective := show.Described(about.Quantity(ObjectiveName(t.Rows)))
	objective.Number = true
	bound := show.Column{Name: "lower_bound", Number: true, Unit: objective.Unit, Rank: 1}
	if slices.ContainsFunc(t.Rows, func(r *model.Result) bool { return searched(result.NewBatchRow("", r)) }) {
		bound.About = aboutSearched
	}
	tab := &show.Table{Columns: []show.Column{{Name: "algorithm"}, {Name: "status", Rank: 2}, objective, bound,
		{Name: "method", Title: "BOUND BY", Rank: 5}, show.GapColumn()}}
	metrics := t.columns()
	for _, name := range metrics {
		c := show.Described(about.Quantity(name)).Ranked(4)
		c.Number = true
		tab.Columns = append(tab.Columns, c)
	}
	tab.Columns = append(tab.Columns, show.Column{Name: "guarantee", Rank: 3})
	for _, r := range t.Rows {
		f := result.NewBatchRow("", r)
		row := []string{r.Algorithm, string(r.Status), string(f.Objective), string(f.LowerBound), f.Method,
			string(show.Optimum(r.Status, r.Ratio))}
		for _, name := range metrics {
			row = append(row, show.Metric(r.Metrics, name))
		}
		tab.Add(append(row, show.GuaranteeText(r))...)
	}
	return tab
}

// aboutSearched explains the bounds of a table with a row that is searched.
const aboutSearched = "proven by a certificate; where it is below an optimal value, a complete search proved that value"

// searched says whether a result is optimal above its bound, because a search left nothing better.
func searched(r result.BatchRow) bool {
	if r.Status != model.StatusOptimal || r.LowerBound == "" {
		return false
	}
	if ratio, ok := r.Ratio.Rat(); ok {
		return ratio.Cmp(big.NewRat(1, 1)) > 0
	}
	value, _ := r.Objective.Rat()
	bound, _ := r.LowerBound.Rat()
	return value.Cmp(bound) > 0
}

// sizes says how large the instance is, and how many of its tasks are scheduled if those are not all.
func (j *Job) sizes() string {
	view := j.Run.View()
	tasks := view.TaskCount()
	text := show.Counted(len(j.W.Jobs), "job") + ", " + show.Counted(tasks, "task")
	if n := view.Scheduled(); n != tasks {
		text += fmt.Sprintf(" (%d scheduled)", n)
	}
	return text + ", " + show.Counted(view.Size(), "machine")
}

// columns are the problem's metrics that some row has.
func (t *table) columns() []string {
	objective := ObjectiveName(t.Rows) // has a column of its own
	return slices.DeleteFunc(slices.Clone(t.j.Problem.Shown), func(name string) bool {
		has := func(r *model.Result) bool { return show.Metric(r.Metrics, name) != "" }
		return name == objective || !slices.ContainsFunc(t.Rows, has)
	})
}

// ObjectiveName is the name of the objective in the rows.
func ObjectiveName(rows []*model.Result) string {
	for _, r := range rows {
		if r.Objective != nil {
			return r.Objective.Name
		}
	}
	return "objective"
}

// leftOut adds a row for each algorithm that "all" does not run on this instance.
func (j *Job) leftOut(t *table, doc *result.Comparison) {
	for _, a := range j.skipped {
		t.Add(&model.Result{Algorithm: a.Name, Status: model.StatusSkipped})
		note := cmp.Or(j.excluded[a.Name], meantFor(a)+"; name it with -a to run it")
		doc.Rows = append(doc.Rows, result.ComparisonRow{Algorithm: a.Name, Status: model.StatusSkipped, Note: note})
		t.Note("%s: %s", a.Name, note)
	}
}
