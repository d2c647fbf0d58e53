package lpsolve

import (
	"math"

	"mrsched/solver/lp"
)

// proven turns a result of lp_solve into a solution of the model; nil unless it is an optimum that its duals prove.
func (s *solver) proven(r result, scale scaling) *lp.Solution {
	if r.kind != Optimal {
		return nil
	}
	sol := &lp.Solution{Status: lp.Optimal, X: s.point(r.x, scale), Dual: s.duals(r.dual, scale)}
	sol.Objective = s.m.Objective(sol.X)
	if lp.CheckKKT(s.m, sol, verifyTol) != nil {
		return nil
	}
	return sol
}

// point maps lp_solve's columns back, and moves values within noise of a bound onto it.
func (s *solver) point(raw []float64, scale scaling) []float64 {
	x := make([]float64, s.m.NumCols())
	for j := range x {
		v := math.Ldexp(raw[j], scale.col[j])
		lower, upper := s.m.Bounds(lp.Col(j))
		if v < lower && v >= lower-noise*(1+math.Abs(lower)) {
			v = lower
		}
		if v > upper && v <= upper+noise*(1+math.Abs(upper)) {
			v = upper
		}
		x[j] = v + 0 // no negative zeros
	}
	return x
}

// duals maps the shadow prices of the minimisation that lp_solve sees to the model's, without noise of the wrong sign.
func (s *solver) duals(raw []float64, scale scaling) []float64 {
	largest := 1.0
	for j := range s.m.NumCols() {
		largest = math.Max(largest, math.Abs(s.m.Cost(lp.Col(j))))
	}
	y := make([]float64, len(raw))
	for i, v := range raw {
		v = math.Ldexp(v, scale.row[i]-scale.cost)
		rel := s.m.Relation(lp.Row(i))
		if rel == lp.GE && v < 0 && v > -noise*largest || rel == lp.LE && v > 0 && v < noise*largest {
			v = 0
		}
		y[i] = s.cost(v) + 0
	}
	return y
}
