package realtime

import (
	"cmp"
	"context"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// planEvery is after how many jobs a copy of the free times is kept, so that a trial need not begin with the first
	// job.
	planEvery = 32
	// planLook is after how many jobs a trial is given up if it is worse so far.
	planLook = 24
	// planNear is how far apart jobs that change together are in the order, at most.
	planNear = 12
	// planHeat is the tardiness that a step may cost in the beginning, as a multiple of the mean over the late jobs.
	planHeat = 0.5
)

// planCost compares lexicographically: how many jobs are late, then their total tardiness.
type planCost struct {
	missed int
	late   model.Time
}

func (c planCost) compare(o planCost) int {
	return cmp.Or(cmp.Compare(c.missed, o.missed), cmp.Compare(c.late, o.late))
}

// add adds a job that ends at a time.
func (c *planCost) add(in *realtime.Instance, j int32, end model.Time) {
	if due := in.Due[j]; end > due {
		c.missed++
		c.late += end - due
	}
}

// planSearch improves an order of jobs. Jobs that are given up come last.
type planSearch struct {
	*planner
	order []int32
	jobs  []planned // by job
	cost  planCost
	kept  []*planSlots // before positions 0, planEvery, 2·planEvery, …

	next   []int32   // the order of a trial
	trial  []planned // by job: valid where the trial placed it
	moved  []bool    // by job: it may change its partitioner
	best   []planned // by job
	from   []int32   // the order of the best
	least  planCost
	random *rand.Rand
	watch  *solver.Watch
}

func newPlanSearch(p *planner, seed uint64) *planSearch {
	n := p.in.Jobs
	s := &planSearch{planner: p, jobs: make([]planned, n), trial: make([]planned, n), moved: make([]bool, n),
		best:  make([]planned, n),
		least: planCost{missed: n + 1}, random: rand.New(rand.NewPCG(seed, 1))}
	for range n/planEvery + 1 {
		s.kept = append(s.kept, newPlanSlots(p.slots.useful))
	}
	return s
}

// list places all jobs in an order and makes that the current one. With admit, jobs that would be late are put last.
func (s *planSearch) list(order []int32, admit bool) {
	s.slots.copyFrom(newPlanSlots(s.slots.useful))
	s.order, s.cost = s.order[:0], planCost{}
	var last []int32
	for _, late := range []bool{false, true} {
		s.slots.record = admit && !late
		for _, j := range order {
			s.place(j, anySet, &s.jobs[j])
			if admit && !late && s.jobs[j].end > s.in.Due[j] {
				s.slots.undo(0)
				last = append(last, j)
				continue
			}
			s.slots.forget()
			s.cost.add(s.in, j, s.jobs[j].end)
			s.order = append(s.order, j)
		}
		order = last
	}
	s.slots.record = false
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
	s.watch.Incumbent(float64(s.least.missed))
}

func (x *planned) copyFrom(o *planned) {
	x.entries, x.set, x.end = append(x.entries[:0], o.entries...), o.set, o.end
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
	if k == 0 {
		s.slots.copyFrom(newPlanSlots(s.slots.useful))
		s.kept[0].copyFrom(s.slots)
	} else {
		s.slots.copyFrom(s.kept[k])
	}
	for i := k * planEvery; i < len(s.order); i++ {
		if i%planEvery == 0 {
			s.kept[i/planEvery].copyFrom(s.slots)
		}
		s.again(&s.jobs[s.order[i]])
		s.slots.forget()
	}
}

// run makes up to opt.Iterations steps, in rounds that begin with the best schedule and cool down.
func (s *planSearch) run(ctx context.Context, opt solver.Options, bound int) (steps int) {
	for _, n := range rounds(opt.Iterations) {
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
			opt.Report(steps, knownTotal(opt.Iterations))
		}
	}
	return steps
}

// step tries one change of the order and accepts it if it costs no more misses and not more than so much tardiness.
func (s *planSearch) step(slack model.Time) {
	first, last := s.change()
	if first >= last {
		return
	}
	limit := planCost{s.cost.missed, s.cost.late + slack}
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

// evaluate places the jobs of next, which differs from order between the positions first and last. It is not ok as soon
// as the trial costs more than the limit: in the end, or at planLook positions after first or any later look, over the
// jobs placed by then and the others as they were, except that one which moved to the end is late.
func (s *planSearch) evaluate(first, last int, limit planCost) (cost planCost, ok bool) {
	in := s.in
	k := first / planEvery
	s.slots.copyFrom(s.kept[k])
	for _, j := range s.order[:first] {
		cost.add(in, j, s.jobs[j].end)
	}
	for _, j := range s.order[k*planEvery : first] {
		s.again(&s.jobs[j])
	}
	s.slots.forget()
	rest := s.cost // of the jobs that the trial has not placed yet, as they are
	rest.missed, rest.late = rest.missed-cost.missed, rest.late-cost.late
	givenUp, end := 0, len(s.next)-1
	if j := s.next[end]; last == end && s.moved[j] && s.jobs[j].end <= in.Due[j] {
		givenUp = 1
	}
	for i, j := range s.next {
		if i < first {
			continue
		}
		set := s.jobs[j].set
		if s.moved[j] {
			set = anySet
		}
		s.place(j, set, &s.trial[j])
		s.slots.forget()
		cost.add(in, j, s.trial[j].end)
		var old planCost
		old.add(in, j, s.jobs[j].end)
		rest.missed, rest.late = rest.missed-old.missed, rest.late-old.late
		if look := i - first + 1; look%planLook == 0 && i < end {
			sum := planCost{cost.missed + rest.missed + givenUp, cost.late + rest.late}
			if sum.compare(limit) > 0 {
				return cost, false
			}
		}
	}
	return cost, cost.compare(limit) <= 0
}
