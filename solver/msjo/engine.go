package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
	"mrsched/model/shop"
	"mrsched/solver/list"
)

// engine schedules one instance repeatedly without allocating. Only one goroutine may use it.
//
// Its schedules are start times alone: at most m tasks run at any time, so assign can add machines at the end.
type engine struct {
	in       *shop.Instance
	graph    *list.Graph
	reversed *list.Graph
	weight   []float64    // by job, or by task under the task objective
	start    []model.Time // by task, of the current schedule
	done     []model.Time // by job
	ready    []model.Time // by node
	waiting  []int32      // by node
	idle     []model.Time // heap of the machines' idle times
	future   list.Heap
	open     *rankSet
	key      []int64 // by task
	order    []int32
	rank     []int32 // by task, in the order of keys
	byIndex  []int32
	// topo and anti list the tasks with predecessors first and with successors first. In both, tasks of length 0 come
	// before all others. They break ties of keys: a task of length 0 must not wait for a machine that another task with
	// the same start has just taken.
	topo, anti []int32
	radix      radixSort
	// held lists the tasks that start at their earliest, before all others, in a feasible order.
	held []int32
}

func newEngine(in *shop.Instance) *engine {
	g := graph(in)
	e := &engine{in: in, graph: g, reversed: g.Reversed(), start: make([]model.Time, in.Tasks),
		done: make([]model.Time, in.Jobs), ready: make([]model.Time, in.Steps), waiting: make([]int32, in.Steps),
		idle: make([]model.Time, min(in.Nodes, in.Tasks)), key: make([]int64, in.Tasks), order: make([]int32, in.Tasks),
		open: newRankSet(in.Tasks), rank: make([]int32, in.Tasks), byIndex: model.Indices(in.Tasks)}
	weights := in.Weight
	if in.Objective == shop.WeightedTaskEnds {
		weights = in.TaskWeight[:in.Tasks]
	}
	for _, w := range weights {
		e.weight = append(e.weight, w.Float())
	}
	e.radix.init(in.Tasks)
	topo := g.Topological(make([]int64, in.Steps))
	e.topo = e.shortFirst(topo)
	slices.Reverse(topo)
	e.anti = e.shortFirst(topo)
	return e
}

// shortFirst moves the tasks of length 0 to the front.
func (e *engine) shortFirst(order []int32) []int32 {
	out := slices.Clone(order)
	slices.SortStableFunc(out, func(a, b int32) int {
		return cmp.Compare(min(e.in.Least[a], 1), min(e.in.Least[b], 1))
	})
	return out
}

// cost is the objective of the current schedule, in weight × microseconds.
func (e *engine) cost() (sum float64) {
	if e.in.Objective == shop.WeightedTaskEnds {
		for u, w := range e.weight {
			sum += w * float64(e.start[u]+e.in.Least[u])
		}
		return sum
	}
	for j, c := range e.done {
		sum += e.weight[j] * float64(c)
	}
	return sum
}

// keys sets the keys of all tasks.
func (e *engine) keys(key []model.Time) {
	for u, t := range key {
		e.key[u] = int64(t)
	}
}

// first puts the keys of the held tasks before all others.
func (e *engine) first() {
	if len(e.held) == 0 {
		return
	}
	least := slices.Min(e.key)
	for k, u := range e.held {
		e.key[u] = least - int64(len(e.held)-k)
	}
}

// neverIdle schedules by key: whenever a machine is free, it starts the available task of the lowest key. Ties: the
// lower index.
func (e *engine) neverIdle() {
	in := e.in
	e.first()
	copy(e.ready, in.Earliest)
	copy(e.waiting, in.Preds)
	clear(e.idle)
	clear(e.done)
	e.radix.sort(e.key, e.order, e.byIndex)
	for k, u := range e.order {
		e.rank[u] = int32(k)
	}
	e.future = e.future[:0]
	for u, n := range in.Preds {
		if n == 0 && e.ready[u] == 0 {
			e.open.add(e.rank[u])
		} else if n == 0 {
			e.future.Push(list.Item{Key: e.ready[u], Index: int32(u)})
		}
	}
	comes := func(v int32) { e.future.Push(list.Item{Key: e.ready[v], Index: v}) }
	var now model.Time
	for len(e.future) > 0 || !e.open.empty() {
		now = max(now, e.idle[0])
		if e.open.empty() {
			now = max(now, e.future[0].Key)
		}
		for len(e.future) > 0 && e.future[0].Key <= now {
			e.open.add(e.rank[e.future.Pop().Index])
		}
		u := e.order[e.open.pop()]
		e.start[u] = now
		end := now + in.Least[u]
		heap.ReplaceTop(e.idle, end)
		e.done[in.Job[u]] = max(e.done[in.Job[u]], end)
		e.graph.Release(u, end, e.ready, e.waiting, comes)
	}
}

// justify shifts all tasks right as far as their jobs' completions allow, then left again. Neither pass makes any job
// later, and both may create room.
//
// Each pass takes the tasks in the order that the last one left: such an order never loses (see list.Graph.InOrder).
// Source: double justification, Valls et al., EJOR 2005, with a due time for every job.
func (e *engine) justify() {
	e.right(slices.Max(e.done))
	e.left()
}

// left places the tasks by rising start, as early as possible.
func (e *engine) left() {
	e.keys(e.start)
	e.inOrder()
}

// right places the tasks by falling end, as late as possible without delaying any job. It is inOrder in time that runs
// backwards from the horizon.
func (e *engine) right(horizon model.Time) {
	for u := range e.key {
		e.key[u] = int64(horizon - e.start[u] - e.in.Least[u])
	}
	for u := range e.ready { // no node may end after its job does
		e.ready[u] = horizon - e.done[e.in.Job[u]]
	}
	e.place(e.reversed, e.anti)
	for u, begin := range e.start {
		e.start[u] = horizon - begin - e.in.Least[u]
	}
}

// inOrder places the tasks by rising key, as early as possible. Keys must not fall along an arc.
func (e *engine) inOrder() {
	e.first()
	copy(e.ready, e.in.Earliest)
	e.place(e.graph, e.topo)
	clear(e.done)
	for u, begin := range e.start {
		j := e.in.Job[u]
		e.done[j] = max(e.done[j], begin+e.in.Least[u])
	}
}

// place starts the tasks of a graph by rising key as soon as they and a machine are ready. Ties follow the given order.
func (e *engine) place(g *list.Graph, ties []int32) {
	e.radix.sort(e.key, e.order, ties)
	copy(e.waiting, g.Preds)
	clear(e.idle)
	for _, u := range e.order {
		e.start[u] = max(e.ready[u], e.idle[0])
		end := e.start[u] + g.Processing[u]
		heap.ReplaceTop(e.idle, end)
		g.Release(u, end, e.ready, e.waiting, func(int32) {})
	}
}
