package hta

import (
	"context"
	"math/big"
	"sort"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
	"mrsched/solver/flow"
)

// balance finds the balanced semi-matching of tasks and the servers that hold their blocks, once. If ctx ends first,
// the semi-matching is not balanced, and the next call continues with it.
func (r *run) balance(ctx context.Context) *flow.SemiMatching {
	if r.balanced == nil || !r.balanced.Balanced {
		g := r.placement()
		r.balanced = flow.Balance(ctx, &g, r.balanced)
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

// above is the least number of remote tasks if no server runs more than tau local ones, given the balanced loads.
func (r *run) above(load []int32, tau int32) int {
	n := r.in.Unheld
	for _, x := range load {
		n += int(max(x-tau, 0))
	}
	return n
}

// prove sets the bounds, the strongest first: the cuts of the balanced semi-matching are minimum cuts for every
// threshold at once. The cuts of a truncated semi-matching are valid too; they stay unless a further call proves more.
func (r *run) prove(ctx context.Context, opt solver.Options) error {
	if r.proven {
		opt.Tell(r.bounds[0])
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
	opt.Tell(r.bounds[0])
	return nil
}

// guaranteeFlow is Theorem 5.4; docs/mathematics.md (section hta) proves what changes with racks, and with blocks that
// no server holds. Makespans are whole microseconds, so rounding the additive term down loses nothing.
func guaranteeFlow(r *run) *model.Guarantee {
	in := r.in
	g := &model.Guarantee{Factor: "1", Additive: "0", Source: source + ", Thm 5.4", PreconditionsMet: true}
	if c2, c3 := in.Cost.Rack.Value, in.Cost.Remote.At(0); in.Cost.Rack.Known && c2 < c3 {
		if c2 == 0 {
			return nil
		}
		g.Factor = model.Number(model.FormatRat(big.NewRat(int64(c3), int64(c2)), model.RatioDigits, model.RoundUp))
		g.Source += ", times remote/rack"
	}
	n := int64(in.Servers) - 1
	if in.Unheld > 0 {
		n++
		g.Source += " without Lemma 5.6: (1 − 1/n)·w_rem"
	}
	if n > 1 {
		w := big.NewRat(int64(in.Cost.Remote.At(r.remoteLimit())), int64(model.Second))
		g.Additive = model.LowerNumber(w.Mul(w, big.NewRat(n-1, n)))
	}
	return g
}

// remoteLimit is at least r_opt, the number of remote tasks of an optimal assignment: neither the cost of a remote task
// nor the mean load of such an assignment exceeds the makespan of round-robin.
func (r *run) remoteLimit() int {
	in := r.in
	if in.Cost.Remote.Constant() {
		return 0 // any number costs the same
	}
	if r.mayBeRemote == nil {
		limit, n := in.Measure(r.roundRobin(r.order("first", 0))).Makespan, model.Time(in.Servers)
		k := sort.Search(in.Tasks, func(k int) bool {
			remote := model.Time(k + 1)
			w := in.Cost.Remote.At(k + 1)
			total := model.Time(in.Tasks-k-1)*in.Cost.Local + remote*w // at most model.MaxHorizon
			return w > limit || (total+n-1)/n > limit
		})
		r.mayBeRemote = &k
	}
	return *r.mayBeRemote
}

// guaranteeRoundRobin is Theorem 4.2: no server gets more than ⌈m/n⌉ tasks, and some server of any assignment gets as
// many. This also holds for growing remote costs, with the cost of m remote tasks.
func guaranteeRoundRobin(r *run) *model.Guarantee {
	in := r.in
	if in.Cost.Local == 0 {
		return nil
	}
	factor := big.NewRat(int64(in.Cost.Remote.At(in.Tasks)), int64(in.Cost.Local))
	g := &model.Guarantee{Factor: model.Number(model.FormatRat(factor, model.RatioDigits, model.RoundUp)), Additive: "0",
		Source: source + ", Thm 4.2", PreconditionsMet: true}
	if !in.Cost.Remote.Constant() {
		g.Source += ", with the cost of all tasks remote"
	}
	return g
}
