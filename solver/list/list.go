package list

import (
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
)

// Item is an index with a time.
type Item = heap.Item[model.Time]

// Heap is a heap of items by time.
type Heap = heap.Heap[model.Time]

// Graph is a set of tasks and barriers with precedence and delays, in the layout of the problems' instances: nodes
// 0 … Tasks−1 are tasks; the rest are barriers, which take no time and no machine. The arcs out of node u are
// SuccFirst[u] … SuccFirst[u+1]−1.
type Graph struct {
	Tasks      int
	Processing []model.Time
	Earliest   []model.Time
	SuccFirst  []int32
	SuccStep   []int32
	SuccDelay  []model.Time
	Preds      []int32
}

// Reversed is the graph with every arc reversed: the successors of a node in it are its predecessors in g. The arcs out
// of a node are in the order of the nodes that they lead to.
func (g *Graph) Reversed() *Graph {
	r := &Graph{Tasks: g.Tasks, Processing: g.Processing, SuccFirst: make([]int32, len(g.Preds)+1),
		SuccStep: make([]int32, len(g.SuccStep)), SuccDelay: make([]model.Time, len(g.SuccStep)),
		Preds: make([]int32, len(g.Preds))}
	for v, n := range g.Preds {
		r.SuccFirst[v+1] = r.SuccFirst[v] + n
	}
	next := slices.Clone(r.SuccFirst)
	for u := range g.Preds {
		r.Preds[u] = g.SuccFirst[u+1] - g.SuccFirst[u]
		for a := g.SuccFirst[u]; a < g.SuccFirst[u+1]; a++ {
			v := g.SuccStep[a]
			r.SuccStep[next[v]], r.SuccDelay[next[v]] = int32(u), g.SuccDelay[a]
			next[v]++
		}
	}
	return r
}

// Next passes every task behind a node with the delay between them; it looks through barriers.
func (g *Graph) Next(node int32, delay model.Time, each func(task int32, delay model.Time)) {
	for a := g.SuccFirst[node]; a < g.SuccFirst[node+1]; a++ {
		v, d := g.SuccStep[a], delay+g.SuccDelay[a]
		if int(v) >= g.Tasks {
			g.Next(v, d, each)
		} else {
			each(v, d)
		}
	}
}

// Release tells u's successors that u ends at end. It updates ready and waiting, and passes to free every task that no
// longer waits for a predecessor; a barrier releases its own successors.
func (g *Graph) Release(u int32, end model.Time, ready []model.Time, waiting []int32, free func(v int32)) {
	for a := g.SuccFirst[u]; a < g.SuccFirst[u+1]; a++ {
		v := g.SuccStep[a]
		ready[v] = max(ready[v], end+g.SuccDelay[a])
		if waiting[v]--; waiting[v] == 0 {
			if int(v) >= g.Tasks {
				g.Release(v, ready[v], ready, waiting, free)
			} else {
				free(v)
			}
		}
	}
}

// state is what every scheduler keeps: when nodes are ready and how many predecessors they wait for.
func (g *Graph) state() (ready []model.Time, waiting []int32) {
	return slices.Clone(g.Earliest), slices.Clone(g.Preds)
}

// sources passes the tasks without predecessors to free.
func (g *Graph) sources(free func(u int32)) {
	for u := range int32(g.Tasks) {
		if g.Preds[u] == 0 {
			free(u)
		}
	}
}

// byRank lists the tasks by rank, a permutation of 0 … Tasks−1.
func byRank(rank []int32) []int32 {
	list := make([]int32, len(rank))
	for u, r := range rank {
		list[r] = int32(u)
	}
	return list
}

// machines is a heap of m machines, all idle at 0. With more machines than tasks the first ones suffice: the lower
// index goes first, so no other is ever used.
func (g *Graph) machines(m int) Heap {
	h := make(Heap, min(m, max(1, g.Tasks)))
	for i := range h {
		h[i].Index = int32(i)
	}
	return h
}

// run gives task u to the machine that idles first, from a time on, and returns when it ends.
func (g *Graph) run(s *model.Schedule, idle Heap, u int32, start model.Time) (end model.Time) {
	end = start + g.Processing[u]
	s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: start, End: end}
	idle.ReplaceTop(Item{Key: end, Index: idle[0].Index})
	return end
}

// InOrder takes the tasks in the given order, which puts predecessors first. Each starts on the machine that idles
// first as soon as both are ready.
//
// Complexity: O(N log m + arcs). Ties between machines: the lower index.
//
// Some order makes the schedule optimal for every objective that grows with completion times: the order of start times
// in an optimal schedule, tasks of length 0 first among those that start together. Proof: the idle times of the
// machines, cut at the current start, never exceed those of the optimal schedule.
func (g *Graph) InOrder(order []int32, m int) *model.Schedule {
	ready, waiting := g.state()
	idle := g.machines(m)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for _, u := range order {
		end := g.run(s, idle, u, max(ready[u], idle[0].Key))
		g.Release(u, end, ready, waiting, func(int32) {})
	}
	return s
}

// InOrderFit is InOrder but for the machine: of those on which a task can start at once, it takes the one that idles
// last.
//
// Complexity: O(N m + arcs). Ties: the lower index.
func (g *Graph) InOrderFit(order []int32, m int) *model.Schedule {
	ready, waiting := g.state()
	idle := g.machines(m)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for _, u := range order {
		fit := 0
		for i, x := range idle {
			if x.Key <= ready[u] && (x.Key > idle[fit].Key || x.Key == idle[fit].Key && x.Index < idle[fit].Index) {
				fit = i
			}
		}
		start := max(ready[u], idle[fit].Key)
		end := start + g.Processing[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: idle[fit].Index, Start: start, End: end}
		idle.Raise(fit, end)
		g.Release(u, end, ready, waiting, func(int32) {})
	}
	return s
}

// NeverIdle starts the available task of the lowest rank whenever a machine is free; rank must be a permutation of
// 0 … Tasks−1.
//
// Complexity: O(N log N + arcs). Ties between machines: the one idle for longest, then the lower index.
func (g *Graph) NeverIdle(rank []int32, m int) *model.Schedule {
	ready, waiting := g.state()
	ranked := byRank(rank)
	idle := g.machines(m)
	var future Heap // tasks whose predecessors have started, by ready time
	var available Heap
	free := func(v int32) { future.Push(Item{Key: ready[v], Index: v}) }
	g.sources(free)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	var now model.Time
	for len(future) > 0 || len(available) > 0 {
		now = max(now, idle[0].Key)
		if len(available) == 0 {
			now = max(now, future[0].Key)
		}
		for len(future) > 0 && future[0].Key <= now {
			available.Push(Item{Key: model.Time(rank[future.Pop().Index])})
		}
		u := ranked[available.Pop().Key]
		g.Release(u, g.run(s, idle, u, now), ready, waiting, free)
	}
	return s
}

// Topological lists the tasks by key as far as precedence allows: of the tasks whose predecessors are all listed, the
// one with the lowest key comes next. Ties: the lower index. Keys that never fall along an arc are listed in their
// order.
//
// Complexity: O(N log N + arcs).
func (g *Graph) Topological(key []int64) []int32 {
	ready := make([]model.Time, len(g.Preds)) // not used: only the number of unlisted predecessors matters
	waiting := slices.Clone(g.Preds)
	var open Heap
	free := func(v int32) { open.Push(Item{Key: model.Time(key[v]), Index: v}) }
	g.sources(free)
	order := make([]int32, 0, g.Tasks)
	for len(open) > 0 {
		u := open.Pop().Index
		order = append(order, u)
		g.Release(u, 0, ready, waiting, free)
	}
	return order
}

// Fixed gives machines to tasks whose start times are known. The order is that of the start times; each task goes to
// the machine that idles first.
//
// Complexity: O(N log m). Ties between machines: the lower index.
func (g *Graph) Fixed(order []int32, start []model.Time, m int) *model.Schedule {
	idle := g.machines(m)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for _, u := range order {
		g.run(s, idle, u, start[u])
	}
	return s
}

// ownQueue is one machine's part of an assignment.
type ownQueue struct {
	idle      model.Time
	future    Heap // tasks whose predecessors have started, by the time from which they may start
	available Heap // those whose time has come, by rank
}

// next is when the machine can start something; ok is false if no task is known to come.
func (q *ownQueue) next() (at model.Time, ok bool) {
	switch {
	case len(q.available) > 0:
		return q.idle, true
	case len(q.future) > 0:
		return max(q.idle, q.future[0].Key), true
	}
	return 0, false
}

// Assigned runs every task on the machine that it is assigned to. A free machine starts the one of its own tasks that
// has the lowest rank among those that are ready and whose notBefore has come; rank must be a permutation of
// 0 … Tasks−1.
//
// Complexity: O(N log N + arcs). Ties: machines decide in the order of their indices.
func (g *Graph) Assigned(rank, machine []int32, notBefore []model.Time, m int) *model.Schedule {
	ready, waiting := g.state()
	ranked := byRank(rank)
	queues := make([]ownQueue, m)
	var events Heap // when machines may decide; some are out of date
	free := func(v int32) {
		q := &queues[machine[v]]
		q.future.Push(Item{Key: max(ready[v], notBefore[v]), Index: v})
		at, _ := q.next()
		events.Push(Item{Key: at, Index: machine[v]})
	}
	g.sources(free)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for len(events) > 0 {
		e := events.Pop()
		q := &queues[e.Index]
		if at, ok := q.next(); !ok || at != e.Key {
			if ok && at > e.Key {
				events.Push(Item{Key: at, Index: e.Index})
			}
			continue
		}
		for len(q.future) > 0 && q.future[0].Key <= e.Key {
			q.available.Push(Item{Key: model.Time(rank[q.future.Pop().Index])})
		}
		u := ranked[q.available.Pop().Key]
		q.idle = e.Key + g.Processing[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: e.Index, Start: e.Key, End: q.idle}
		g.Release(u, q.idle, ready, waiting, free)
		if at, ok := q.next(); ok {
			events.Push(Item{Key: at, Index: e.Index})
		}
	}
	return s
}

// Partial is a schedule of which some tasks have started.
type Partial struct {
	Schedule *model.Schedule
	Started  []bool // by task
}

// NewPartial is the schedule in which nothing has started.
func (g *Graph) NewPartial() *Partial {
	return &Partial{&model.Schedule{Entries: make([]model.Entry, g.Tasks)}, make([]bool, g.Tasks)}
}

// Ready is when the started tasks let every node start, by node; for a task that still waits for others, this is a
// lower bound. topo lists the nodes, predecessors first.
func (g *Graph) Ready(p *Partial, topo []int32) []model.Time {
	ready := slices.Clone(g.Earliest)
	for _, u := range topo {
		end := ready[u]
		if int(u) < g.Tasks {
			if !p.Started[u] {
				continue
			}
			end = p.Schedule.Entries[u].End
		}
		for a := g.SuccFirst[u]; a < g.SuccFirst[u+1]; a++ {
			v := g.SuccStep[a]
			ready[v] = max(ready[v], end+g.SuccDelay[a])
		}
	}
	return ready
}

// Resume is InOrder from a time on. A machine is idle when its started tasks have ended. The order lists tasks that
// have not started, predecessors first; those that would start before until do start.
//
// Complexity: O((N + arcs) log m). Ties between machines: the lower index.
func (g *Graph) Resume(p *Partial, topo, order []int32, m int, now, until model.Time) {
	ready := g.Ready(p, topo)
	waiting := slices.Clone(g.Preds)
	idle := g.machines(m)
	for i := range idle {
		idle[i].Key = now
	}
	for u, started := range p.Started {
		if e := p.Schedule.Entries[u]; started {
			idle[e.Machine].Key = max(idle[e.Machine].Key, e.End)
			g.Release(int32(u), e.End, ready, waiting, func(int32) {})
		}
	}
	idle.Init()
	for _, u := range order {
		start := max(ready[u], idle[0].Key)
		e := model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: start, End: start + g.Processing[u]}
		idle.ReplaceTop(Item{Key: e.End, Index: e.Machine})
		g.Release(u, e.End, ready, waiting, func(int32) {})
		if start < until {
			p.Schedule.Entries[u], p.Started[u] = e, true
		}
	}
}
