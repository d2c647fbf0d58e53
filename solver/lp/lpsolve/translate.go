package lpsolve

import (
	"math"

	"mrsched/solver/lp"
)

// modelStatus translates lp_solve's verdict.
func modelStatus(kind SolutionType) lp.Status {
	switch kind {
	case Optimal:
		return lp.Optimal
	case Suboptimal, ProcBreak, FeasFound:
		return lp.Suboptimal
	case Infeasible, NoFeasFound:
		return lp.Infeasible
	case Unbounded:
		return lp.Unbounded
	case UserAbort:
		return lp.Aborted
	case Timeout:
		return lp.Timeout
	}
	return lp.NumericalFailure
}

// translate turns the last result of lp_solve into one of the model.
func (s *solver) translate(kind SolutionType) *lp.Solution {
	r := &s.l.result
	sol := &lp.Solution{Status: modelStatus(kind), Objective: math.NaN(), Iterations: r.iterations}
	if r.x == nil {
		return sol
	}
	sol.X = s.point(r.x)
	sol.Objective = s.m.Objective(sol.X)
	if r.dual != nil && s.m.NumInts() == 0 {
		sol.Dual = s.duals(r.dual)
		sol.ReducedCost = s.reducedCosts(sol.Dual)
	}
	return sol
}

// point maps lp_solve's columns back, moves values within noise of a bound onto it, and rounds integer columns if that
// leaves the point feasible.
func (s *solver) point(raw []float64) []float64 {
	x := make([]float64, s.m.NumCols())
	for j := range x {
		v := raw[j]
		if s.flip[j] {
			v = -v
		}
		if k := s.minus[j]; k >= 0 {
			v -= raw[k]
		}
		v = math.Ldexp(v, s.scale.col[j])
		lower, upper := s.m.Bounds(lp.Col(j))
		if v < lower && v >= lower-noise*(1+math.Abs(lower)) {
			v = lower
		}
		if v > upper && v <= upper+noise*(1+math.Abs(upper)) {
			v = upper
		}
		x[j] = v + 0 // no negative zeros
	}
	if s.m.NumInts() == 0 {
		return x
	}
	rounded := make([]float64, len(x))
	for j, v := range x {
		if s.m.IsInt(lp.Col(j)) {
			v = math.Round(v) + 0
		}
		rounded[j] = v
	}
	if lp.CheckFeasible(s.m, &lp.Solution{X: rounded, Objective: s.m.Objective(rounded)}, verifyTol) == nil {
		return rounded
	}
	return x
}

// duals maps the shadow prices of the minimisation that lp_solve sees to the model's, without noise of the wrong sign.
func (s *solver) duals(raw []float64) []float64 {
	scale := 1.0
	for j := range s.m.NumCols() {
		scale = math.Max(scale, math.Abs(s.m.Cost(lp.Col(j))))
	}
	y := make([]float64, len(raw))
	for i, v := range raw {
		v = math.Ldexp(v, s.scale.row[i]-s.scale.cost)
		rel := s.m.Relation(lp.Row(i))
		if rel == lp.GE && v < 0 && v > -noise*scale || rel == lp.LE && v > 0 && v < noise*scale {
			v = 0
		}
		y[i] = s.cost(v) + 0
	}
	return y
}

// reducedCosts returns c − Aᵀy.
func (s *solver) reducedCosts(y []float64) []float64 {
	d := make([]float64, s.m.NumCols())
	for j := range d {
		d[j] = s.m.Cost(lp.Col(j))
	}
	for i, v := range y {
		if v == 0 {
			continue
		}
		for _, e := range s.m.Entries(lp.Row(i)) {
			d[e.Col] -= e.Coef * v
		}
	}
	return d
}
