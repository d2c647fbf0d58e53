package explain

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver/explain"
)

// Reopen opens the instance of a result that passed check, with what the result keeps of an earlier one.
func Reopen(w *model.Workload, b *result.Bundle) (*engine.Opened, error) {
	r := b.Result
	p, err := engine.FindProblem(r.Problem, nil)
	if err != nil {
		return nil, err
	}
	params, err := engine.StatedParams(p.Params, r.Parameters)
	if err != nil {
		return nil, err
	}
	plan, err := engine.StatedReplan(b)
	if err != nil {
		return nil, err
	}
	o, err := engine.Open(p, w, params)
	if err == nil && plan != nil {
		err = o.Keep(plan)
	}
	return o, err
}

// JobIndices are the jobs by id.
func JobIndices(w *model.Workload) map[string]model.JobIndex {
	jobs := make(map[string]model.JobIndex, len(w.Jobs))
	for j := range w.Jobs {
		jobs[w.Jobs[j].ID] = model.JobIndex(j)
	}
	return jobs
}

// maxNames is how many names are compared with one that does not exist.
const maxNames = 100_000

// NoSuch is the usage error for an id that is neither a task nor a job.
func NoSuch(o *engine.Opened, id string) error {
	var names []string
	view := o.Run.View()
	for t := range min(view.TaskCount(), maxNames) {
		name, _, _ := view.TaskName(model.TaskIndex(t))
		names = append(names, name)
	}
	for j := range min(len(o.W.Jobs), maxNames) {
		names = append(names, o.W.Jobs[j].ID)
	}
	if near := model.Nearest(id, names); near != "" {
		return engine.Usagef("there is no task or job %q; did you mean %q?", id, near)
	}
	return engine.Usagef("there is no task or job %q; there are tasks such as %q and jobs such as %q", id, names[0],
		o.W.Jobs[0].ID)
}

// Scheduled is a usage error if what is asked about has no row in the schedule.
func Scheduled(o *engine.Opened, q explain.Question) error {
	view := o.Run.View()
	for _, e := range q.Schedule.Entries {
		if e.Task == q.Task {
			return nil
		}
		if q.Task == model.None {
			if _, job, _ := view.TaskName(e.Task); job == o.W.Jobs[q.Job].ID {
				return nil
			}
		}
	}
	what := "job " + o.W.Jobs[q.Job].ID
	if q.Task != model.None {
		id, _, _ := view.TaskName(q.Task)
		what = "task " + id
	}
	if left := view.LeftOut(); len(left) > 0 {
		return engine.Usagef("%s is not in this schedule: %s", what, strings.Join(left, "; "))
	}
	return engine.Usagef("%s is not in this schedule", what)
}

// conflictLine is what explain prints about an instance alone.
type Conflict struct {
	Format     string          `json:"format"`
	Instance   string          `json:"instance"`
	Problem    string          `json:"problem,omitempty"`
	Code       model.Code      `json:"code,omitempty"` // of the finding that the conflict belongs to
	At         string          `json:"at,omitempty"`
	Infeasible bool            `json:"infeasible"`
	Conflict   *model.Conflict `json:"conflict,omitempty"`
	Late       bool            `json:"-"` // a conflict may be that not all deadlines can be met
}

// SmallestConflict is the finding whose conflict shows most: one that rules schedules out, of these one with the
// fewest members; ties: the first. nil: there is none.
func SmallestConflict(e *model.InputError) *model.Finding {
	var best *model.Finding
	for k := range e.Findings {
		f := &e.Findings[k]
		switch x := f.Conflict; {
		case x == nil:
		case best == nil, x.Infeasible && !best.Conflict.Infeasible,
			x.Infeasible == best.Conflict.Infeasible && len(x.Members) < len(best.Conflict.Members):
			best = f
		}
	}
	return best
}

// Text is the conflict for people.
func (l Conflict) Text(refused bool) string {
	x := l.Conflict
	if x == nil && l.Late {
		return "no conflict is known: the instance is accepted, and schedules exist; that one of them meets all " +
			"deadlines is not proven: a result of mrsched solve without late jobs would prove it\n"
	}
	if x == nil {
		return "no conflict is known: the instance is accepted, and schedules exist\n"
	}
	var b strings.Builder
	if refused {
		fmt.Fprintf(&b, "%s %s: ", l.Code, textpos.Visible(fmt.Sprint(l.At)))
	}
	fmt.Fprintf(&b, "%s\n", textpos.Visible(x.What))
	for _, d := range x.Members {
		fmt.Fprintf(&b, "  %s: %s\n", d.Kind, textpos.Visible(d.Text))
	}
	if x.Proof != "" {
		fmt.Fprintf(&b, "because %s\n", textpos.Visible(x.Proof))
	}
	switch {
	case !x.Minimal || len(x.Members) < 2:
	case refused:
		b.WriteString("none of these can be left out: the others alone do not conflict\n")
	default: // the bound may not know of every conflict
		b.WriteString("none of these can be left out: without it, no conflict is proven\n")
	}
	switch {
	case l.Infeasible:
	case refused:
		b.WriteString("the input is refused; correct one of these\n")
	default:
		b.WriteString("the input is valid: schedules exist, but none meets all of these\n")
	}
	return b.String()
}

// explanationFormat is the `format` of what explain prints with --json.
const Format = "mrsched-explanation/1"

// explanationLine is an explanation as it is printed.
type Explanation struct {
	Format    string           `json:"format"`
	Problem   string           `json:"problem"`
	Algorithm string           `json:"algorithm"`
	Task      string           `json:"task,omitempty"`
	Job       string           `json:"job"`
	Objective *model.Objective `json:"objective"`
	*explain.Explanation

	unit   model.Unit // of the objective
	rows   model.Unit // of the starts and ends of rows
	origin model.Origin
}

// New is an explanation with what it is about.
func New(o *engine.Opened, r *model.Result, q explain.Question, e *explain.Explanation) Explanation {
	line := Explanation{Format: Format, Problem: r.Problem, Algorithm: r.Algorithm, Job: o.W.Jobs[q.Job].ID,
		Objective: r.Objective, Explanation: e, unit: o.Problem.Results.Unit(r.Objective.Name),
		rows: o.Problem.Results.Unit("start"), origin: o.W.Origin}
	if q.Task != model.None {
		line.Task, _, _ = o.Run.View().TaskName(q.Task)
	}
	return line
}

// Print writes the explanation: for people, as JSON, or its alternatives as records.
func (l Explanation) Print(out show.Output) error {
	switch {
	case out.Format == show.FormatJSON:
		return show.WriteLines(out, []Explanation{l})
	case out.ForRecords():
		return out.Print(l.alternatives())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", textpos.Visible(l.Subject))
	reasons := func(title string, list []explain.Fact) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n%s\n", title)
		}
		for _, r := range list {
			fmt.Fprintf(&b, "  %s: %s\n", r.Kind, textpos.Visible(r.Text))
		}
	}
	reasons("Why there", l.Where)
	reasons("Why then", l.When)
	reasons("Why the bound", l.Bound)
	if err := errors.Join(l.prices(&b), l.table(&b, out.Width)); err != nil {
		return err
	}
	if len(l.Changes) > 0 {
		b.WriteString("\nWhat would have to change\n")
	}
	for _, c := range l.Changes {
		fmt.Fprintf(&b, "  %s\n", textpos.Visible(c))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// prices writes what the dual solution says.
func (l Explanation) prices(b *strings.Builder) error {
	if len(l.Prices) == 0 {
		return nil
	}
	b.WriteString("\nWhat the dual solution of the bound says\n")
	tw := tabwriter.NewWriter(b, 0, 0, 1, ' ', 0)
	for _, p := range l.Prices {
		fmt.Fprintf(tw, "  %s\t%s\n", p.Value, textpos.Visible(p.Text))
	}
	return tw.Flush()
}

// table writes the alternatives for people.
func (l Explanation) table(b *strings.Builder, width int) error {
	if len(l.Alternatives) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\nAlternatives (now %s %s)\n", l.Objective.Name,
		show.Value(l.Objective.Value, l.unit, model.RoundDown))
	t := l.alternatives().Filled()
	t.Indent = "  "
	return t.Write(b, width)
}

// alternatives has a row an alternative.
func (l Explanation) alternatives() *show.Table {
	start, end := "", ""
	if l.rows == model.UnitNone { // costs are no times
		start, end = "LOAD BEFORE", "LOAD AFTER"
	}
	t := &show.Table{Origin: l.origin, Columns: []show.Column{{Name: "task"}, {Name: "machine"},
		{Name: "start", Title: start, Unit: l.rows, Number: true},
		{Name: "end", Title: end, Unit: l.rows, Number: true}, {Name: l.Objective.Name, Number: true, Unit: l.unit},
		{Name: "change", Number: true, Show: l.signed}, {Name: "note", Title: " ", Rank: 1}}}
	for _, a := range l.Alternatives {
		t.Add(a.Task, a.Machine, string(a.Start), string(a.End), string(a.Objective), string(a.Change), a.Note)
	}
	return t
}

// signed prints a change with its sign.
func (l Explanation) signed(n string) string {
	text := show.Value(model.Number(n), l.unit, model.RoundDown)
	if v, ok := show.Rational(model.Number(n)); ok && v.Sign() > 0 {
		return "+" + text
	}
	return text
}
