package list

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// Shifts computes what moving one task of a schedule does to the others: all others keep their machines and their order
// there, and start as before or as little later as precedence and machines require. Durations are those of the
// schedule, so that machines may differ in speed. The schedule has one entry for every task of the graph and breaks no
// constraint.
type Shifts struct {
	g        *Graph
	reversed *Graph
	Entry    []model.Entry     // by task
	machine  map[int32][]int32 // tasks in the order of their starts
	place    []int32           // by task: its place in that order

	// Memory of Move, kept between calls: the new starts by task, valid for tasks whose last move is the current one.
	start []model.Time
	last  []int
	moves int
	moved []int32
	open  Heap
}

// NewShifts prepares a schedule.
//
// Complexity: O(N log N + arcs).
func (g *Graph) NewShifts(s *model.Schedule) *Shifts {
	x := &Shifts{g: g, reversed: g.Reversed(), Entry: make([]model.Entry, g.Tasks), machine: map[int32][]int32{},
		place: make([]int32, g.Tasks), start: make([]model.Time, g.Tasks), last: make([]int, g.Tasks)}
	order := make([]int32, g.Tasks)
	for _, e := range s.Entries {
		x.Entry[e.Task] = e
	}
	for u := range order {
		order[u] = int32(u)
	}
	rank := g.ranks()
	slices.SortFunc(order, func(a, b int32) int {
		p, q := &x.Entry[a], &x.Entry[b]
		return cmp.Or(cmp.Compare(p.Start, q.Start), cmp.Compare(p.End, q.End), cmp.Compare(rank[a], rank[b]),
			cmp.Compare(a, b))
	})
	for _, u := range order {
		m := x.Entry[u].Machine
		x.place[u] = int32(len(x.machine[m]))
		x.machine[m] = append(x.machine[m], u)
	}
	return x
}

// ranks are the lengths of the longest paths to each node, in arcs. They give tasks of length 0 at the same moment an
// order that precedence allows.
func (g *Graph) ranks() []int32 {
	rank, waiting := make([]int32, len(g.Preds)), slices.Clone(g.Preds)
	var free []int32
	for v, n := range waiting {
		if n == 0 {
			free = append(free, int32(v))
		}
	}
	for len(free) > 0 {
		u := free[len(free)-1]
		free = free[:len(free)-1]
		for _, v := range g.SuccStep[g.SuccFirst[u]:g.SuccFirst[u+1]] {
			rank[v] = max(rank[v], rank[u]+1)
			if waiting[v]--; waiting[v] == 0 {
				free = append(free, v)
			}
		}
	}
	return rank
}

// Predecessors passes every task before a node with the time from which its end and delay let the node start; it looks
// through barriers.
func (x *Shifts) Predecessors(node int32, each func(task int32, until model.Time)) {
	x.reversed.Next(node, 0, func(u int32, delay model.Time) { each(u, x.Entry[u].End+delay) })
}

// Ready is when a task could start if it had a machine of its own.
func (x *Shifts) Ready(u int32) model.Time {
	ready := x.g.Earliest[u]
	x.Predecessors(u, func(_ int32, until model.Time) { ready = max(ready, until) })
	return ready
}

// On lists the tasks of a machine in the order of their starts.
func (x *Shifts) On(machine int32) []int32 { return x.machine[machine] }

// Before is the task before u on its machine, or None.
func (x *Shifts) Before(u int32) int32 {
	if x.place[u] == 0 {
		return model.None
	}
	return x.machine[x.Entry[u].Machine][x.place[u]-1]
}

// behind is the task after u on its machine, or None.
func (x *Shifts) behind(u int32) int32 {
	on := x.machine[x.Entry[u].Machine]
	if k := int(x.place[u]) + 1; k < len(on) {
		return on[k]
	}
	return model.None
}

// Place is a place for a task on a machine: behind this many of the machine's other tasks, from Start on.
type Place struct {
	Machine, Behind int32
	Start           model.Time
	Fits            bool // without moving another task of the machine
}

// Places lists where on a machine a task of some length may stand: from its earliest start to the first gap that it
// fits in, which comes last. On its own machine the list leaves out its current place. Later places would only delay it
// more. Some may be behind tasks that must follow it, which Move refuses.
func (x *Shifts) Places(u, machine int32, length model.Time) []Place {
	others := slices.Clone(x.machine[machine])
	own := x.Entry[u].Machine == machine
	if own {
		others = slices.Delete(others, int(x.place[u]), int(x.place[u])+1)
	}
	ready := x.Ready(u)
	var list []Place
	var free model.Time // when the tasks before it end
	for k := 0; k <= len(others); k++ {
		if k > 0 {
			free = max(free, x.Entry[others[k-1]].End)
		}
		if k < len(others) && x.Entry[others[k]].End <= ready && !(own && k == int(x.place[u])) {
			continue // u waits for this task, so it comes before u
		}
		p := Place{machine, int32(k), max(ready, free), k == len(others)}
		p.Fits = p.Fits || p.Start+length <= x.Entry[others[k]].Start
		if own && p.Start == x.Entry[u].Start { // before or behind tasks that take no time: the same place
			continue
		}
		if list = append(list, p); p.Fits {
			break
		}
	}
	return list
}

// Move puts a task of some length at a place, and returns it with all tasks that have to start later because of it. ok
// is false if the place is behind a task that must follow it, or if push returns false. push may be nil; it is called
// whenever another task's start rises. Calls must not overlap: Move uses memory of x.
//
// Complexity: O(k log k) for k tasks moved, and their arcs.
func (x *Shifts) Move(u int32, to Place, length model.Time, push func(task int32, from,
	to model.Time) bool) (moved []model.Entry, ok bool) {
	others := x.machine[to.Machine]
	own := x.Entry[u].Machine == to.Machine
	at := func(k int32) int32 { // of the machine's other tasks
		if own && k >= x.place[u] {
			k++
		}
		if int(k) >= len(others) {
			return model.None
		}
		return others[k]
	}
	x.moves++
	x.moved, x.open = x.moved[:0], x.open[:0]
	set := func(v int32, t model.Time) {
		if x.start[v] = t; x.last[v] != x.moves {
			x.last[v] = x.moves
			x.moved = append(x.moved, v)
		}
		x.open.Push(Item{Key: t, Index: v})
	}
	set(u, to.Start)
	raise := func(v int32, t model.Time) bool {
		if v == model.None {
			return true
		}
		now := x.Entry[v].Start
		if x.last[v] == x.moves {
			now = x.start[v]
		}
		if t <= now {
			return true
		}
		set(v, t)
		return v != u && (push == nil || push(v, now, t))
	}
	ahead := int32(model.None) // the task that u now stands behind
	if to.Behind > 0 {
		ahead = at(to.Behind - 1)
	}
	for len(x.open) > 0 {
		top := x.open.Pop()
		v := top.Index
		if top.Key < x.start[v] {
			continue // pushed further since
		}
		end := top.Key + x.Entry[v].End - x.Entry[v].Start
		next := x.behind(v)
		switch {
		case v == u:
			end, next = top.Key+length, at(to.Behind)
		case v == ahead:
			next = u
		case next == u:
			next = x.behind(u)
		}
		ok := raise(next, end)
		x.g.Next(v, 0, func(w int32, d model.Time) { ok = raise(w, end+d) && ok })
		if !ok {
			return nil, false
		}
	}
	return x.entries(u, to.Machine, length), true
}

// entries are the changed entries by task, the moved one first.
func (x *Shifts) entries(u, machine int32, length model.Time) []model.Entry {
	moved := make([]model.Entry, 0, len(x.moved))
	for _, v := range x.moved {
		e, t := x.Entry[v], x.start[v]
		e.Start, e.End = t, t+e.End-e.Start
		if v == u {
			e.Machine, e.End = machine, t+length
		}
		moved = append(moved, e)
	}
	slices.SortFunc(moved, func(a, b model.Entry) int {
		if (int32(a.Task) == u) != (int32(b.Task) == u) {
			if int32(a.Task) == u {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Task, b.Task)
	})
	return moved
}

// Changed is the schedule with some entries instead of its own.
func (x *Shifts) Changed(entries []model.Entry) *model.Schedule {
	s := &model.Schedule{Entries: slices.Clone(x.Entry)}
	for _, e := range entries {
		s.Entries[e.Task] = e
	}
	return s
}

// Slack is how much later a task may start, with everything behind it pushed as little as needed, before some task v is
// delayed by more than spare(v): a shortest path on which an arc is as long as the gap that the schedule leaves at it.
//
// Complexity: O((N + arcs) log N).
func (x *Shifts) Slack(u int32, spare func(task int32) model.Time) model.Time {
	best := spare(u)
	gap := map[int32]model.Time{u: 0}
	open := Heap{{Index: u}}
	for len(open) > 0 && open[0].Key < best {
		top := open.Pop()
		v := top.Index
		if top.Key > gap[v] {
			continue
		}
		best = min(best, top.Key+spare(v))
		reach := func(w int32, after model.Time) {
			t := top.Key + x.Entry[w].Start - after
			if known, ok := gap[w]; !ok || t < known {
				gap[w] = t
				open.Push(Item{Key: t, Index: w})
			}
		}
		if w := x.behind(v); w != model.None {
			reach(w, x.Entry[v].End)
		}
		x.g.Next(v, 0, func(w int32, d model.Time) { reach(w, x.Entry[v].End+d) })
	}
	return best
}
