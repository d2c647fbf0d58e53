package realtime

import (
	"slices"

	"mrsched/model"
	"mrsched/solver/list"
)

// queue holds the units that wait for the slots of one kind of a worker.
//
// Ranks change with time, and a job has the same rank in all queues. So ranks are computed when a queue is looked at,
// and heaps keep lower bounds: a rank never falls except where refresh is called. The unit with the lowest bound is put
// back if its rank has risen; else it has the lowest rank of all.
type queue struct {
	slots   int32
	idle    list.Heap  // slots
	busy    list.Heap  // units by when they are expected to end; those that have ended are dropped when seen
	backlog model.Time // how long the waiting units are expected to take
	front   list.Heap  // waiting units by a lower bound on their job's rank
	back    list.Heap  // likewise, of units that come after all others
	dirty   bool
}

// queueOf is the queue of a worker's slots of a kind.
func queueOf(worker int32, kind model.TaskKind) int32 { return 2*worker + int32(kind) }

// markDirty marks a queue as one that may have something to start.
func (s *simulation) markDirty(q int32) {
	if !s.queues[q].dirty {
		s.queues[q].dirty = true
		s.dirty = append(s.dirty, q)
	}
}

// enqueue enters a waiting unit into a heap of its queue.
func (s *simulation) enqueue(u int32) {
	x := &s.units[u]
	q := &s.queues[x.queue]
	key, last := s.p.rank(s, x.job)
	item := list.Item{Key: key, Index: u}
	if last {
		q.back.Push(item)
		s.jobs[x.job].behind = true
	} else {
		q.front.Push(item)
	}
	s.markDirty(x.queue)
}

// refresh enters a job's waiting units into the heaps again, because its rank has fallen or it no longer comes last.
func (s *simulation) refresh(j int32) {
	job := &s.jobs[j]
	job.behind = false
	for u := job.first; u < job.first+job.count; u++ {
		if s.units[u].state == waiting {
			s.enqueue(u)
		}
	}
}

// dispatch starts the first units on idle slots, queue by queue.
func (s *simulation) dispatch() {
	slices.Sort(s.dirty)
	for _, q := range s.dirty {
		x := &s.queues[q]
		x.dirty = false
		for len(x.idle) > 0 {
			u, ok := s.first(q)
			if !ok {
				break
			}
			s.start(u, x.idle.Pop().Index)
		}
	}
	s.dirty = s.dirty[:0]
}

// first removes the unit with the lowest rank from a queue; false if nothing waits.
func (s *simulation) first(id int32) (int32, bool) {
	q := &s.queues[id]
	for _, h := range []*list.Heap{&q.front, &q.back} {
		for len(*h) > 0 {
			item := (*h)[0]
			u := &s.units[item.Index]
			if u.state != waiting || u.queue != id {
				h.Pop()
				continue
			}
			key, last := s.p.rank(s, u.job)
			switch {
			case last && h == &q.front:
				h.Pop()
				q.back.Push(list.Item{Key: key, Index: item.Index})
				s.jobs[u.job].behind = true
			case key > item.Key:
				h.ReplaceTop(list.Item{Key: key, Index: item.Index})
			default:
				h.Pop()
				return item.Index, true
			}
		}
	}
	return 0, false
}

// settle updates the jobs that this instant's events have changed.
func (s *simulation) settle() {
	for _, j := range s.touched {
		job := &s.jobs[j]
		job.touched = false
		if s.threshold > 0 {
			s.watch(j)
		}
		if job.behind {
			if _, last := s.p.rank(s, j); !last {
				s.refresh(j)
			}
		}
	}
	s.touched = s.touched[:0]
}

// idles is when the first slot of a queue is expected to idle if nothing else starts.
func (s *simulation) idles(q *queue) model.Time {
	if len(q.idle) > 0 {
		return s.now
	}
	for s.units[q.busy[0].Index].state == done {
		q.busy.Pop()
	}
	return max(s.now, q.busy[0].Key)
}

// free is when a queue is expected to have a slot for one more unit: the units that wait share its slots evenly.
func (s *simulation) free(q *queue) model.Time { return s.idles(q) + q.backlog/model.Time(q.slots) }
