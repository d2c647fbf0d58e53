package lpsolve

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// TestChanges by hand: solving again after changes finds the new optimum.
func TestChanges(t *testing.T) {
	m := build(false, nonneg(1, 1), []row{{[]float64{1, 2}, lp.GE, 4}})
	s := opened(t, m)
	judge(t, s, lp.Optimal, 2)
	r, err := s.AddRow("cut", entries([]float64{2, 1}), lp.GE, 4)
	must(t, err)
	judge(t, s, lp.Optimal, 8./3)
	if r != 1 || s.Model() != m || m.NumRows() != 2 {
		t.Error("the solver does not work on the model")
	}
	must(t, s.DeleteRows([]lp.Row{0})) // tight: its slack is not basic
	judge(t, s, lp.Optimal, 2)

	s = opened(t, build(true, nonneg(1), []row{{[]float64{1}, lp.LE, 3}}))
	judge(t, s, lp.Optimal, 3)
	_, err = s.AddRow("", entries([]float64{1}), lp.GE, 4)
	must(t, err)
	judge(t, s, lp.Infeasible, 0)
	must(t, s.DeleteRows([]lp.Row{0}))
	judge(t, s, lp.Unbounded, 0)
	_, err = s.AddRow("", entries([]float64{1}), lp.LE, 9)
	must(t, err)
	judge(t, s, lp.Optimal, 9)
}

// TestBadChanges leave no trace.
func TestBadChanges(t *testing.T) {
	s := opened(t, build(false, nonneg(1, 1), []row{{[]float64{1, 1}, lp.GE, 1}}))
	mustSolve(t, s)
	for name, f := range map[string]func() error{
		"column":    func() error { _, err := s.AddRow("", []lp.Entry{{Col: 2, Coef: 1}}, lp.GE, 1); return err },
		"relation":  func() error { _, err := s.AddRow("", nil, 7, 1); return err },
		"rhs":       func() error { _, err := s.AddRow("", nil, lp.LE, lp.Inf); return err },
		"row":       func() error { return s.DeleteRows([]lp.Row{1}) },
		"row twice": func() error { return s.DeleteRows([]lp.Row{0, 0}) },
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	judge(t, s, lp.Optimal, 1)
}

// TestRandomChanges: after random changes the result is that of a new solver. The middle of the bounds need not satisfy
// the rows, so the problem may become infeasible on the way.
func TestRandomChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := feasibleModel(t, 10, 8)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "changes"), 2))
		s, err := NewSolver(m)
		must(t, err)
		defer s.Close()
		point := make([]float64, m.NumCols())
		for j := range point {
			lower, upper := m.Bounds(lp.Col(j))
			point[j] = float64(int(lower+upper) / 2)
		}
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			cold := fresh(t, s.Model())
			judge(t, s, cold.Status, cold.Objective)
			extra := build(false, make([][3]float64, len(point)), nil)
			for range rng.IntN(4) {
				addSatisfied(extra, rng, point)
			}
			for i := range extra.NumRows() {
				r := lp.Row(i)
				_, err := s.AddRow("", extra.Entries(r), extra.Relation(r), extra.RHS(r))
				must(t, err)
			}
			var gone []lp.Row
			for _, i := range rng.Perm(s.Model().NumRows())[:min(s.Model().NumRows(), rng.IntN(4))] {
				gone = append(gone, lp.Row(i))
			}
			must(t, s.DeleteRows(gone))
		}
		cold := fresh(t, s.Model())
		judge(t, s, cold.Status, cold.Objective)
	})
}
