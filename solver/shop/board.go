package shop

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/list"
)

// board is a schedule under construction: where tasks are, and what every node has free. Only one goroutine may use it.
//
// Its resources are those of the instance and, if some node is unavailable at times, one more: presence, which every
// task takes and which a node lacks while it is unavailable.
type board struct {
	in        *shop.Instance
	graph     *list.Graph
	resources int
	demand    []int64   // by task and resource
	profiles  []profile // by node
	node      []int32   // by task; None: it is not placed
	start     []model.Time
	end       []model.Time
}

// newBoard is the board with the fixed tasks only.
func newBoard(in *shop.Instance) *board {
	b := &board{in: in, graph: graph(in), resources: in.Resources, demand: in.DemandTable(),
		profiles: make([]profile, in.Nodes), node: slices.Repeat([]int32{model.None}, in.Tasks),
		start: make([]model.Time, in.Tasks), end: make([]model.Time, in.Tasks)}
	away := len(in.AwayFrom) > 0
	if away {
		b.resources++
		b.demand = make([]int64, 0, in.Tasks*b.resources)
		for u := range int32(in.Tasks) {
			b.demand = append(append(b.demand, in.Demands(u)...), 1)
		}
	}
	present := int64(in.Tasks) + 1
	absence := make([]int64, b.resources)
	absence[len(absence)-1] = present
	for i := range b.profiles {
		p := &b.profiles[i]
		p.at, p.free = []model.Time{beginning}, slices.Clone(in.Capacities(in.Class[i]))
		if away {
			p.free = append(p.free, present)
		}
		for k := in.AwayFirst[i]; k < in.AwayFirst[i+1]; k++ {
			p.add(in.AwayFrom[k], in.AwayUntil[k], absence, -1)
		}
	}
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			b.place(u, in.FixedNode(u), in.FixedStart(u))
		}
	}
	return b
}

// demands returns what task u takes.
func (b *board) demands(u int32) []int64 {
	return b.demand[int(u)*b.resources : (int(u)+1)*b.resources]
}

// place puts task u on a node that has room.
func (b *board) place(u, i int32, start model.Time) {
	b.node[u], b.start[u], b.end[u] = i, start, start+b.in.Length(u, i)
	if takes := b.takes(b.end[u] - start); takes > 0 {
		b.profiles[i].add(start, start+takes, b.demands(u), -1)
	}
}

// takes is how long a task of some length takes room: on identical machines, where no task of length 0 may lie within
// another, at least a microsecond.
func (b *board) takes(length model.Time) model.Time {
	if b.in.Identical {
		return max(1, length)
	}
	return length
}

// remove takes task u off its node.
func (b *board) remove(u int32) {
	if takes := b.takes(b.end[u] - b.start[u]); takes > 0 {
		b.profiles[b.node[u]].add(b.start[u], b.start[u]+takes, b.demands(u), 1)
	}
	b.node[u] = model.None
}

// spot is a node and a start for a task.
type spot struct {
	node       int32
	start, end model.Time
}

// soonest is where task u ends first if it starts at from or later and ends by limit. Ties: the earlier end, the lower
// node. ok is false if there is no such place. Without only, all nodes count.
func (b *board) soonest(u int32, from, limit model.Time, only []int32) (best spot, ok bool) {
	in := b.in
	best = spot{end: limit + 1}
	try := func(i int32, length model.Time) bool {
		last := best.end - length
		if !ok || i > best.node {
			last--
		}
		start := from
		if takes := b.takes(length); takes > 0 {
			start = b.profiles[i].earliest(from, takes, last, b.demands(u))
		}
		if start > last {
			return false
		}
		best, ok = spot{i, start, start + length}, true
		return start == from
	}
	if only != nil {
		for _, i := range only {
			if in.Runs(u, i) {
				try(i, in.Length(u, i))
			}
		}
		return best, ok
	}
	for k := range int32(in.Classes) {
		if in.AllowedNodes(u, k) == 0 || !in.Fits(u, k) {
			continue
		}
		reads, all := in.Reads(u), in.PlaceSet(u) == model.None
		length := in.RowLength(u, k, model.NodeLocal)
		if length < 0 {
			continue
		}
		for _, i := range in.ClassNodes(k) {
			if !all && !in.Allowed(u, i) {
				continue
			}
			if reads {
				length = in.Length(u, i)
			}
			if try(i, length) && !reads {
				break // no other node of the class is better
			}
		}
	}
	return best, ok
}

// schedule is the board as a schedule; nil if some task is not placed.
func (b *board) schedule() *model.Schedule {
	s := &model.Schedule{Entries: make([]model.Entry, b.in.Tasks)}
	for u, i := range b.node {
		if i == model.None {
			return nil
		}
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: b.start[u], End: b.end[u]}
	}
	return s
}

// insert places the tasks in a given order, each where it ends first, ties: on its node of an earlier plan, then the
// lower node. Already placed tasks stay. The order has predecessors first and no fixed tasks. It stops at a task that
// has no place, and when ctx ends.
func (b *board) insert(ctx context.Context, order []int32, opt solver.Options) bool {
	in := b.in
	ready, waiting := slices.Clone(in.Earliest), slices.Clone(in.Preds)
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			b.pass(u, b.end[u], ready, waiting)
		}
	}
	for k, u := range order {
		if b.node[u] != model.None {
			b.pass(u, b.end[u], ready, waiting)
			continue
		}
		at, ok := b.soonest(u, ready[u], shop.Never-1, nil)
		if !ok || ctx.Err() != nil {
			return false
		}
		if r := in.Replan().Row(model.TaskIndex(u)); r != nil && r.At != model.None && r.At != at.node {
			if old, ok := b.soonest(u, ready[u], at.end, []int32{r.At}); ok {
				at = old
			}
		}
		if k%1024 == 0 {
			opt.Report(k, len(order))
		}
		b.place(u, at.node, at.start)
		b.pass(u, at.end, ready, waiting)
	}
	return true
}

// pass tells the successors of a step that it ends.
func (b *board) pass(u int32, end model.Time, ready []model.Time, waiting []int32) {
	b.graph.Release(u, end, ready, waiting, func(int32) {})
}
