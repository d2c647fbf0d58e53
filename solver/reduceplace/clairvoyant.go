package reduceplace

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/solver"
)

// solveClairvoyant places reduces with all arrivals and departures known, which no policy can do: it shows the value of
// knowing the future, and how near the clairvoyant bound is to the optimum.
//
// Slots are filled one by one with the most data that they can hold (clairvoyant_slots.go), or as greedy does if that
// is cheaper. Then the tasks of few slots at a time are redistributed among them at the least cost
// (clairvoyant_exchange.go): neighbours first, then slots further and further apart, again and again, until nothing
// changes or a limit is reached; each redistribution is an iteration.
//
// Complexity: see these files.   Ties: the placement found first; the result does not depend on threads.   Source:
// mrsched.
func solveClairvoyant(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	slot, complete := r.construct(ctx, opt.Threads)
	if !complete {
		return &found{slot: slot, status: model.StatusLimit}, nil
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	x := newExchanger(r.in, slot, min(group, r.in.Slots))
	walk := x.walk(rising)
	show := r.shows(x, opt)
	for done := 0; done < opt.Iterations && ctx.Err() == nil && walk.step(); done++ {
		opt.Report(done, opt.Iterations)
		show()
	}
	f := &found{slot: x.placement(), status: model.StatusFeasible}
	if ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	return f, nil
}

// construct fills the slots one by one, or as greedy does if that is cheaper; complete is false if ctx ended before
// this was decided.
func (r *run) construct(ctx context.Context, threads int) (slot []int32, complete bool) {
	slot, complete = successive(ctx, r.in, threads)
	cheapest, _ := play(ctx, r.in, inRanks{greedy{r.in}, r.in}, func(int, int) {})
	if !complete || r.in.Fetching(cheapest).Cmp(r.in.Fetching(slot)) < 0 {
		slot = cheapest
	}
	return slot, complete
}

// shows returns a function that reports the cost of a placement under improvement to the Watch and returns it, or
// infinity if it is unchanged since the last call.
func (r *run) shows(x *exchanger, opt solver.Options) func() float64 {
	start, _ := r.in.Fetching(x.placement()).Float64()
	told := -1.0
	return func() float64 {
		if x.gained == told {
			return math.Inf(1)
		}
		told = x.gained
		cost := (start - x.gained) * (1 + gain) // a little more, so that the exact cost at the end counts as better
		opt.Watch.Incumbent(cost)
		return cost
	}
}
