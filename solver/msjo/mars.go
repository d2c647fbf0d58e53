package msjo

import (
	"context"
	"math/big"

	"mrsched/model"
	"mrsched/solver"
)

// byMidpoint schedules tasks by their LP midpoints, for either objective. mars takes them in that order, each on the
// machine that idles first; mars-list starts, whenever a machine is free, the available task with the least midpoint.
//
// Guarantee: mars has TWJCT ≤ 3·LP if p_u ≤ p_v on every precedence path, else ≤ 4·LP; divided by 1 − ε. Proofs:
// docs/mathematics.md. mars-list has none.   Complexity: O(N log N) after the LP.
// Ties: predecessors first, then the lower task index.
// Source: Ling et al. 2016, Algorithm 2; mars-list is mrsched's own.   Differs: accepts map-only and general jobs.
func byMidpoint(idles bool) solve {
	return func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
		jobs := r.underJobs()
		p := jobs.planner(opt)
		relax, err := p.relaxation(ctx, silent(opt))
		if err != nil {
			return nil, err
		}
		m := &made{}
		m.limited(!relax.complete)
		if p == jobs { // otherwise the facts belong to the LP of the bound
			m.facts.LPFacts = &relax.LPFacts
		}
		if order := p.midpointOrder(relax); idles {
			m.schedule = graph(r.in).InOrder(order, r.in.Nodes)
		} else {
			m.schedule = graph(r.in).NeverIdle(ranks(order), r.in.Nodes)
		}
		return m, nil
	}
}

// midpointOrder lists the tasks by LP midpoint.
func (r *run) midpointOrder(relax *relaxation) []int32 {
	return byTime(r.in, r.c.byTask(relax.midpoint))
}

// guaranteeMarS is factor 3 if no task is longer than one that must follow it, else 4, divided by 1 − ε. The theorems
// do not apply to the first-order method, whose point is not exactly feasible.
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
	keep, _ := new(big.Rat).SetString(model.FormatFixed(int64((1-r.p.epsilon)*1e6+0.5), 6))
	g.Factor = model.Number(model.FormatRat(factor.Quo(factor, keep), model.RatioDigits, model.RoundUp))
	return g
}
