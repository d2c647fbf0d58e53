package diff

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
)

// ColumnChange is how one of the problem's own columns of schedule.csv differs.
type ColumnChange struct {
	Name string `json:"name"`
	// Changed is how many tasks of both schedules have another value in their first row.
	Changed int `json:"changed"`
	// Sum is the total of costs or bytes over all rows.
	Sum *Numbers `json:"sum,omitempty"`
	// Values counts the rows by value, of localities.
	Values []ValueCount `json:"values,omitempty"`
}

// ValueCount is how many rows have a value.
type ValueCount struct {
	Value string `json:"value"`
	Numbers
}

// columnTally collects the values of one column over all rows.
type columnTally struct {
	name    string
	sums    [2]total
	counts  map[string]*[2]int // nil: not counted
	changed int
	summed  bool
}

// column is the tally of a column, usually the i-th.
func (t *taskTally) column(i int, name string) *columnTally {
	if i < len(t.columns) && t.columns[i].name == name {
		return t.columns[i]
	}
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	c := &columnTally{name: name}
	switch t.about.Role(name) {
	case model.RoleLocality:
		c.counts = map[string]*[2]int{}
	case model.RoleAmount, model.RoleSlotCost, model.RoleCost:
		c.summed = true
	}
	t.columns = append(t.columns, c)
	return c
}

func (c *columnTally) row(side int, text string) {
	switch {
	case c.summed:
		c.sums[side].add(text)
	case c.counts != nil && text != "":
		n := c.counts[text]
		if n == nil {
			n = new([2]int)
			c.counts[text] = n
		}
		n[side]++
	}
}

// transitions counts the columns of a task that changed.
func (t *taskTally) transitions(old, new []result.Row) {
	if old == nil || new == nil {
		return
	}
	for _, c := range t.columns {
		if old[0].Columns.Text(c.name) != new[0].Columns.Text(c.name) {
			c.changed++
		}
	}
}

// change describes how a column differs, if it does.
func (c *columnTally) change() (change ColumnChange, differs bool) {
	change = ColumnChange{Name: c.name, Changed: c.changed}
	differs = c.changed > 0
	if c.summed {
		n := numbersOf(c.sums[0].value(), c.sums[1].value())
		change.Sum, differs = &n, differs || n.changed()
	}
	for _, value := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[value]
		change.Values = append(change.Values, ValueCount{value, counts(n[0], n[1])})
		differs = differs || n[0] != n[1]
	}
	return change, differs
}

// MachineChange is a server whose load differs.
type MachineChange struct {
	Machine string  `json:"machine"`
	Load    Numbers `json:"load"` // seconds
	Tasks   Numbers `json:"tasks"`

	change big.Rat // of the load, its sign aside
}

// Deciding says what determines a maximum: the jobs that end last, or the servers with the largest load.
type Deciding struct {
	Per string   `json:"per"` // job or machine
	Old Deciders `json:"old"`
	New Deciders `json:"new"`
}

// Deciders are those of one side.
type Deciders struct {
	Value model.Number `json:"value,omitempty"` // seconds
	Count int          `json:"count"`
	First []string     `json:"first"` // at most five, by name
}

// topmost finds the items with the largest value.
type topmost struct {
	value *big.Rat
	who   Deciders
}

// maxDeciders is how many of them are named.
const maxDeciders = 5

func (t *topmost) add(value *big.Rat, name string) {
	if t.value == nil || value.Cmp(t.value) > 0 {
		t.value, t.who = value, Deciders{}
	}
	if value.Cmp(t.value) < 0 {
		return
	}
	t.who.Count++
	t.who.First = append(t.who.First, name)
}

func decided(per string, sides [2]topmost) *Deciding {
	for k := range sides {
		who := &sides[k].who
		who.Value = exactText(sides[k].value)
		slices.Sort(who.First)
		who.First = append([]string{}, who.First[:min(len(who.First), maxDeciders)]...)
	}
	return &Deciding{Per: per, Old: sides[0].who, New: sides[1].who}
}

// loadTally is the load of a server.
type loadTally struct {
	machine string
	load    [2]total
	tasks   [2]int
}

func (l *loadTally) row(side int, r *result.Row) {
	l.load[side].addMicro(int64(r.End - r.Start))
	l.tasks[side]++
}

func (t *taskTally) load(machine string) *loadTally {
	l := t.loads[machine]
	if l == nil {
		l = &loadTally{machine: machine}
		t.loads[machine] = l
		t.loadOrder = append(t.loadOrder, l)
	}
	return l
}

// servers compares the loads; the largest is the objective.
func (d *Difference) servers(t *taskTally, keep int) {
	var top [2]topmost
	list := largest[MachineChange]{keep: keep, order: func(a, b MachineChange) int {
		return cmp.Or(b.change.Cmp(&a.change), cmp.Compare(a.Machine, b.Machine))
	}}
	for _, l := range t.loadOrder {
		loads := [2]*big.Rat{l.load[0].value(), l.load[1].value()}
		for k := range top {
			if l.tasks[k] > 0 {
				top[k].add(loads[k], l.machine)
			}
		}
		c := MachineChange{Machine: l.machine, Load: numbersOf(loads[0], loads[1]), Tasks: counts(l.tasks[0], l.tasks[1])}
		if !c.Load.changed() && !c.Tasks.changed() {
			continue
		}
		c.change.Abs(c.change.Sub(loads[1], loads[0]))
		d.machines++
		list.add(c)
	}
	d.Machines = list.sorted()
	d.Decides = decided("machine", top)
}
