package result

import (
	"cmp"
	"math/big"
	"slices"

	"mrsched/model"
)

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

func (l *loadTally) row(side int, r *Row) {
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
