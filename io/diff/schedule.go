package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
)

// tally collects what one pass over two schedules finds.
type tally struct {
	tasks  largest
	within model.Time // changes up to it do not count where the machine stays
	loads  bool       // machines are compared in place of jobs
	groups map[string]*group
	order  []*group
	latest *group // of the latest row
}

// group is a job, or a machine, in the rows of both schedules.
type group struct {
	name  string
	rows  [2]int
	end   [2]model.Time // of a job: the last row's; of a machine: how long its rows take
	moved int           // tasks
}

// schedules compares the rows of both sides: tasks, and the jobs or machines that they belong to.
func (d *Difference) schedules(old, new *result.Side, keep int) {
	t := &tally{within: d.Tolerance,
		tasks: largest{Section: &Section{Name: SectionTasks}, keep: keep}, groups: map[string]*group{}}
	for _, about := range old.Known {
		t.loads = t.loads || about.Problem == d.Problem && about.Loads
	}
	if o := old.Document().Instance.Origin; o == new.Document().Instance.Origin && !t.loads {
		t.tasks.origin, _ = model.ParseOrigin(o) // unknown if there is none
	}
	pairs(byTask(old.Bundle.Rows), byTask(new.Bundle.Rows), func(rows []result.Row) string { return rows[0].Task },
		slices.Clone, t.visit)
	if groups := t.compared(keep); len(groups.Rows) > 0 {
		d.take(groups)
	}
	t.tasks.sort()
	if t.tasks.rows > 0 || t.within > 0 && !d.Same {
		d.take(t.tasks.Section)
	} else if old.Schedule != new.Schedule {
		d.note("the schedules hold the same rows in another order, or other columns")
	}
}

func (t *tally) visit(old, new *[]result.Row, at int) {
	var sides [2][]result.Row
	for k, rows := range [2]*[]result.Row{old, new} {
		if rows == nil {
			continue
		}
		sides[k] = *rows
		for i := range sides[k] {
			t.row(k, &sides[k][i])
		}
	}
	s := t.tasks.Section
	s.count(countAll)
	if slices.EqualFunc(sides[0], sides[1], sameRow) {
		return
	}
	a, b := placeOf(sides[0]), placeOf(sides[1])
	if t.within > 0 && old != nil && new != nil && a.machine == b.machine && !a.columnsDiffer(b) &&
		max(a.start-b.start, b.start-a.start, a.end-b.end, b.end-a.end) <= t.within {
		return
	}
	r := Row{at: at}
	moved := true
	switch {
	case old == nil:
		r.Key, r.Change, r.weight = []string{b.task}, countAdded, int64(b.end-b.start)
	case new == nil:
		r.Key, r.Change, r.weight = []string{a.task}, countRemoved, int64(a.end-a.start)
	default:
		r.Key, r.Change = []string{b.task}, countChanged
		r.weight = int64(max(a.start-b.start, b.start-a.start, a.end-b.end, b.end-a.end))
		moved = t.moved(a, b)
	}
	if moved {
		s.count(countMoved)
		t.latest.moved++
	}
	if r.Change != countChanged || !moved || a.columnsDiffer(b) {
		s.count(r.Change)
	}
	t.tasks.row(r, func() []Value { return changed(a.texts(), b.texts()) })
}

// moved counts how a task of both sides moved; false: only its columns differ.
func (t *tally) moved(a, b *place) bool {
	s := t.tasks.Section
	if a.machine != b.machine {
		s.count(countMachine)
	}
	switch {
	case b.start < a.start:
		s.count(countEarlier)
	case b.start > a.start:
		s.count(countLater)
	}
	return a.machine != b.machine || a.start != b.start || a.end != b.end || a.pieces != b.pieces
}

// row counts a row of a side.
func (t *tally) row(side int, r *result.Row) {
	name := either(t.loads, r.Machine, r.Job)
	if t.latest == nil || t.latest.name != name {
		g := t.groups[name]
		if g == nil {
			g = &group{name: name}
			t.groups[name] = g
			t.order = append(t.order, g)
		}
		t.latest = g
	}
	g := t.latest
	g.rows[side]++
	if t.loads {
		g.end[side] += r.End - r.Start
	} else {
		g.end[side] = max(g.end[side], r.End)
	}
}

// compared is the section of the jobs or machines.
func (t *tally) compared(keep int) *Section {
	name, measure, words := SectionJobs, "end", [...]string{countEarlier, countBefore, countLater}
	if t.loads {
		name, measure, words = SectionMachines, "load", [...]string{countLess, countBefore, countMore}
	}
	list := largest{Section: &Section{Name: name, origin: t.tasks.origin}, keep: keep}
	for _, g := range t.order {
		r := Row{Key: []string{g.name}, Change: countChanged}
		if !t.loads {
			r.Moved = g.moved
		}
		change := g.end[1] - g.end[0]
		r.weight = int64(max(change, -change))
		switch {
		case g.rows[0] == 0:
			r.Change = countAdded
			list.count(countAdded)
		case g.rows[1] == 0:
			r.Change = countRemoved
			list.count(countRemoved)
		default:
			if max(change, -change) <= t.within {
				change = 0
			}
			list.count(words[cmp.Compare(change, 0)+1])
		}
		if r.Change == countChanged && change == 0 && r.Moved == 0 {
			continue
		}
		list.row(r, func() []Value { return g.values(measure) })
	}
	list.sort()
	return list.Section
}

// values are the end or load of a group, if it changed.
func (g *group) values(measure string) []Value {
	texts := [2]string{}
	for k := range texts {
		if g.rows[k] > 0 {
			texts[k] = g.end[k].String()
		}
	}
	s := &Section{}
	s.addChanged(measure, texts[0], texts[1])
	return s.Values
}

func sameRow(a, b result.Row) bool {
	return a.Start == b.Start && a.End == b.End && a.Machine == b.Machine && a.Task == b.Task && a.Job == b.Job &&
		a.Kind == b.Kind && slices.Equal(a.Columns, b.Columns)
}

// place is where and when a task runs on one side; nil: nowhere.
type place struct {
	task, machine string // machine: of all pieces
	start, end    model.Time
	pieces        string // if there are several
	first         *result.Row
}

// placeOf is the place of a task's rows, which must stay valid.
func placeOf(rows []result.Row) *place {
	if len(rows) == 0 {
		return nil
	}
	r := &rows[0]
	p := &place{task: r.Task, machine: r.Machine, start: r.Start, end: r.End, first: r}
	if len(rows) == 1 {
		return p
	}
	var machines, pieces []string
	for i := range rows {
		r := &rows[i]
		p.start, p.end = min(p.start, r.Start), max(p.end, r.End)
		machines = append(machines, r.Machine)
		pieces = append(pieces, fmt.Sprintf("%s %s–%s", r.Machine, r.Start, r.End))
	}
	slices.Sort(machines)
	p.machine, p.pieces = strings.Join(slices.Compact(machines), "+"), strings.Join(pieces, " ")
	return p
}

func (p *place) columnsDiffer(q *place) bool {
	return p.first.Job != q.first.Job || p.first.Kind != q.first.Kind || !slices.Equal(p.first.Columns, q.first.Columns)
}

// named is a text with a name.
type named struct{ name, text string }

// texts are all that a side says of a task.
func (p *place) texts() []named {
	if p == nil {
		return nil
	}
	list := []named{{"machine", p.machine}, {"start", p.start.String()}, {"end", p.end.String()}, {"pieces", p.pieces},
		{"job", p.first.Job}, {"kind", p.first.Kind}}
	for _, c := range p.first.Columns {
		list = append(list, named{c.Name, c.Text})
	}
	return list
}

// changed are the texts that differ.
func changed(old, new []named) []Value {
	s := &Section{}
	find := func(list []named, name string) string {
		for _, x := range list {
			if x.name == name {
				return x.text
			}
		}
		return ""
	}
	for _, x := range new {
		s.addChanged(x.name, find(old, x.name), x.text)
	}
	for _, x := range old {
		if !slices.ContainsFunc(new, func(y named) bool { return y.name == x.name }) {
			s.addChanged(x.name, x.text, "")
		}
	}
	return s.Values
}
