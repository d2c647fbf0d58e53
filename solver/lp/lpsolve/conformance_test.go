package lpsolve_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// tol is the relative difference allowed in a backend's numbers: a solver that works to 1e-9 passes.
const tol = 1e-6

// TestConformance holds the requirements for every [lp.Backend]. It checks outcomes by theory, not against another
// solver: optima by lp.CheckKKT, which proves them, integer optima by feasibility and a value known from enumeration,
// warm starts by comparison with a cold solve. Sign conventions are those of package lp.
func TestConformance(t *testing.T) {
	s := suite{lpsolve.NewSolver}
	for _, c := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"table", s.table}, {"duals", s.duals}, {"integer", s.integer}, {"cycling", s.cycling}, {"changes", s.changes},
		{"random", s.random}, {"random bounds", s.randomBounds}, {"random integer", s.randomInteger},
		{"random mixed", s.randomMixed}, {"cuts", s.cuts}, {"limits", s.limits}, {"lifecycle", s.lifecycle},
		{"parallel", s.parallel},
	} {
		t.Run(c.name, c.run)
	}
}

type suite struct {
	newSolver lp.Backend
}

// solver builds a solver that is closed with the test.
func (s suite) solver(t testing.TB, m *lp.Model) lp.Solver {
	t.Helper()
	if err := m.Err(); err != nil {
		t.Fatalf("the test's own model: %v", err)
	}
	sv, err := s.newSolver(m)
	if err != nil {
		t.Fatalf("newSolver: %v", err)
	}
	t.Cleanup(func() {
		if err := sv.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return sv
}

func mustSolve(t rapid.TB, sv lp.Solver) *lp.Solution {
	t.Helper()
	sol, err := sv.Solve(context.Background())
	if err != nil {
		t.Fatalf("Solve: %v", err)
	}
	return sol
}

// proven requires an optimum that its own numbers prove.
func proven(t rapid.TB, m *lp.Model, sol *lp.Solution) {
	t.Helper()
	if sol.Status != lp.Optimal {
		t.Fatalf("status %v, want optimal", sol.Status)
	}
	if m.NumInts() > 0 {
		if sol.Dual != nil || sol.ReducedCost != nil {
			t.Error("a MIP has duals")
		}
		if err := lp.CheckFeasible(m, sol, tol); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := lp.CheckKKT(m, sol, tol); err != nil {
		t.Fatal(err)
	}
}

func wantStatus(t rapid.TB, sol *lp.Solution, want lp.Status) {
	t.Helper()
	if sol.Status != want {
		t.Fatalf("status %v, want %v", sol.Status, want)
	}
	if want != lp.Optimal && (sol.Dual != nil || sol.ReducedCost != nil) {
		t.Errorf("duals with status %v", sol.Status)
	}
	if (want == lp.Infeasible || want == lp.Unbounded) && sol.X != nil {
		t.Errorf("a point with status %v", sol.Status)
	}
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= tol*(1+math.Max(math.Abs(a), math.Abs(b)))
}

func wantObjective(t rapid.TB, sol *lp.Solution, want float64) {
	t.Helper()
	if !near(sol.Objective, want) {
		t.Fatalf("objective %v, want %v", sol.Objective, want)
	}
}

// build makes a model from a compact description: cols are {cost, lower, upper}, rows {coefficients…} against rel, rhs.
func build(maximize bool, cols [][3]float64, rows []row) *lp.Model {
	m := lp.NewModel("test")
	m.Maximize = maximize
	for _, c := range cols {
		m.AddCol("", c[0], c[1], c[2])
	}
	for _, r := range rows {
		m.AddRow("", entries(r.coef), r.rel, r.rhs)
	}
	return m
}

type row struct {
	coef []float64
	rel  lp.Relation
	rhs  float64
}

func entries(coef []float64) []lp.Entry {
	var out []lp.Entry
	for j, v := range coef {
		if v != 0 {
			out = append(out, lp.Entry{Col: lp.Col(j), Coef: v})
		}
	}
	return out
}

// nonneg returns columns of the given costs with bounds [0, ∞).
func nonneg(cost ...float64) [][3]float64 {
	out := make([][3]float64, len(cost))
	for j, c := range cost {
		out[j] = [3]float64{c, 0, lp.Inf}
	}
	return out
}
