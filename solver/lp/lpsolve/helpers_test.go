package lpsolve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// tol is the relative difference allowed in numbers: a solver that works to 1e-9 passes.
const tol = 1e-6

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantObjective(t rapid.TB, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Fatalf("objective %v, want %v", got, want)
	}
}

// opened is a solver that is closed with the test.
func opened(t testing.TB, m *lp.Model) *solver {
	t.Helper()
	s, err := NewSolver(m)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s.(*solver)
}

func mustSolve(t rapid.TB, s lp.Solver) *lp.Solution {
	t.Helper()
	sol, err := s.Solve(context.Background())
	must(t, err)
	return sol
}

// fresh solves m in a new solver.
func fresh(t rapid.TB, m *lp.Model) *lp.Solution {
	t.Helper()
	s, err := NewSolver(m)
	must(t, err)
	defer s.Close()
	return mustSolve(t, s)
}

// judge solves and requires a status: an optimum that its own numbers prove, or neither point nor duals.
func judge(t rapid.TB, s lp.Solver, status lp.Status, objective float64) *lp.Solution {
	t.Helper()
	sol := mustSolve(t, s)
	if sol.Status != status {
		t.Fatalf("status %v, want %v", sol.Status, status)
	}
	if status == lp.Optimal {
		proven(t, s.Model(), sol)
		wantObjective(t, sol.Objective, objective)
	} else if sol.X != nil || sol.Dual != nil {
		t.Errorf("numbers with status %v", sol.Status)
	}
	return sol
}

// proven requires an optimum that its own numbers prove.
func proven(t rapid.TB, m *lp.Model, sol *lp.Solution) {
	t.Helper()
	must(t, lp.CheckKKT(m, sol, tol))
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

func entries(coef []float64) (list []lp.Entry) {
	for j, v := range coef {
		if v != 0 {
			list = append(list, lp.Entry{Col: lp.Col(j), Coef: v})
		}
	}
	return list
}

// nonneg returns columns of the given costs with bounds [0, ∞).
func nonneg(cost ...float64) (list [][3]float64) {
	for _, c := range cost {
		list = append(list, [3]float64{c, 0, lp.Inf})
	}
	return list
}

// feasibleModel draws an LP that is feasible and bounded by construction: a point within finite bounds satisfies all
// rows.
func feasibleModel(t *rapid.T, maxCols, maxRows int) *lp.Model {
	n := rapid.IntRange(1, maxCols).Draw(t, "n")
	k := rapid.IntRange(0, maxRows).Draw(t, "rows")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	m := lp.NewModel("random")
	m.Maximize = rapid.Bool().Draw(t, "maximize")
	point := make([]float64, n)
	for j := range point {
		point[j] = float64(rng.IntN(21) - 10)
		m.AddCol("", float64(rng.IntN(21)-10), point[j]-float64(rng.IntN(6)), point[j]+float64(rng.IntN(6)))
	}
	for range k {
		addSatisfied(m, rng, point)
	}
	return m
}

// addSatisfied adds a random row that the point satisfies, half of the time with equality.
func addSatisfied(m *lp.Model, rng *rand.Rand, point []float64) {
	coef := make([]float64, len(point))
	var act float64
	for j := range coef {
		if rng.IntN(2) == 0 {
			coef[j] = float64(rng.IntN(19) - 9)
			act += coef[j] * point[j]
		}
	}
	slack := float64(rng.IntN(2) * rng.IntN(5))
	switch rng.IntN(5) {
	case 0:
		m.AddRow("", entries(coef), lp.EQ, act)
	case 1, 2:
		m.AddRow("", entries(coef), lp.LE, act+slack)
	default:
		m.AddRow("", entries(coef), lp.GE, act-slack)
	}
}
