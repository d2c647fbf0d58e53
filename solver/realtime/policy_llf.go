package realtime

import (
	"math"

	"mrsched/model"
	"mrsched/model/realtime"
)

// laxity is how much longer than it is expected to take a job has until it is due; only for jobs with a deadline.
//
// Source: DynamicShare, Eq. 3.   Differs: the time that has passed counts, so that laxities of different jobs compare.
func (s *simulation) laxity(j int32) model.Time { return s.in.Due[j] - s.now - s.left(j) }

// llfRank orders by laxity, the least first; jobs of negative laxity after all others, those without a deadline at the
// end.
//
// At one time, laxities are in the order of Due − left. That never falls: left falls by what time passes at most, and
// at once only if a unit ends early. A job of negative laxity regains it at such an event only, which is when settle
// looks.
//
// The paper computes laxities when a task enters a queue, ends or misses its deadline. Slots become idle, and units
// waiting, at the first two only, so a rank is asked for then and never else; when a deadline passes no slot is idle
// that something waits for, so it changes nothing to compute laxities then.
//
// Ties: the job that arrived first.   Source: DynamicShare, §3.
func llfRank(s *simulation, j int32) (model.Time, bool) {
	if s.in.Due[j] == realtime.NoDeadline {
		return realtime.NoDeadline, true
	}
	laxity := s.laxity(j)
	return laxity + s.now, laxity < 0
}

// lofLooks bounds how often LOF looks at the laxities of a job: each time that another 1/lofLooks of the tasks of its
// present phase have entered queues or ended, so at most twice as often in a phase.
const lofLooks = 16

// watch evaluates LOF over the laxities of a job on the workers that its tasks run and wait on. A worker above the
// threshold loses the waiting tasks of that job to those that are expected to end them earlier and are not above it
// (ties: the first worker). The laxity on a worker is the least of those tasks: Due, less when the task is expected to
// end, less what is expected to follow its phase; for one that waits, all that waits at the worker counts as before it.
//
// LOF does not look at jobs without a deadline or of negative laxity, nor where nothing waits.
//
// Complexity: O(n + w log w) for n tasks on w workers, and O(w) for each task that may move.   Source: DynamicShare,
// §3.
func (s *simulation) watch(j int32) {
	job := &s.jobs[j]
	if int64(job.fresh)*lofLooks < int64(job.phase) || job.pending == job.active || s.in.Due[j] == realtime.NoDeadline ||
		s.laxity(j) < 0 {
		return
	}
	job.fresh = 0
	first, end := job.first, job.first+job.maps
	if job.reducing {
		first, end = end, end+job.phase
	}
	laxities, queues := s.workerLaxities(j, first, end)
	s.facts.looks++
	over := Overloaded(laxities, s.threshold)
	if s.seen != nil {
		s.seen(j, laxities, queues, over)
	}
	if len(over) == 0 {
		return
	}
	s.facts.flags += len(over)
	for _, k := range over {
		s.flagged[queues[k]] = int32(s.facts.looks)
	}
	moved := 0
	for u := first; u < end; u++ {
		if x := &s.units[u]; x.state == waiting && s.flagged[x.queue] == int32(s.facts.looks) && s.move(u) {
			moved++
		}
	}
	if moved > 0 {
		s.facts.moved += moved
		s.refresh(j)
	}
}

// workerLaxities lists the least laxities of a job's units, by queue, in the order of the units.
func (s *simulation) workerLaxities(j, first, end int32) (laxities []model.Time, queues []int32) {
	at := map[int32]int{}
	for u := first; u < end; u++ {
		x := &s.units[u]
		var ends model.Time
		switch x.state {
		case running:
			ends = max(s.now, x.end)
		case waiting:
			ends = s.ends(u)
		default:
			continue
		}
		laxity := s.in.Due[j] - ends - s.tail(u) - s.jobs[j].after
		k, ok := at[x.queue]
		if !ok {
			k = len(queues)
			at[x.queue] = k
			queues, laxities = append(queues, x.queue), append(laxities, laxity)
		}
		laxities[k] = min(laxities[k], laxity)
	}
	return laxities, queues
}

// ends is when a waiting unit is expected to end after all that waits with it.
func (s *simulation) ends(u int32) model.Time {
	x := &s.units[u]
	q := &s.queues[x.queue]
	return s.idles(q) + (q.backlog-x.left)/model.Time(q.slots) + x.left
}

// move moves a waiting unit to the worker that is expected to end it first; false: it stays.
func (s *simulation) move(u int32) bool {
	x := &s.units[u]
	best, takes, least := int32(-1), model.Time(0), s.ends(u)
	last := int32(math.MinInt32)
	kind := model.Reduce
	if x.isMap {
		kind = model.Map
	}
	for _, slot := range s.in.SlotsFor(kind) {
		q := queueOf(s.in.WorkerOf[slot], kind)
		if q == last || s.flagged[q] == int32(s.facts.looks) {
			continue
		}
		last = q
		if free := s.free(&s.queues[q]); free < least {
			if t := s.takes(u, q); free+t < least {
				best, takes, least = q, t, free+t
			}
		}
	}
	if best < 0 {
		return false
	}
	s.queues[x.queue].backlog -= x.left
	s.jobs[x.job].backlog += takes - x.left
	x.queue, x.left = best, takes
	s.queues[best].backlog += takes
	s.await(u)
	return true
}
