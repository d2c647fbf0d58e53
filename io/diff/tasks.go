package diff

import (
	"cmp"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
)

// How a task may have changed.
const (
	movedMachine  = "machine"  // another machine, the same start
	movedStart    = "start"    // another start on the same machine
	movedBoth     = "both"     // another machine and another start
	movedEnd      = "end"      // the same machine and start, another end or other pieces
	movedColumns  = "columns"  // the same times on the same machine; only other columns differ
	movedAppeared = "appeared" // only the new schedule has the task
	movedVanished = "vanished" // only the old one has it
)

// TaskCounts counts tasks by how they changed. The machine of a task with several rows is the set of their machines,
// its start that of the first row.
type TaskCounts struct {
	Old      int `json:"old"`
	New      int `json:"new"`
	Same     int `json:"same"`
	Machine  int `json:"machine"`
	Start    int `json:"start"`
	Both     int `json:"both"`
	End      int `json:"end"`
	Columns  int `json:"columns"`
	Appeared int `json:"appeared"`
	Vanished int `json:"vanished"`
	// Moved is the sum of machine, start, both, end, appeared and vanished.
	Moved int `json:"moved"`
}

// TaskChange is a task that changed.
type TaskChange struct {
	Task   string `json:"task"`
	Job    string `json:"job"`
	Kind   string `json:"kind"`
	Change string `json:"change"`
	Old    *Place `json:"old,omitempty"`
	New    *Place `json:"new,omitempty"`
	// Shift is how many seconds later the task starts.
	Shift   model.Number `json:"shift,omitempty"`
	Columns []Values     `json:"columns,omitempty"` // the problem's own that differ, of the first row
}

// Place is where and when a task runs, from the start of its first row to the end of its last one.
type Place struct {
	Machine string     `json:"machine"` // of the row that starts first
	Start   model.Time `json:"start"`
	End     model.Time `json:"end"`
	Pieces  []Place    `json:"pieces,omitempty"` // if there are several
}

// move is a task that changed. Moves are ordered by weight, more, place and name, so the order does not depend on which
// side is old.
type move struct {
	old, new []result.Row // nil: the side does not have the task
	change   string
	weight   int64
	more     int64
	at       int
}

// taskTally collects what one pass over two schedules finds.
type taskTally struct {
	about     *model.Description
	cost, due string // columns; empty: there are none
	counts    TaskCounts
	rows      [2]int
	lastEnd   [2]model.Time
	moves     largest[move]
	columns   []*columnTally
	jobs      map[string]*jobTally
	jobOrder  []*jobTally
	lastJob   *jobTally // of the latest row
	loads     map[string]*loadTally
	loadOrder []*loadTally
}

func tallied(about *model.Description, old, new result.Rows, keep int) *taskTally {
	t := &taskTally{about: about, cost: about.Column(model.RoleCost), due: about.Column(model.RoleDue),
		moves: largest[move]{keep: keep, order: byWeight}, jobs: map[string]*jobTally{}, loads: map[string]*loadTally{}}
	pairs(byTask(old), byTask(new), func(rows []result.Row) string { return rows[0].Task }, slices.Clone, t.visit)
	return t
}

func byWeight(a, b move) int {
	return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.more, a.more), cmp.Compare(a.at, b.at),
		cmp.Compare(a.task().Task, b.task().Task))
}

func (m *move) task() *result.Row {
	if m.new != nil {
		return &m.new[0]
	}
	return &m.old[0]
}

func (t *taskTally) visit(old, new *[]result.Row, at int) {
	var o, n []result.Row
	if old != nil {
		o = *old
		t.counts.Old++
	}
	if new != nil {
		n = *new
		t.counts.New++
	}
	for side, rows := range [2][]result.Row{o, n} {
		for k := range rows {
			t.row(side, &rows[k])
		}
	}
	change := changeOf(o, n)
	if change == "" {
		t.counts.Same++
		return
	}
	t.counts.count(change)
	t.transitions(o, n)
	if change != movedColumns {
		t.lastJob.moved++
	}
	m := move{old: o, new: n, change: change, at: at}
	if t.weigh(&m); t.moves.wants(m) {
		m.old, m.new = slices.Clone(o), slices.Clone(n)
		t.moves.add(m)
	}
}

// row counts a row of a side.
func (t *taskTally) row(side int, r *result.Row) {
	t.rows[side]++
	t.lastEnd[side] = max(t.lastEnd[side], r.End)
	if t.lastJob == nil || t.lastJob.id != r.Job {
		j := t.jobs[r.Job]
		if j == nil {
			j = &jobTally{id: r.Job}
			t.jobs[r.Job] = j
			t.jobOrder = append(t.jobOrder, j)
		}
		t.lastJob = j
	}
	t.lastJob.sides[side].row(r, t)
	if t.about.Loads {
		t.load(r.Machine).row(side, r)
	}
	for i := range r.Columns {
		t.column(i, r.Columns[i].Name).row(side, r.Columns[i].Text)
	}
}

// changeOf says how a task changed; empty if it did not.
func changeOf(old, new []result.Row) string {
	switch {
	case old == nil:
		return movedAppeared
	case new == nil:
		return movedVanished
	case slices.EqualFunc(old, new, sameRow):
		return ""
	}
	a, b := &old[0], &new[0]
	machine, start, end := a.Machine != b.Machine, a.Start != b.Start, a.End != b.End
	if len(old) > 1 || len(new) > 1 {
		machine = !slices.Equal(machinesOf(old), machinesOf(new))
		start = placeOf(old).Start != placeOf(new).Start
		end = !slices.EqualFunc(old, new, func(a, b result.Row) bool {
			return a.Machine == b.Machine && a.Start == b.Start &&
				a.End == b.End
		})
	}
	switch {
	case machine && start:
		return movedBoth
	case machine:
		return movedMachine
	case start:
		return movedStart
	case end:
		return movedEnd
	}
	return movedColumns
}

func sameRow(a, b result.Row) bool {
	return a.Start == b.Start && a.End == b.End && a.Machine == b.Machine && a.Task == b.Task && a.Job == b.Job &&
		a.Kind == b.Kind && slices.Equal(a.Columns, b.Columns)
}

func machinesOf(rows []result.Row) []string {
	list := make([]string, len(rows))
	for i := range rows {
		list[i] = rows[i].Machine
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func placeOf(rows []result.Row) *Place {
	first, end := &rows[0], rows[0].End
	for i := range rows[1:] {
		if r := &rows[i+1]; cmp.Or(cmp.Compare(r.Start, first.Start), cmp.Compare(r.End, first.End),
			cmp.Compare(r.Machine, first.Machine)) < 0 {
			first = r
		}
		end = max(end, rows[i+1].End)
	}
	p := &Place{Machine: first.Machine, Start: first.Start, End: end}
	if len(rows) > 1 {
		for i := range rows {
			p.Pieces = append(p.Pieces, Place{Machine: rows[i].Machine, Start: rows[i].Start, End: rows[i].End})
		}
	}
	return p
}

func (c *TaskCounts) count(change string) {
	c.Moved++
	switch change {
	case movedMachine:
		c.Machine++
	case movedStart:
		c.Start++
	case movedBoth:
		c.Both++
	case movedEnd:
		c.End++
	case movedAppeared:
		c.Appeared++
	case movedVanished:
		c.Vanished++
	default:
		c.Columns++
		c.Moved--
	}
}

// weigh measures a change: by the change of the rows' cost or of the load if the objective consists of it, then by how
// far start or end moved. A task on one side only counts with its length.
func (t *taskTally) weigh(m *move) {
	if m.old == nil || m.new == nil {
		rows := m.old
		if rows == nil {
			rows = m.new
		}
		p := placeOf(rows)
		m.weight = int64(p.End - p.Start)
		if t.cost != "" {
			m.weight, m.more = int64(t.costOf(rows)), m.weight
		}
		return
	}
	a, b := placeOf(m.old), placeOf(m.new)
	m.weight = int64(max(apart(a.Start, b.Start), apart(a.End, b.End)))
	switch {
	case t.about.Loads:
		m.weight, m.more = int64(apart(a.End-a.Start, b.End-b.Start)), m.weight
	case t.cost != "":
		m.weight, m.more = int64(apart(t.costOf(m.old), t.costOf(m.new))), m.weight
	}
}

func apart(a, b model.Time) model.Time { return max(a-b, b-a) }

// costOf is the cost of a task in millionths, for ordering only, so larger numbers are cut to the largest word.
func (t *taskTally) costOf(rows []result.Row) model.Time {
	var sum total
	for i := range rows {
		sum.add(rows[i].Columns.Text(t.cost))
	}
	if sum.more != nil {
		return model.MaxTime
	}
	return min(max(model.Time(sum.micro), 0), model.MaxTime)
}

// tasks fills in the results of the tally.
func (d *Difference) tasks(t *taskTally) {
	d.Tasks = &t.counts
	rows, ends := counts(t.rows[0], t.rows[1]), numbersOf(secondsOf(t.lastEnd[0]), secondsOf(t.lastEnd[1]))
	d.Schedule.Rows, d.Schedule.LastEnd = &rows, &ends
	d.moves = t.moves.sorted()
	for _, c := range t.columns {
		if change, differs := c.change(); differs {
			d.Columns = append(d.Columns, change)
		}
	}
	if t.counts.Moved == 0 && t.counts.Columns == 0 && !d.Schedule.Same && d.Compared != ComparedDocuments {
		d.note("the schedules hold the same rows in another order, or other columns")
	}
}

func (m *move) described() TaskChange {
	r := m.task()
	c := TaskChange{Task: r.Task, Job: r.Job, Kind: r.Kind, Change: m.change}
	if m.old != nil {
		c.Old = placeOf(m.old)
	}
	if m.new != nil {
		c.New = placeOf(m.new)
	}
	if c.Old == nil || c.New == nil {
		return c
	}
	c.Shift = model.Number((c.New.Start - c.Old.Start).String())
	own := func(name string, old, new string) {
		if old != new {
			v, _ := valuesOf(name, cellText(old), cellText(new))
			c.Columns = append(c.Columns, v)
		}
	}
	a, b := &m.old[0], &m.new[0]
	own("job", a.Job, b.Job)
	own("kind", a.Kind, b.Kind)
	for _, x := range b.Columns {
		own(x.Name, a.Columns.Text(x.Name), x.Text)
	}
	for _, x := range a.Columns {
		if !slices.ContainsFunc(b.Columns, func(y result.Cell) bool { return x.Name == y.Name }) {
			own(x.Name, x.Text, "")
		}
	}
	return c
}
