package reduceplace

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// solveBest places reduces with all arrivals and departures known. It shows the value of knowing the future, and how
// near the clairvoyant bound is to the optimum.
//
// It begins with the cheapest placement of construct and all policies. Then it redistributes the tasks of a few slots
// at a time among them at the least cost (exchanger): groups of slots at equal distances (walk), until --iterations, or
// until the bound is met. So best costs no more than any policy that had time to run.
//
// Complexity: that of all policies, and of one exchange an iteration. Ties: construct, the first of the policies, what
// was found first; the result does not depend on threads.   Source: mrsched.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	b := &bestSearch{run: r, opt: opt, near: math.Inf(-1)}
	for _, bound := range r.bounds {
		b.bound = bound.Value()
		b.near, _ = b.bound.Float64()
		b.near *= 1 + nearBound
	}
	slot, complete := r.construct(ctx, opt.Threads)
	b.offer(slot)
	if err := b.policies(ctx); err != nil {
		return nil, err
	}
	if complete && !b.met() && ctx.Err() == nil {
		b.search(ctx)
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

// search redistributes tasks, from the cheapest placement so far.
func (b *bestSearch) search(ctx context.Context) {
	ctx, end := b.opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	w := newExchanger(b.in, b.slot, min(group, b.in.Slots)).walk()
	start, _ := b.cost.Float64()
	done, told := 0, 0.0
	for ; done < b.opt.Iterations && ctx.Err() == nil && !b.met() && w.step(); done++ {
		b.opt.Report(done, b.opt.Iterations)
		if w.x.gained == told {
			continue
		}
		told = w.x.gained
		cost := (start - told) * (1 + gain) // a little more, so that the exact cost at the end counts as better
		if b.opt.Watch.Incumbent(cost, ""); cost <= b.near {
			b.offer(w.x.placement())
		}
	}
	if done >= b.opt.Iterations {
		b.opt.Watch.UsedUp()
	}
	b.offer(w.x.placement())
}

// nearBound is the relative distance from the bound below which an exact comparison is worthwhile: above errors of
// rounding.
const nearBound = 1e-9

// starters are the algorithms with which best begins: without their bounds.
type starters struct{ *run }

// Solve runs one algorithm.
func (s starters) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	return s.SolveBare(ctx, name, opt)
}

// quickFirst lists the algorithms, beginning with those that are fast on any instance.
func quickFirst() []solver.Algorithm {
	list := algorithms().Algorithms()
	slow := func(a solver.Algorithm) int {
		return slices.Index([]string{"threshold", stationaryName}, a.Name)
	}
	slices.SortStableFunc(list, func(a, b solver.Algorithm) int { return cmp.Compare(slow(a), slow(b)) })
	return list
}
