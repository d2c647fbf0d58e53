package list

import "mrsched/model"

// ownQueue is one machine's part of an assignment.
type ownQueue struct {
	idle      model.Time
	future    Heap // tasks whose predecessors have started, by the time from which they may start
	available Heap // those whose time has come, by rank
}

// next is when the machine can start something; ok is false if nothing is known to come.
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
		g.release(u, q.idle, ready, waiting, free)
		if at, ok := q.next(); ok {
			events.Push(Item{Key: at, Index: e.Index})
		}
	}
	return s
}
