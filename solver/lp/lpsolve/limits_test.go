package lpsolve

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"mrsched/solver/lp"
)

// knapsack takes lp_solve far longer than any test.
func knapsack(t testing.TB) *LP {
	const n = 60
	l := newLP(t, 0, n)
	var rows [5]Constraint
	cost := make([]float64, n)
	for j := range n {
		must(t, l.SetBinary(j, true))
		for i := range rows {
			v := float64(30 + (j*(17+i*6)+i*29)%71)
			rows[i].Entries = append(rows[i].Entries, Entry{j, v})
			rows[i].RHS += math.Floor(v / 2)
			rows[i].Type = LE
			cost[j] += v / 5
		}
	}
	must(t, l.AddConstraints(rows[:]))
	must(t, l.SetObjFn(cost))
	must(t, l.SetMaximize())
	return l
}

func TestLimits(t *testing.T) {
	l := knapsack(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	kind, err := l.Solve(ctx)
	must(t, err)
	if kind != Timeout && kind != Suboptimal {
		t.Fatalf("%v", kind)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
	if kind == Suboptimal && l.Variables() == nil {
		t.Error("suboptimal without a point")
	}
	if kind, err = l.Solve(ctx); err != nil || kind != Timeout {
		t.Errorf("after the deadline: %v, %v", kind, err)
	}
	ctx2, cancel2 := context.WithCancel(context.Background())
	cancel2()
	if kind, err = l.Solve(ctx2); err != nil || kind != UserAbort {
		t.Errorf("after cancellation: %v, %v", kind, err)
	}
}

// TestCloseWhileSolving closes an LP from another goroutine: Close waits, nothing crashes.
func TestCloseWhileSolving(t *testing.T) {
	l := knapsack(t)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Solve(ctx); err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	must(t, l.Close())
	wg.Wait()
}

// TestParallel runs a MIP together with many LPs, built, solved and freed at the same time. Results must equal those of
// a sequential run to the last bit: any state shared by threads would show.
func TestParallel(t *testing.T) {
	var want [2]cutStats
	for seed := range want {
		want[seed] = newCutLoop(25, uint64(seed)).run(t, true)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	hard := knapsack(t)
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

// TestRescue covers the path after a result that fails the check: lp_solve calls this problem optimal, because its
// unbounded column is in no row.
func TestRescue(t *testing.T) {
	m := lp.NewModel("")
	x := m.AddCol("x", 1, -lp.Inf, -3)
	y := m.AddCol("y", -4, -5, -5)
	m.AddRow("r", []lp.Entry{{Col: y, Coef: -4}}, lp.GE, 0)
	sv, err := NewSolver(m)
	must(t, err)
	defer sv.Close()
	s := sv.(*solver)
	sol, err := sv.Solve(context.Background())
	must(t, err)
	if sol.Status != lp.Unbounded || s.coldSolves != 1 || !s.stale {
		t.Fatalf("%v after %d rescues", sol.Status, s.coldSolves)
	}
	must(t, sv.SetCost(x, 2))
	_, err = sv.AddRow("bound", []lp.Entry{{Col: x, Coef: 1}, {Col: y, Coef: 1}}, lp.GE, -20)
	must(t, err)
	sol, err = sv.Solve(context.Background())
	must(t, err)
	must(t, lp.CheckKKT(sv.Model(), sol, 1e-9))
	if s.stale || s.coldSolves != 1 {
		t.Error("the settings of the rescue stay")
	}
}
