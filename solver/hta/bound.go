package hta

import (
	"context"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
	"mrsched/solver/flow"
)

// balance finds the balanced semi-matching of tasks and the servers that hold their blocks, once. If ctx ends first, it
// is some semi-matching, from which the next call continues.
func (r *run) balance(ctx context.Context) *flow.SemiMatching {
	if r.balanced == nil || !r.balanced.Balanced {
		g := r.placement()
		r.balanced = flow.Rebalance(ctx, &g, r.balanced)
	}
	return r.balanced
}

// placement is the bipartite graph of blocks and servers; a block's units are its readers, unless no server holds it.
func (r *run) placement() flow.Bipartite {
	g := flow.Bipartite{Rights: r.in.Servers, Supply: make([]int32, r.in.Blocks)}
	g.First, g.Right = r.in.ReplicaRows()
	for b := range g.Supply {
		if g.First[b] < g.First[b+1] {
			g.Supply[b] = r.in.Readers(int32(b))
		}
	}
	return g
}

// above is the least number of remote tasks if no server runs more than tau local ones: those beyond the balanced
// loads, and those whose block no server holds.
func (r *run) above(load []int32, tau int32) int {
	n := r.in.Unheld
	for _, x := range load {
		n += int(max(x-tau, 0))
	}
	return n
}

// begin drops what a limit cut short in an earlier run, and proves the bound. Under a time limit, prove tries again if
// an algorithm got further than the bound's share of the time allowed.
func (r *run) begin(ctx context.Context, opt solver.Options) error {
	if r.proven {
		return nil
	}
	r.balanced, r.bounds, r.value, r.yprice = nil, nil, 0, nil
	return r.prove(ctx, opt)
}

// prove sets the bounds, the strongest first: the cuts of the balanced semi-matching are minimum cuts for every
// threshold at once. The cuts of a truncated semi-matching are valid too; they stay unless a further call proves more.
func (r *run) prove(ctx context.Context, opt solver.Options) error {
	if r.proven {
		return nil
	}
	ctx, end := opt.Phase(ctx, solver.PhaseBound, solver.BoundShare)
	defer end()
	x := r.balance(ctx)
	c := &hta.Certificate{Claim: model.Claim{Method: "local-cuts", Kind: hta.KindLocalCuts}, Levels: x.Level}
	if err := r.in.Sign(c); err != nil {
		return err
	}
	value, bounds := r.in.CutBound(c.Levels), []solver.Bound{{Method: c.Method, Certificate: c}}
	racks, b, prices, err := r.proveRacks(ctx, max(value, r.value))
	switch {
	case err != nil:
		return err
	case b != nil && racks > value:
		value, bounds = racks, []solver.Bound{*b, bounds[0]}
	case b != nil:
		bounds = append(bounds, *b)
	}
	if r.bounds == nil || value > r.value {
		r.value, r.bounds, r.yprice = value, bounds, prices
	}
	r.proven = ctx.Err() == nil
	opt.Watch.Bound(r.value.Seconds())
	return nil
}
