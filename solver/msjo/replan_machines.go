package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver/list"
)

// stickyChoice is the number of idle machines from which one is chosen for a task that cannot keep its machine.
const stickyChoice = 32

// stickyMachines gives machines to tasks in the order of starts. A task with an unchanged start gets its old machine if
// that is idle. Any other task gets a machine that no such task wants before it ends, or, if there is none, the one
// wanted last.
type stickyMachines struct {
	p     *model.Replan
	start []model.Time
	s     *model.Schedule
	free  []model.Time           // by machine: idle from then on
	idle  list.Heap              // machines by free; some items are out of date
	wants map[int32][]model.Time // by machine: starts of the tasks that want to stay, in order
}

// sticky gives machines to tasks of known start times in the remaining instance. At most m tasks run at any time, so a
// machine is always free.
//
// Complexity: O(N log N + N log m + m).
func sticky(in *msjo.Instance, start []model.Time) *model.Schedule {
	x := &stickyMachines{p: in.Replan(), start: start, s: &model.Schedule{Entries: make([]model.Entry, in.Tasks)},
		free: make([]model.Time, in.Nodes), wants: map[int32][]model.Time{}}
	var rest []int32
	for u := range int32(in.Tasks) {
		if r := x.p.Frozen(model.TaskIndex(u)); r != nil {
			x.place(u, r.At, r.Start, in.Least[u])
		} else {
			rest = append(rest, u)
		}
	}
	slices.SortStableFunc(rest, func(a, b int32) int {
		return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(in.Least[a], in.Least[b]))
	})
	for _, u := range rest {
		if at := x.old(u); at != model.None {
			x.wants[at] = append(x.wants[at], start[u])
		}
	}
	x.idle = x.idle[:0]
	for i, t := range x.free {
		x.idle.Push(list.Item{Key: t, Index: int32(i)})
	}
	for _, u := range rest {
		at := x.old(u)
		if at != model.None {
			x.wants[at] = x.wants[at][1:]
		}
		if at == model.None || x.free[at] > start[u] {
			at = x.choose(start[u], in.Least[u])
		}
		x.place(u, at, start[u], in.Least[u])
	}
	return x.s
}

func (x *stickyMachines) place(u, at int32, start, length model.Time) {
	end := start + length
	x.s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: at, Start: start, End: end}
	x.free[at] = max(x.free[at], end)
	x.idle.Push(list.Item{Key: x.free[at], Index: at})
}

// old is the machine on which a task would be unchanged; None: there is none.
func (x *stickyMachines) old(u int32) int32 {
	r := x.p.Row(model.TaskIndex(u))
	if r == nil || r.At == model.None || x.p.Changed(model.Entry{Task: r.Index, Machine: r.At, Start: x.start[u]}) {
		return model.None
	}
	return r.At
}

// choose takes a machine that is idle at start.
func (x *stickyMachines) choose(start, length model.Time) int32 {
	var seen []list.Item
	best, wanted := int32(model.None), model.Time(-1)
	for len(seen) < stickyChoice && len(x.idle) > 0 && x.idle[0].Key <= start && wanted < start+length {
		i := x.idle.Pop()
		if i.Key != x.free[i.Index] {
			continue
		}
		seen = append(seen, i)
		next := model.MaxTime
		if list := x.wants[i.Index]; len(list) > 0 {
			next = list[0]
		}
		if next > wanted {
			best, wanted = i.Index, next
		}
	}
	for _, i := range seen {
		if i.Index != best { // place adds the chosen one again
			x.idle.Push(i)
		}
	}
	return best
}
