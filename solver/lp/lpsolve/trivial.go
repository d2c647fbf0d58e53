package lpsolve

// #include "bridge.h"
import "C"

import (
	"math"

	"mrsched/solver/lp"
)

// solveTrivial solves a problem whose rows have no coefficients, or that has no rows or columns: row i is 0 rel b_i,
// and every column goes to the bound that its cost prefers. lp_solve refuses such problems or calls unbounded ones
// optimal.
func (l *LP) solveTrivial() SolutionType {
	r := &l.result
	r.kind = l.trivialVerdict()
	if r.kind != Optimal {
		return r.kind
	}
	r.x, r.objective = make([]float64, l.cols), 0
	reduced := make([]float64, l.cols)
	for j := range l.cols {
		var v float64
		if reduced[j], v = l.trivialColumn(j); reduced[j] != 0 {
			r.objective += reduced[j] * v
		}
		r.x[j] = v
	}
	if l.ints == 0 {
		r.dual, r.reduced = make([]float64, l.rows), reduced
	}
	return r.kind
}

func (l *LP) trivialVerdict() SolutionType {
	for i := range l.rows {
		var rel C.int
		var b C.double
		C.mrs_get_relation(l.p, C.int(i+1), &rel, &b)
		rhs := float64(b)
		if ConstraintType(rel) != LE && rhs > noise || ConstraintType(rel) != GE && rhs < -noise {
			return Infeasible
		}
	}
	for j := range l.cols {
		if _, v := l.trivialColumn(j); math.Abs(v) >= lp.Infinite {
			return Unbounded
		}
	}
	return Optimal
}

// trivialColumn returns the cost of a column and the best value within its bounds. If the cost is 0, that is the value
// nearest to 0.
func (l *LP) trivialColumn(j int) (cost, value float64) {
	var lower, upper C.double
	c := C.int(j + 1)
	C.mrs_get_bounds(l.p, c, &lower, &upper)
	cost = float64(C.mrs_get_cost(l.p, c))
	switch {
	case cost == 0:
		return 0, max(float64(lower), min(float64(upper), 0))
	case (cost > 0) == l.maximize:
		return cost, float64(upper)
	}
	return cost, float64(lower)
}
