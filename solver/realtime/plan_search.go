package realtime

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/search"
)

const (
	// A copy of the free times is kept every planEvery jobs, so that a trial need not begin with the first job.
	planEvery = 32
	// A trial that is worse so far ends after a multiple of planLook jobs.
	planLook = 24
	// planNear is the largest distance in the order between jobs that change together.
	planNear = 12
	// planHeat is the tardiness that a step may cost at first, as a multiple of the mean over the late jobs.
	planHeat = 0.5
)

// cost is the number of late jobs, then their total tardiness; for goal partitions it is 0 and the makespan.
type cost struct {
	missed int
	late   model.Time
}

func (c cost) compare(o cost) int {
	return cmp.Or(cmp.Compare(c.missed, o.missed), cmp.Compare(c.late, o.late))
}

// add adds the cost of a job that ends at a time, this many times.
func (c *cost) add(in *realtime.Instance, j int32, end model.Time, times int) {
	if due := in.Due[j]; end > due {
		c.missed += times
		c.late += model.Time(times) * (end - due)
	}
}

func (r *run) costOf(s *model.Schedule) cost { return r.goal.cost(r.in.Ends(s)) }

// planSearch improves an order of jobs. Jobs that are given up come last.
type planSearch struct {
	*planner
	order []int32
	jobs  []planned // by job
	cost  cost
	kept  []*planSlots // before positions 0, planEvery, 2·planEvery, …

	next   []int32   // the order of a trial
	trial  []planned // by job: valid where the trial placed it
	best   []planned // by job
	from   []int32   // the order of the best
	least  cost
	random *rand.Rand
	watch  *solver.Watch
}

func newPlanSearch(p *planner, seed uint64) *planSearch {
	n := p.in.Jobs
	s := &planSearch{planner: p, jobs: make([]planned, n), trial: make([]planned, n), best: make([]planned, n),
		least: cost{missed: n + 1}, random: rand.New(rand.NewPCG(seed, 1))}
	for range n/planEvery + 1 {
		s.kept = append(s.kept, newPlanSlots(p.in.Slots))
	}
	return s
}

// list places all jobs in an order and makes that the current one. With admit, jobs that would be late are put last.
func (s *planSearch) list(order []int32, admit bool) {
	s.slots.copyFrom(s.kept[0])
	s.order, s.cost = s.order[:0], cost{}
	var last []int32
	before := newPlanSlots(s.in.Slots) // the free times without the job that is placed
	for _, late := range []bool{false, true} {
		for _, j := range order {
			own := &s.jobs[j]
			if s.place(j, own); admit && !late && own.end > s.in.Due[j] {
				s.slots.follow(before, own)
				last = append(last, j)
				continue
			}
			before.follow(s.slots, own)
			s.cost.add(s.in, j, own.end, 1)
			s.order = append(s.order, j)
		}
		order = last
	}
	s.remember()
}

// remember compares the current schedule with the best.
func (s *planSearch) remember() {
	if s.cost.compare(s.least) >= 0 {
		return
	}
	s.least = s.cost
	s.from = append(s.from[:0], s.order...)
	for j := range s.jobs {
		s.best[j].copyFrom(&s.jobs[j])
	}
	s.watch.Incumbent(float64(s.least.missed), "")
}

func (x *planned) copyFrom(o *planned) {
	x.entries, x.end = append(x.entries[:0], o.entries...), o.end
}

// restore makes the best schedule the current one.
func (s *planSearch) restore() {
	copy(s.order, s.from)
	for j := range s.best {
		s.jobs[j].copyFrom(&s.best[j])
	}
	s.cost = s.least
	s.keep(0)
}

// keep copies the free times of the current order from a position on.
func (s *planSearch) keep(from int) {
	k := from / planEvery
	s.slots.copyFrom(s.kept[k]) // the first copy is always empty
	for i := k * planEvery; i < len(s.order); i++ {
		if i%planEvery == 0 {
			s.kept[i/planEvery].copyFrom(s.slots)
		}
		s.again(&s.jobs[s.order[i]])
	}
}

// run makes up to opt.Iterations steps, in rounds that begin with the best schedule and cool down.
func (s *planSearch) run(ctx context.Context, opt solver.Options, bound int) (steps int) {
	for _, n := range search.Doubling(opt.Iterations) {
		s.restore()
		heat := 0.0
		if s.cost.missed > 0 {
			heat = planHeat * float64(s.cost.late) / float64(s.cost.missed)
		}
		for k := range n {
			if s.least.missed <= bound || ctx.Err() != nil {
				return steps
			}
			left := 1 - float64(k)/float64(n)
			s.step(model.Time(min(heat*left*left*s.random.ExpFloat64(), float64(model.MaxHorizon))))
			steps++
			opt.Report(steps, search.Known(opt.Iterations))
		}
	}
	opt.Watch.UsedUp()
	return steps
}

// step tries one change of the order and accepts it if it costs no more misses and not more than so much tardiness.
func (s *planSearch) step(slack model.Time) {
	first, last := s.change()
	if first >= last {
		return
	}
	limit := cost{s.cost.missed, s.cost.late + slack}
	if cost, ok := s.evaluate(first, last, limit); ok {
		s.cost = cost
		for _, j := range s.next[first:] {
			s.jobs[j], s.trial[j] = s.trial[j], s.jobs[j]
		}
		s.order, s.next = s.next, s.order
		s.keep(first)
		s.remember()
	}
}

// evaluate places the jobs of next, which differs from order between the positions first and last, and returns their
// cost. It stops, not ok, once the trial costs more than the limit. It looks at the end and after every planLook jobs;
// there, the jobs not placed yet cost what they did before, except that one moved to the end is late.
func (s *planSearch) evaluate(first, last int, limit cost) (sum cost, ok bool) {
	k, end := first/planEvery, len(s.next)-1
	s.slots.copyFrom(s.kept[k])
	rest := s.cost // of the jobs that the trial has not placed yet, as they are
	if j := s.next[end]; last == end && end > 0 && s.order[end-1] != j && s.jobs[j].end <= s.in.Due[j] {
		rest.missed++
	}
	for i, j := range s.order[:first] {
		sum.add(s.in, j, s.jobs[j].end, 1)
		rest.add(s.in, j, s.jobs[j].end, -1)
		if i >= k*planEvery {
			s.again(&s.jobs[j])
		}
	}
	for i, j := range s.next[first:] {
		s.place(j, &s.trial[j])
		sum.add(s.in, j, s.trial[j].end, 1)
		rest.add(s.in, j, s.jobs[j].end, -1)
		expected := cost{sum.missed + rest.missed, sum.late + rest.late}
		if (i+1)%planLook == 0 && first+i < end && expected.compare(limit) > 0 {
			return sum, false
		}
	}
	return sum, sum.compare(limit) <= 0
}

// change derives next from order: it moves a late job to where it may be on time, or gives up a job near it, or both,
// or swaps two jobs. It returns the first and the last position that differ; if first ≥ last, none does.
func (s *planSearch) change() (first, last int) {
	s.next = append(s.next[:0], s.order...)
	n := len(s.next)
	if n < 2 {
		return 0, 0
	}
	from := s.lateJob()
	to := s.target(from)
	switch s.random.IntN(8) {
	case 0, 1, 2:
		s.shift(from, to)
	case 3:
		s.shift(from, s.near(from))
	case 4:
		s.giveUp(s.victim(from))
	case 5, 6: // the late job takes the place of another, which is given up
		if v := s.victim(to); v != from {
			j := s.next[from]
			s.giveUp(v)
			s.shift(slices.Index(s.next, j), min(v, n-1))
		}
	default:
		a := s.random.IntN(n)
		b := s.near(a)
		s.next[a], s.next[b] = s.next[b], s.next[a]
	}
	for first < n && s.next[first] == s.order[first] {
		first++
	}
	last = n - 1
	for last > first && s.next[last] == s.order[last] {
		last--
	}
	if first == n {
		return 0, 0
	}
	return first, last
}

// lateJob is the position of a late job, or of any job if none is.
func (s *planSearch) lateJob() int {
	n := len(s.order)
	at := s.random.IntN(n)
	for k := range n {
		if p := (at + k) % n; s.jobs[s.order[p]].end > s.in.Due[s.order[p]] {
			return p
		}
	}
	return at
}

// target is a position at which the job of another could be on time: near the first that is due after it, or ends after
// the latest time at which it could begin.
func (s *planSearch) target(from int) int {
	j := s.order[from]
	due := s.in.Due[j]
	if due == realtime.NoDeadline {
		return s.random.IntN(len(s.order))
	}
	at := slices.IndexFunc(s.order, func(o int32) bool { return s.in.Due[o] > due && s.in.Due[o] != realtime.NoDeadline })
	if s.random.IntN(2) == 0 {
		at = slices.IndexFunc(s.order, func(o int32) bool { return o != j && s.jobs[o].end > due-s.path[j] })
	}
	if at < 0 {
		at = from
	}
	return max(0, min(len(s.order)-1, at+s.random.IntN(planNear)-planNear/2))
}

// victim is the position of a job near another that may be given up: of two random ones, that with more work.
func (s *planSearch) victim(near int) int {
	a, b := s.near(near), s.near(near)
	if s.work[s.order[b]] > s.work[s.order[a]] {
		return b
	}
	return a
}

// near is a random position close to another.
func (s *planSearch) near(p int) int {
	return max(0, min(len(s.order)-1, p+s.random.IntN(2*planNear+1)-planNear))
}

// shift moves the job at one position to another.
func (s *planSearch) shift(from, to int) {
	j := s.next[from]
	s.next = slices.Insert(slices.Delete(s.next, from, from+1), to, j)
}

// giveUp moves the job at a position to the end.
func (s *planSearch) giveUp(p int) { s.shift(p, len(s.next)-1) }
