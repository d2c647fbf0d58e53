package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

// Lines of sections, unless all are listed.
const (
	metricLines = 8
	madeLines   = 6
	columnLines = 5
	tableLines  = 3
	noteLines   = 4
)

// form says how much of a difference is printed, and how names are.
type form struct {
	name, text func(string) string // of files, and of mrsched's own words
	all, half  bool                // lists are whole, or half as long
	more       string              // how to see what is left out
}

// section is a title, lines of cells, and how many more lines there are. The first cell is a name; others
// may be empty.
type section struct {
	title string
	rows  [][]string
	more  int
}

// sections are the parts of a difference below the changes of the input; the first are the facts.
func (d *Difference) sections(f form) []section {
	list := []section{{title: d.factsTitle()}}
	for _, x := range d.facts(f.name) {
		list[0].rows = append(list[0].rows, []string{x.name, x.String()})
	}
	add := func(s section) {
		if s.title != "" {
			list = append(list, s)
		}
	}
	add(section{title: d.slack(f.name)})
	add(valueSection(f, "metrics:", largestFirst(d.otherMetrics()), metricLines))
	made := slices.DeleteFunc(slices.Clone(d.Made), func(v Values) bool { return v.Name == madeAlgorithm })
	add(valueSection(f, "made otherwise:", made, madeLines))
	add(d.tableSection(f))
	add(listed(f, "columns:", d.Columns, columnLines, func(c ColumnChange) []string {
		return []string{f.name(c.Name), columnText(c, f.name)}
	}))
	add(d.jobSection(f))
	add(d.machineSection(f))
	if c := d.Decides; c != nil && len(d.Jobs)+len(d.Machines) > 0 {
		add(section{title: fmt.Sprintf("%s: %s → %s", either(c.Per == columnJob, "ends last", "largest load"),
			decidersText(c.Old, f.name), decidersText(c.New, f.name))})
	}
	add(d.taskSection(f))
	notes, left := fit(f, d.Notes, noteLines)
	for _, n := range notes {
		add(section{title: "note: " + f.text(n)})
	}
	if left > 0 {
		add(section{title: fmt.Sprintf("note: %d more notes%s", left, f.more)})
	}
	return list
}

// factsTitle says that numbers are of another input, so that a change is not taken for progress.
func (d *Difference) factsTitle() string {
	return either(d.Input != nil && d.Compared != ComparedInstances, "the result, of another input:", "")
}

// fit is as much of a list as fits into some lines with the one that says how many items are left out.
func fit[T any](f form, list []T, lines int) (shown []T, left int) {
	if f.half {
		lines = (lines + 1) / 2
	}
	if f.all || len(list) <= lines {
		return list, 0
	}
	return list[:lines-1], len(list) - lines + 1
}

// listed is a section with a line an item; without items it has no title.
func listed[T any](f form, title string, list []T, lines int, row func(T) []string) (s section) {
	list, s.more = fit(f, list, lines)
	for _, x := range list {
		s.title, s.rows = title, append(s.rows, row(x))
	}
	return s
}

func valueSection(f form, title string, list []Values, lines int) section {
	return listed(f, title, list, lines, func(v Values) []string {
		if v.Name == madeCertificate && !f.all {
			return []string{v.Name, "another"}
		}
		return []string{f.name(v.Name), valueFact(v, f.name).String()}
	})
}

// verdict is the whole comparison in two words.
func (d *Difference) verdict() string {
	switch {
	case d.Same:
		return "the same"
	case d.Compared == ComparedInstances:
		return "changed"
	case d.Input != nil:
		return "another input"
	case d.Verdict == VerdictBetter || d.Verdict == VerdictWorse:
		return d.Verdict
	}
	return "different"
}

// slack warns if the old schedule may be further from its optimum than the objective moved with the input.
func (d *Difference) slack(name func(string) string) string {
	o, b := d.Objective, d.LowerBound
	if d.Input == nil || o == nil || o.Name == "" || b == nil || b.Old == nil || !b.Old.Verified {
		return ""
	}
	value, bound, change := decimal(string(o.Old)), decimal(string(b.Old.Value)), decimal(string(o.Change))
	if value == nil || bound == nil || change == nil || change.Sign() == 0 {
		return ""
	}
	gap := value.Sub(value, bound)
	if gap.Cmp(change.Abs(change)) <= 0 {
		return ""
	}
	return fmt.Sprintf("the change need not come from the input: the old %s may be up to %s above its optimum",
		name(o.Name), shownUp(exactText(gap)))
}

func (d *Difference) tableSection(f form) section {
	list := slices.DeleteFunc(slices.Clone(d.Tables), func(t TableChange) bool {
		return t.Name == jobsTable && len(d.Jobs) > 0 && d.Ends != nil && d.Ends.Source == fromTable // the jobs follow
	})
	return listed(f, "tables:", list, tableLines, func(t TableChange) []string {
		if t.Rows == nil {
			return []string{f.name(t.Name), "differs"}
		}
		return []string{f.name(t.Name), fmt.Sprintf("%s rows, %d only in the old, %d only in the new",
			numberFact("", *t.Rows), *t.OnlyOld, *t.OnlyNew)}
	})
}

func columnText(c ColumnChange, name func(string) string) string {
	var parts []string
	if c.Sum != nil {
		parts = append(parts, "all rows together "+numberFact("", *c.Sum).String())
	}
	for i, v := range c.Values {
		if i == maxValues {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, name(v.Value)+" "+numberFact("", v.Numbers).String())
	}
	if c.Changed > 0 {
		parts = append(parts, "another in "+model.Counted(c.Changed, "task"))
	}
	return strings.Join(parts, ", ")
}

// maxValues is how many values of a column are shown.
const maxValues = 4

func (d *Difference) jobSection(f form) section {
	var parts []string
	if c := d.Shares; c != nil {
		words := "%d gained, %d lost, %d neither (%s of %s)"
		if d.Input != nil {
			words = "%d contribute less, %d more, %d as before (%s of %s)"
		}
		text := fmt.Sprintf(words, c.Gained, c.Lost, c.Unchanged, c.Of, c.Source)
		if rest := decimal(string(c.Rest)); rest != nil && rest.Sign() != 0 {
			text += "; " + signed(c.Rest) + " by no job"
		}
		parts = append(parts, text)
	}
	if d.Ends != nil {
		parts = append(parts, d.Ends.String())
	}
	s := section{more: d.jobs - len(d.Jobs)}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		cells := []string{f.name(j.Job)}
		if d.Shares != nil && j.Share != nil {
			cells = append(cells, numberFact("", *j.Share).String())
		}
		s.title = "jobs: " + strings.Join(parts, "; ")
		s.rows = append(s.rows, append(cells, d.jobText(j, f.name), model.Counted(j.Moved, "task")+" moved"))
	}
	return s
}

// jobText prints the most important columns of a job that differ, at most two.
func (d *Difference) jobText(j *JobChange, name func(string) string) string {
	var parts []string
	if j.Only != "" {
		parts = append(parts, "only in the "+j.Only)
	}
	for _, column := range append([]string{columnCompletion, d.about.Completion}, d.about.JobColumns...) {
		for _, v := range j.Values {
			if v.Name == column && len(parts) < 2 {
				parts = append(parts, name(column)+" "+valueFact(v, name).String())
			}
		}
	}
	return strings.Join(parts, ", ")
}

func (d *Difference) machineSection(f form) section {
	s := section{more: d.machines - len(d.Machines)}
	for i := range d.Machines {
		m := &d.Machines[i]
		s.title = fmt.Sprintf("servers: %d have another load", d.machines)
		s.rows = append(s.rows, []string{f.name(m.Machine), "load " + numberFact("", m.Load).String(),
			"tasks " + numberFact("", m.Tasks).String()})
	}
	return s
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

func (d *Difference) taskSection(f form) (s section) {
	for m := range d.Moved() {
		cells := append([]string{f.name(m.Task)}, placesText(m, f.name)...)
		for _, v := range m.Columns {
			cells = append(cells, f.name(v.Name)+" "+valueFact(v, f.name).String())
		}
		s.title, s.rows = "tasks: "+d.Tasks.String(), append(s.rows, cells)
	}
	if c := d.Tasks; c != nil {
		s.more = c.Moved + c.Columns - len(d.moves)
	}
	return s
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
	one := func(side string, p *Place) []string {
		return []string{"only in the " + side, "on " + machineText(p, name), fmt.Sprintf("from %s to %s", p.Start, p.End)}
	}
	switch {
	case m.Old == nil:
		return one("new", m.New)
	case m.New == nil:
		return one("old", m.Old)
	}
	times := func(what string, old, new model.Time) string {
		v, _ := valuesOf("", json.RawMessage(old.String()), json.RawMessage(new.String()))
		return what + " " + valueFact(v, name).String()
	}
	return []string{"on " + arrow(machineText(m.Old, name), machineText(m.New, name)),
		times("start", m.Old.Start, m.New.Start), times("end", m.Old.End, m.New.End)}
}

func machineText(p *Place, name func(string) string) string {
	if len(p.Pieces) > 0 {
		return fmt.Sprintf("%s (%d pieces)", name(p.Machine), len(p.Pieces))
	}
	return name(p.Machine)
}
