package lp

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// Columns of the example: x basic, y basic, z at 0, u at its upper bound 2, w free and basic, f fixed.
const (
	colX = iota
	colY
	colZ
	colU
	colW
	colF
)

// example is a problem with every kind of row and bound and its optimum, worked out by hand:
//
//	min 2x + 3y + 7z − u + w − 9f + 100 over x+y+z >= 4,  y >= 1,  x <= 5,  w+x = 1,  f = 3,  0 <= x,y,z,  0 <= u <= 2
//
// With w = 1 − x the cost of x is 1: x = 3, y = 1, w = −2. The duals are 1, 2, 0, 1. Maximising the negated objective
// has the same optimum with all signs turned.
func example(maximize bool) (*Model, *Solution) {
	sign := 1.0
	if maximize {
		sign = -1
	}
	m := NewModel("example")
	m.Maximize = maximize
	m.Offset = sign * 100
	for _, c := range []struct {
		name               string
		cost, lower, upper float64
	}{{"x", 2, 0, Inf}, {"y", 3, 0, Inf}, {"z", 7, 0, Inf}, {"u", -1, 0, 2}, {"w", 1, -Inf, Inf}, {"f", -9, 3, 3}} {
		m.AddCol(c.name, sign*c.cost, c.lower, c.upper)
	}
	m.AddRow("cover", []Entry{{colX, 1}, {colY, 1}, {colZ, 1}}, GE, 4)
	m.AddRow("least", []Entry{{colY, 1}}, GE, 1)
	m.AddRow("most", []Entry{{colX, 1}}, LE, 5)
	m.AddRow("tie", []Entry{{colW, 1}, {colX, 1}}, EQ, 1)
	s := &Solution{
		Status:      Optimal,
		Objective:   sign * 78,
		X:           []float64{3, 1, 0, 2, -2, 3},
		Dual:        []float64{sign * 1, sign * 2, 0, sign * 1},
		ReducedCost: []float64{0, 0, sign * 6, sign * -1, 0, sign * -9},
	}
	return m, s
}

// reprice makes objective and reduced costs consistent with X and Dual, so that a corruption is found by another check.
func reprice(m *Model, s *Solution) {
	s.Objective = m.Objective(s.X)
	for j := range s.ReducedCost {
		s.ReducedCost[j] = m.Cost(Col(j))
	}
	for i, y := range s.Dual {
		for _, e := range m.Entries(Row(i)) {
			s.ReducedCost[e.Col] -= e.Coef * y
		}
	}
}

// TestKKTMutations corrupts the optimum, which is accepted, once per condition. sign is −1 for the maximisation.
func TestKKTMutations(t *testing.T) {
	cases := []struct {
		name    string
		want    ViolationKind
		corrupt func(s *Solution, sign float64)
		keep    bool // do not reprice
	}{
		{"status", BadShape, func(s *Solution, _ float64) { s.Status = Timeout }, false},
		{"X short", BadShape, func(s *Solution, _ float64) { s.X = s.X[:5] }, true},
		{"X missing", BadShape, func(s *Solution, _ float64) { s.X = nil }, true},
		{"X NaN", BadShape, func(s *Solution, _ float64) { s.X[0] = math.NaN() }, true},
		{"X Inf", BadShape, func(s *Solution, _ float64) { s.X[2] = Inf }, true},
		{"Dual long", BadShape, func(s *Solution, _ float64) { s.Dual = append(s.Dual, 0) }, true},
		{"Dual NaN", BadShape, func(s *Solution, _ float64) { s.Dual[0] = math.NaN() }, true},
		{"ReducedCost missing", BadShape, func(s *Solution, _ float64) { s.ReducedCost = nil }, true},
		{"row >=", RowViolated, func(s *Solution, _ float64) { s.X[colX], s.X[colW] = 2.9, -1.9 }, false},
		{"row <=", RowViolated, func(s *Solution, _ float64) { s.X[colX], s.X[colW] = 6, -5 }, false},
		{"row = above", RowViolated, func(s *Solution, _ float64) { s.X[colW] += 0.01 }, false},
		{"row = below", RowViolated, func(s *Solution, _ float64) { s.X[colW] -= 0.01 }, false},
		{"lower bound", BoundViolated, func(s *Solution, _ float64) { s.X[colU] = -1 }, false},
		{"upper bound", BoundViolated, func(s *Solution, _ float64) { s.X[colU] = 2.1 }, false},
		{"fixed column", BoundViolated, func(s *Solution, _ float64) { s.X[colF] = 2.9 }, false},
		{"objective", WrongObjective, func(s *Solution, _ float64) { s.Objective += 0.01 }, true},
		{"objective NaN", WrongObjective, func(s *Solution, _ float64) { s.Objective = math.NaN() }, true},
		{"reduced cost", WrongReduced, func(s *Solution, sign float64) { s.ReducedCost[colZ] += 0.01 * sign }, true},
		{"reduced cost sign", WrongReduced, func(s *Solution, _ float64) { s.ReducedCost[colU] *= -1 }, true},
		{"dual without reduced cost", WrongReduced, func(s *Solution, sign float64) { s.Dual[1] -= 0.5 * sign }, true},
		{"dual of >=", DualSign, func(s *Solution, sign float64) { s.Dual[0], s.Dual[1] = -sign, 4*sign }, false},
		{"dual of <=", DualSign, func(s *Solution, sign float64) { s.Dual[2] = 0.5 * sign }, false},
		{"free column", DualSign, func(s *Solution, sign float64) { s.Dual[3] += 0.5 * sign }, false},
		{"column without upper bound", DualSign, func(s *Solution, sign float64) { s.Dual[1] += 2 * sign }, false},
		{"dual of a slack row", Complementarity, func(s *Solution, sign float64) { s.Dual[2] = -0.5 * sign }, false},
		{"column off its lower bound", Complementarity, func(s *Solution, sign float64) { s.Dual[1] -= sign }, false},
		{"column off its upper bound", Complementarity, func(s *Solution, _ float64) { s.X[colU] = 1 }, false},
		{"feasible, not optimal", Complementarity, func(s *Solution, _ float64) { s.X[colX], s.X[colW] = 4, -3 }, false},
	}
	for _, c := range cases {
		for _, maximize := range []bool{false, true} {
			m, s := example(maximize)
			if CheckKKT(m, s, 1e-12) != nil || CheckFeasible(m, s, 1e-12) != nil {
				t.Error(CheckKKT(m, s, 1e-12), CheckFeasible(m, s, 1e-12))
			}
			sign := 1.0
			if maximize {
				sign = -1
			}
			c.corrupt(s, sign)
			if !c.keep {
				reprice(m, s)
			}
			wantViolation(t, c.name, CheckKKT(m, s, 1e-6), c.want)
		}
	}
}

func wantViolation(t *testing.T, name string, err error, want ViolationKind) {
	t.Helper()
	var v *Violation
	if !errors.As(err, &v) || v.Kind != want || v.Error() == "" {
		t.Errorf("%s: %v, want a violation of kind %q", name, err, want)
	}
}

// TestDualityGap adds up violations that each pass alone: a thousand columns slightly above their bounds.
func TestDualityGap(t *testing.T) {
	m := NewModel("")
	s := &Solution{Status: Optimal, X: make([]float64, 1000), Dual: []float64{}, ReducedCost: make([]float64, 1000)}
	for j := range s.X {
		m.AddCol("", 1, 0, Inf)
		s.X[j] = 0.9e-6
		s.ReducedCost[j] = 1
	}
	s.Objective = m.Objective(s.X)
	wantViolation(t, "gap", CheckKKT(m, s, 1e-6), DualityGap)
	if err := CheckKKT(m, s, 1e-3); err != nil {
		t.Error(err)
	}
}

func TestCheckFeasible(t *testing.T) {
	m := NewModel("")
	m.AddCol("i", 1, 0, 10)
	m.AddCol("c", 1, 0, 10)
	m.AddRow("r", []Entry{{0, 1}, {1, 1}}, GE, 2.5)
	good := &Solution{Status: Optimal, X: []float64{2, 1}, Objective: 3}
	if err := CheckFeasible(m, good, 1e-9); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		want ViolationKind
		s    *Solution
	}{
		{RowViolated, &Solution{X: []float64{1, 1}, Objective: 2}},
		{BoundViolated, &Solution{X: []float64{11, 1}, Objective: 12}},
		{WrongObjective, &Solution{X: []float64{2, 1}, Objective: 2}},
		{BadShape, &Solution{}},
		{BadShape, nil},
	} {
		wantViolation(t, string(c.want), CheckFeasible(m, c.s, 1e-9), c.want)
	}
	m.SetInt(7)
	if CheckFeasible(m, good, 1e-9) == nil || CheckKKT(m, good, 1e-9) == nil {
		t.Error("an invalid model passes")
	}
}

// TestKKTScale checks that the tolerance is relative: noise of 1e-9 on numbers of 1e6 is no violation.
func TestKKTScale(t *testing.T) {
	m := NewModel("")
	m.AddCol("x", 1e6, 0, Inf)
	m.AddRow("r", []Entry{{0, 1e6}}, GE, 1e12)
	s := &Solution{Status: Optimal, X: []float64{1e6 + 1e-4}, Dual: []float64{1}, ReducedCost: []float64{1e-5},
		Objective: 1e12}
	if err := CheckKKT(m, s, 1e-9); err != nil {
		t.Error(err)
	}
	bad := &Solution{Status: Optimal, X: slices.Clone(s.X), Dual: []float64{1.001}, ReducedCost: []float64{-1e3},
		Objective: 1e12}
	wantViolation(t, "scale", CheckKKT(m, bad, 1e-9), DualSign)
}
