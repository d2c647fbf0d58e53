package multitenant

import (
	"context"
	"math/big"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

const (
	// iterationTasks is how many tasks an iteration simulates. A plan for more tasks takes several iterations, so that the
	// number of iterations bounds the work for any size of the workload.
	iterationTasks = 20_000
	// planBatch is how many plans are tried before one is accepted. It is fixed so that results do not depend on the
	// number of threads.
	planBatch = 4
	// certainTasks is the largest number of tasks for which all policies have a little time after any limit.
	certainTasks = 20_000
	// farEarlier is the share of the best policy's makespan below which plans like policies have no chance.
	farEarlier = 0.8
	// endless iterations are no practical limit: progress is then not shown as a share.
	endless = 1 << 30
)

// planSearch looks for a schedule that ends early.
type planSearch struct {
	r       *run
	opt     solver.Options
	rng     *rand.Rand
	base    config
	p       *placer
	options [][]*forecast // of the last plan with balanced racks

	best        candidate
	lead        candidate // the plan that is changed next; without a plan: none
	left, each  int       // iterations in all, and for one simulation
	simulations int
}

// candidate is a schedule with its origin.
type candidate struct {
	name string // of a policy
	plan *plan
	out  *solver.Outcome
	score
}

// best runs all policies, then simulates plans, and returns the schedule with the least makespan; ties: fewer
// cross-rack bytes, then less turn-around on average. So it is never worse than a policy. In the first plans jobs run
// in racks that a model on groups of tasks chose (plan_fluid.go). Unless these end far earlier than all policies, jobs
// run anywhere in the next plans, in one of several orders. Then random moves change the best plan, mostly its last
// job (plan_moves.go), until iterations or time run out.
//
// An iteration simulates up to 20 000 tasks; a larger workload takes several for each plan. The policies take none.
// Complexity: O(tasks·(jobs + log slots)) for each simulation. Deterministic for a seed at any number of threads.
// Source of the acceptance rule: Burke and Bykov, Late Acceptance Hill-Climbing, EJOR 2017.
func best(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	s, err := newPlanSearch(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if err := s.improve(ctx); err != nil {
		return nil, err
	}
	if s.left < s.each {
		opt.Watch.UsedUp()
	}
	out := s.best.out
	out.Status = model.StatusFeasible
	if ctx.Err() != nil {
		out.Status = model.StatusLimit
	}
	facts := out.Facts.(*Facts)
	facts.Simulations, facts.Plan = &s.simulations, s.best.describe()
	return out, nil
}

// begin simulates the first plans. Where balanced racks end far earlier than all policies, plans like those of the
// policies are left out.
func (s *planSearch) begin(ctx context.Context) error {
	policies := s.best.makespan
	err := s.tryAll(ctx, s.balancedPlans(ctx), s.leadBest)
	if err != nil || s.lead.plan != nil && s.lead.makespan.Seconds() < farEarlier*policies.Seconds() {
		return err
	}
	return s.tryAll(ctx, s.plans(), s.leadBest)
}

// newPlanSearch begins with the policies.
func newPlanSearch(ctx context.Context, r *run, opt solver.Options) (*planSearch, error) {
	s := &planSearch{r: r, opt: opt, p: newPlacer(r.in), rng: rand.New(rand.NewPCG(opt.Seed, 701)),
		left: max(0, opt.Iterations),
		each: max(1, (r.in.Tasks+iterationTasks-1)/iterationTasks)}
	var err error
	if s.base, err = (config{nass: true, sarp: true}).with(r.p); err != nil {
		return nil, err
	}
	start, end := ctx, context.CancelFunc(func() {})
	if r.in.Tasks <= certainTasks {
		start, end = solver.Grace(ctx)
	}
	defer end()
	policies := bare{r, s.policy}
	if _, err := solver.Start(start, policies, methods().Algorithms(), r.in.Tasks, 1, opt); err != nil {
		return nil, err
	}
	if s.best.out == nil { // no time for any
		if _, err := policies.Solve(ctx, "fair", opt); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// bare runs policies without bounds and hands their outcomes to seen.
type bare struct {
	*run
	seen func(policy string, out *solver.Outcome)
}

// Solve replaces the run's.
func (b bare) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	out, err := b.SolveBare(ctx, name, opt)
	if err == nil {
		b.seen(name, out)
	}
	return out, err
}

// policy records a policy's schedule.
func (s *planSearch) policy(name string, out *solver.Outcome) {
	s.simulations++
	x := candidate{name: name, out: out, score: newScore(s.r.in, out.Schedule)}
	s.keep(&x)
}

// keep keeps a candidate if it is the best so far.
func (s *planSearch) keep(x *candidate) {
	if s.best.out == nil || x.before(&s.best.score) {
		s.best = *x
		s.opt.Watch.Incumbent(x.makespan.Seconds(), x.name)
	}
}

// more says whether iterations and time are left and the bound allows an improvement.
func (s *planSearch) more(ctx context.Context) bool {
	return s.left >= s.each && ctx.Err() == nil && s.best.makespan > s.r.least
}

// with is the config that follows a plan.
func (s *planSearch) with(p *plan) config {
	c := s.base
	c.nass, c.sarp, c.plan = true, true, p
	return c
}

// leadBest makes the best plan so far the lead.
func (s *planSearch) leadBest(x *candidate) {
	if s.lead.plan == nil || x.before(&s.lead.score) {
		s.lead = *x
	}
}

// tryAll simulates plans in parallel while iterations are left, and shows each.
func (s *planSearch) tryAll(ctx context.Context, list []*plan, show func(x *candidate)) error {
	for len(list) > 0 && s.more(ctx) {
		batch := list[:min(len(list), planBatch, s.left/s.each)]
		list = list[len(batch):]
		found := make([]candidate, len(batch))
		var g errgroup.Group
		g.SetLimit(max(1, s.opt.Threads))
		for k, p := range batch {
			g.Go(func() error {
				out, err := s.r.simulate(ctx, s.with(p), solver.Options{Seed: s.opt.Seed, Threads: 1, Iterations: 1})
				if err == nil {
					found[k] = candidate{plan: p, out: out, score: newScore(s.r.in, out.Schedule)}
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for k := range found {
			x := &found[k]
			if x.out.Status == model.StatusLimit {
				continue
			}
			s.left -= s.each
			s.simulations++
			s.keep(x)
			show(x)
		}
		total := s.opt.Iterations
		if total >= endless {
			total = 0
		}
		s.opt.Report(max(1, s.opt.Iterations)-s.left, total)
	}
	return nil
}

// score ranks schedules. All but the makespan is computed on first use.
type score struct {
	makespan model.Time

	in       *multitenant.Instance
	schedule *model.Schedule
	cross    *big.Rat // bytes that cross racks
	around   model.Time
}

func newScore(in *multitenant.Instance, s *model.Schedule) score {
	x := score{in: in, schedule: s}
	for i := range s.Entries {
		x.makespan = max(x.makespan, s.Entries[i].End)
	}
	return x
}

func (x *score) complete() {
	if x.cross != nil {
		return
	}
	f := x.in.Flows(x.schedule)
	x.cross = f.Shuffle()
	x.cross.Add(x.cross, new(big.Rat).SetInt64(int64(f.Read+x.in.Written)))
	ends, _ := x.in.Ends(x.schedule)
	for j, end := range ends {
		x.around += end - x.in.Arrival[j]
	}
}

// before says whether x ranks before y: by makespan, then bytes that cross racks, then the sum of turn-around times.
func (x *score) before(y *score) bool {
	if x.makespan != y.makespan {
		return x.makespan < y.makespan
	}
	x.complete()
	y.complete()
	if c := x.cross.Cmp(y.cross); c != 0 {
		return c < 0
	}
	return x.around < y.around
}
