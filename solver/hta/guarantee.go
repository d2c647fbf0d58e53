package hta

import (
	"math/big"
	"sort"

	"mrsched/model"
)

// guaranteeFlow is Theorem 5.4. Makespans are whole microseconds, so rounding the additive term down loses nothing.
//
// The theorem's Lemma 5.6, that a server with most local tasks need not have remote ones, asks for a replica of every
// task on a server. If some have none, the term is (1 − 1/n)·w_rem(r_opt) instead. Proof: let τ be the most local tasks
// of a server in an optimal assignment. Max-cover for τ leaves u ≤ r_opt tasks, and all virtual loads together are at
// most the optimal assignment's loads, so n·OPT: no fewer tasks are local, and the others cost w_rem(u) ≤ w_rem(r_opt).
// Either the fullest server has local tasks alone, at most τ·w_loc ≤ OPT, or its last task came when it was the least
// loaded, at a load of at most (n·OPT − w_rem(u))/n. ∎
//
// With racks, at costs c₁ ≤ c₂ ≤ c₃, let OPT′ be the optimum if tasks in the rack of their block cost c₃, too. The
// theorem holds for it, and no load grows when they cost c₂ instead. In an optimal assignment no load grows by more
// than the factor c₃/c₂ when they cost c₃: OPT′ ≤ (c₃/c₂)·OPT.
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

// remoteLimit is at least r_opt, the number of remote tasks of an optimal assignment: such an assignment has no larger
// makespan than the one of round-robin, and neither has one of its remote tasks or the mean of its loads.
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

// guaranteeRoundRobin is Theorem 4.2: no server gets more than ⌈m/n⌉ tasks, and in any assignment some server gets as
// many. The same argument holds for remote costs that grow, with the cost of m remote tasks.
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
