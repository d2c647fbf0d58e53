package lpsolve

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
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
	m.AddRow("parity", e, lp.EQ, n)
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
		m.AddRow("", e, lp.LE, math.Floor(total[d]/2))
	}
	return m
}

// TestLimits: a limit or a cancellation ends a solve at once, with a feasible point or none. The next solve is
// independent.
func TestLimits(t *testing.T) {
	stop := map[string]struct {
		start func() (context.Context, context.CancelFunc)
		want  lp.Status
	}{
		"deadline": {func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 50*time.Millisecond)
		}, lp.Timeout},
		"cancel": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
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
				s := opened(t, m)
				ctx, cancel := c.start()
				defer cancel()
				begin := time.Now()
				sol, err := s.Solve(ctx)
				must(t, err)
				if d := time.Since(begin); d > promptly || sol.Status != c.want || sol.Dual != nil {
					t.Errorf("%v took %v", sol.Status, d)
				}
				if sol.X != nil {
					must(t, lp.CheckFeasible(m, sol, tol))
				}
				ctx2, cancel2 := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel2()
				sol, err = s.Solve(ctx2)
				must(t, err)
				if sol.Status != lp.Timeout {
					t.Errorf("then %v", sol.Status)
				}
			})
		}
	}
}

// TestClosed: a closed solver refuses all calls, and so does its LP. Close waits for a running solve and may be called
// again.
func TestClosed(t *testing.T) {
	for _, solved := range []bool{false, true} {
		s := opened(t, build(false, nonneg(1), []row{{[]float64{1}, lp.GE, 1}}))
		if solved {
			mustSolve(t, s)
		}
		must(t, s.Close())
		must(t, s.Close())
		_, solveErr := s.Solve(context.Background())
		_, addErr := s.AddRow("", nil, lp.LE, 1)
		for name, err := range map[string]error{
			"Solve": solveErr, "AddRow": addErr, "DeleteRows": s.DeleteRows([]lp.Row{0}), "SetCost": s.SetCost(0, 1),
		} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	}
	l := formulate(t)
	solve(t, l, Optimal)
	must(t, l.Close())
	_, solveErr := l.Solve(context.Background())
	for name, err := range map[string]error{
		"Solve": solveErr, "addRows": l.addRows(&rowBatch{}), "DelConstraints": l.DelConstraints([]int{0}),
		"SetObjFn": l.SetObjFn([]float64{1, 1}), "SetObjCoef": l.SetObjCoef(0, 1),
		"SetInt": l.SetInt(0, true), "SetBounds": l.SetBounds(0, 0, 1),
		"SetTuning": l.SetTuning(DefaultTuning()),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	if l.ColName(0) != "" || l.RowName(0) != "" {
		t.Error("names after Close")
	}
	wantObjective(t, l.Objective(), -6315.625) // results are copies
	busy := opened(t, knapsackMIP())
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := busy.l.Solve(ctx); err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	must(t, busy.l.Close())
	wg.Wait()
}

// TestLive counts problems as they come and go, by every way to make one.
func TestLive(t *testing.T) {
	before := Live()
	l, err := New(1, 2)
	must(t, err)
	sv, err := NewSolver(build(false, nonneg(1), nil))
	must(t, err)
	if n := Live() - before; n != 2 {
		t.Errorf("%d problems, want 2", n)
	}
	must(t, l.Close())
	must(t, l.Close())
	must(t, sv.Close())
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.lp"), FormatLP); err == nil {
		t.Error("a file that is not there was read")
	}
	restore := Inject(Injection{Refuse: func(int64) bool { return true }})
	defer restore()
	if _, err := New(1, 1); err == nil {
		t.Error("no error without memory")
	}
	if n := Live() - before; n != 0 {
		t.Errorf("%d problems are left", n)
	}
}

// TestRescue covers the path after a result that fails the check: lp_solve calls this problem optimal, because its
// unbounded column is in no row.
func TestRescue(t *testing.T) {
	m := lp.NewModel("")
	x := m.AddCol("x", 1, -lp.Inf, -3)
	y := m.AddCol("y", -4, -5, -5)
	m.AddRow("r", []lp.Entry{{Col: y, Coef: -4}}, lp.GE, 0)
	s := opened(t, m)
	if sol := mustSolve(t, s); sol.Status != lp.Unbounded || s.coldSolves != 1 || !s.stale {
		t.Fatalf("%v after %d rescues", sol.Status, s.coldSolves)
	}
	must(t, s.SetCost(x, 2))
	_, err := s.AddRow("bound", []lp.Entry{{Col: x, Coef: 1}, {Col: y, Coef: 1}}, lp.GE, -20)
	must(t, err)
	must(t, lp.CheckKKT(s.Model(), mustSolve(t, s), 1e-9))
	if s.stale || s.coldSolves != 1 {
		t.Error("the settings of the rescue stay")
	}
}
