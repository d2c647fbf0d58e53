package solve

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

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
	if n := len(j.W.Delays); n > 0 && !j.Problem.Delays {
		t.Note("%s of the table delays: problem %s does not keep them, only maps before reduces", show.Counted(n, "row"),
			j.Problem.Name)
	}
	t.Notes = append(t.Notes, j.Problem.Notes(j.Run.View(), j.Params)...)
	return t
}

func (t *table) Add(r *model.Result) { t.Rows = append(t.Rows, r) }

func (t *table) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// Print writes the table, or the given lines with --json, to standard output; to standard error if the
// documents themselves went to standard output. Notes go to standard error.
func (t *table) Print(lines func(w io.Writer) error) error {
	j := t.j
	if !j.Quiet {
		for _, n := range t.Notes {
			fmt.Fprintf(j.Stderr, "note: %s\n", textpos.Visible(n))
		}
	}
	if j.Json && !j.toStdout() {
		return lines(j.Stdout)
	}
	w := j.Stdout
	if j.toStdout() {
		if w = j.Stderr; j.Quiet {
			return nil
		}
	}
	fmt.Fprintf(w, "%s: %s\n", j.Problem.Name, j.sizes())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	columns := t.columns()
	head := ""
	for _, name := range columns {
		head += show.Heading(name) + "\t"
	}
	fmt.Fprintf(tw, "ALGORITHM\tSTATUS\t%s\tLOWER BOUND\tRATIO\t%sGUARANTEE\n", show.Heading(ObjectiveName(t.Rows)), head)
	for _, r := range t.Rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t", r.Algorithm, r.Status, objectiveText(r), boundText(r),
			show.Dash(string(r.Ratio)))
		for _, name := range columns {
			fmt.Fprintf(tw, "%s\t", metricText(r, name))
		}
		fmt.Fprintf(tw, "%s\n", show.GuaranteeText(r))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if j.Out != "" && !j.toStdout() {
		for _, r := range t.Rows {
			if r.Digest == "" { // not a result: skipped, or recorded
				continue
			}
			fmt.Fprintf(w, "%s: %s\n", r.Algorithm, textpos.Visible(j.target(r.Algorithm)))
		}
	}
	return nil
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
	return slices.DeleteFunc(slices.Clone(t.j.Problem.Shown), func(name string) bool {
		return !slices.ContainsFunc(t.Rows, func(r *model.Result) bool { return metricText(r, name) != "–" })
	})
}

func metricText(r *model.Result, name string) string {
	v, ok := r.Metrics[name]
	if n, is := v.(model.Number); is {
		return show.Shorten(n)
	}
	if ok {
		return fmt.Sprint(v)
	}
	return "–"
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

func objectiveText(r *model.Result) string {
	if r.Objective == nil {
		return "–"
	}
	return show.Shorten(r.Objective.Value)
}

func boundText(r *model.Result) string {
	if r.LowerBound == nil {
		return "–"
	}
	return show.Shorten(r.LowerBound.Value) + " " + r.LowerBound.Method
}

// LeftOut adds a row for each algorithm that "all" does not run on this instance.
func (j *Job) LeftOut(t *table, doc *result.Comparison) {
	for _, a := range j.skipped {
		t.Add(&model.Result{Algorithm: a.Name, Status: model.StatusSkipped})
		note := cmp.Or(j.excluded[a.Name], meantFor(a)+"; name it with -a to run it")
		doc.Rows = append(doc.Rows, result.ComparisonRow{Algorithm: a.Name, Status: model.StatusSkipped, Note: note})
		t.Note("%s: %s", a.Name, note)
	}
}
