package lp

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// CheckKKT requires that the duals of an optimal solution prove it, where no column need be integer: it satisfies the
// rows and bounds, and states its objective; y and d have the signs of the package comment; and c·x is the dual
// objective, which closes the gap. It trusts only the model.
//
// A difference counts as zero up to tol·(1 + the largest number it was computed from); 1e-6 suits solvers that work to
// 1e-9. The error says what does not hold, or is the model's. Complexity: O(nonzeros).
func CheckKKT(m *Model, s *Solution, tol float64) error {
	if err := m.Err(); err != nil {
		return err
	}
	if s.Status != Optimal || len(s.X) != m.NumCols() || len(s.Dual) != m.NumRows() ||
		slices.ContainsFunc(slices.Concat(s.X, s.Dual), func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat64) }) {
		return errors.New("lp: no optimum, numbers that are missing, or not finite")
	}
	for _, check := range []func(m *Model, s *Solution, tol float64) error{checkPoint, checkDuals} {
		if err := check(m, s, tol); err != nil {
			return err
		}
	}
	return nil
}

// broken is the error of a condition that does not hold by some relative amount.
func broken(what string, index int, by float64) error {
	return fmt.Errorf("lp: %s %d is wrong by %.3g (relative)", what, index, by)
}

// checkPoint checks rows, bounds and the stated objective.
func checkPoint(m *Model, s *Solution, tol float64) error {
	for i, b := range m.rhs {
		over, scale := -b, math.Abs(b)
		for _, e := range m.Entries(Row(i)) {
			t := e.Coef * s.X[e.Col]
			over += t
			scale = max(scale, math.Abs(t))
		}
		switch m.rel[i] {
		case GE:
			over = -over
		case EQ:
			over = math.Abs(over)
		}
		if v := over / (1 + scale); v > tol {
			return broken("row", i, v)
		}
	}
	for j, x := range s.X {
		v := (m.lower[j] - x) / (1 + math.Abs(m.lower[j]))
		if u := m.upper[j]; !math.IsInf(u, 1) {
			v = max(v, (x-u)/(1+math.Abs(u)))
		}
		if !(v <= tol) {
			return broken("column", j, v)
		}
	}
	obj, scale := m.objectiveScale(s.X)
	if v := math.Abs(s.Objective-obj) / scale; !(v <= tol) {
		return fmt.Errorf("lp: objective %v, computed %v", s.Objective, obj)
	}
	return nil
}

func (m *Model) objectiveScale(x []float64) (obj, scale float64) {
	obj, scale = m.Offset, math.Abs(m.Offset)
	for j, c := range m.cost {
		t := c * x[j]
		obj += t
		scale = max(scale, math.Abs(t))
	}
	return obj, 1 + scale
}

// checkDuals checks the signs of y and d, and compares c·x with the dual objective b·y + Σ_j d_j·(the bound that d_j's
// sign selects). A missing bound makes a sign wrong: the column could improve the objective forever.
func checkDuals(m *Model, s *Solution, tol float64) error {
	sign := 1.0 // sign·y and sign·d obey the rules of minimisation
	if m.Maximize {
		sign = -1
	}
	reduced, colScale, costScale := slices.Clone(m.cost), make([]float64, m.NumCols()), 1.0
	for j, c := range m.cost {
		colScale[j] = 1 + math.Abs(c)
		costScale = max(costScale, colScale[j])
	}
	dual := m.Offset
	obj, scale := m.objectiveScale(s.X)
	add := func(t float64) {
		dual += t
		scale = max(scale, 1+math.Abs(t))
	}
	for i, y := range s.Dual {
		if v := sign * y / costScale; m.rel[i] == GE && -v > tol || m.rel[i] == LE && v > tol {
			return broken("dual of row", i, math.Abs(v))
		}
		add(m.rhs[i] * y)
		for _, e := range m.Entries(Row(i)) {
			t := e.Coef * y
			reduced[e.Col] -= t
			colScale[e.Col] = max(colScale[e.Col], 1+math.Abs(t))
		}
	}
	for j, d := range reduced {
		bound := s.X[j] // a d_j that counts as zero selects no bound: x_j is as good as any, and finite
		if v := math.Abs(d) / colScale[j]; v > tol {
			if bound = m.lower[j]; sign*d < 0 {
				bound = m.upper[j]
			}
			if math.IsInf(bound, 0) {
				return broken("reduced cost of column", j, v)
			}
		}
		add(d * bound)
	}
	if v := math.Abs(obj-dual) / scale; !(v <= tol) {
		return fmt.Errorf("lp: objective %v, that of the duals %v", obj, dual)
	}
	return nil
}
