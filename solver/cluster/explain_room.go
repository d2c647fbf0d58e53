package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// room is when a task could start on its node, from the time when it is ready on, if nothing else changed.
func (e *explainer) room(u int32, ready model.Time) model.Time {
	b := e.c.b
	i, start, length := b.node[u], b.start[u], b.end[u]-b.start[u]
	if length == 0 {
		return ready
	}
	b.remove(u)
	defer b.place(u, i, start)
	return b.profiles[i].earliest(ready, length, start, b.demands(u))
}

// short lists the resources of which task u needs more than node i has free at a time, not counting what u itself
// holds there. Resource in.Resources stands for the presence of the node.
func (e *explainer) short(u, i int32, t model.Time) (list []int, free []int64) {
	b := e.c.b
	p := &b.profiles[i]
	free = slices.Clone(p.free[p.find(t)*b.resources:][:b.resources])
	need := b.demands(u)
	for r := range free {
		if b.node[u] == i && b.start[u] <= t && t < b.end[u] {
			free[r] += need[r]
		}
		if need[r] > free[r] {
			list = append(list, r)
		}
	}
	return list, free
}

// inTheWay reports whether task v, which ends when u starts on the same node, holds a resource of which u needs more
// than is free right before.
func (e *explainer) inTheWay(u, v int32) bool {
	list, _ := e.short(u, e.c.b.node[u], e.c.b.start[u]-1)
	return slices.ContainsFunc(list, func(r int) bool { return r < e.in.Resources && e.c.b.demands(v)[r] > 0 })
}

// lacking says what node i lacks for task u at a time, and how much of it is needed and free.
func (e *explainer) lacking(u, i int32, t model.Time) string {
	list, free := e.short(u, i, t)
	var texts []string
	for _, r := range list {
		if r == e.in.Resources {
			return e.in.MachineName(i) + " is unavailable"
		}
		texts = append(texts, fmt.Sprintf("too little %s (%s needed, %s of %s free)", e.in.Resource[r],
			e.in.Amount(r, e.in.Demands(u)[r]), e.in.Amount(r, max(0, free[r])),
			e.in.Amount(r, e.in.Capacities(e.in.Class[i])[r])))
	}
	return fmt.Sprintf("%s has %s", e.in.MachineName(i), strings.Join(texts, " and "))
}

// users names the tasks on a node right before a time, when the reader knows that there is room; those that end last
// come first.
func (e *explainer) users(i int32, then model.Time) string {
	b := e.c.b
	var list []int32
	for u := range int32(e.in.Tasks) {
		if b.node[u] == i && b.start[u] < then && b.end[u] >= then {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(x, y int32) int { return cmp.Or(cmp.Compare(b.end[y], b.end[x]), cmp.Compare(x, y)) })
	return solver.Names(list, func(u int32) string {
		if b.end[u] == then {
			return e.id(u) + " runs until then"
		}
		return fmt.Sprintf("%s runs until %s s", e.id(u), b.end[u])
	})
}

// small says which resource the other nodes that may run task u lack even when they are empty, the first that they do.
func (e *explainer) small(u int32) {
	count, most := make([]int, e.in.Resources), make([]int64, e.in.Resources)
	need := e.in.Demands(u)
	for i := range int32(e.in.Nodes) {
		has := e.in.Capacities(e.in.Class[i])
		r := slices.IndexFunc(model.Indices(len(need)), func(r int32) bool { return need[r] > has[r] })
		if r >= 0 && e.in.Allowed(u, i) {
			count[r], most[r] = count[r]+1, max(most[r], has[r])
		}
	}
	for r, n := range count {
		if n > 0 {
			e.place("%s always too small for it: too little %s (%s needed, at most %s there)",
				model.Counted(n, "node")+" "+model.Are(n), e.in.Resource[r], e.in.Amount(r, need[r]), e.in.Amount(r, most[r]))
		}
	}
}

// full says why nodes have no room for task u, which is off the board, from a time until a limit. A node counts under
// the first resource that it lacks whatever the others are, and under none if only all together are lacking.
func (e *explainer) full(u int32, nodes []int32, from, limit model.Time) {
	until := "on"
	if limit < cluster.Never-1 {
		until = fmt.Sprintf("to %s s, when it has to end for what waits for it", limit)
	}
	none := e.c.b.resources
	names, most := make([][]string, none+1), make([]int64, none+1)
	for _, i := range nodes {
		r, free := e.blocking(u, i, from, limit)
		names[r], most[r] = append(names[r], e.in.MachineName(i)), max(most[r], free)
	}
	for r, list := range names {
		what := "no room for it"
		switch {
		case len(list) == 0:
			continue
		case r < e.in.Resources:
			what = fmt.Sprintf("too little %s for it (%s needed, at most %s free for so long)", e.in.Resource[r],
				e.in.Amount(r, e.in.Demands(u)[r]), e.in.Amount(r, most[r]))
		case r < none:
			what = "unavailable too often for it"
		}
		e.place("%s: %s from %s s %s", solver.ShortList(list, solver.Listed), what, from, until)
	}
}

// blocking is the first resource of which alone task u finds too little on node i from a time until a limit, with what
// is free for as long as u takes; the number of resources if there is none.
func (e *explainer) blocking(u, i int32, from, limit model.Time) (resource int, free int64) {
	b, length := e.c.b, e.in.Length(u, i)
	alone := make([]int64, b.resources)
	finds := func(r int, amount int64) bool {
		alone[r] = amount
		defer func() { alone[r] = 0 }()
		return b.profiles[i].earliest(from, length, limit-length, alone) <= limit-length
	}
	for r, d := range b.demands(u) {
		if d > 0 && !finds(r, d) {
			return r, int64(sort.Search(int(d), func(x int) bool { return !finds(r, int64(x)+1) }))
		}
	}
	return b.resources, 0
}
