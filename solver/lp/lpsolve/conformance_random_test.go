package lpsolve_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// quickSolve solves m in a new solver.
func quickSolve(t rapid.TB, newSolver lp.Backend, m *lp.Model) *lp.Solution {
	t.Helper()
	sv, err := newSolver(m)
	if err != nil {
		t.Fatalf("newSolver: %v", err)
	}
	defer sv.Close()
	sol, err := sv.Solve(context.Background())
	if err != nil {
		t.Fatalf("Solve: %v", err)
	}
	return sol
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
		m.AddRow("", entries(coef), eq, act)
	case 1, 2:
		m.AddRow("", entries(coef), le, act+slack)
	default:
		m.AddRow("", entries(coef), ge, act-slack)
	}
}

// random solves feasible bounded LPs; their KKT conditions prove the optimum.
func (s suite) random(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := feasibleModel(rt, 12, 14)
		sol := quickSolve(rt, s.newSolver, m)
		if err := lp.CheckKKT(m, sol, tol); err != nil {
			rt.Fatalf("%v: %v", sol.Status, err)
		}
	})
}

// randomBounds draws every mixture of bounds and relations, feasible or not. Other LPs check claims of infeasibility
// and unboundedness: phase 1, and the recession cone.
func (s suite) randomBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "n")
		m := lp.NewModel("")
		m.Maximize = rapid.Bool().Draw(rt, "maximize")
		small := rapid.IntRange(-5, 5)
		for range n {
			lower, upper := float64(small.Draw(rt, "lower")), lp.Inf
			if w := rapid.IntRange(-2, 6).Draw(rt, "width"); w >= 0 {
				upper = lower + float64(w)
			}
			if rapid.IntRange(0, 3).Draw(rt, "open") == 0 {
				lower = -lp.Inf
			}
			m.AddCol("", float64(small.Draw(rt, "cost")), lower, upper)
		}
		for range rapid.IntRange(0, 6).Draw(rt, "rows") {
			coef := make([]float64, n)
			for j := range coef {
				coef[j] = float64(small.Draw(rt, "a"))
			}
			m.AddRow("", entries(coef), rapid.SampledFrom([]lp.Relation{le, ge, eq}).Draw(rt, "rel"),
				float64(small.Draw(rt, "b")))
		}
		sol := quickSolve(rt, s.newSolver, m)
		switch sol.Status {
		case lp.Optimal:
			if err := lp.CheckKKT(m, sol, tol); err != nil {
				rt.Fatal(err)
			}
		case lp.Infeasible:
			if v := quickSolve(rt, s.newSolver, phaseOne(m)); v.Status != lp.Optimal || v.Objective <= tol {
				rt.Fatalf("infeasible, but phase 1 ends %v with %v", v.Status, v.Objective)
			}
		case lp.Unbounded:
			if v := quickSolve(rt, s.newSolver, recession(m)); v.Status != lp.Optimal || v.Objective <= tol {
				rt.Fatalf("unbounded, but the best ray is %v with %v", v.Status, v.Objective)
			}
		default:
			rt.Fatalf("status %v", sol.Status)
		}
	})
}

// phaseOne returns the LP that minimises the total violation of m's rows: positive exactly if m is infeasible.
func phaseOne(m *lp.Model) *lp.Model {
	p := lp.NewModel("phase one")
	for j := range m.NumCols() {
		lower, upper := m.Bounds(lp.Col(j))
		p.AddCol("", 0, lower, upper)
	}
	for i := range m.NumRows() {
		r := lp.Row(i)
		e := append([]lp.Entry(nil), m.Entries(r)...)
		if m.Relation(r) != lp.LE {
			e = append(e, lp.Entry{Col: p.AddCol("", 1, 0, lp.Inf), Coef: 1})
		}
		if m.Relation(r) != lp.GE {
			e = append(e, lp.Entry{Col: p.AddCol("", 1, 0, lp.Inf), Coef: -1})
		}
		p.AddRow("", e, m.Relation(r), m.RHS(r))
	}
	return p
}

// recession returns the LP that maximises the improvement along directions of m's recession cone within the unit box:
// positive exactly if m, when feasible, is unbounded.
func recession(m *lp.Model) *lp.Model {
	p := lp.NewModel("recession")
	p.Maximize = true
	for j := range m.NumCols() {
		lower, upper := m.Bounds(lp.Col(j))
		cost := m.Cost(lp.Col(j))
		if !m.Maximize {
			cost = -cost
		}
		lo, up := -1.0, 1.0
		if lower > -lp.Inf {
			lo = 0
		}
		if upper < lp.Inf {
			up = 0
		}
		p.AddCol("", cost, lo, up)
	}
	for i := range m.NumRows() {
		p.AddRow("", m.Entries(lp.Row(i)), m.Relation(lp.Row(i)), 0)
	}
	return p
}
