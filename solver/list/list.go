package list

import "mrsched/model"

// Graph is a set of tasks and barriers with precedence and delays, in the layout of the problems'
// instances: nodes 0 … Tasks−1 are tasks; the rest are barriers, which take no time and no machine.
// The arcs out of node u are SuccFirst[u] … SuccFirst[u+1]−1.
type Graph struct {
	Tasks      int
	Processing []model.Time
	Earliest   []model.Time
	SuccFirst  []int32
	SuccNode   []int32
	SuccDelay  []model.Time
	Preds      []int32
}

// release tells u's successors that u ends at end; ready and waiting are updated, and every node whose
// last predecessor this was is passed to free, barriers resolved on the way.
func (g *Graph) release(u int32, end model.Time, ready []model.Time, waiting []int32, free func(v int32)) {
	for a := g.SuccFirst[u]; a < g.SuccFirst[u+1]; a++ {
		v := g.SuccNode[a]
		ready[v] = max(ready[v], end+g.SuccDelay[a])
		if waiting[v]--; waiting[v] == 0 {
			if int(v) >= g.Tasks {
				g.release(v, ready[v], ready, waiting, free)
			} else {
				free(v)
			}
		}
	}
}

// state is what every scheduler keeps: when nodes are ready and how many predecessors they wait for.
func (g *Graph) state() (ready []model.Time, waiting []int32) {
	return append([]model.Time(nil), g.Earliest...), append([]int32(nil), g.Preds...)
}

// InOrder takes the tasks in the given order, each to the machine that idles first, and starts it when
// both the task is ready and the machine idle. The order must put predecessors first.
//
// Complexity: O(N log m + arcs). Ties between machines: the lower index.
// Some order makes the schedule optimal for every objective that grows with completion times: the order
// of start times in an optimal schedule, tasks of no length first among those that start together (the
// idle times of the machines, cut at the current start, never exceed those of the optimal schedule).
func (g *Graph) InOrder(order []int32, m int) *model.Schedule {
	ready, waiting := g.state()
	idle := g.machines(m)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for _, u := range order {
		start := max(ready[u], idle[0].Key)
		end := start + g.Processing[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: start, End: end}
		idle.ReplaceTop(Item{Key: end, Index: idle[0].Index})
		g.release(u, end, ready, waiting, func(int32) {})
	}
	return s
}

// NeverIdle starts, whenever a machine is free and some task is available, the available task of the
// lowest rank; rank must be a permutation of 0 … Tasks−1.
//
// Complexity: O(N log N + arcs). Ties between machines: the one idle for longest, then the lower index.
func (g *Graph) NeverIdle(rank []int32, m int) *model.Schedule {
	ready, waiting := g.state()
	byRank := make([]int32, g.Tasks)
	for u, r := range rank {
		byRank[r] = int32(u)
	}
	idle := g.machines(m)
	var future Heap // tasks whose predecessors have started, by ready time
	var available Heap
	free := func(v int32) { future.Push(Item{Key: ready[v], Index: v}) }
	for u := range g.Tasks {
		if g.Preds[u] == 0 {
			free(int32(u))
		}
	}
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
		u := byRank[available.Pop().Key]
		end := now + g.Processing[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: now, End: end}
		idle.ReplaceTop(Item{Key: end, Index: idle[0].Index})
		g.release(u, end, ready, waiting, free)
	}
	return s
}

// Topological lists the tasks by key, the lowest first, as far as precedence allows: of the tasks whose
// predecessors are all listed, the one with the lowest key comes next. Ties: the lower index. With keys
// that never fall along an arc this is the order of the keys.
//
// Complexity: O(N log N + arcs).
func (g *Graph) Topological(key []int64) []int32 {
	ready := make([]model.Time, len(g.Preds)) // not used: only who is free matters
	waiting := append([]int32(nil), g.Preds...)
	var open Heap
	free := func(v int32) { open.Push(Item{Key: model.Time(key[v]), Index: v}) }
	for u := range g.Tasks {
		if g.Preds[u] == 0 {
			free(int32(u))
		}
	}
	order := make([]int32, 0, g.Tasks)
	for len(open) > 0 {
		u := open.Pop().Index
		order = append(order, u)
		g.release(u, 0, ready, waiting, free)
	}
	return order
}

// Fixed gives machines to tasks whose start times are known: in the given order, which must be that of the
// start times, each to the machine that idles first.
//
// Complexity: O(N log m). Ties between machines: the lower index.
func (g *Graph) Fixed(order []int32, start []model.Time, m int) *model.Schedule {
	idle := g.machines(m)
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for _, u := range order {
		end := start[u] + g.Processing[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: start[u], End: end}
		idle.ReplaceTop(Item{Key: end, Index: idle[0].Index})
	}
	return s
}
