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
	NotIntegral     ViolationKind = "integrality"     // x_j of an integer column
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

// CheckFeasible checks the rows, bounds, integrality and reported objective of a solution, whatever solver it came
// from.
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
	for j, x := range s.X {
		if v := math.Abs(x - math.Round(x)); m.integer[j] && v > tol {
			return &Violation{NotIntegral, m.colLabel(j), v}
		}
	}
	obj, scale := m.objectiveScale(s.X)
	if v := math.Abs(s.Objective-obj) / scale; !(v <= tol) {
		return &Violation{WrongObjective, fmt.Sprintf("%v, computed %v", s.Objective, obj), v}
	}
	return nil
}

// CheckKKT checks that an Optimal solution of a model without integer columns satisfies the Karush-Kuhn-Tucker
// conditions, which prove it optimal: CheckFeasible, the identity d = c − Aᵀy, the signs of y and d (package comment),
// complementary slackness and a closed duality gap. It trusts nothing but the model.
//
// Tolerance, errors and complexity are those of CheckFeasible; 1e-6 suits solvers that work to 1e-9.
func CheckKKT(m *Model, s *Solution, tol float64) error {
	if err := CheckFeasible(m, s, tol); err != nil {
		return err
	}
	if s.Status != Optimal {
		return shape("status is " + s.Status.String())
	}
	if m.numInt > 0 {
		return shape("the model has integer columns, whose optima have no duals")
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
