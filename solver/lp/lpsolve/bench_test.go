package lpsolve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/solver/lp"
)

// cutLoop is the cutting-plane loop for which this binding exists. It minimises w·x over Σ_{j∈S} p_j·x_j >= f(S) for
// every set S of jobs: the completion-time polyhedron of a single machine (Queyranne 1993), with x_j = p_j + δ_j. The
// violated sets are prefixes of the order by x. A round adds the most violated ones and sometimes deletes slack rows.
// Rows are dense: half of the columns on average.
type cutLoop struct {
	p, w    []float64
	perTurn int // cuts added per round
	keep    int // rounds between deletions of slack rows
	rounds  int // stop after this many rounds; 0: at the optimum
}

func newCutLoop(n int, seed uint64) *cutLoop {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := &cutLoop{perTurn: 40, keep: 5}
	for range n {
		c.p = append(c.p, 1+math.Floor(99*rng.Float64()))
		c.w = append(c.w, 1+math.Floor(99*rng.Float64()))
	}
	return c
}

func (c *cutLoop) model() *lp.Model {
	m := lp.NewModel("cut loop")
	for j := range c.p {
		m.AddCol("", c.w[j], 0, lp.Inf)
		m.Offset += c.w[j] * c.p[j]
	}
	return m
}

type cut struct {
	size      int // of the prefix
	rhs       float64
	violation float64
}

// separate returns the order by completion time and the violated prefixes, the most violated first.
func (c *cutLoop) separate(delta []float64) ([]int, []cut) {
	order := make([]int, len(delta))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(delta[a]+c.p[a], delta[b]+c.p[b]), cmp.Compare(c.p[a]*c.w[b], c.p[b]*c.w[a]),
			cmp.Compare(a, b))
	})
	var cuts []cut
	var sum, squares, act float64
	for k, j := range order {
		sum += c.p[j]
		squares += c.p[j] * c.p[j]
		act += c.p[j] * delta[j]
		rhs := (sum*sum - squares) / 2 // f(S) − Σ p_j²
		if v := (rhs - act) / (1 + rhs); v > 1e-8 {
			cuts = append(cuts, cut{k + 1, rhs, v})
		}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.violation, a.violation) })
	return order, cuts
}

type cutStats struct {
	rounds, rows, cold int
	iterations         int64
	objective          float64
}

// run solves to the end. Without warm a new solver solves every round.
func (c *cutLoop) run(t testing.TB, warm bool) cutStats {
	ctx := context.Background()
	open := func(m *lp.Model) *solver {
		sv, err := NewSolver(m)
		if err != nil {
			t.Fatal(err)
		}
		return sv.(*solver)
	}
	sv := open(c.model())
	defer func() { sv.Close() }()
	var st cutStats
	for {
		sol, err := sv.Solve(ctx)
		if err != nil || sol.Status != lp.Optimal {
			t.Fatalf("round %d: %v, %v", st.rounds, sol, err)
		}
		st.rounds++
		st.iterations += sol.Iterations
		st.objective = sol.Objective
		if st.rounds%c.keep == 0 {
			c.drop(t, sv, sol)
		}
		order, cuts := c.separate(sol.X)
		if len(cuts) == 0 || st.rounds == c.rounds {
			st.cold = sv.coldSolves
			return st
		}
		for _, k := range cuts[:min(len(cuts), c.perTurn)] {
			e := make([]lp.Entry, k.size)
			for i, j := range order[:k.size] {
				e[i] = lp.Entry{Col: lp.Col(j), Coef: c.p[j]}
			}
			if _, err := sv.AddRow("", e, lp.GE, k.rhs); err != nil {
				t.Fatal(err)
			}
		}
		st.rows = max(st.rows, sv.m.NumRows())
		if !warm {
			m := sv.m
			sv.Close()
			sv = open(m)
		}
	}
}

// drop deletes the rows of the last solve that are slack.
func (c *cutLoop) drop(t testing.TB, sv *solver, sol *lp.Solution) {
	var gone []lp.Row
	for i := range sol.Dual {
		r := lp.Row(i)
		if sol.Dual[i] == 0 && sv.m.Activity(r, sol.X) > sv.m.RHS(r)+1e-6*(1+sv.m.RHS(r)) {
			gone = append(gone, r)
		}
	}
	if err := sv.DeleteRows(gone); err != nil {
		t.Fatal(err)
	}
}

// optimum returns the weighted completion time of Smith's rule, the loop's known result.
func (c *cutLoop) optimum() float64 {
	order := make([]int, len(c.p))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.p[a]*c.w[b], c.p[b]*c.w[a]) })
	var clock, cost float64
	for _, j := range order {
		clock += c.p[j]
		cost += c.w[j] * clock
	}
	return cost
}

func TestCutLoop(t *testing.T) {
	for seed := range uint64(5) {
		c := newCutLoop(60, seed)
		st := c.run(t, true)
		if want := c.optimum(); math.Abs(st.objective-want) > 1e-6*want {
			t.Errorf("seed %d: objective %v, want %v", seed, st.objective, want)
		}
		if st.cold > 0 {
			t.Errorf("seed %d: %d of %d warm starts were no use", seed, st.cold, st.rounds)
		}
	}
}

// BenchmarkCutLoop runs the small loop to its optimum and the first rounds of larger ones.
func BenchmarkCutLoop(b *testing.B) {
	for _, size := range []struct{ n, rounds int }{{60, 0}, {300, 100}, {1000, 50}} {
		for _, warm := range []bool{true, false} {
			b.Run(fmt.Sprintf("n=%d/rounds=%d/warm=%v", size.n, size.rounds, warm), func(b *testing.B) {
				c := newCutLoop(size.n, 1)
				c.rounds = size.rounds
				var st cutStats
				for b.Loop() {
					st = c.run(b, warm)
				}
				b.ReportMetric(float64(st.rounds), "rounds")
				b.ReportMetric(float64(st.rows), "maxrows")
				b.ReportMetric(float64(st.iterations), "iterations")
				b.ReportMetric(float64(st.cold), "rescues")
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*st.rounds), "ms/round")
			})
		}
	}
}

// BenchmarkRowChanges compares the two ways to replace rows, which fixes reloadRows: half deleted, half added.
func BenchmarkRowChanges(b *testing.B) {
	for _, dim := range []struct{ rows, cols, perRow int }{{200, 100, 50}, {1000, 500, 250}, {2000, 1000, 500},
		{2000, 1000, 5}} {
		for _, changes := range []int{2, 16, 64} {
			for _, way := range []string{"edit", "reload"} {
				name := fmt.Sprintf("rows=%d/cols=%d/entries=%d/changes=%d/%s", dim.rows, dim.cols, dim.perRow, changes, way)
				b.Run(name, func(b *testing.B) { benchmarkRowChanges(b, dim.rows, dim.cols, dim.perRow, changes, way == "reload") })
			}
		}
	}
}

func benchmarkRowChanges(b *testing.B, rows, cols, perRow, changes int, reload bool) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := lp.NewModel("")
	for range cols {
		m.AddCol("", 1, 0, lp.Inf)
	}
	entries := func() []lp.Entry {
		var e []lp.Entry
		for j := range cols {
			if rng.IntN(cols) < perRow {
				e = append(e, lp.Entry{Col: lp.Col(j), Coef: 1 + float64(rng.IntN(9))})
			}
		}
		return e
	}
	for range rows {
		m.AddRow("", entries(), lp.GE, 1)
	}
	sv, err := NewSolver(m)
	if err != nil {
		b.Fatal(err)
	}
	defer sv.Close()
	s := sv.(*solver)
	if _, err := sv.Solve(context.Background()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		var gone []lp.Row
		for i := range changes / 2 {
			gone = append(gone, lp.Row(i*rows/changes))
			if _, err := sv.AddRow("", entries(), lp.GE, 1); err != nil {
				b.Fatal(err)
			}
		}
		if err := sv.DeleteRows(gone); err != nil {
			b.Fatal(err)
		}
		kept := s.m.NumRows() - len(gone)
		b.StartTimer()
		if reload {
			err = s.reload(kept)
		} else {
			err = s.edit(kept)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
