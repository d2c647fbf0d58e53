package multitenant

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/solver"
)

// plans lists the algorithms that know all jobs.
func plans() solver.Methods[*run, *solver.Outcome] {
	return solver.Methods[*run, *solver.Outcome]{{
		Algorithm: solver.Algorithm{Name: "best", Default: true,
			Summary: "plans that know all jobs, racks and reduce shares of each job chosen one by one, simulated like the policies; never worse than shufflewatcher in makespan, throughput, cross-rack bytes and turn-around",
			Params:  []string{saturationParam, mapsDoneParam, withoutParam, ratioParam, slowStartParam, waitParam, windowParam}},
		Solve: best,
	}}
}

const (
	// planWork is about how many tasks are simulated in all; there are at least leastPlans simulations unless there are
	// fewer iterations.
	planWork   = 4_000_000
	leastPlans = 8
	// planBatch is how many plans are tried before the best of them is taken. It is fixed, so that the result does not depend
	// on the number of threads.
	planBatch = 4
)

// planSearch looks for a good plan.
type planSearch struct {
	r     *run
	opt   solver.Options
	base  config // of shufflewatcher
	p     *placer
	ranks [][]int32 // orders of jobs that are tried

	reference score // shufflewatcher's
	best      candidate
	lead      candidate // of the plans the one that lacks least; without a plan: none
	left      int       // simulations
	total     int
	tried     map[string]bool // plans in which no job was moved, as they describe themselves
}

// candidate is a schedule with what it came from.
type candidate struct {
	c     config
	out   *solver.Outcome
	score score
	gap   float64 // how much it is worse than the reference
}

// best searches among plans. Shufflewatcher with the given parameters comes first and is what has to be reached: in
// makespan, in jobs and in bytes an hour, in cross-rack bytes and in mean turn-around. Of the schedules that reach it in all of these, the one
// with the least makespan is kept; ties: fewer cross-rack bytes, then less turn-around. At first other policies run, and
// plans of several weights of traffic; the plan that lacks least leads. Then come other orders of jobs and variants of it;
// then, as long as iterations are left, single jobs move to other racks or change places in the order.
//
// Complexity: O(iterations) simulations, fewer in large instances. Deterministic for a seed at any number of threads.
func best(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	s, err := newPlanSearch(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	for _, stage := range []func() []config{s.policies, s.plans, s.orders, s.variants} {
		if err := s.tryAll(ctx, stage()); err != nil {
			return nil, err
		}
	}
	rng := newPlanMoves(opt.Seed)
	for s.left > 0 && ctx.Err() == nil && s.lead.c.plan != nil {
		if err := s.tryAll(ctx, rng.moves(s)); err != nil {
			return nil, err
		}
	}
	out := s.best.out
	if ctx.Err() != nil {
		out.Status = model.StatusLimit
	}
	if out.Found == nil {
		out.Found = map[string]any{}
	}
	out.Found["simulations"] = s.total - s.left
	out.Found["plan"] = s.best.c.plan.describe()
	return out, nil
}

// newPlanSearch begins with shufflewatcher.
func newPlanSearch(ctx context.Context, r *run, opt solver.Options) (*planSearch, error) {
	base, err := config{nass: true, sarp: true, samp: true}.with(r.p)
	if err != nil {
		return nil, err
	}
	s := &planSearch{r: r, opt: opt, base: base, tried: map[string]bool{}, total: min(max(1, opt.Iterations), max(leastPlans, planWork/max(1, r.in.Tasks)))}
	s.left = s.total
	quiet := opt
	quiet.Watch = nil
	out, err := r.simulate(ctx, base, quiet)
	if err != nil {
		return nil, err
	}
	s.left--
	s.reference = newScore(r.in, out.Schedule)
	s.best = candidate{c: base, out: out, score: s.reference}
	s.p = newPlacer(r.in)
	s.ranks = s.p.orders()
	return s, nil
}

// policies are the online ones that may do better by themselves.
func (s *planSearch) policies() []config {
	plain := s.base
	plain.nass, plain.sarp, plain.samp = false, false, false
	patient := plain
	patient.patient = true
	return []config{plain, patient}
}

// firstPlans are the plans that are tried first. Where traffic weighs much, jobs keep to their racks, and the smallest come
// first, since it pays where links are what jobs wait for.
var firstPlans = []plan{
	{weight: 2, order: fairOrder, spill: spillHome, overflow: true, early: true},
	{weight: 32, order: sizeOrder, spill: spillNone, early: true},
	{weight: 0.5, order: fairOrder, spill: spillHome, overflow: true, early: true},
	{weight: 8, order: sizeOrder, spill: spillNone, early: true},
	{weight: 2, order: sizeOrder, spill: spillHome, overflow: true, early: true},
	{weight: 0, order: fairOrder, spill: spillHome, overflow: true, early: true},
}

// plans are the first ones.
func (s *planSearch) plans() (list []config) {
	for _, p := range firstPlans {
		p.choice, p.rank = s.p.place(p.weight), s.ranks[p.order]
		list = append(list, s.with(&p))
	}
	return list
}

// with is a config that follows a plan.
func (s *planSearch) with(p *plan) config {
	c := s.base
	c.nass, c.sarp, c.samp, c.patient, c.plan = true, true, false, false, p
	return c
}

// orders are the leading plan with other orders of jobs.
func (s *planSearch) orders() (list []config) {
	if s.lead.c.plan == nil {
		return nil
	}
	for k, rank := range s.ranks {
		if p := *s.lead.c.plan; k != p.order {
			p.rank, p.order = rank, k
			list = append(list, s.with(&p))
		}
	}
	return list
}

// variants are the leading plan with other rules for slots that its jobs do not want.
func (s *planSearch) variants() (list []config) {
	if s.lead.c.plan == nil {
		return nil
	}
	for _, change := range []func(p *plan){
		func(p *plan) { p.overflow = false },
		func(p *plan) { p.spill, p.overflow = spillNone, false },
		func(p *plan) { p.spill = spillAny },
		func(p *plan) { p.spill = spillNone },
		func(p *plan) { p.early = false },
	} {
		p := *s.lead.c.plan
		change(&p)
		list = append(list, s.with(&p))
	}
	return list
}

// tryAll simulates configs, as many at a time as there are threads, and keeps what is better than the best. Ties: the
// earlier.
func (s *planSearch) tryAll(ctx context.Context, list []config) error {
	list = slices.DeleteFunc(list, func(c config) bool {
		name := c.plan.describe()
		again := c.plan != nil && c.plan.moved == 0 && s.tried[name]
		s.tried[name] = true
		return again
	})
	list = list[:min(len(list), s.left)]
	for batch := range slices.Chunk(list, planBatch) {
		if ctx.Err() != nil {
			return nil
		}
		found := make([]candidate, len(batch))
		var g errgroup.Group
		g.SetLimit(max(1, s.opt.Threads))
		for k, c := range batch {
			g.Go(func() error {
				out, err := s.r.simulate(ctx, c, solver.Options{Seed: s.opt.Seed, Threads: 1, Iterations: 1})
				if err != nil {
					return err
				}
				found[k] = candidate{c: c, out: out, score: newScore(s.r.in, out.Schedule)}
				found[k].gap = found[k].score.gap(&s.reference)
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, x := range found {
			if x.out.Status == model.StatusLimit {
				continue
			}
			s.left--
			if x.gap == 0 && x.before(&s.best) {
				s.best = x
			}
			if c := &s.lead.c; x.c.plan != nil && (c.plan == nil || x.before(&s.lead)) {
				s.lead = x
			}
		}
		s.opt.Report(s.total-s.left, s.total)
	}
	return nil
}
