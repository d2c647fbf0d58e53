package lp

import (
	"fmt"
	"math"
)

// kkt holds what the dual half of CheckKKT needs: the reduced costs recomputed from the row duals alone.
type kkt struct {
	m         *Model
	s         *Solution
	sign      float64   // +1 to minimise, -1 to maximise: sign·y and sign·d obey the rules of minimisation
	reduced   []float64 // c − Aᵀy
	colScale  []float64 // 1 + the largest term of reduced[j]
	costScale float64   // 1 + max |c_j|, the natural magnitude of a dual value
}

func newKKT(m *Model, s *Solution) *kkt {
	k := &kkt{m: m, s: s, sign: 1, reduced: make([]float64, m.NumCols()), colScale: make([]float64, m.NumCols())}
	if m.Maximize {
		k.sign = -1
	}
	for j, c := range m.cost {
		k.reduced[j] = c
		k.colScale[j] = 1 + math.Abs(c)
		k.costScale = math.Max(k.costScale, math.Abs(c))
	}
	k.costScale++
	for i, y := range s.Dual {
		if y == 0 {
			continue
		}
		for _, e := range m.Entries(Row(i)) {
			t := e.Coef * y
			k.reduced[e.Col] -= t
			k.colScale[e.Col] = math.Max(k.colScale[e.Col], 1+math.Abs(t))
		}
	}
	return k
}

// checkReduced compares the reported reduced costs with the recomputed ones.
func (k *kkt) checkReduced(tol float64) error {
	for j, d := range k.s.ReducedCost {
		if v := math.Abs(d-k.reduced[j]) / k.colScale[j]; v > tol {
			return &Violation{WrongReduced, k.m.colLabel(j), v}
		}
	}
	return nil
}

// checkRowDuals checks the sign of every y_i and that y_i is 0 on a row that is not tight.
func (k *kkt) checkRowDuals(tol float64) error {
	for i, dual := range k.s.Dual {
		y := k.sign * dual
		var wrong float64
		switch k.m.rel[i] {
		case GE:
			wrong = -y
		case LE:
			wrong = y
		}
		if v := wrong / k.costScale; v > tol {
			return &Violation{DualSign, k.m.rowLabel(i), v}
		}
		slack, scale := rowSlack(k.m, Row(i), k.s.X)
		if v := math.Min(math.Abs(y)/k.costScale, math.Abs(slack)/scale); v > tol {
			return &Violation{Complementarity, k.m.rowLabel(i), v}
		}
	}
	return nil
}

// checkColDuals checks that a positive d_j finds x_j at its lower bound and a negative one at its upper bound. A
// missing bound makes that a wrong sign: the column could improve the objective for ever.
func (k *kkt) checkColDuals(tol float64) error {
	for j, x := range k.s.X {
		d := k.sign * k.reduced[j]
		size := math.Abs(d) / k.colScale[j]
		if size <= tol {
			continue
		}
		bound := k.m.lower[j]
		if d < 0 {
			bound = k.m.upper[j]
		}
		if math.IsInf(bound, 0) {
			return &Violation{DualSign, k.m.colLabel(j), size}
		}
		if v := math.Abs(x-bound) / (1 + math.Abs(bound)); v > tol {
			return &Violation{Complementarity, k.m.colLabel(j), math.Min(v, size)}
		}
	}
	return nil
}

// checkGap compares c·x with the dual objective b·y + Σ_j d_j·(the bound that d_j's sign selects).
func (k *kkt) checkGap(tol float64) error {
	obj, scale := k.m.objectiveScale(k.s.X)
	dual := k.m.Offset
	add := func(t float64) {
		dual += t
		scale = math.Max(scale, 1+math.Abs(t))
	}
	for i, y := range k.s.Dual {
		add(k.m.rhs[i] * y)
	}
	for j, d := range k.reduced {
		bound := k.s.X[j] // a d_j that counts as zero selects no bound: x_j is as good as any, and finite
		if math.Abs(d)/k.colScale[j] > tol {
			bound = k.m.lower[j]
			if k.sign*d < 0 {
				bound = k.m.upper[j]
			}
		}
		add(d * bound)
	}
	if v := math.Abs(obj-dual) / scale; !(v <= tol) {
		return &Violation{DualityGap, fmt.Sprintf("primal %v, dual %v", obj, dual), v}
	}
	return nil
}
