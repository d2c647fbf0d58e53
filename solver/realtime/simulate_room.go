package realtime

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/list"
)

// outlook is what a policy expects of the reduce slots when the reduce phase of a job begins. nil: all slots are free.
type outlook struct {
	free []model.Time // by slot: when it is expected to be free
	room *room        // nil: the deadlines of other jobs do not count
}

// room says where a job's partitions leave the other jobs on time. It knows the units that wait for the reduce slots
// of each worker, in the order of the policy's ranks. A unit is expected to start after all units before it there have
// had their shares of the slots.
//
// Source: DynamicShare, §4: a partition goes to a reduce task only if "the new assignment will still allow the
// end-to-end execution times of the currently scheduled tasks to be within their deadline constraints".
type room struct {
	s      *simulation
	job    int32
	crowds []*crowd // by worker; nil: not yet looked at

	work    []model.Time // by worker: how long the partitions that the job has there are expected to take
	used    []int32      // workers where it has some
	longest model.Time   // how long its longest unit is expected to take
}

// crowd is what waits for the reduce slots of a worker.
type crowd struct {
	idles model.Time // when the first slot is expected to idle
	slots model.Time
	work  model.Time // how long all units are expected to take
	units []waiter   // in the order in which they are expected to start
}

// waiter is a place in a crowd.
type waiter struct {
	last bool
	key  model.Time // rank
	unit int32
	// before is how long all units before this one are expected to take, spare the least time by which this unit, or one
	// after it, may start later and still be on time. Units that are late anyway do not count.
	before, spare model.Time
}

func compareWaiters(a, b waiter) int {
	if a.last != b.last {
		if b.last {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.unit, b.unit))
}

// outlook is that of a job.
func (s *simulation) outlook(j int32) *outlook {
	return &outlook{s.freeSlots(), &room{s: s, job: j, crowds: make([]*crowd, s.in.Workers),
		work: make([]model.Time, s.in.Workers)}}
}

// clear forgets the job's partitions.
func (r *room) clear() {
	for _, w := range r.used {
		r.work[w] = 0
	}
	r.used, r.longest = r.used[:0], 0
}

// take records that the job gets one more partition on a worker, on a slot whose total load becomes load.
func (r *room) take(worker int32, takes, load model.Time) {
	if r.work[worker] == 0 {
		r.used = append(r.used, worker)
	}
	r.work[worker] += takes
	r.longest = max(r.longest, load)
}

// fits says whether the job would be on time, and nothing else become late, if it got one more partition on a worker,
// on a slot whose total load becomes load. end is when the slot is expected to finish after all waiting units.
func (r *room) fits(worker int32, takes, load, end model.Time) bool {
	s, due := r.s, r.s.in.Due[r.job]
	if due != realtime.NoDeadline && load > due-s.now {
		return false
	}
	longest, work := max(r.longest, load), r.work[worker]+takes
	at := r.place(longest)
	if !r.spares(worker, work, at) || end > due && r.crowd(worker).end(at, work, load) > due {
		return false
	}
	if longest > r.longest { // all units of the job come earlier
		for _, w := range r.used {
			if w != worker && !r.spares(w, r.work[w], at) {
				return false
			}
		}
	}
	return true
}

// place is the job's place in crowds if its longest unit takes this long.
func (r *room) place(longest model.Time) waiter {
	job := &r.s.jobs[r.job]
	job.planned = longest
	key, last := r.s.p.rank(r.s, r.job)
	job.planned = 0
	return waiter{last: last, key: key, unit: job.first + job.maps}
}

// spares reports whether this much work at a place makes no unit late on a worker. Mostly the earliest deadline already
// shows that.
func (r *room) spares(worker int32, work model.Time, at waiter) bool {
	s := r.s
	q := &s.queues[queueOf(worker, model.Reduce)]
	for ; len(q.promised) > 0; q.promised.Pop() {
		x := q.promised[0]
		if u := &s.units[x.Index]; u.state == waiting && u.queue == queueOf(worker, model.Reduce) && u.left <= x.Key-s.now {
			break
		}
	}
	if len(q.promised) == 0 || work <= q.promised[0].Key-s.idles(q)-q.backlog {
		return true
	}
	c := r.crowd(worker)
	return (work+c.slots-1)/c.slots <= c.spare(at)
}

// crowd collects the units that wait at a worker. O(n log n) for n units.
func (r *room) crowd(worker int32) *crowd {
	if r.crowds[worker] != nil {
		return r.crowds[worker]
	}
	s, id := r.s, queueOf(worker, model.Reduce)
	q := &s.queues[id]
	c := &crowd{idles: s.idles(q), slots: model.Time(q.slots)}
	for _, h := range []list.Heap{q.front, q.back} {
		for _, x := range h {
			if u := &s.units[x.Index]; u.state == waiting && u.queue == id {
				key, last := s.p.rank(s, u.job)
				c.units = append(c.units, waiter{last: last, key: key, unit: x.Index})
			}
		}
	}
	slices.SortFunc(c.units, compareWaiters)
	c.units = slices.Compact(c.units) // heaps may hold a unit twice
	for k := range c.units {
		x := &c.units[k]
		u := &s.units[x.unit]
		x.before, x.spare = c.work, math.MaxInt64
		if due := s.in.Due[u.job]; due != realtime.NoDeadline {
			if spare := due - c.idles - x.before/c.slots - u.left; spare >= 0 {
				x.spare = spare
			}
		}
		c.work += u.left
	}
	for k := len(c.units) - 2; k >= 0; k-- {
		c.units[k].spare = min(c.units[k].spare, c.units[k+1].spare)
	}
	r.crowds[worker] = c
	return c
}

// after is the first unit after a place.
func (c *crowd) after(at waiter) int {
	return sort.Search(len(c.units), func(k int) bool { return compareWaiters(c.units[k], at) > 0 })
}

// spare is by how much all units after a place may be delayed.
func (c *crowd) spare(at waiter) model.Time {
	if k := c.after(at); k < len(c.units) {
		return c.units[k].spare
	}
	return math.MaxInt64
}

// end is when a job's units at a place are expected to end, given their work and the load of the last one.
func (c *crowd) end(at waiter, work, load model.Time) model.Time {
	before := c.work
	if k := c.after(at); k < len(c.units) {
		before = c.units[k].before
	}
	return c.idles + (before+work-load)/c.slots + load
}
