package lpsolve

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"mrsched/solver/lp"
)

// promptly is the time within which a stopped solve must return. It is generous for busy machines and the race
// detector.
const promptly = 5 * time.Second

// denseLP takes seconds: a random packing problem without zeros.
func denseLP() *lp.Model {
	const n = 700
	rng := rand.New(rand.NewPCG(3, 3))
	m := lp.NewModel("dense")
	m.Maximize = true
	for range n {
		m.AddCol("", 1+rng.Float64(), 0, lp.Inf)
	}
	for range n {
		row := make([]lp.Entry, n)
		for j := range row {
			row[j] = lp.Entry{Col: lp.Col(j), Coef: 1 + rng.Float64()}
		}
		m.AddRow("", row, lp.LE, 1000)
	}
	return m
}

// TestLimits: a limit or a cancellation ends a solve at once, without a point. The next solve is independent.
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
		t.Run(name, func(t *testing.T) {
			s := opened(t, denseLP())
			ctx, cancel := c.start()
			defer cancel()
			begin := time.Now()
			sol, err := s.Solve(ctx)
			must(t, err)
			if d := time.Since(begin); d > promptly || sol.Status != c.want || sol.X != nil || sol.Dual != nil {
				t.Errorf("%v took %v", sol.Status, d)
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

// TestClosed: a closed solver refuses all calls, and may be closed again.
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
			"Solve": solveErr, "AddRow": addErr, "DeleteRows": s.DeleteRows([]lp.Row{0}),
		} {
			if !errors.Is(err, lp.ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	}
}

// TestLive counts problems as they come and go.
func TestLive(t *testing.T) {
	before := Live()
	s, err := NewSolver(build(false, nonneg(1), nil))
	must(t, err)
	if n := Live() - before; n != 1 {
		t.Errorf("%d problems, want 1", n)
	}
	must(t, s.Close())
	must(t, s.Close())
	restore := Inject(Injection{Refuse: func(int64) bool { return true }})
	defer restore()
	if _, err := NewSolver(diet()); err == nil {
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
	x := m.AddCol("x", -1, 3, lp.Inf)
	y := m.AddCol("y", -4, -5, -5)
	m.AddRow("r", []lp.Entry{{Col: y, Coef: -4}}, lp.GE, 0)
	s := opened(t, m)
	if sol := mustSolve(t, s); sol.Status != lp.Unbounded || s.coldSolves != 1 {
		t.Fatalf("%v after %d rescues", sol.Status, s.coldSolves)
	}
	_, err := s.AddRow("bound", []lp.Entry{{Col: x, Coef: -1}, {Col: y, Coef: 1}}, lp.GE, -20)
	must(t, err)
	must(t, lp.CheckKKT(s.Model(), mustSolve(t, s), 1e-9))
	if s.coldSolves != 1 {
		t.Errorf("%d rescues", s.coldSolves)
	}
}
