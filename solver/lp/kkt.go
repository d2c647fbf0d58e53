package lp

import (
	"fmt"
	"math"
)

// ViolationKind names the optimality condition that a solution breaks.
type ViolationKind string

// The conditions, in the order in which they are checked.
const (
	BadShape        ViolationKind = "shape"           // wrong status or slice length, NaN or Inf
	RowViolated     ViolationKind = "row"             // a_i·x against b_i
	BoundViolated   ViolationKind = "bound"           // l_j <= x_j <= u_j
	WrongObjective  ViolationKind = "objective"       // reported against c·x + offset
	WrongReduced    ViolationKind = "reduced cost"    // reported against c − Aᵀy
	DualSign        ViolationKind = "dual sign"       // y_i or d_j with a sign that its relation or bounds forbid
	Complementarity ViolationKind = "complementarity" // y_i ≠ 0 on a slack row, d_j ≠ 0 off its bound
	DualityGap      ViolationKind = "duality gap"     // c·x against the dual objective
)

// Violation is the error of CheckKKT and CheckFeasible.
type Violation struct {
	Kind   ViolationKind
	Where  string  // the row or column, by name and index, or what was wrong with the shape
	Amount float64 // by how much, relative to the numbers involved
}

// Error describes the violation.
func (v *Violation) Error() string {
	return fmt.Sprintf("lp: %s violated at %s by %.3g (relative)", v.Kind, v.Where, v.Amount)
}

// CheckFeasible checks the rows, bounds and reported objective of a solution, whatever solver it came from.
//
// A difference counts as zero up to tol·(1 + the largest number it was computed from). The error is a *Violation, the
// model's own error, or nil. Complexity: O(nonzeros).
func CheckFeasible(m *Model, s *Solution, tol float64) error {
	if err := m.Err(); err != nil {
		return err
	}
	if s == nil {
		return shape("no solution")
	}
	if err := checkVector("X", s.X, m.NumCols()); err != nil {
		return err
	}
	for i := range m.rhs {
		if v := rowExcess(m, Row(i), s.X); v > tol {
			return &Violation{RowViolated, m.rowLabel(i), v}
		}
	}
	for j, x := range s.X {
		if v := math.Max((m.lower[j]-x)/(1+math.Abs(m.lower[j])), (x-m.upper[j])/(1+math.Abs(m.upper[j]))); v > tol {
			return &Violation{BoundViolated, m.colLabel(j), v}
		}
	}
	obj, scale := m.objectiveScale(s.X)
	if v := math.Abs(s.Objective-obj) / scale; !(v <= tol) {
		return &Violation{WrongObjective, fmt.Sprintf("%v, computed %v", s.Objective, obj), v}
	}
	return nil
}

// CheckKKT checks that an Optimal solution satisfies the Karush-Kuhn-Tucker conditions, which prove it optimal where no
// column need be integer: CheckFeasible, the identity d = c − Aᵀy, the signs of y and d (package comment),
// complementary slackness and a closed duality gap. It trusts only the model.
//
// Tolerance, errors and complexity are those of CheckFeasible; 1e-6 suits solvers that work to 1e-9.
func CheckKKT(m *Model, s *Solution, tol float64) error {
	if err := CheckFeasible(m, s, tol); err != nil {
		return err
	}
	if s.Status != Optimal {
		return shape("status is " + s.Status.String())
	}
	if err := checkVector("Dual", s.Dual, m.NumRows()); err != nil {
		return err
	}
	if err := checkVector("ReducedCost", s.ReducedCost, m.NumCols()); err != nil {
		return err
	}
	k := newKKT(m, s)
	for _, check := range []func(tol float64) error{k.checkReduced, k.checkRowDuals, k.checkColDuals, k.checkGap} {
		if err := check(tol); err != nil {
			return err
		}
	}
	return nil
}

func shape(what string) error { return &Violation{BadShape, what, math.Inf(1)} }

func checkVector(name string, v []float64, n int) error {
	if len(v) != n {
		return shape(fmt.Sprintf("%s has %d elements, not %d", name, len(v), n))
	}
	for i, x := range v {
		if !(math.Abs(x) <= math.MaxFloat64) {
			return shape(fmt.Sprintf("%s[%d] is %v", name, i, x))
		}
	}
	return nil
}

// rowExcess returns by how much a row is violated, relative to its largest term; <= 0 if it holds.
func rowExcess(m *Model, r Row, x []float64) float64 {
	slack, scale := rowSlack(m, r, x)
	if m.rel[r] == EQ {
		return math.Abs(slack) / scale
	}
	return -slack / scale
}

// rowSlack returns the distance of the activity from b_i, positive on the feasible side (b − a·x for <= and =), and the
// magnitude of the numbers it was computed from.
func rowSlack(m *Model, r Row, x []float64) (slack, scale float64) {
	b := m.rhs[r]
	var act float64
	scale = math.Abs(b)
	for _, e := range m.Entries(r) {
		t := e.Coef * x[e.Col]
		act += t
		scale = max(scale, math.Abs(t))
	}
	if m.rel[r] == GE {
		return act - b, 1 + scale
	}
	return b - act, 1 + scale
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

func (m *Model) rowLabel(i int) string { return fmt.Sprintf("row %d (%s)", i, m.rowName[i]) }
func (m *Model) colLabel(j int) string { return fmt.Sprintf("column %d (%s)", j, m.colName[j]) }

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
// missing bound makes that a wrong sign: the column could improve the objective forever.
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
