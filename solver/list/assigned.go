package list

import "mrsched/model"

// ownQueue is one machine's part of an assignment.
type ownQueue struct {
	idle      model.Time
	future    timeHeap // tasks whose predecessors have started, by the time from which they may start
	available timeHeap // those whose time has come, by rank
}

// next is when the machine can start something; ok is false if nothing is known to come.
func (q *ownQueue) next() (at model.Time, ok bool) {
	switch {
	case len(q.available) > 0:
		return q.idle, true
	case len(q.future) > 0:
		return max(q.idle, q.future[0].at), true
	}
	return 0, false
}

// Assigned runs every task on the machine that it is assigned to. Whenever a machine is free it starts, among
// its own tasks that are ready and whose notBefore has come, the one of the lowest rank; rank must be a
// permutation of 0 … Tasks−1.
//
// Complexity: O(N log N + arcs). Ties: machines decide in the order of their indices.
func (g *Graph) Assigned(rank, machine []int32, notBefore []model.Time, m int) *model.Schedule {
	ready, waiting := g.state()
	byRank := make([]int32, g.Tasks)
	for u, r := range rank {
		byRank[r] = int32(u)
	}
	queues := make([]ownQueue, m)
	var events timeHeap // when machines may decide; some are out of date
	free := func(v int32) {
		q := &queues[machine[v]]
		q.future.push(timed{max(ready[v], notBefore[v]), v})
		at, _ := q.next()
		events.push(timed{at, machine[v]})
	}
	for u := range g.Tasks {
		if g.Preds[u] == 0 {
			free(int32(u))
		}
	}
	s := &model.Schedule{Entries: make([]model.Entry, g.Tasks)}
	for len(events) > 0 {
		e := events.pop()
		q := &queues[e.index]
		if at, ok := q.next(); !ok || at != e.at {
			if ok && at > e.at {
				events.push(timed{at, e.index})
			}
			continue
		}
		for len(q.future) > 0 && q.future[0].at <= e.at {
			q.available.push(timed{model.Time(rank[q.future.pop().index]), 0})
		}
		u := byRank[q.available.pop().at]
		q.idle = e.at + g.Processing[u]
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: e.index, Start: e.at, End: q.idle}
		g.release(u, q.idle, ready, waiting, free)
		if at, ok := q.next(); ok {
			events.push(timed{at, e.index})
		}
	}
	return s
}
