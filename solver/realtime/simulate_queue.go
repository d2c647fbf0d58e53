package realtime

import (
	"slices"

	"mrsched/model"
	"mrsched/solver/list"
)

// state is the progress of a unit.
type state uint8

const (
	absent state = iota // not yet in its queue
	waiting
	running
	done
)

// unit is a map or a reduce task.
type unit struct {
	job, queue  int32
	slot        int32
	first, last int32      // parts[first:last]; empty: a map
	left        model.Time // how long it is expected to take on its queue's worker
	end         model.Time // when it is expected to end; of one that is absent or running
	state       state
	isMap       bool
}

// jobState is what the scheduler knows about a job.
type jobState struct {
	first, maps, count int32 // its units: maps, then reduce units; count includes both
	pending            int32 // units of the present phase that have not ended
	phase              int32 // units of the present phase
	fresh              int32 // units that have entered or ended since LOF looked
	ready              model.Time
	after              model.Time // how long what follows the present phase is expected to take
	// units by how long they are expected to take, or when to end, negated; stale ones are dropped when they come first
	waiting, running list.Heap
	ended            model.Time // slot time of units that have ended
	begun            model.Time // Σ of the starts of those that run; modulo 2^64
	planned          model.Time // how long its longest unit would take; for room, 0 outside
	active           int32      // units that run
	reducing         bool
	behind           bool // a unit waits in a queue's back heap
	touched          bool
}

// tail is how long after a unit its output arrives.
func (s *simulation) tail(u int32) model.Time {
	x := &s.units[u]
	if job := &s.jobs[x.job]; x.isMap && job.count > job.maps {
		return s.in.Shuffle[s.task(u)]
	}
	return 0
}

// task is the map of a unit.
func (s *simulation) task(u int32) int32 {
	j := s.units[u].job
	return s.in.FirstMap[j] + u - s.jobs[j].first
}

// left is how much longer a job is expected to take, whatever else waits: the longest remaining time of a unit of the
// present phase, and what follows. Nothing remains of a unit that is overdue, or that has ended while its output is on
// its way.
//
// Source: DynamicShare, Eq. 3: max m + max r, all tasks of a phase running in parallel.
func (s *simulation) left(j int32) model.Time {
	job := &s.jobs[j]
	most := job.planned
	for ; len(job.waiting) > 0; job.waiting.Pop() {
		x := job.waiting[0]
		if u := &s.units[x.Index]; u.state == waiting && -x.Key == u.left+s.tail(x.Index) {
			most = -x.Key
			break
		}
	}
	for ; len(job.running) > 0; job.running.Pop() {
		x := job.running[0]
		if u := &s.units[x.Index]; (u.state == running || u.state == absent) && -x.Key == u.end+s.tail(x.Index) {
			most = max(most, -x.Key-s.now)
			break
		}
	}
	return most + job.after
}

// queue holds the units that wait for the slots of one kind of a worker.
//
// Ranks change with time, and a job has the same rank in all queues. So first computes ranks, and heaps keep lower
// bounds: a rank never falls except where refresh is called. The unit with the lowest bound goes back if its rank has
// risen; otherwise it has the lowest rank of all.
type queue struct {
	slots   int32
	idle    list.Heap  // slots
	busy    list.Heap  // units by when they are expected to end; those that have ended are dropped when seen
	backlog model.Time // how long the waiting units are expected to take
	front   list.Heap  // waiting units by a lower bound on their job's rank
	back    list.Heap  // likewise, for units that come after all others
	// promised are reduce units by Due, for room; those that have left the queue or will be late are dropped when seen.
	promised list.Heap
	dirty    bool
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
