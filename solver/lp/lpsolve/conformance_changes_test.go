package lpsolve_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// changes checks that solving again after changes gives the result of a new solver.
func (s suite) changes(t *testing.T) {
	t.Run("add and delete", func(t *testing.T) {
		m := build(false, nonneg(1, 1), []row{{[]float64{1, 2}, ge, 4}})
		sv := s.solver(t, m)
		wantObjective(t, mustSolve(t, sv), 2)
		r, err := sv.AddRow("cut", entries([]float64{2, 1}), ge, 4)
		if err != nil || r != 1 {
			t.Fatalf("AddRow: %v, %v", r, err)
		}
		sol := mustSolve(t, sv)
		proven(t, sv.Model(), sol)
		wantObjective(t, sol, 8./3)
		if m.NumRows() != 1 || sv.Model().NumRows() != 2 {
			t.Error("the solver does not work on a copy of the model")
		}
		if err := sv.DeleteRows([]lp.Row{0}); err != nil { // tight: its slack is not basic
			t.Fatal(err)
		}
		sol = mustSolve(t, sv)
		proven(t, sv.Model(), sol)
		wantObjective(t, sol, 2)
		if err := sv.SetCost(0, 3); err != nil {
			t.Fatal(err)
		}
		sol = mustSolve(t, sv)
		proven(t, sv.Model(), sol)
		wantObjective(t, sol, 4)
	})
	t.Run("infeasible and back", func(t *testing.T) {
		sv := s.solver(t, build(true, nonneg(1), []row{{[]float64{1}, le, 3}}))
		wantObjective(t, mustSolve(t, sv), 3)
		if _, err := sv.AddRow("", entries([]float64{1}), ge, 4); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, mustSolve(t, sv), lp.Infeasible)
		if err := sv.DeleteRows([]lp.Row{0}); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, mustSolve(t, sv), lp.Unbounded)
		if _, err := sv.AddRow("", entries([]float64{1}), le, 9); err != nil {
			t.Fatal(err)
		}
		wantObjective(t, mustSolve(t, sv), 9)
	})
	t.Run("bad arguments", func(t *testing.T) {
		sv := s.solver(t, build(false, nonneg(1, 1), []row{{[]float64{1, 1}, ge, 1}}))
		mustSolve(t, sv)
		for name, f := range map[string]func() error{
			"column":    func() error { _, err := sv.AddRow("", []lp.Entry{{Col: 2, Coef: 1}}, ge, 1); return err },
			"relation":  func() error { _, err := sv.AddRow("", nil, 7, 1); return err },
			"rhs":       func() error { _, err := sv.AddRow("", nil, le, inf); return err },
			"row":       func() error { return sv.DeleteRows([]lp.Row{1}) },
			"row twice": func() error { return sv.DeleteRows([]lp.Row{0, 0}) },
			"cost":      func() error { return sv.SetCost(0, inf) },
			"no column": func() error { return sv.SetCost(-1, 1) },
		} {
			if f() == nil {
				t.Errorf("%s: no error", name)
			}
		}
		sol := mustSolve(t, sv) // and no change has left a trace
		proven(t, sv.Model(), sol)
		wantObjective(t, sol, 1)
	})
	t.Run("random", func(t *testing.T) { rapid.Check(t, s.randomChanges) })
}

func (s suite) randomChanges(rt *rapid.T) {
	m := feasibleModel(rt, 10, 8)
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "changes"), 2))
	sv, err := s.newSolver(m)
	if err != nil {
		rt.Fatal(err)
	}
	defer sv.Close()
	// The middle of the bounds need not satisfy m's rows, so the problem may become infeasible on the way.
	point := make([]float64, m.NumCols())
	for j := range point {
		lower, upper := m.Bounds(lp.Col(j))
		point[j] = float64(int(lower+upper) / 2)
	}
	for range rapid.IntRange(1, 5).Draw(rt, "rounds") {
		warm := mustSolve(rt, sv)
		compare(rt, s, sv.Model(), warm)
		extra := lp.NewModel("")
		for range point {
			extra.AddCol("", 0, 0, 1)
		}
		for range rng.IntN(4) {
			addSatisfied(extra, rng, point)
		}
		for i := range extra.NumRows() {
			r := lp.Row(i)
			if _, err := sv.AddRow("", extra.Entries(r), extra.Relation(r), extra.RHS(r)); err != nil {
				rt.Fatal(err)
			}
		}
		if n := sv.Model().NumRows(); n > 0 {
			all := make([]lp.Row, n)
			for i := range all {
				all[i] = lp.Row(i)
			}
			rng.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
			if err := sv.DeleteRows(all[:rng.IntN(min(n, 3)+1)]); err != nil {
				rt.Fatal(err)
			}
		}
		if rng.IntN(3) == 0 {
			if err := sv.SetCost(lp.Col(rng.IntN(len(point))), float64(rng.IntN(11)-5)); err != nil {
				rt.Fatal(err)
			}
		}
	}
	compare(rt, s, sv.Model(), mustSolve(rt, sv))
}

// compare compares a warm solution with a cold one of the same model.
func compare(rt *rapid.T, s suite, m *lp.Model, warm *lp.Solution) {
	rt.Helper()
	cold := quickSolve(rt, s.newSolver, m)
	if warm.Status != cold.Status {
		rt.Fatalf("warm %v, cold %v", warm.Status, cold.Status)
	}
	if warm.Status != lp.Optimal {
		return
	}
	proven(rt, m, warm)
	wantObjective(rt, warm, cold.Objective)
}

// cuts runs a cutting-plane loop: min w·x over the constraints Σ_{j∈S} p_j x_j >= f(S) of a supermodular f. There are
// exponentially many, which sorting separates. The optimum is known from the greedy algorithm (Edmonds 1970): the
// weighted completion time of Smith's order.
func (s suite) cuts(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(1, 1))
	p, w := make([]float64, n), make([]float64, n)
	m := lp.NewModel("single machine")
	for j := range n {
		p[j], w[j] = float64(1+rng.IntN(20)), float64(1+rng.IntN(20))
		m.AddCol("", w[j], 0, inf)
	}
	sv := s.solver(t, m)
	var sol *lp.Solution
	for round := 0; ; round++ {
		sol = mustSolve(t, sv)
		proven(t, sv.Model(), sol)
		if added := separate(t, sv, p, sol.X); added == 0 {
			break
		}
		if round == 500 {
			t.Fatal("no end of cuts")
		}
		if round%3 == 2 {
			dropSlack(t, sv, sol)
		}
	}
	wantObjective(t, sol, smith(p, w))
}

// separate adds the violated constraints among the prefixes of the order by x.
func separate(t *testing.T, sv lp.Solver, p, x []float64) int {
	order := make([]int, len(x))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int {
		if x[a] < x[b] || x[a] == x[b] && a < b {
			return -1
		}
		return 1
	})
	var sum, squares, act float64
	var e []lp.Entry
	added := 0
	for _, j := range order {
		sum += p[j]
		squares += p[j] * p[j]
		act += p[j] * x[j]
		e = append(e, lp.Entry{Col: lp.Col(j), Coef: p[j]})
		if rhs := (sum*sum + squares) / 2; act < rhs*(1-1e-7) {
			if _, err := sv.AddRow("", e, ge, rhs); err != nil {
				t.Fatal(err)
			}
			added++
		}
	}
	return added
}

// dropSlack deletes the rows that have slack at the solution.
func dropSlack(t *testing.T, sv lp.Solver, sol *lp.Solution) {
	m := sv.Model()
	var gone []lp.Row
	for i := range sol.Dual { // the rows of the last solve
		if m.Activity(lp.Row(i), sol.X) > m.RHS(lp.Row(i))*(1+1e-3) {
			gone = append(gone, lp.Row(i))
		}
	}
	if err := sv.DeleteRows(gone); err != nil {
		t.Fatal(err)
	}
}

// smith returns the weighted completion time of the order by p/w.
func smith(p, w []float64) float64 {
	order := make([]int, len(p))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int {
		if p[a]*w[b] < p[b]*w[a] {
			return -1
		}
		return 1
	})
	var clock, cost float64
	for _, j := range order {
		clock += p[j]
		cost += w[j] * clock
	}
	return cost
}
