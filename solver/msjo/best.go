package msjo

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/search"
)

// Settings of the search.
const (
	// searchChains is the number of searches side by side, fixed so that results do not depend on the number of threads.
	searchChains = 2
	// searchEpoch is the largest number of iterations of a chain between reports.
	searchEpoch = 200
	// searchRounds is the number of rounds. At the end of a round, all chains continue from the best schedule.
	searchRounds = 6
)

// solveBest improves the cheapest schedule of all other algorithms by simulated annealing on the objective, over keys
// of the tasks (see chain). It never costs more than any of them, and ends when its cost equals the lower bound.
//
// Guarantee: none of its own.   Complexity: O(N log N) per iteration.   Source: mrsched.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	if r.left != nil {
		return r.replan(ctx, opt)
	}
	if s := r.optimum(); s != nil {
		return &made{schedule: assign(r.in, starts(r.in, s)), facts: Facts{Iterations: new(int)}}, nil
	}
	keys, err := r.firstKeys(ctx, opt)
	if err != nil {
		return nil, err
	}
	simple := r.first.schedule
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	if simple, err = r.packed(ctx, opt, simple); err != nil {
		return nil, err
	}
	s := newAnnealing(r.in, r.least, opt.Seed)
	construct(ctx, s, keys, simple, opt)
	m := &made{}
	m.limited(s.Run(ctx, opt) || r.first.cut)
	m.facts.Iterations = new(s.Done)
	m.schedule = assign(r.in, s.Best().start)
	if simple != nil && r.cheaper(simple, m.schedule) {
		m.schedule = simple
	}
	return m, nil
}

// firstKeys returns keys of the first list schedules, from the LP and, under the job objective, the further bounds.
func (r *run) firstKeys(ctx context.Context, opt solver.Options) (keys [][]model.Time, err error) {
	if r.in.Objective == shop.WeightedTaskEnds {
		t, err := r.taskRelaxation(ctx, opt)
		if err != nil {
			return nil, err
		}
		return completionKeys(r.in, t.completion), nil
	}
	relax, err := r.relaxation(ctx, opt)
	if err != nil {
		return nil, err
	}
	due := make([]model.Time, r.in.Jobs)
	for j, c := range relax.completion {
		due[j] = model.TimeOf(c)
	}
	keys = append(dueKeys(r.in, due), jobAfterJob(r.in, due))
	if t := r.priced.value; t != nil && t.bound != nil {
		late := slices.Clone(t.plan) // shift towards mean ends, which puts long tasks later
		for u := range late {
			late[u] += r.in.Least[u] / 4
		}
		keys = append(keys, t.plan, late)
	}
	for _, f := range []*flowBound{r.flowed.value, r.cased.value} {
		if f != nil && f.bound != nil {
			keys = append(append(keys, f.plan), dueKeys(r.in, f.due)...)
		}
	}
	return keys, nil
}

// annealing is simulated annealing. The keys of a schedule are its own start times, which reproduce it. A step changes
// some of them (see moves); the new keys make a list schedule.
//
// The first chain refines the best schedule at low temperatures, which fall over the whole run. The second explores: in
// every round it starts from the best schedule at a high temperature, which falls over the round.
//
// Complexity: O(N log N) per iteration.   Ties: the lower index.
type annealing = search.Chains[*chain]

// newAnnealing makes the chains. The search ends with a schedule that costs
// no more than a bound, in weight × seconds; nil: there is none.
func newAnnealing(in *shop.Instance, bound *big.Rat, seed uint64) *annealing {
	s := &annealing{Rounds: searchRounds, Epoch: searchEpoch, Steps: 1,
		Step:   func(c *chain, left float64) { c.step(c.heat(c, left)) },
		Better: func(a, b *chain) bool { return a.best < b.best },
		Cost:   func(c *chain) float64 { return c.best / float64(model.Second) },
		Follow: func(c, best *chain) { c.begin(best.start, best.best) }}
	if bound != nil {
		v, _ := bound.Float64()
		s.Aim = v * (1 + aimTolerance)
	}
	for k := range searchChains {
		c := newChain(in, rand.New(rand.NewPCG(seed, uint64(k)+1)))
		if c.heat = (*chain).refining; k > 0 {
			c.heat = (*chain).exploring
		}
		s.List = append(s.List, c)
	}
	return s
}

// aimTolerance covers rounding errors of costs.
const aimTolerance = 1e-13

// construct makes the first schedules of every chain: the known one, if any, and list schedules by the given keys. The
// chain adopts the cheapest; ties: the first.
func construct(ctx context.Context, s *annealing, keys [][]model.Time, known *model.Schedule, opt solver.Options) {
	s.Each(opt.Threads, func(c *chain) {
		if known != nil {
			c.e.keys(starts(c.e.in, known))
			c.e.inOrder()
			c.offer()
		}
		for _, key := range keys {
			if ctx.Err() == nil || math.IsInf(c.best, 1) {
				c.e.keys(key)
				c.e.neverIdle()
				c.offer()
			}
		}
		opt.Watch.Incumbent(s.Cost(c), "")
	})
}

// offer polishes the engine's schedule and adopts it if it is the best so far.
func (c *chain) offer() {
	if c.polish(math.Inf(1)) < c.best {
		c.adopt()
	}
}

// constructor wraps the run for solver.Start: its Solve makes schedules without computing bounds.
type constructor struct{ *run }

// Solve makes the schedule of one algorithm.
func (c constructor) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	c.run.forget() // what an earlier try had no time to complete
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	m, err := a.Solve(ctx, c.run, opt)
	if err != nil {
		return nil, err
	}
	return &solver.Outcome{Algorithm: name, Schedule: m.schedule}, nil
}

// first is what begin found, or the engine.
type first struct {
	schedule *model.Schedule // nil: none
	cut      bool            // a limit left some algorithms no time
}

// begin finds the cheapest schedule of all algorithms without search that suit instances of this size: first of rules
// and orders by the LP behind the bound, then of those that need other LPs, the slowest last.
func (r *run) begin(ctx context.Context, opt solver.Options) (found first, err error) {
	list := algorithms().Algorithms()
	slices.SortStableFunc(list, func(a, b solver.Algorithm) int { return r.effort(a.Name) - r.effort(b.Name) })
	s, err := solver.Start(ctx, constructor{r}, list, r.in.Tasks, 1, opt)
	if err != nil {
		return found, err
	}
	found.cut = s.Cut
	if s.Outcome != nil {
		found.schedule = s.Schedule
	}
	return found, nil
}

func (r *run) cheaper(a, b *model.Schedule) bool {
	return r.in.Evaluate(a).Value.Cmp(r.in.Evaluate(b).Value) < 0
}
