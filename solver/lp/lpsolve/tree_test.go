package lpsolve

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
)

// TestTree: the tree finds the best knapsack of all, and a limit of nodes ends the search.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "items")
		m := lp.NewModel("knapsack")
		m.Maximize = true
		value, weight := make([]int, n), make([]int, n)
		row := make([]lp.Entry, n)
		for i := range n {
			value[i], weight[i] = rapid.IntRange(0, 20).Draw(t, "value"), rapid.IntRange(1, 9).Draw(t, "weight")
			row[i] = lp.Entry{Col: m.AddCol("", float64(value[i]), 0, 1), Coef: float64(weight[i])}
		}
		room := rapid.IntRange(0, 30).Draw(t, "room")
		m.AddRow("", row, lp.LE, float64(room))
		want := 0
		for set := range 1 << n {
			v, w := 0, 0
			for i := range n {
				v, w = v+set>>i&1*value[i], w+set>>i&1*weight[i]
			}
			if w <= room {
				want = max(want, v)
			}
		}
		s, err := NewSolver(m)
		must(t, err)
		defer s.Close()
		best := -1.0
		tree := lp.Tree{Solver: s, Limit: 1 << (n + 2), Visit: func(x *lp.Solution) ([]lp.Branch, error) {
			for i, v := range x.X {
				if math.Abs(v-math.Round(v)) > 1e-6 {
					e := []lp.Entry{{Col: lp.Col(i), Coef: 1}}
					return []lp.Branch{{Entries: e, Relation: lp.LE}, {Entries: e, Relation: lp.GE, RHS: 1}}, nil
				}
			}
			best = max(best, x.Objective)
			return nil, nil
		}}
		complete, err := tree.Search(context.Background())
		if err != nil || !complete || math.Abs(best-float64(want)) > 1e-6 {
			t.Fatalf("best %g, complete %v, %v; want %d", best, complete, err, want)
		}
		if s.Model().NumRows() != 1 {
			t.Fatalf("%d rows are left", s.Model().NumRows())
		}
		nodes := tree.Nodes
		tree.Nodes, tree.Limit = 0, nodes-1
		if complete, err := tree.Search(context.Background()); err != nil || complete || tree.Nodes != nodes-1 {
			t.Fatalf("complete %v after %d of %d nodes, %v", complete, tree.Nodes, nodes, err)
		}
	})
}
