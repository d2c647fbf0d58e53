package realtime

import (
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
	after, later       model.Time // what is expected to follow the present phase: how long, and Σ over its partitions
	// units by how long they are expected to take, or when to end, negated; stale ones are dropped when seen
	waiting, running list.Heap
	ended            model.Time // slot time of units that have ended
	begun            model.Time // Σ of the starts of those that run; modulo 2^64, as ends
	ends             model.Time // Σ of when those are expected to end
	backlog          model.Time // Σ of how long the others of the present phase are expected to take
	active           int32      // units that run
	standing         standing   // under admit
	reducing         bool
	behind           bool // a unit waits among those whose turn comes last
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

// left is how much longer a job is expected to take, whatever else waits: the most that is left of a unit of the
// present phase, and what follows. A unit that is overdue has nothing left, nor has one that has ended while its output
// is on its way.
//
// Source: DynamicShare, Eq. 3: max m + max r, all tasks of a phase running in parallel.
func (s *simulation) left(j int32) model.Time {
	job, most := &s.jobs[j], model.Time(0)
	for len(job.waiting) > 0 {
		x := job.waiting[0]
		if u := &s.units[x.Index]; u.state == waiting && -x.Key == u.left+s.tail(x.Index) {
			most = -x.Key
			break
		}
		job.waiting.Pop()
	}
	for len(job.running) > 0 {
		x := job.running[0]
		if u := &s.units[x.Index]; (u.state == running || u.state == absent) && -x.Key == u.end+s.tail(x.Index) {
			most = max(most, -x.Key-s.now)
			break
		}
		job.running.Pop()
	}
	return most + job.after
}
