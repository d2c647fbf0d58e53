package lpsolve_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mrsched/solver/lp"
)

// promptly is the time within which a stopped solve must return. It is generous for busy machines and the race
// detector.
const promptly = 5 * time.Second

// parityMIP is infeasible, and branch and bound takes exponential time to prove it: Σ 2·x_j = n for odd n over 0-1
// columns (Jeroslow 1974). No point is ever found.
func parityMIP() *lp.Model {
	const n = 41
	m := lp.NewModel("jeroslow")
	var e []lp.Entry
	for range n {
		c := m.AddCol("", 0, 0, 1)
		m.SetInt(c)
		e = append(e, lp.Entry{Col: c, Coef: 2})
	}
	m.AddRow("parity", e, eq, n)
	return m
}

// knapsackMIP is a strongly correlated multi-dimensional knapsack: points are found at once, but the proof takes hours.
func knapsackMIP() *lp.Model {
	const n, dims = 80, 6
	rng := rand.New(rand.NewPCG(3, 3))
	m := lp.NewModel("knapsack")
	m.Maximize = true
	var rows [dims][]lp.Entry
	var total [dims]float64
	for range n {
		var sum float64
		c := lp.Col(m.NumCols())
		for d := range rows {
			v := float64(20 + rng.IntN(80))
			rows[d] = append(rows[d], lp.Entry{Col: c, Coef: v})
			total[d] += v
			sum += v
		}
		m.AddCol("", sum/dims+10, 0, 1)
		m.SetInt(c)
	}
	for d, e := range rows {
		m.AddRow("", e, le, math.Floor(total[d]/2))
	}
	return m
}

func (s suite) limits(t *testing.T) {
	stop := map[string]struct {
		start func() (context.Context, context.CancelFunc)
		want  lp.Status
	}{
		"deadline": {func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 150*time.Millisecond)
		}, lp.Timeout},
		"cancel": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(150*time.Millisecond, cancel)
			return ctx, cancel
		}, lp.Aborted},
		"deadline before the start": {func() (context.Context, context.CancelFunc) {
			return context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
		}, lp.Timeout},
		"cancel before the start": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}, lp.Aborted},
	}
	for name, c := range stop {
		for _, m := range []*lp.Model{parityMIP(), knapsackMIP()} {
			t.Run(name+" "+m.Name, func(t *testing.T) {
				sv := s.solver(t, m)
				ctx, cancel := c.start()
				defer cancel()
				begin := time.Now()
				sol, err := sv.Solve(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if d := time.Since(begin); d > promptly {
					t.Errorf("took %v", d)
				}
				wantStatus(t, sol, c.want)
				if sol.X != nil {
					if err := lp.CheckFeasible(m, sol, tol); err != nil {
						t.Errorf("the point is not feasible: %v", err)
					}
				}
				// The solver stays usable: the next solve is independent.
				ctx2, cancel2 := context.WithTimeout(context.Background(), 50*time.Millisecond)
				defer cancel2()
				sol, err = sv.Solve(ctx2)
				if err != nil {
					t.Fatal(err)
				}
				wantStatus(t, sol, lp.Timeout)
			})
		}
	}
}

// lifecycle checks Close, use after Close, and rejected models.
func (s suite) lifecycle(t *testing.T) {
	m := build(false, nonneg(1), []row{{[]float64{1}, ge, 1}})
	for _, solved := range []bool{false, true} {
		sv, err := s.newSolver(m)
		if err != nil {
			t.Fatal(err)
		}
		if solved {
			mustSolve(t, sv)
		}
		for range 3 {
			if err := sv.Close(); err != nil {
				t.Fatalf("Close: %v", err)
			}
		}
		_, solveErr := sv.Solve(context.Background())
		_, addErr := sv.AddRow("", nil, le, 1)
		for name, err := range map[string]error{
			"Solve": solveErr, "AddRow": addErr, "DeleteRows": sv.DeleteRows([]lp.Row{0}), "SetCost": sv.SetCost(0, 1),
		} {
			if !errors.Is(err, lp.ErrClosed) {
				t.Errorf("%s after Close: %v, want ErrClosed", name, err)
			}
		}
	}
	bad := lp.NewModel("bad")
	bad.AddCol("", 1, 2, 1)
	if sv, err := s.newSolver(bad); err == nil {
		sv.Close()
		t.Error("an invalid model is accepted")
	}
}

// parallel solves different models at the same time; it is meant for the race detector.
func (s suite) parallel(t *testing.T) {
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := range 20 {
				m := build(false, nonneg(1, 2, float64(k+1)), []row{
					{[]float64{1, 1, 1}, ge, float64(10 + i)}, {[]float64{1, -1, 0}, le, float64(k)}, {[]float64{0, 1, 2}, ge, 5}})
				sv, err := s.newSolver(m)
				if err != nil {
					t.Error(err)
					return
				}
				sol, err := sv.Solve(context.Background())
				if err == nil {
					err = lp.CheckKKT(m, sol, tol)
				}
				if err != nil {
					t.Error(err)
				}
				if err := sv.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
