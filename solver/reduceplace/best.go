package reduceplace

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// solveBest knows all later jobs. It runs clairvoyant's search and a second one, which begins with the cheapest
// placement of clairvoyant and all policies (descent.further). Each has --iterations, and both end at the bound. So
// best costs no more than clairvoyant, nor than any policy that had time to run. Under a time limit the searches take
// turns; the second has most of the time because it gains faster.
//
// Complexity: twice that of clairvoyant, and that of all policies. Ties: clairvoyant's construction, the first of the
// policies, what was found first.   Source: mrsched.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	if _, err := r.law(); err != nil { // flags that contradict each other
		return nil, err
	}
	b := &bestSearch{run: r, opt: opt, near: math.Inf(-1)}
	for _, bound := range r.bounds {
		b.bound, _ = new(big.Rat).SetString(bound.Certificate.(*reduceplace.Certificate).Value)
		b.near, _ = b.bound.Float64()
		b.near *= 1 + nearBound
	}
	slot, complete := r.construct(ctx, opt.Threads)
	b.offer(slot)
	if err := b.policies(ctx); err != nil {
		return nil, err
	}
	if complete && !b.met() && ctx.Err() == nil {
		b.search(ctx, slot)
	}
	f := &found{slot: b.slot, status: model.StatusFeasible}
	if ctx.Err() != nil && !b.met() {
		f.status = model.StatusLimit
	}
	return f, nil
}

// bestSearch is one call of best.
type bestSearch struct {
	*run
	opt   solver.Options
	bound *big.Rat // nil: none
	near  float64  // a cost from which on the bound may be met
	slot  []int32  // the cheapest placement so far
	cost  *big.Rat
	done  int // iterations of both searches
}

// offer takes a placement if it is cheaper.
func (b *bestSearch) offer(slot []int32) {
	if cost := b.in.Fetching(slot); b.cost == nil || cost.Cmp(b.cost) < 0 {
		b.slot, b.cost = slot, cost
		value, _ := cost.Float64()
		b.opt.Watch.Incumbent(value, "")
	}
}

// met says that nothing can be cheaper.
func (b *bestSearch) met() bool { return b.bound != nil && b.cost.Cmp(b.bound) <= 0 }

// policies offers the placements of all policies.
func (b *bestSearch) policies(ctx context.Context) error {
	s, err := solver.Start(ctx, starters{b.run}, quickFirst(), b.in.Tasks, 1, b.opt)
	if err == nil && s.Outcome != nil {
		b.offer(b.in.Placed(s.Schedule))
	}
	return err
}

// turns: under a time limit one of this many iterations is clairvoyant's.
const turns = 32

// search runs clairvoyant's search from its construction, and the other one.
func (b *bestSearch) search(ctx context.Context, slot []int32) {
	ctx, end := b.opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	_, limited := ctx.Deadline()
	first := b.descent(slot, false, b.opt)
	if !limited {
		for b.advance(ctx, first, first.step) {
		}
		b.offer(first.x.placement())
	}
	own := b.descent(b.slot, true, b.opt)
	random := rand.New(rand.NewPCG(b.opt.Seed, 3))
	for turn := 1; ; turn++ {
		if limited && (turn%turns == 0 || !own.going) {
			b.advance(ctx, first, first.step)
		} else {
			b.advance(ctx, own, func() bool { return own.further(random) })
		}
		if !own.going && !(limited && first.going) {
			break
		}
	}
	if max(first.done, own.done) >= b.opt.Iterations {
		b.opt.Watch.UsedUp()
	}
	b.offer(own.x.placement())
	if limited && first.x.gained > 0 {
		b.offer(first.x.placement())
	}
}

// further makes one pass over all groups, and then further passes and random groups in turn; it is false if neither is
// likely to gain.
func (s *descent) further(random *rand.Rand) bool {
	if s.walking && (s.passes == 0 || s.done%2 == 0) {
		if s.walking = s.step(); s.walking {
			return true
		}
	}
	return s.stray(random) || s.walking
}

// advance makes one iteration of a search if it may, and says whether there may be another.
func (b *bestSearch) advance(ctx context.Context, s *descent, step func() bool) bool {
	if s.going = s.going && s.done < b.opt.Iterations && ctx.Err() == nil && !b.met(); !s.going {
		return false
	}
	b.opt.Report(b.done, 2*b.opt.Iterations)
	s.going = step()
	s.done++
	b.done++
	if s.show() <= b.near {
		b.offer(s.x.placement())
	}
	return s.going
}

// nearBound is the relative distance from the bound below which an exact comparison is worthwhile: above errors of
// rounding.
const nearBound = 1e-9

// starters are the algorithms with which best begins: without their bounds.
type starters struct{ *run }

// Solve runs one algorithm.
func (s starters) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	return s.construction(ctx, name, opt)
}

// quickFirst lists the algorithms, beginning with those that are fast on any instance.
func quickFirst() []solver.Algorithm {
	list := algorithms().Algorithms()
	slow := func(a solver.Algorithm) int {
		return slices.Index([]string{"threshold", "lookahead", stationaryName}, a.Name)
	}
	slices.SortStableFunc(list, func(a, b solver.Algorithm) int { return cmp.Compare(slow(a), slow(b)) })
	return list
}
