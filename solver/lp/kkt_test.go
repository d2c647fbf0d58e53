package lp

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Columns of the example: x basic, y basic, z at 0, u at its upper bound 2, w basic, f fixed.
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
//	min 2x + 3y + 7z − u + w − 9f + 100 over x+y+z >= 4,  y >= 1,  x <= 5,  w+x = 1,  f = 3
//	and 0 <= x,y,z,  0 <= u <= 2,  −9 <= w
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
	}{{"x", 2, 0, Inf}, {"y", 3, 0, Inf}, {"z", 7, 0, Inf}, {"u", -1, 0, 2}, {"w", 1, -9, Inf}, {"f", -9, 3, 3}} {
		m.AddCol(c.name, sign*c.cost, c.lower, c.upper)
	}
	m.AddRow("cover", []Entry{{colX, 1}, {colY, 1}, {colZ, 1}}, GE, 4)
	m.AddRow("least", []Entry{{colY, 1}}, GE, 1)
	m.AddRow("most", []Entry{{colX, 1}}, LE, 5)
	m.AddRow("tie", []Entry{{colW, 1}, {colX, 1}}, EQ, 1)
	s := &Solution{
		Status:    Optimal,
		Objective: sign * 78,
		X:         []float64{3, 1, 0, 2, -2, 3},
		Dual:      []float64{sign * 1, sign * 2, 0, sign * 1},
	}
	return m, s
}

// TestKKTMutations corrupts the optimum, which is accepted, once per condition. sign is −1 for the maximisation.
func TestKKTMutations(t *testing.T) {
	for _, c := range []struct {
		name    string
		want    string
		corrupt func(s *Solution, sign float64)
	}{
		{"status", "no optimum", func(s *Solution, _ float64) { s.Status = Timeout }},
		{"X short", "missing", func(s *Solution, _ float64) { s.X = s.X[:5] }},
		{"X missing", "missing", func(s *Solution, _ float64) { s.X = nil }},
		{"X NaN", "not finite", func(s *Solution, _ float64) { s.X[0] = math.NaN() }},
		{"X Inf", "not finite", func(s *Solution, _ float64) { s.X[2] = Inf }},
		{"Dual long", "missing", func(s *Solution, _ float64) { s.Dual = append(s.Dual, 0) }},
		{"Dual NaN", "not finite", func(s *Solution, _ float64) { s.Dual[0] = math.NaN() }},
		{"row >=", "row 0", func(s *Solution, _ float64) { s.X[colX], s.X[colW] = 2.9, -1.9 }},
		{"row <=", "row 2", func(s *Solution, _ float64) { s.X[colX], s.X[colW] = 6, -5 }},
		{"row = above", "row 3", func(s *Solution, _ float64) { s.X[colW] += 0.01 }},
		{"row = below", "row 3", func(s *Solution, _ float64) { s.X[colW] -= 0.01 }},
		{"lower bound", "column 3", func(s *Solution, _ float64) { s.X[colU] = -1 }},
		{"lower bound alone", "column 2", func(s *Solution, _ float64) { s.X[colY], s.X[colZ] = 1.01, -0.01 }},
		{"upper bound", "column 3", func(s *Solution, _ float64) { s.X[colU] = 2.1 }},
		{"fixed column", "column 5", func(s *Solution, _ float64) { s.X[colF] = 2.9 }},
		{"objective", "computed", func(s *Solution, _ float64) { s.Objective += 0.01 }},
		{"objective NaN", "computed", func(s *Solution, _ float64) { s.Objective = math.NaN() }},
		{"dual of >=", "dual of row 0", func(s *Solution, sign float64) { s.Dual[0], s.Dual[1] = -sign, 4*sign }},
		{"dual of <=", "dual of row 2", func(s *Solution, sign float64) { s.Dual[2] = 0.5 * sign }},
		{"column without upper bound", "reduced cost of column 1", func(s *Solution, sign float64) { s.Dual[1] += 2 * sign }},
		{"dual of a slack row", "of the duals", func(s *Solution, sign float64) { s.Dual[2] = -0.5 * sign }},
		{"column off its lower bound", "of the duals", func(s *Solution, sign float64) { s.Dual[1] -= sign }},
		{"column off its upper bound", "of the duals", func(s *Solution, sign float64) {
			s.X[colU] = 1
			s.Objective += sign
		}},
		{"feasible, not optimal", "of the duals", func(s *Solution, sign float64) {
			s.X[colX], s.X[colW] = 4, -3
			s.Objective += sign
		}},
	} {
		for _, maximize := range []bool{false, true} {
			m, s := example(maximize)
			if err := CheckKKT(m, s, 1e-12); err != nil {
				t.Error(err)
			}
			sign := 1.0
			if maximize {
				sign = -1
			}
			c.corrupt(s, sign)
			wantBroken(t, c.name, CheckKKT(m, s, 1e-6), c.want)
		}
	}
}

func wantBroken(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

// TestDualityGap adds up violations that each pass alone: a thousand columns slightly above their bounds.
func TestDualityGap(t *testing.T) {
	m := NewModel("")
	s := &Solution{Status: Optimal, X: make([]float64, 1000), Dual: []float64{}}
	for j := range s.X {
		m.AddCol("", 1, 0, Inf)
		s.X[j] = 0.9e-6
	}
	s.Objective = m.Objective(s.X)
	wantBroken(t, "gap", CheckKKT(m, s, 1e-6), "of the duals")
	if err := CheckKKT(m, s, 1e-3); err != nil {
		t.Error(err)
	}
	m.SetInt(1000)
	wantBroken(t, "model", CheckKKT(m, s, 1e-3), "no column 1000")
}

// TestKKTScale checks that the tolerance is relative: noise of 1e-9 on numbers of 1e6 is no violation.
func TestKKTScale(t *testing.T) {
	m := NewModel("")
	m.AddCol("x", 1e6, 0, Inf)
	m.AddRow("r", []Entry{{0, 1e6}}, GE, 1e12)
	s := &Solution{Status: Optimal, X: []float64{1e6 + 1e-4}, Dual: []float64{1}, Objective: 1e12}
	if err := CheckKKT(m, s, 1e-9); err != nil {
		t.Error(err)
	}
	bad := &Solution{Status: Optimal, X: slices.Clone(s.X), Dual: []float64{1.001}, Objective: 1e12}
	wantBroken(t, "scale", CheckKKT(m, bad, 1e-9), "reduced cost")
}
