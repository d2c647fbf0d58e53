package msjo

import (
	"context"
	"math/big"

	"mrsched/model"
	"mrsched/solver"
)

// relaxed starts an outcome with the LP: its bound, and what is known about the run.
func relaxed(ctx context.Context, r *run, name string, opt solver.Options) (*solver.Outcome, *relaxation, error) {
	relax, err := r.relaxation(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	out := &solver.Outcome{Algorithm: name, Status: model.StatusFeasible, Bounds: []solver.Bound{*r.bound},
		Found: map[string]any{"lp_rounds": relax.rounds, "lp_rows": relax.rows}}
	if !relax.complete {
		out.Status = model.StatusLimit
	}
	return out, relax, nil
}

// solveCOGE is constraint generation alone.
//
// Source: Ling et al. 2016, Algorithm 1.   Differs: each raise of S^NV is computed on the values already
// raised; see separator.lifted.
func solveCOGE(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, relax, err := relaxed(ctx, r, "coge", opt)
	if err != nil {
		return nil, err
	}
	if relax.complete {
		out.Status = model.StatusBound
	}
	s := graph(r.in).NeverIdle(ranks(r.midpointOrder(relax)), r.in.Machines)
	return out, r.strengthen(ctx, out, relax, s, false, opt)
}

// solveMarS schedules tasks in the order of their LP midpoints, each on the machine that idles first.
//
// Guarantee: TWJCT ≤ 3·LP if p_u ≤ p_v on every precedence path, else ≤ 4·LP; divided by 1 − ε. Proofs: package
// documentation.   Complexity: O(N log N) after the LP.
// Ties: predecessors first, then the lower task index.
// Source: Ling et al. 2016, Algorithm 2.   Differs: accepts map-only and general jobs.
func solveMarS(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, relax, err := relaxed(ctx, r, "mars", opt)
	if err == nil {
		var order []int32
		if order, err = r.plannedOrder(ctx, out, opt); err != nil {
			return nil, err
		}
		out.Schedule = graph(r.in).InOrder(order, r.in.Machines)
		err = r.strengthen(ctx, out, relax, out.Schedule, false, opt)
	}
	return out, err
}

// solveMarSList starts, whenever a machine is free, the available task with the least LP midpoint.
//
// Complexity: O(N log N) after the LP.   Ties: as solveMarS.   Source: ours.
func solveMarSList(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, relax, err := relaxed(ctx, r, "mars-list", opt)
	if err == nil {
		var order []int32
		if order, err = r.plannedOrder(ctx, out, opt); err != nil {
			return nil, err
		}
		out.Schedule = graph(r.in).NeverIdle(ranks(order), r.in.Machines)
		err = r.strengthen(ctx, out, relax, out.Schedule, false, opt)
	}
	return out, err
}

// midpointOrder lists the tasks by LP midpoint, rounded to half a microsecond. Ties: predecessors first,
// then the lower index.
func (r *run) midpointOrder(relax *relaxation) []int32 {
	key := make([]int64, r.in.Tasks)
	for k, u := range r.c.task {
		key[u] = int64(relax.midpoint[k]*2*float64(model.Second) + 0.5)
	}
	return graph(r.in).Topological(key)
}

// guaranteeMarS is factor 3 if no task is longer than one that must follow it, else 4, divided by 1 − ε.
// The first-order method's point is not feasible to the last digit, so the theorems do not speak of it.
func guaranteeMarS(r *run) *model.Guarantee {
	if r.firstOrder() {
		return nil
	}
	g := &model.Guarantee{Additive: "0", Source: source + ", Thm 3", PreconditionsMet: true,
		Preconditions: "no map is longer than a reduce of its job"}
	factor := big.NewRat(3, 1)
	if !r.in.Ordered() {
		factor.SetInt64(4)
		g.Source = "mrsched, solver/msjo: Thm 3 for general times"
		g.Preconditions = "none (some task is longer than one that must follow it, so factor 3 is not proven)"
	}
	keep, _ := new(big.Rat).SetString(model.FormatFixed(int64((1-r.p.Float("epsilon"))*1e6+0.5), 6))
	g.Factor = model.Number(model.FormatRat(factor.Quo(factor, keep), model.RatioDigits, model.RoundUp))
	return g
}
