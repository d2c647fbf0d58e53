package lpsolve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

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
	open := func(m *lp.Model) *solver {
		sv, err := NewSolver(m)
		must(t, err)
		return sv.(*solver)
	}
	sv := open(c.model())
	defer func() { sv.Close() }()
	var st cutStats
	for {
		sol := mustSolve(t, sv)
		if sol.Status != lp.Optimal {
			t.Fatalf("round %d: %v", st.rounds, sol.Status)
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
			_, err := sv.AddRow("", e, lp.GE, k.rhs)
			must(t, err)
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
	must(t, sv.DeleteRows(gone))
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
		c := newCutLoop(40, seed)
		st := c.run(t, true)
		wantObjective(t, st.objective, c.optimum())
		if st.cold > 0 {
			t.Errorf("seed %d: %d of %d warm starts were no use", seed, st.cold, st.rounds)
		}
	}
}

// TestParallel runs a MIP together with many LPs, built, solved and freed at the same time. Results must equal those of
// a sequential run to the last bit: any state shared by threads would show.
func TestParallel(t *testing.T) {
	var want [2]cutStats
	for seed := range want {
		want[seed] = newCutLoop(25, uint64(seed)).run(t, true)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	hard := opened(t, knapsackMIP())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := hard.Solve(ctx); err != nil {
			t.Error(err)
		}
	})
	for seed := range want {
		wg.Go(func() {
			for first := true; first || ctx.Err() == nil; first = false {
				if got := newCutLoop(25, uint64(seed)).run(t, true); got != want[seed] {
					t.Errorf("parallel %+v, sequential %+v", got, want[seed])
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkCutLoop runs the first rounds of large loops.
func BenchmarkCutLoop(b *testing.B) {
	for _, n := range []int{300, 1000} {
		for _, warm := range []bool{true, false} {
			b.Run(fmt.Sprintf("n=%d/warm=%v", n, warm), func(b *testing.B) {
				c := newCutLoop(n, 1)
				c.rounds = 50
				for b.Loop() {
					c.run(b, warm)
				}
			})
		}
	}
}
