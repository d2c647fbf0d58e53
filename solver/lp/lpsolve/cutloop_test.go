package lpsolve

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"mrsched/solver/lp"
)

// cutLoop is the cutting-plane loop for which this binding exists. It minimises w·x over Σ_{j∈S} p_j·x_j >= f(S) for
// every set S of jobs: the completion-time polyhedron of a single machine (Queyranne 1993). The violated sets are
// prefixes of the order by x. Rows are dense: half of the columns on average.
type cutLoop struct{ p, w []float64 }

func newCutLoop(n int, seed uint64) (c cutLoop) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		c.p = append(c.p, float64(1+rng.IntN(99)))
		c.w = append(c.w, float64(1+rng.IntN(99)))
	}
	return c
}

// order sorts the jobs by a key.
func (c cutLoop) order(key func(j int) float64) []int {
	order := make([]int, len(c.p))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}

// optimum returns the weighted completion time of Smith's rule, the loop's known result.
func (c cutLoop) optimum() (cost float64) {
	clock := 0.0
	for _, j := range c.order(func(j int) float64 { return c.p[j] / c.w[j] }) {
		clock += c.p[j]
		cost += c.w[j] * clock
	}
	return cost
}

type cutStats struct {
	rounds, cold int
	objective    float64
}

// run solves to the end. Some rounds delete the rows that are slack.
func (c cutLoop) run(t testing.TB) (st cutStats) {
	t.Helper()
	m := lp.NewModel("cut loop")
	for j := range c.p {
		m.AddCol("", c.w[j], 0, lp.Inf)
	}
	s, err := NewSolver(m)
	must(t, err)
	defer s.Close()
	for {
		sol := mustSolve(t, s)
		proven(t, s.Model(), sol)
		st.rounds++
		if st.rounds%5 == 0 {
			must(t, s.DeleteRows(slackRows(s.Model(), sol)))
		}
		if c.separate(t, s, sol.X) == 0 {
			st.cold, st.objective = s.(*solver).coldSolves, sol.Objective
			return st
		}
	}
}

// separate adds a row for each violated prefix.
func (c cutLoop) separate(t testing.TB, s lp.Solver, x []float64) (added int) {
	t.Helper()
	var sum, squares, act float64
	var e []lp.Entry
	for _, j := range c.order(func(j int) float64 { return x[j] }) {
		sum += c.p[j]
		squares += c.p[j] * c.p[j]
		act += c.p[j] * x[j]
		e = append(e, lp.Entry{Col: lp.Col(j), Coef: c.p[j]})
		if f := (sum*sum + squares) / 2; act < f*(1-1e-8) {
			_, err := s.AddRow("", e, lp.GE, f)
			must(t, err)
			added++
		}
	}
	return added
}

// slackRows are the rows of the last solve that are slack.
func slackRows(m *lp.Model, sol *lp.Solution) (list []lp.Row) {
	for i := range sol.Dual {
		r, sum := lp.Row(i), 0.0
		for _, e := range m.Entries(r) {
			sum += e.Coef * sol.X[e.Col]
		}
		if sol.Dual[i] == 0 && sum > m.RHS(r)*(1+tol) {
			list = append(list, r)
		}
	}
	return list
}

func TestCutLoop(t *testing.T) {
	for seed := range uint64(5) {
		c := newCutLoop(40, seed)
		st := c.run(t)
		wantObjective(t, st.objective, c.optimum())
		if st.cold > 0 {
			t.Errorf("seed %d: %d of %d warm starts were no use", seed, st.cold, st.rounds)
		}
	}
}

// TestParallel runs a long LP together with many short ones, built, solved and freed at the same time. Results must
// equal those of a sequential run to the last bit: any state shared by threads would show.
func TestParallel(t *testing.T) {
	var want [2]cutStats
	for seed := range want {
		want[seed] = newCutLoop(25, uint64(seed)).run(t)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	hard := opened(t, denseLP())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := hard.Solve(ctx); err != nil {
			t.Error(err)
		}
	})
	for seed := range want {
		wg.Go(func() {
			for first := true; first || ctx.Err() == nil; first = false {
				if got := newCutLoop(25, uint64(seed)).run(t); got != want[seed] {
					t.Errorf("parallel %+v, sequential %+v", got, want[seed])
				}
			}
		})
	}
	wg.Wait()
}
