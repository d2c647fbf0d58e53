package result

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"mrsched/model"
)

// DiffKeepMarkdown is how many jobs, machines and tasks WriteMarkdown lists.
const DiffKeepMarkdown = 5

// maxMarkdownMetrics is how many metrics the table has.
const maxMarkdownMetrics = 4

// WriteMarkdown writes the difference as a comment for a code review: a verdict, a table of numbers, the largest
// changes. Everything that comes from files is written as code, so no name can act as markup.
func (d *Difference) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", d.verdictLine())
	d.markdownInput(&b)
	if rows := d.markdownRows(); len(rows) > 0 {
		fmt.Fprintf(&b, "\n| | old%s | new | change |\n|---|--:|--:|--:|\n", d.other())
		for _, row := range rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	d.markdownJobs(&b)
	d.markdownTasks(&b)
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s\n", codeText(text))
	}
	for _, text := range d.Notes {
		fmt.Fprintf(&b, "\nNote: %s\n", codeText(text))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// verdictLine is the first line, with the most important fact in bold.
func (d *Difference) verdictLine() string {
	verdict := d.verdict()
	line := "**" + strings.ToUpper(verdict[:1]) + verdict[1:] + "**"
	if o := d.Objective; o != nil && o.Name != "" {
		line += ": " + codeName(o.Name) + " " + withPercent(o.Numbers)
	}
	if d.Tasks != nil {
		line += fmt.Sprintf("; %d of %d tasks moved", d.Tasks.Moved, d.Tasks.Old+d.Tasks.Appeared)
	}
	return line + fmt.Sprintf(" (%s → %s)", codeText(d.Old.Name), codeText(d.New.Name))
}

// markdownInput lists how the input changed.
func (d *Difference) markdownInput(b *bytes.Buffer) {
	if d.Input == nil {
		return
	}
	t := &inputText{in: d.Input, name: codeName, most: inputLines}
	fmt.Fprintf(b, "\nInput: %s.\n\n", t.sizes())
	for _, line := range t.lines() {
		fmt.Fprintf(b, "- %s\n", line)
	}
}

// markdownRows are the rows of the table: name, old, new, change.
func (d *Difference) markdownRows() (rows [][]string) {
	numbers := func(name string, n Numbers) {
		change := "–"
		if n.Change != "" {
			change = signed(n.Change)
		}
		rows = append(rows, []string{name, shown(n.Old), shown(n.New), change})
	}
	if o := d.Objective; o != nil && o.Name != "" {
		numbers(codeName(o.Name), o.Numbers)
	} else if o != nil {
		rows = append(rows, []string{"objective", codeName(o.OldName) + " " + shown(o.Old),
			codeName(o.NewName) + " " + shown(o.New), "–"})
	}
	if c := d.LowerBound; c != nil {
		text := func(b *model.LowerBound) string {
			if b == nil {
				return none("")
			}
			return shown(b.Value) + " " + codeName(b.Method)
		}
		rows = append(rows, []string{"lower bound", text(c.Old), text(c.New), signed(c.Change)})
	}
	if d.Ratio != nil {
		rows = append(rows, []string{"ratio", none(string(d.Ratio.Old)), none(string(d.Ratio.New)), signed(d.Ratio.Change)})
	}
	code := func(text string) string { return none(named(text, codeName)) }
	if s := d.Status; s != nil && s.Old != s.New {
		rows = append(rows, []string{"status", code(s.Old), code(s.New), ""})
	}
	if g := d.Guarantee; g != nil {
		rows = append(rows, []string{"guarantee", promiseCode(g.Old), promiseCode(g.New), ""})
	}
	if d.Old.Algorithm != d.New.Algorithm {
		rows = append(rows, []string{"algorithm", code(d.Old.Algorithm), code(d.New.Algorithm), ""})
	}
	metrics := largestFirst(d.otherMetrics())
	for _, v := range metrics[:min(len(metrics), maxMarkdownMetrics)] {
		if v.Change != "" {
			numbers(codeName(v.Name), Numbers{model.Number(v.Old), model.Number(v.New), v.Change})
		} else {
			rows = append(rows, []string{codeName(v.Name), valueText(v.Old, codeName), valueText(v.New, codeName), ""})
		}
	}
	if more := len(metrics) - maxMarkdownMetrics; more > 0 {
		rows = append(rows, []string{model.Counted(more, "more metric"), "", "", ""})
	}
	return rows
}

func promiseCode(g *model.Guarantee) string {
	if g == nil {
		return none("")
	}
	return codeName(promiseText(g))
}

func (d *Difference) markdownJobs(b *bytes.Buffer) {
	if c := d.Shares; c != nil && len(d.Jobs) > 0 && d.Input == nil {
		fmt.Fprintf(b, "\nJobs: %d gained, %d lost, %d neither.\n\n", c.Gained, c.Lost, c.Unchanged)
	} else if e := d.Ends; e != nil && len(d.Jobs) > 0 {
		fmt.Fprintf(b, "\nJobs: %s.\n\n", e)
	}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		parts := []string{}
		if d.Shares != nil && j.Share != nil {
			parts = append(parts, numbersText(*j.Share))
		}
		if text := d.jobText(j, codeName); text != "" {
			parts = append(parts, text)
		}
		fmt.Fprintf(b, "- %s: %s\n", codeName(j.Job), strings.Join(append(parts, model.Counted(j.Moved, "task")+" moved"),
			"; "))
	}
	markdownRest(b, d.jobs-len(d.Jobs))
	if len(d.Machines) > 0 {
		fmt.Fprintf(b, "\nServers: %d have another load.\n\n", d.machines)
	}
	for i := range d.Machines {
		m := &d.Machines[i]
		fmt.Fprintf(b, "- %s: load %s, tasks %s\n", codeName(m.Machine), numbersText(m.Load), numbersText(m.Tasks))
	}
	markdownRest(b, d.machines-len(d.Machines))
}

func (d *Difference) markdownTasks(b *bytes.Buffer) {
	if len(d.moves) == 0 {
		return
	}
	fmt.Fprintf(b, "\nTasks: %s.\n\n", d.Tasks)
	for m := range d.Moved() {
		parts := placesText(m, codeName)
		for _, v := range m.Columns {
			parts = append(parts, codeName(v.Name)+" "+valuesText(v, codeName))
		}
		fmt.Fprintf(b, "- %s: %s\n", codeName(m.Task), strings.Join(parts, ", "))
	}
	markdownRest(b, d.Tasks.Moved+d.Tasks.Columns-len(d.moves))
}

func markdownRest(b *bytes.Buffer, n int) {
	if n > 0 {
		fmt.Fprintf(b, "- … and %d more\n", n)
	}
}
