package hta

import (
	"context"

	"mrsched/model/hta"
	"mrsched/solver"
	"mrsched/solver/flow"
)

// balance finds the balanced semi-matching of tasks and the servers that hold their blocks, once. If ctx ends first,
// it is some semi-matching, which is tried again at the next call.
func (r *run) balance(ctx context.Context) *flow.SemiMatching {
	if r.balanced == nil || !r.balanced.Balanced {
		g := r.placement()
		r.balanced = flow.Balance(ctx, &g)
	}
	return r.balanced
}

// placement is the bipartite graph of blocks and servers; a block's units are its readers.
func (r *run) placement() flow.Bipartite {
	g := flow.Bipartite{Rights: r.in.Servers, Supply: make([]int32, r.in.Blocks)}
	g.First, g.Right = r.in.ReplicaRows()
	for b := range g.Supply {
		g.Supply[b] = r.in.Readers(int32(b))
	}
	return g
}

// prove sets the bounds, the strongest first: the cuts of the balanced semi-matching are minimum cuts for every
// threshold at once. Those of one that ctx cut short hold, too, and are proven again at the next call.
func (r *run) prove(ctx context.Context) error {
	if r.bounds != nil && !r.unbalanced {
		return nil
	}
	x := r.balance(ctx)
	r.unbalanced = !x.Balanced
	c := &hta.Certificate{Method: "local-cuts", Kind: hta.KindLocalCuts, Levels: x.Level}
	if err := r.in.Sign(c); err != nil {
		return err
	}
	r.value = r.in.CutBound(c.Levels)
	r.bounds = []solver.Bound{{Method: c.Method, Certificate: c}}
	value, b, err := r.proveRacks(ctx)
	switch {
	case err != nil || b == nil:
		return err
	case value > r.value:
		r.value = value
		r.bounds = []solver.Bound{*b, r.bounds[0]}
	default:
		r.bounds = append(r.bounds, *b)
	}
	return nil
}
