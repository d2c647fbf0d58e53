package msjo

import (
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
	"mrsched/model/msjo"
	"mrsched/solver/list"
)

// engine schedules one instance repeatedly without allocating. Only one goroutine may use it.
//
// Its schedules are start times alone: at most m tasks run at any time, and machines are assigned at the end (see
// assign).
type engine struct {
	in      *msjo.Instance
	weight  []float64 // by job, or by task under the task objective
	pred    arcs
	start   []model.Time // by node, of the current schedule; barriers: when they are passed
	done    []model.Time // by job
	ready   []model.Time // by node
	waiting []int32      // by node
	idle    []model.Time // heap of the machines' idle times
	future  list.Heap
	open    list.Heap
	key     []int64 // by task
	order   []int32
	// topo and anti list the tasks predecessors first and successors first; tasks of no length stand before all others.
	// They break ties of keys: of tasks that start together, one of no length must not wait for a machine that another has
	// just taken.
	topo, anti []int32
	radix      radixSort
}

// arcs are the instance's reversed arcs.
type arcs struct {
	first []int32
	node  []int32
	delay []model.Time
	count []int32 // arcs out of a node in the original direction
}

func newEngine(in *msjo.Instance) *engine {
	e := &engine{in: in, pred: reverse(in), start: make([]model.Time, in.Nodes), done: make([]model.Time, in.Jobs),
		ready: make([]model.Time, in.Nodes), waiting: make([]int32, in.Nodes),
		idle: make([]model.Time, min(in.Machines, in.Tasks)), key: make([]int64, in.Tasks), order: make([]int32, in.Tasks)}
	weights := in.Weight
	if in.Objective == msjo.TaskObjective {
		weights = in.TaskWeight[:in.Tasks]
	}
	for _, w := range weights {
		e.weight = append(e.weight, w.Float())
	}
	e.radix.init(in.Tasks)
	topo := graph(in).Topological(make([]int64, in.Nodes))
	e.topo = e.shortFirst(topo)
	slices.Reverse(topo)
	e.anti = e.shortFirst(topo)
	return e
}

// shortFirst moves the tasks of no length to the front.
func (e *engine) shortFirst(order []int32) []int32 {
	out := make([]int32, 0, len(order))
	for _, short := range []bool{true, false} {
		for _, u := range order {
			if (e.in.Processing[u] == 0) == short {
				out = append(out, u)
			}
		}
	}
	return out
}

func reverse(in *msjo.Instance) arcs {
	r := arcs{first: make([]int32, in.Nodes+1), node: make([]int32, len(in.SuccNode)),
		delay: make([]model.Time, len(in.SuccNode)), count: make([]int32, in.Nodes)}
	for u := range in.Nodes {
		r.first[u+1] = r.first[u] + in.Preds[u]
		r.count[u] = in.SuccFirst[u+1] - in.SuccFirst[u]
	}
	next := append([]int32(nil), r.first[:in.Nodes]...)
	for u := range int32(in.Nodes) {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccNode[a]
			r.node[next[v]], r.delay[next[v]] = u, in.SuccDelay[a]
			next[v]++
		}
	}
	return r
}

// cost is the objective of the current schedule, in weight × microseconds.
func (e *engine) cost() (sum float64) {
	if e.in.Objective == msjo.TaskObjective {
		for u, w := range e.weight {
			sum += w * float64(e.start[u]+e.in.Processing[u])
		}
		return sum
	}
	for j, c := range e.done {
		sum += e.weight[j] * float64(c)
	}
	return sum
}

func (e *engine) keys(key []model.Time) {
	for u, t := range key {
		e.key[u] = int64(t)
	}
}

// neverIdle schedules by key: whenever a machine is free, the available task of the lowest key.
// Ties: the lower index.
func (e *engine) neverIdle() {
	in := e.in
	copy(e.ready, in.Earliest)
	copy(e.waiting, in.Preds)
	clear(e.idle)
	clear(e.done)
	e.future, e.open = e.future[:0], e.open[:0]
	for u, n := range in.Preds {
		if n == 0 {
			e.future.Push(list.Item{Key: e.ready[u], Index: int32(u)})
		}
	}
	var now model.Time
	for len(e.future) > 0 || len(e.open) > 0 {
		now = max(now, e.idle[0])
		if len(e.open) == 0 {
			now = max(now, e.future[0].Key)
		}
		for len(e.future) > 0 && e.future[0].Key <= now {
			u := e.future.Pop().Index
			e.open.Push(list.Item{Key: model.Time(e.key[u]), Index: u})
		}
		u := e.open.Pop().Index
		e.start[u] = now
		end := now + in.Processing[u]
		heap.ReplaceTop(e.idle, end)
		e.done[in.Job[u]] = max(e.done[in.Job[u]], end)
		e.release(u, end)
	}
}

// release tells u's successors that u ends, resolving barriers on the way; free tasks become future ones.
func (e *engine) release(u int32, end model.Time) {
	in := e.in
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v := in.SuccNode[a]
		e.ready[v] = max(e.ready[v], end+in.SuccDelay[a])
		if e.waiting[v]--; e.waiting[v] == 0 {
			if v >= int32(in.Tasks) {
				e.release(v, e.ready[v])
			} else {
				e.future.Push(list.Item{Key: e.ready[v], Index: v})
			}
		}
	}
}

// justify shifts all tasks right as far as their jobs' completions allow, then left again. Neither pass
// makes any job later; both may make room.
//
// Each pass takes the tasks in the order in which the last one left them (see list.Graph.InOrder: such an
// order never loses).   Source: double justification, Valls et al., EJOR 2005, with a due time for every job.
func (e *engine) justify() {
	var horizon model.Time
	for _, c := range e.done {
		horizon = max(horizon, c)
	}
	e.right(horizon)
	e.left()
}

// right places the tasks by falling end, as late as possible, no job later than it is.
func (e *engine) right(horizon model.Time) {
	in := e.in
	for u := range e.key {
		e.key[u] = int64(horizon - e.start[u] - in.Processing[u])
	}
	e.radix.sort(e.key, e.order, e.anti)
	copy(e.waiting[in.Tasks:], e.pred.count[in.Tasks:])
	for u := range e.ready { // in reversed time: no node may end after its job does
		e.ready[u] = horizon - e.done[in.Job[u]]
	}
	clear(e.idle)
	for _, u := range e.order {
		begin := max(e.ready[u], e.idle[0])
		end := begin + in.Processing[u]
		heap.ReplaceTop(e.idle, end)
		e.start[u] = horizon - end
		e.backward(u, end)
	}
}

// backward releases u's predecessors in reversed time; the last successor settles a barrier.
func (e *engine) backward(u int32, end model.Time) {
	for a := e.pred.first[u]; a < e.pred.first[u+1]; a++ {
		v := e.pred.node[a]
		e.ready[v] = max(e.ready[v], end+e.pred.delay[a])
		if v >= int32(e.in.Tasks) {
			if e.waiting[v]--; e.waiting[v] == 0 {
				e.backward(v, e.ready[v])
			}
		}
	}
}

// left places the tasks by rising start, as early as possible.
func (e *engine) left() {
	for u := range e.key {
		e.key[u] = int64(e.start[u])
	}
	e.inOrder()
}

// inOrder places the tasks by rising key, which must not fall along an arc, as early as possible.
func (e *engine) inOrder() {
	in := e.in
	e.radix.sort(e.key, e.order, e.topo)
	copy(e.waiting[in.Tasks:], in.Preds[in.Tasks:])
	copy(e.ready, in.Earliest)
	clear(e.idle)
	clear(e.done)
	for _, u := range e.order {
		begin := max(e.ready[u], e.idle[0])
		end := begin + in.Processing[u]
		heap.ReplaceTop(e.idle, end)
		e.start[u] = begin
		e.done[in.Job[u]] = max(e.done[in.Job[u]], end)
		e.forward(u, end)
	}
}

func (e *engine) forward(u int32, end model.Time) {
	in := e.in
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v := in.SuccNode[a]
		e.ready[v] = max(e.ready[v], end+in.SuccDelay[a])
		if v >= int32(in.Tasks) {
			if e.waiting[v]--; e.waiting[v] == 0 {
				e.forward(v, e.ready[v])
			}
		}
	}
}

// radixSort sorts task indices by non-negative keys, stably.
type radixSort struct {
	other []int32
	count [1 << radixBits]int32
}

// radixBits is the number of key bits a pass handles.
const radixBits = 11

func (r *radixSort) init(n int) { r.other = make([]int32, n) }

// sort sets order to the items of start by key; ties keep their order.
func (r *radixSort) sort(key []int64, order, start []int32) {
	least, most := key[0], key[0]
	for _, k := range key {
		least, most = min(least, k), max(most, k)
	}
	copy(order, start)
	from, to := order, r.other
	passes := (bits.Len64(uint64(most-least)) + radixBits - 1) / radixBits
	for p := range passes {
		shift := p * radixBits
		clear(r.count[:])
		for _, u := range from {
			r.count[(key[u]-least)>>shift&(1<<radixBits-1)]++
		}
		var sum int32
		for d, c := range r.count {
			r.count[d] = sum
			sum += c
		}
		for _, u := range from {
			d := (key[u] - least) >> shift & (1<<radixBits - 1)
			to[r.count[d]] = u
			r.count[d]++
		}
		from, to = to, from
	}
	if passes%2 == 1 {
		copy(order, from)
	}
}
