package shop

import (
	"cmp"
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
	// searchChains is the number of independent searches, fixed so that results do not depend on the number of threads.
	searchChains = 2
	// searchEpoch is the number of iterations after which a chain that lags behind continues from the other's schedule.
	searchEpoch = 100
	// searchWork is about how many tasks an iteration places again; on small instances it takes several steps.
	searchWork = 200
	// afterBound is the number of iterations that continue for Σ w_j C_j when the objective meets the bound.
	afterBound = 2 * searchEpoch
)

// solveBest starts from the cheapest schedule of all other algorithms and improves it by large neighbourhood search: it
// takes some tasks off their nodes and puts them back in another order. It never costs more than any of them, comparing
// the objective first, then Σ w_j C_j. Where schedules are assignments, it searches assignments; under makespan as
// solver/unrelated does.
//
// Guarantee: none of its own.   Complexity: an iteration of a step that moves k tasks takes O(k · nodes · tasks of a
// node).   Source: mrsched; large neighbourhood search is Shaw's, CP 1998, justification that of Valls et al., EJOR
// 2005.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	first := r.first.schedule
	m := &made{schedule: first, facts: Facts{Iterations: new(int)}}
	if r.first.cut {
		m.status = model.StatusLimit
	}
	if first == nil || ctx.Err() != nil {
		m.status = model.StatusLimit
		return m, nil
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	if p := parallelOf(r.in); p != nil {
		found, done, err := p.search(ctx, first, r.leastValue()*(1+2e-12), opt)
		if err != nil {
			return nil, err
		}
		if *m.facts.Iterations = done; ctx.Err() != nil {
			m.status = model.StatusLimit
		}
		if cheaper(r.in, found, first) {
			m.schedule = found
		}
		return m, nil
	}
	s := newLNS(r.in, first, r.leastValue()*(1+2e-12), opt) // which exceeds rounding
	var x *engine
	if r.engineBeside() {
		x = newEngine(r.in, first, r.leastValue(), opt.Watch)
		r.engine = x
		x.beside(ctx, s)
	}
	if s.Run(ctx, opt) {
		m.status = model.StatusLimit
	}
	*m.facts.Iterations = s.Done
	if found := s.Best().schedule(); cheaper(r.in, found, first) {
		m.schedule = found
	}
	if x == nil {
		return m, nil
	}
	if cheaper(r.in, x.best, m.schedule) {
		m.schedule = x.best
	}
	return m, m.proven(x)
}

// firstSchedule is where a search begins.
type firstSchedule struct {
	schedule *model.Schedule // nil: none was found
	aim      *model.Schedule // at whose cost bounds aim: price-list's, whose order is that of a bound, if there is one
	cut      bool            // ctx ended before all algorithms had run
}

// begin finds the cheapest schedule of the algorithms that construct one, ties: the first.
func (r *run) begin(ctx context.Context, opt solver.Options) (found firstSchedule, err error) {
	if r.in.Replan() != nil {
		least, end := solver.Grace(ctx)
		defer end()
		found.schedule = Repaired(least, r.in)
	}
	l := lists{r, make([]*model.Schedule, len(algorithms()))}
	width := min(max(1, opt.Threads), searchChains) // more would take more memory than the search
	s, err := solver.Start(ctx, l, algorithms().Algorithms(), r.in.Tasks, width, opt)
	if err != nil {
		return found, err
	}
	found.cut = s.Cut
	for _, made := range l.made {
		if made != nil && (found.schedule == nil || cheaper(r.in, made, found.schedule)) {
			found.schedule = made
		}
	}
	found.aim = cmp.Or(l.made[indexOf(priceListName)], found.schedule)
	return found, nil
}

// lists are the algorithms with which best begins: without their bounds. It keeps their schedules.
type lists struct {
	*run
	made []*model.Schedule // by algorithm
}

// indexOf is an algorithm's place in the table.
func indexOf(name string) int {
	return slices.IndexFunc(algorithms(), func(a solver.Method[*run, *made]) bool { return a.Name == name })
}

// Solve runs one algorithm.
func (l lists) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	k := indexOf(name)
	m, err := algorithms()[k].Solve(ctx, l.run, opt)
	if err != nil {
		return nil, err
	}
	if m.schedule != nil {
		l.made[k] = m.schedule
	}
	return &solver.Outcome{Schedule: m.schedule}, nil
}

// cheaper compares schedules exactly: the objective, then Σ w_j C_j. Under an earlier plan it compares the objective
// plus the cost of changes alone: what costs the same moves nothing.
func cheaper(in *shop.Instance, a, b *model.Schedule) bool {
	if in.Replan() != nil {
		return in.Evaluate(a).Total().Cmp(in.Evaluate(b).Total()) < 0
	}
	x, y := in.Completions(a), in.Completions(b)
	for _, o := range []shop.Objective{in.Objective, shop.WeightedEnds} {
		if c := in.Cost(o, x).Cmp(in.Cost(o, y)); c != 0 {
			return c < 0
		}
	}
	return false
}

// leastValue is the largest bound of the instance, for comparisons with costs that are rounded. Least is the same in
// the integers of its objective.
func (r *run) leastValue() float64 {
	most := 0.0
	for _, b := range r.bounded.value {
		exact, _ := new(big.Rat).SetString(b.Certificate.(*shop.Certificate).Value)
		v, _ := r.in.RoundUp(exact).Float64()
		most = max(most, v)
	}
	return most * (1 - 1e-12)
}

func (r *run) least() float64 {
	unit, _ := new(big.Rat).Inv(r.in.Objective.Rat(big.NewInt(1))).Float64()
	return r.leastValue() * unit
}

// walk is one of several searches that start from one schedule.
type walk interface {
	step(heat float64)
	cost() price // of its best schedule
	schedule() *model.Schedule
	adopt(better walk) // continues from the best schedule of another walk of its kind
}

// newLNS makes the chains of the search, which ends at a cost.
func newLNS(in *shop.Instance, first *model.Schedule, aim float64, opt solver.Options) *search.Chains[walk] {
	unit, _ := in.Objective.Rat(big.NewInt(1)).Float64()
	less, _ := in.Less().Float64()
	s := &search.Chains[walk]{Step: walk.step, Follow: walk.adopt, Epoch: searchEpoch, Aim: aim - less,
		Better: func(a, b walk) bool { return a.cost().less(b.cost()) },
		Cost:   func(c walk) float64 { return c.cost().float()*unit - less }}
	if in.Objective != shop.WeightedEnds {
		s.After = afterBound
	}
	alone := assigns(in)
	var one *assignment
	for k := range searchChains {
		random := rand.New(rand.NewPCG(opt.Seed, uint64(k)+1))
		if alone {
			one = newAssignment(in, first, random, one)
			s.List = append(s.List, one)
			continue
		}
		s.List = append(s.List, newChain(in, first, random))
	}
	movable := 0
	for u := range int32(in.Tasks) {
		if !in.Fixed(u) {
			movable++
		}
	}
	if s.Steps = max(1, searchWork/max(1, movable)); movable == 0 {
		s.Aim, s.After = math.Inf(1), 0
	}
	return s
}
