package validate

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// sample compares one algorithm's schedule, or one bound, on one instance with the optimum.
type sample struct {
	key
	ratio  *big.Rat // cost or bound over optimum; nil if that is 0
	equal  bool     // the cost or bound is the optimum
	used   *big.Rat // cost over what is guaranteed; nil without a guarantee
	broken int      // promises that did not hold
}

// key identifies a row of the report.
type key struct {
	bound            bool
	variant          int
	name             string       // of the algorithm, or the bound's method
	factor, additive model.Number // of the guarantee on this instance; empty: nothing is guaranteed
}

// breach is a broken promise.
type breach struct {
	Instance   int               `json:"instance"`
	Algorithm  string            `json:"algorithm"`
	Parameters map[string]string `json:"parameters"`
	What       string            `json:"what"`
	File       string            `json:"file"`
}

// yardstick is the cost that outcomes on an instance are compared with: the optimum or, if no algorithm is sure to find
// that, the least cost found. A promise broken against the latter is broken against the optimum, too.
type yardstick struct {
	*big.Rat
	name   string
	proven bool // it is the optimum
}

// leastCost is the yardstick if there is no exhaustive algorithm. It is the optimum if some bound proves that. Nil: no
// algorithm found a schedule.
func leastCost(o *engine.Opened, found []*engine.Verified) *yardstick {
	y := yardstick{name: "cost of the best schedule found"}
	for _, x := range found {
		if cost := o.Cost(x); cost != nil && (y.Rat == nil || cost.Cmp(y.Rat) < 0) {
			y.Rat = cost
		}
	}
	if y.Rat == nil {
		return nil
	}
	for _, x := range found {
		for _, p := range x.Proofs {
			y.proven = y.proven || p.Certified.Value.Cmp(y.Rat) == 0
		}
	}
	return &y
}

// judge compares a verified outcome with the optimum: bounds ≤ optimum ≤ cost ≤ factor·optimum + additive. Bounds
// enter the report if keep, which is false for a variant that does not change the instance.
func (t *trial) judge(o *engine.Opened, v *engine.Verified, variant int, label map[string]string, optimum *yardstick,
	keep bool) {
	bad := func(count *int, format string, args ...any) {
		*count++
		t.violations = append(t.violations, breach{t.k, v.Algorithm.Name, label, fmt.Sprintf(format, args...), ""})
	}
	for _, p := range v.Proofs {
		value := p.Certified.Value
		b := sample{key: key{bound: true, variant: variant, name: p.Certified.Method}, equal: value.Cmp(optimum.Rat) == 0}
		if value.Cmp(optimum.Rat) > 0 {
			bad(&b.broken, "the %s bound %s exceeds the %s, %s", b.name, value.FloatString(6), optimum.name,
				optimum.FloatString(6))
		}
		if optimum.Sign() > 0 {
			b.ratio = new(big.Rat).Quo(value, optimum.Rat)
		}
		if keep || b.broken > 0 {
			t.samples = append(t.samples, b)
		}
	}
	cost := o.Cost(v)
	if cost == nil {
		return
	}
	x := sample{key: key{variant: variant, name: v.Algorithm.Name},
		equal: optimum.proven && cost.Cmp(optimum.Rat) == 0}
	if cost.Cmp(optimum.Rat) < 0 {
		bad(&x.broken, "the cost %s is less than the %s, %s", cost.FloatString(6), optimum.name, optimum.FloatString(6))
	}
	if optimum.Sign() > 0 {
		x.ratio = new(big.Rat).Quo(cost, optimum.Rat)
	}
	if g := o.Guarantee(v); g != nil {
		x.factor, x.additive, x.used = g.Factor, g.Additive, used(g, cost, optimum.Rat)
		if err := v.Broken(*g, cost); err != nil {
			bad(&x.broken, "%v", err)
		} else if err := g.Judge(cost, optimum.Rat, true); err != nil {
			bad(&x.broken, "%v", err)
		} else if g.Verdict == model.VerdictViolated {
			bad(&x.broken, "the cost %s exceeds %s times the %s, %s", cost.FloatString(6), g.Factor, optimum.name,
				optimum.FloatString(6))
		}
	}
	t.samples = append(t.samples, x)
}

// compare checks whether an algorithm is worse than one that it must never be worse than.
func (t *trial) compare(o *engine.Opened, found []*engine.Verified, variant int, never [2]string,
	label map[string]string) {
	var cost [2]*big.Rat
	for _, x := range found {
		if i := slices.Index(never[:], x.Algorithm.Name); i >= 0 {
			cost[i] = o.Cost(x)
		}
	}
	if cost[0] == nil || cost[1] == nil || cost[0].Cmp(cost[1]) <= 0 {
		return
	}
	t.violations = append(t.violations, breach{t.k, never[0], label, fmt.Sprintf("the cost %s exceeds that of %s, %s",
		cost[0].FloatString(6), never[1], cost[1].FloatString(6)), ""})
	for i := range t.samples {
		if x := &t.samples[i]; !x.bound && x.variant == variant && x.name == never[0] {
			x.broken++
		}
	}
}

// used is the share of a guarantee that a cost takes; nil if nothing is allowed.
func used(g *model.Guarantee, cost, optimum *big.Rat) *big.Rat {
	factor, ok := g.Factor.Rat()
	additive, ok2 := g.Additive.Rat()
	if !ok || !ok2 {
		return nil
	}
	allowed := factor.Mul(factor, optimum)
	if allowed.Add(allowed, additive).Sign() <= 0 {
		return nil
	}
	return new(big.Rat).Quo(cost, allowed)
}

// Report is what validate prints.
type Report struct {
	Problem   string `json:"problem"`
	Instances int    `json:"instances"`
	Seed      uint64 `json:"seed"`
	// Optimum is "unknown" where no algorithm is sure to find it: then ratios and shares are of the least cost found.
	Optimum    string `json:"optimum,omitempty"`
	Unsolved   int    `json:"unsolved"` // times that no optimum was proven
	Algorithms []row  `json:"algorithms"`
	Bounds     []row  `json:"bounds"`
	// Violations lists every broken promise with its instance.
	Violations []breach `json:"violations"`
}

// row is one algorithm under one guarantee and variant, or one kind of bound under a variant. A guarantee that differs
// from instance to instance is not stated. Ratios are cost over optimum, rounded up, or bound over optimum, rounded
// down.
type row struct {
	Name       string            `json:"name"` // of the algorithm, or the bound's method
	Parameters map[string]string `json:"parameters"`
	Guarantee  model.Number      `json:"guarantee,omitempty"`
	Additive   model.Number      `json:"additive,omitempty"`
	Instances  int               `json:"instances"`
	Optimal    int               `json:"optimal"` // instances on which the cost or the bound is the optimum
	Mean       model.Number      `json:"mean,omitempty"`
	Worst      model.Number      `json:"worst,omitempty"`
	WorstAt    int               `json:"worst_instance,omitempty"`
	// GuaranteeUsed is the largest share of what was guaranteed that a cost took, rounded up.
	GuaranteeUsed model.Number `json:"guarantee_used,omitempty"`
	Violations    int          `json:"violations"`
}

// tally collects the samples of one row.
type tally struct {
	row
	known int
	sum   float64  // of the ratios
	worst *big.Rat // ratio
	used  *big.Rat // the largest
}

// add counts a sample of the k-th instance. Of costs the largest ratio is the worst, of bounds the smallest.
func (t *tally) add(s sample, k int) {
	t.Instances++
	t.Violations += s.broken
	if s.equal {
		t.Optimal++
	}
	if s.used != nil && (t.used == nil || s.used.Cmp(t.used) > 0) {
		t.used = s.used
	}
	if s.ratio == nil {
		return
	}
	f, _ := s.ratio.Float64()
	t.sum += f
	t.known++
	if t.worst == nil || !s.bound && s.ratio.Cmp(t.worst) > 0 || s.bound && s.ratio.Cmp(t.worst) < 0 {
		t.worst, t.WorstAt = s.ratio, k
	}
}

// finished is the row with its numbers: the mean to the nearest, the worst ratio rounded as told.
func (t *tally) finished(mode model.Rounding) row {
	if t.worst != nil {
		t.Mean = model.Number(strconv.FormatFloat(t.sum/float64(t.known), 'f', model.RatioDigits, 64))
		t.Worst = model.Number(model.FormatRat(t.worst, model.RatioDigits, mode))
	}
	if t.used != nil {
		t.GuaranteeUsed = model.Number(model.FormatRat(t.used, model.RatioDigits, model.RoundUp))
	}
	return t.row
}

// Report sums the trials up; rows are in the order of variants and of the problem's algorithms.
func (v *Validation) Report(trials []*trial) *Report {
	r := &Report{Problem: v.Problem.Name, Seed: v.seed, Violations: []breach{}}
	if !v.exhaustive() {
		r.Optimum = "unknown"
	}
	tallies := map[key]*tally{}
	for _, t := range trials {
		if t == nil {
			continue
		}
		r.Instances++
		r.Unsolved += t.unsolved
		r.Violations = append(r.Violations, t.violations...)
		for _, s := range t.samples {
			if v.Problem.Small.OwnGuarantees {
				s.factor, s.additive = "", ""
			}
			if tallies[s.key] == nil {
				var a solver.Algorithm
				if !s.bound {
					a, _ = v.Problem.Algorithm(s.name)
				}
				tallies[s.key] = &tally{row: row{Name: s.name, Parameters: v.label(a, s.variant), Guarantee: s.factor,
					Additive: s.additive}}
			}
			tallies[s.key].add(s, t.k)
		}
	}
	for _, k := range v.ordered(slices.Collect(maps.Keys(tallies))) {
		if k.bound {
			r.Bounds = append(r.Bounds, tallies[k].finished(model.RoundDown))
		} else {
			r.Algorithms = append(r.Algorithms, tallies[k].finished(model.RoundUp))
		}
	}
	return r
}

// Solvers is how many algorithms have rows.
func (r *Report) Solvers() int {
	names := map[string]bool{}
	for _, x := range r.Algorithms {
		names[x.Name] = true
	}
	return len(names)
}

// ordered sorts keys by variant, then the problem's order of algorithms, then name and guarantee.
func (v *Validation) ordered(keys []key) []key {
	place := func(name string) int {
		return slices.IndexFunc(v.Problem.Algorithms, func(a solver.Algorithm) bool { return a.Name == name })
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.variant, b.variant), cmp.Compare(place(a.name), place(b.name)),
			cmp.Compare(a.name, b.name), cmp.Compare(a.factor, b.factor), cmp.Compare(a.additive, b.additive))
	})
	return keys
}
