package cli

import (
	"errors"
	"fmt"
	"io"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
	"strings"
	"text/tabwriter"
)

// explanationFormat is the `format` of what explain prints with --json.
const explanationFormat = "mrsched-explanation/1"

// explanationLine is an explanation as it is printed.
type explanationLine struct {
	Format    string           `json:"format"`
	Problem   string           `json:"problem"`
	Algorithm string           `json:"algorithm"`
	Task      string           `json:"task,omitempty"`
	Job       string           `json:"job"`
	Objective *model.Objective `json:"objective"`
	*solver.Explanation
}

func lineOf(o *engine.Opened, r *model.Result, q solver.Question, e *solver.Explanation) explanationLine {
	line := explanationLine{Format: explanationFormat, Problem: r.Problem, Algorithm: r.Algorithm, Job: o.W.Jobs[q.Job].ID,
		Objective: r.Objective, Explanation: e}
	if q.Task != model.None {
		line.Task, _ = taskName(o, q.Task)
	}
	return line
}

// print writes the explanation for people.
func (l explanationLine) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", textpos.Visible(l.Subject))
	reasons := func(title string, list []solver.Reason) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n%s\n", title)
		}
		for _, r := range list {
			fmt.Fprintf(&b, "  %s: %s\n", r.Kind, textpos.Visible(r.Text))
		}
	}
	reasons("Why there", l.Where)
	reasons("Why then", l.When)
	if err := errors.Join(l.prices(&b), l.table(&b)); err != nil {
		return err
	}
	if len(l.Changes) > 0 {
		b.WriteString("\nWhat would have to change\n")
	}
	for _, c := range l.Changes {
		fmt.Fprintf(&b, "  %s\n", textpos.Visible(c))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// prices writes what the dual solution says.
func (l explanationLine) prices(b *strings.Builder) error {
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

// table writes the alternatives.
func (l explanationLine) table(b *strings.Builder) error {
	if len(l.Alternatives) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\nAlternatives (now %s %s)\n", l.Objective.Name, show.Shorten(l.Objective.Value))
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	task, named := "", false
	for _, a := range l.Alternatives {
		named = named || a.Task != ""
	}
	if named {
		task = "TASK\t"
	}
	fmt.Fprintf(tw, "  %sMACHINE\tSTART\tEND\t%s\tCHANGE\n", task, show.Heading(l.Objective.Name))
	for _, a := range l.Alternatives {
		if named {
			task = textpos.Visible(a.Task) + "\t"
		}
		fmt.Fprintf(tw, "  %s%s\t%s\t%s\t%s\t%s\t%s\n", task, textpos.Visible(a.Machine), show.Shorten(a.Start),
			show.Shorten(a.End),
			show.Shorten(a.Objective), signed(a.Change), textpos.Visible(a.Note))
	}
	return tw.Flush()
}

// signed prints a change with its sign, cut to the digits of tables.
func signed(n model.Number) string {
	if rest, negative := strings.CutPrefix(string(n), "-"); negative {
		return "-" + show.Shorten(model.Number(rest))
	}
	if text := show.Shorten(n); text != "0" {
		return "+" + text
	}
	return "0"
}
