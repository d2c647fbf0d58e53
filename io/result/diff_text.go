package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mrsched/model"
)

// DiffKeep is how many jobs, machines and tasks WriteText lists by default: with everything else that is at most 60
// lines.
const DiffKeep = 8

// Lines per section of WriteText, unless it lists all.
const (
	metricLines = 8
	madeLines   = 8
	columnLines = 5
	tableLines  = 3
	noteLines   = 4
)

// sheet is the text for people. Names are shown whole if everything is listed.
type sheet struct {
	d   *Difference
	all bool
	b   bytes.Buffer
}

// WriteText writes the difference for people. With all it leaves out nothing; otherwise, for a Difference made with
// DiffKeep, it writes at most 60 lines.
func (d *Difference) WriteText(w io.Writer, all bool) error {
	s := &sheet{d: d, all: all}
	s.head()
	s.input()
	if d.Compared != ComparedSchedules && d.Compared != ComparedInstances {
		s.claims()
	}
	s.values("metrics", largestFirst(d.otherMetrics()), s.lines(metricLines))
	s.values("made otherwise", d.Made, s.lines(madeLines))
	s.tables()
	s.columns()
	s.jobs()
	s.machines()
	s.tasks()
	notes, left := fit(s, d.Notes, noteLines)
	for _, n := range notes {
		s.line("note: %s", n)
	}
	if left > 0 {
		s.line("note: %d more notes (--all shows them)", left)
	}
	_, err := w.Write(s.b.Bytes())
	return err
}

func (s *sheet) line(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// lines is how many lines a section has: half as many after the changes of the input.
func (s *sheet) lines(most int) int {
	if s.d.Input != nil {
		return (most + 1) / 2
	}
	return most
}

func (s *sheet) name(name string) string {
	if s.all {
		return wholeName(name)
	}
	return plainName(name)
}

// aligned writes lines in columns.
func (s *sheet) aligned(lines [][]string) {
	t := tabwriter.NewWriter(&s.b, 0, 0, 2, ' ', 0)
	for _, cells := range lines {
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	t.Flush() // it writes to memory
}

// fit is as much of a list as fits into some lines with the one that says how many items are left out.
func fit[T any](s *sheet, list []T, lines int) (shown []T, left int) {
	if s.all || len(list) <= lines {
		return list, 0
	}
	return list[:lines-1], len(list) - lines + 1
}

// rest says how many items are not listed.
func (s *sheet) rest(n int) {
	if n > 0 {
		s.line("  … and %d more (--all lists them)", n)
	}
}

func (s *sheet) head() {
	d := s.d
	problem := ""
	if d.Problem != "" {
		problem = s.name(d.Problem) + ": "
	}
	s.line("%s%s → %s: %s", problem, wholeName(d.Old.Name), wholeName(d.New.Name), d.verdict())
}

// verdict is the whole comparison in two words.
func (d *Difference) verdict() string {
	switch {
	case d.Same:
		return "the same"
	case d.Compared == ComparedInstances:
		return "changed"
	case d.Input != nil:
		return anotherInput
	case d.Verdict == VerdictBetter || d.Verdict == VerdictWorse:
		return d.Verdict
	}
	return "different"
}

// claims writes what both results state, except for equal and unimportant values.
func (s *sheet) claims() {
	d := s.d
	var lines [][]string
	add := func(label, text string) { lines = append(lines, []string{label, text}) }
	if d.Status != nil {
		add("status", arrow(named(d.Status.Old, s.name), named(d.Status.New, s.name)))
	}
	if o := d.Objective; o != nil {
		name := s.name(o.Name)
		if o.Name == "" {
			add("objective", fmt.Sprintf("%s %s → %s %s", s.name(o.OldName), shown(o.Old), s.name(o.NewName), shown(o.New)))
		} else {
			add(name, withPercent(o.Numbers)+d.other())
		}
	}
	if b := d.LowerBound; b != nil {
		add("lower bound", boundsText(b, s.name)+d.other())
	}
	if d.Ratio != nil {
		add("ratio", ratioText(*d.Ratio)+d.other())
	}
	if g := d.Guarantee; g != nil {
		text := arrow(promiseText(g.Old), promiseText(g.New))
		if !strings.Contains(text, " → ") {
			text += ", of another source or premise"
		}
		add("guarantee", text)
	}
	if !d.Schedule.Same && d.Tasks == nil {
		add("schedule", "another")
	}
	s.aligned(lines)
	s.slack()
}

// boundsText prints both bounds with their methods.
func boundsText(c *BoundChange, name func(string) string) string {
	side := func(b *model.LowerBound) (value model.Number, method string) {
		if b == nil {
			return "", ""
		}
		if !b.Verified {
			return b.Value, name(b.Method) + " (not verified)"
		}
		return b.Value, name(b.Method)
	}
	a, from := side(c.Old)
	b, to := side(c.New)
	return numbersText(Numbers{a, b, c.Change}) + ", " + arrow(from, to)
}

func (s *sheet) values(what string, list []Values, limit int) {
	if len(list) == 0 {
		return
	}
	s.line("%s:", what)
	list, left := fit(s, list, limit)
	var lines [][]string
	for _, v := range list {
		text := "another"
		if v.Name != madeCertificate || s.all {
			text = valuesText(v, s.name)
		}
		lines = append(lines, []string{"  " + s.name(v.Name), text})
	}
	s.aligned(lines)
	s.rest(left)
}

// valuesText prints two values, and the difference of numbers.
func valuesText(v Values, name func(string) string) string {
	if v.Change != "" {
		return numbersText(Numbers{model.Number(v.Old), model.Number(v.New), v.Change})
	}
	return valueText(v.Old, name) + " → " + valueText(v.New, name)
}

func (s *sheet) tables() {
	list := slices.DeleteFunc(slices.Clone(s.d.Tables), func(t TableChange) bool {
		return t.Name == jobsTable && len(s.d.Jobs) > 0 && s.d.Ends != nil && s.d.Ends.Source == fromTable // the jobs follow
	})
	list, left := fit(s, list, tableLines)
	for _, t := range list {
		text := "differs"
		if t.Rows != nil {
			text = fmt.Sprintf("%s rows, %d only in the old, %d only in the new", numbersText(*t.Rows), *t.OnlyOld, *t.OnlyNew)
		}
		s.line("table %s: %s", s.name(t.Name), text)
	}
	s.rest(left)
}

func (s *sheet) columns() {
	list, left := fit(s, s.d.Columns, s.lines(columnLines))
	for _, c := range list {
		s.line("%s: %s", s.name(c.Name), columnText(c, s.name))
	}
	s.rest(left)
}

func columnText(c ColumnChange, name func(string) string) string {
	var parts []string
	if c.Sum != nil {
		parts = append(parts, "all rows together "+numbersText(*c.Sum))
	}
	for i, v := range c.Values {
		if i == maxValues {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, name(v.Value)+" "+numbersText(v.Numbers))
	}
	if c.Changed > 0 {
		parts = append(parts, "another in "+model.Counted(c.Changed, "task"))
	}
	return strings.Join(parts, ", ")
}

// maxValues is how many values of a column are shown.
const maxValues = 4

func (s *sheet) jobs() {
	d := s.d
	var parts []string
	if c := d.Shares; c != nil {
		text := fmt.Sprintf("%d gained, %d lost, %d neither (%s of %s)", c.Gained, c.Lost, c.Unchanged, c.Of, c.Source)
		if d.Input != nil {
			text = fmt.Sprintf("%d contribute less, %d more, %d as before (%s of %s)", c.Gained, c.Lost, c.Unchanged, c.Of,
				c.Source)
		}
		if rest := decimal(string(c.Rest)); rest != nil && rest.Sign() != 0 {
			text += "; " + signed(c.Rest) + " by no job"
		}
		parts = append(parts, text)
	}
	if e := d.Ends; e != nil {
		parts = append(parts, e.String())
	}
	if len(d.Jobs) == 0 {
		return
	}
	s.line("jobs: %s", strings.Join(parts, "; "))
	var lines [][]string
	for i := range d.Jobs {
		j := &d.Jobs[i]
		cells := []string{"  " + s.name(j.Job)}
		if d.Shares != nil && j.Share != nil {
			cells = append(cells, numbersText(*j.Share))
		}
		lines = append(lines, append(cells, d.jobText(j, s.name), model.Counted(j.Moved, "task")+" moved"))
	}
	s.aligned(lines)
	s.rest(d.jobs - len(d.Jobs))
	s.deciders()
}

// jobText prints the most important columns of a job that differ, at most two.
func (d *Difference) jobText(j *JobChange, name func(string) string) string {
	var parts []string
	if j.Only != "" {
		parts = append(parts, "only in the "+j.Only)
	}
	told := []string{columnCompletion}
	if d.about.Completion != "" {
		told = append(told, d.about.Completion)
	}
	for _, column := range append(told, d.about.JobColumns...) {
		for _, v := range j.Values {
			if v.Name == column && len(parts) < 2 {
				parts = append(parts, name(column)+" "+valuesText(v, name))
			}
		}
	}
	return strings.Join(parts, ", ")
}

func (s *sheet) machines() {
	d := s.d
	if len(d.Machines) == 0 {
		return
	}
	s.line("servers: %d have another load", d.machines)
	var lines [][]string
	for i := range d.Machines {
		m := &d.Machines[i]
		lines = append(lines, []string{"  " + s.name(m.Machine), "load " + numbersText(m.Load),
			"tasks " + numbersText(m.Tasks)})
	}
	s.aligned(lines)
	s.rest(d.machines - len(d.Machines))
	s.deciders()
}

func (s *sheet) deciders() {
	if c := s.d.Decides; c != nil {
		s.line("  %s: %s → %s", either(c.Per == columnJob, "ends last", "largest load"), decidersText(c.Old, s.name),
			decidersText(c.New, s.name))
	}
}

func decidersText(c Deciders, name func(string) string) string {
	if c.Count == 0 {
		return none("")
	}
	var names []string
	for _, n := range c.First[:min(len(c.First), 2)] {
		names = append(names, name(n))
	}
	if more := c.Count - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ") + " at " + shown(c.Value)
}

func (s *sheet) tasks() {
	d := s.d
	if d.Tasks == nil || len(d.moves) == 0 {
		return
	}
	s.line("tasks: %s", d.Tasks)
	var lines [][]string
	for m := range d.Moved() {
		cells := append([]string{"  " + s.name(m.Task)}, placesText(m, s.name)...)
		for _, v := range m.Columns {
			cells = append(cells, s.name(v.Name)+" "+valuesText(v, s.name))
		}
		lines = append(lines, cells)
	}
	s.aligned(lines)
	c := d.Tasks
	s.rest(c.Moved + c.Columns - len(d.moves))
}

// String counts in words.
func (c *TaskCounts) String() string {
	parts := []string{fmt.Sprintf("%d of %d moved", c.Moved, c.Old+c.Appeared)}
	for _, p := range []struct {
		n    int
		what string
	}{{c.Machine, "to another machine"}, {c.Start, "to another start"}, {c.Both, "to another machine and start"},
		{c.End, "with another end or pieces"},
		{c.Appeared, "only in the new"}, {c.Vanished, "only in the old"}, {c.Columns, "with other columns"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// placesText prints machine, start and end of a task on both sides.
func placesText(m TaskChange, name func(string) string) []string {
	switch {
	case m.Old == nil:
		return []string{"only in the new", "on " + machineText(m.New, name), fmt.Sprintf("from %s to %s", m.New.Start,
			m.New.End)}
	case m.New == nil:
		return []string{"only in the old", "on " + machineText(m.Old, name), fmt.Sprintf("from %s to %s", m.Old.Start,
			m.Old.End)}
	}
	number := func(t model.Time) json.RawMessage { return json.RawMessage(t.String()) }
	start, _ := valuesOf("", number(m.Old.Start), number(m.New.Start))
	end, _ := valuesOf("", number(m.Old.End), number(m.New.End))
	return []string{"on " + arrow(machineText(m.Old, name), machineText(m.New, name)), "start " + valuesText(start, name),
		"end " + valuesText(end, name)}
}

func machineText(p *Place, name func(string) string) string {
	if len(p.Pieces) > 0 {
		return fmt.Sprintf("%s (%d pieces)", name(p.Machine), len(p.Pieces))
	}
	return name(p.Machine)
}
