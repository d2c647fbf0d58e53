package shop

import (
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// The inequalities over sets of tasks that a certificate of this kind may name; "" is InequalitySchulz.
const (
	InequalitySchulz     = "schulz"
	InequalityPublished  = "published"
	InequalityPreemptive = "preemptive"
)

// weightMillionths turns a weight into millionths.
var weightMillionths = big.NewInt(int64(model.UnitWeight))

// evaluateCompletions is the value of a certificate of kind KindCompletionPrices, in weight × seconds.
// It is a bound on Σ W_u C_u over the tasks (docs/mathematics.md, Task objective).
//
// Every task u has a price a_u = p_u·Prices[u]/Denominator ≥ 0, summed over all thresholds h ≤ its Head. Every arc k,
// in the order of Instance.SuccStep, has a multiplier f_k = Arcs[k]/Denominator ≥ 0 (a weight). With
//
//	rc_u = W_u − a_u − Σ_{arcs into u} f + Σ_{arcs out of u} f ≥ 0   for every node, W = a = p = 0 at barriers,
//	LB   = Σ_h set(h) + Σ_{arcs u→v} f (d_uv + p_v) + Σ_u rc_u (h_u + p_u),
//
// where set(h) = Σ_u a_u (h + p_u/2 + (A_{<u} + p_u/2)/m), the tasks in the order of falling Prices[u]; with Inequality
// "published" it is Σ_u a_u (h + (A_{<u} + p_u)/m). With Inequality "preemptive" it is Σ_u a_u (x_u + p_u/2), where x_u
// is the mean time at which the fluid schedule works on u (see fluid). Then Ends raise the heads, and there may be no
// Arcs at all.
func (e *Evaluator) evaluateCompletions(c *Certificate) (*big.Rat, error) {
	in, heads := e.in, e.in.Head
	if !in.plain() {
		return nil, errIdentical
	}
	want := len(in.SuccStep)
	switch {
	case c.Inequality == InequalityPreemptive:
		tight, err := e.Tightened(&c.Bounds)
		if err != nil {
			return nil, err
		}
		heads, want = tight.Head, min(want, len(c.Arcs))
	case c.Inequality != "" && c.Inequality != InequalitySchulz && c.Inequality != InequalityPublished:
		return nil, fmt.Errorf("certificate: unknown inequality %q", c.Inequality)
	case c.Ends != nil:
		return nil, fmt.Errorf("certificate: ends are for inequality %q", InequalityPreemptive)
	}
	rest, err := in.restOfWeights(c, want)
	if err != nil {
		return nil, err
	}
	// Everything below is 2·m·denominator times the bound, in millionths of weight × microseconds.
	m := big.NewInt(int64(in.Nodes))
	double := new(big.Int).Mul(big.NewInt(2), m)
	total, term, x := in.arcsEarn(c), new(big.Int), new(big.Int)
	for u := range rest {
		total.Add(total, term.Mul(&rest[u], x.SetInt64(int64(heads[u]+in.Least[u]))))
	}
	total.Mul(total, double)
	for _, t := range c.Terms {
		if c.Inequality == InequalityPreemptive {
			total.Add(total, e.evaluateFluid(t, m, heads))
		} else {
			total.Add(total, in.evaluateSets(t, m, c.Inequality == InequalityPublished))
		}
	}
	scale := new(big.Int).Mul(double, big.NewInt(c.Denominator))
	return new(big.Rat).SetFrac(total, scale.Mul(scale, in.Objective.units())), nil
}

// evaluateSets is 2m·set(h)·denominator: Σ_u p_u q_u (m(2h + p_u) + 2A_{<u} + p_u), or with the published inequality
// Σ_u p_u q_u (2mh + 2A_{<u} + 2p_u).
func (in *Instance) evaluateSets(t PriceTerm, m *big.Int, published bool) *big.Int {
	sum, price, factor, x := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	var before int64 // A_{<u}; at most model.MaxHorizon
	for _, u := range in.byPrice(t) {
		p := int64(in.Least[u])
		own, shared := p, p // the terms beside 2h and beside 2A
		if published {
			own, shared = 0, 2*p
		}
		price.Mul(price.SetInt64(p), x.SetInt64(t.Prices[u]))
		factor.Mul(m, x.SetInt64(2*int64(t.Threshold)+own))
		factor.Add(factor, x.SetInt64(2*before))
		factor.Add(factor, x.SetInt64(shared))
		sum.Add(sum, price.Mul(price, factor))
		before += p
	}
	return sum
}

// evaluateFluid is at most 2m·set(h)·denominator for the preemptive inequality, less by at most m.
func (e *Evaluator) evaluateFluid(t PriceTerm, m *big.Int, heads []model.Time) *big.Int {
	halves, term, x := new(big.Int), new(big.Int), new(big.Int)
	area := make([]int64, e.in.Tasks)
	for u, q := range t.Prices {
		area[u] = int64(e.in.Least[u])
		halves.Add(halves, term.Mul(term.Mul(term.SetInt64(area[u]), x.SetInt64(area[u])), x.SetInt64(q)))
	}
	halves.Add(halves, e.fluid.sum(model.Indices(e.in.Tasks), heads, area, t.Prices, []Speed{{0, int64(e.in.Nodes)}}))
	return halves.Mul(halves, m)
}

// restOfWeights is rc_u·denominator by node, in millionths. Errors: an invalid price or multiplier, or a negative rest.
func (in *Instance) restOfWeights(c *Certificate, want int) ([]big.Int, error) {
	rest, err := in.afterArcs(c, want)
	if err != nil {
		return nil, err
	}
	if err := in.pay(c, func(u int32, price *big.Int) { rest[u].Sub(&rest[u], price) }); err != nil {
		return nil, err
	}
	return rest, notNegative(rest)
}

func notNegative(rest []big.Int) error {
	for u := range rest {
		if rest[u].Sign() < 0 {
			return fmt.Errorf("certificate: prices and multipliers of node %d exceed its weight", u)
		}
	}
	return nil
}

// arcsEarn returns Σ_{arcs u→v} f (d_uv + p_v)·denominator, in millionths.
func (in *Instance) arcsEarn(c *Certificate) *big.Int {
	sum, term, x := new(big.Int), new(big.Int), new(big.Int)
	for k, f := range c.Arcs {
		if f != 0 {
			length := int64(in.SuccDelay[k] + in.Least[in.SuccStep[k]])
			sum.Add(sum, term.Mul(term.SetInt64(f), x.SetInt64(length)))
		}
	}
	return sum.Mul(sum, weightMillionths)
}

// afterArcs is (W_u − Σ_{arcs into u} f + Σ_{arcs out of u} f)·denominator by node, in millionths. Errors: no
// denominator, a number of multipliers other than want, or a negative multiplier.
func (in *Instance) afterArcs(c *Certificate, want int) ([]big.Int, error) {
	if c.Denominator <= 0 {
		return nil, errors.New("certificate: the denominator must be positive")
	}
	if len(c.Arcs) != want || want != 0 && want != len(in.SuccStep) {
		return nil, fmt.Errorf("certificate: %d multipliers for %d arcs", len(c.Arcs), len(in.SuccStep))
	}
	rest, term, x := make([]big.Int, in.Steps), new(big.Int), new(big.Int)
	for u := range in.Steps {
		term.Mul(x.SetInt64(int64(in.TaskWeight[u])), term.SetInt64(c.Denominator))
		rest[u].Add(&rest[u], term)
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1] && want > 0; k++ {
			f := c.Arcs[k]
			if f < 0 {
				return nil, fmt.Errorf("certificate: multiplier %d of arc %d is negative", f, k)
			}
			if f > 0 {
				term.Mul(weightMillionths, x.SetInt64(f))
				rest[u].Add(&rest[u], term)
				v := &rest[in.SuccStep[k]]
				v.Sub(v, term)
			}
		}
	}
	return rest, nil
}
