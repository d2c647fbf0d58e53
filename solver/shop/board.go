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
	shared    []profile // by group: what is free of its resource
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
	for _, g := range in.Groups {
		b.shared = append(b.shared, profile{[]model.Time{beginning}, []int64{g.Capacity}})
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
		b.share(u, i, start, start+takes, -1)
	}
}

// share adds sign × what task u takes on node i to what is free in the groups of the node.
func (b *board) share(u, i int32, start, end model.Time, sign int64) {
	for _, g := range b.in.GroupsOf(u, i) {
		if d := b.part(u, g); d[0] > 0 {
			b.shared[g].add(start, end, d, sign)
		}
	}
}

// part is what task u takes of a group.
func (b *board) part(u, g int32) []int64 {
	r := b.in.Groups[g].Resource
	if b.in.Begun(u) || int(r) >= b.in.Resources {
		return []int64{b.in.Part(u, g)}
	}
	return b.demands(u)[r : r+1]
}

// together is the first start between from and limit at which some groups have room for task u for a length above 0;
// Never or later if there is none.
func (b *board) together(u int32, groups []int32, from, length, limit model.Time) model.Time {
	for k, fit := 0, 0; fit < len(groups) && from <= limit; k++ {
		g := groups[k%len(groups)]
		fit++
		if d := b.part(u, g); d[0] > 0 {
			if t := b.shared[g].earliest(from, length, limit, d); t > from {
				from, fit = t, 1
			}
		}
	}
	return from
}

// earliest is the first start between from and limit at which node i and its groups have room for task u for a length
// above 0; Never or later if there is none.
func (b *board) earliest(u, i int32, from, length, limit model.Time) model.Time {
	groups := b.in.GroupsOf(u, i)
	for {
		start := b.profiles[i].earliest(from, length, limit, b.demands(u))
		if from = b.together(u, groups, start, length, limit); from == start || from > limit {
			return from
		}
	}
}

// latest is the last start, at least limit, at which they have room for a length above 0 that ends by end; beginning if
// there is none.
func (b *board) latest(u, i int32, end, length, limit model.Time) model.Time {
	groups := b.in.GroupsOf(u, i)
	for {
		start := b.profiles[i].latest(end, length, limit, b.demands(u))
		last := start
		for _, g := range groups {
			if d := b.part(u, g); d[0] > 0 && last >= limit {
				last = b.shared[g].latest(last+length, length, limit, d)
			}
		}
		if last == start || last < limit {
			return last
		}
		end = last + length
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
		b.share(u, b.node[u], b.start[u], b.start[u]+takes, 1)
	}
	b.node[u] = model.None
}

// spot is a node and a start for a task.
type spot struct {
	node       int32
	start, end model.Time
}

// soonest is where task u ends first if it starts at from or later and ends by limit. Ties: the earlier end, the lower
// node. ok is false if there is no such place. Only lists nodes in rising order; without it, all nodes count.
func (b *board) soonest(u int32, from, limit model.Time, only []int32) (best spot, ok bool) {
	in := b.in
	best = spot{end: limit + 1}
	begin := from // when the groups of the node first have room
	try := func(i int32, length model.Time) bool {
		last := best.end - length
		if !ok || i > best.node {
			last--
		}
		start := from
		if takes := b.takes(length); takes > 0 {
			start = b.earliest(u, i, begin, takes, last)
		}
		if start > last {
			return false
		}
		best, ok = spot{i, start, start + length}, true
		return start == begin
	}
	if only != nil {
		for _, i := range only {
			if in.Runs(u, i) && try(i, in.Length(u, i)) && best.end == from+in.Least[u] {
				break // no other node is better
			}
		}
		return best, ok
	}
	for _, nodes := range in.StandsOf(u) {
		k := in.Class[nodes[0]]
		length := in.RowLength(u, k, model.NodeLocal)
		if length < 0 || !in.Fits(u, k) {
			continue
		}
		reads := in.Reads(u)
		if begin = from; length > 0 && !reads {
			begin = b.together(u, in.GroupsOf(u, nodes[0]), from, length, best.end)
		}
		for _, i := range nodes {
			if reads {
				length = in.Length(u, i)
			}
			if try(i, length) && !reads {
				break // no other node of the stand is better
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
