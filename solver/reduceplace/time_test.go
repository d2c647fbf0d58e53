package reduceplace

import (
	"context"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// TestBoundCancelled: later runs do not use a bound that a limit cut short, and keep a full one.
func TestBoundCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := queue(t, 2000, 100, 0.9).in
	full, r := proven(t, runOf(in)), runOf(in)
	for _, name := range []string{"best", "exact", "greedy"} {
		out, err := r.Solve(ctx, name, solver.Options{Iterations: 10, Threads: 2})
		if err != nil || out.Status != model.StatusLimit || claimed(r).Cmp(full) >= 0 {
			t.Errorf("%s: %v, %v", name, out, err)
		}
		cost(t, r, out)
	}
	for _, x := range []context.Context{context.Background(), ctx} {
		if _, err := r.Solve(x, "greedy", solver.Options{Threads: 2}); err != nil || claimed(r).Cmp(full) != 0 {
			t.Errorf("%s instead of %s, %v", claimed(r), full, err)
		}
	}
}

// patient is a context that ends after this many checks; one with a deadline reports it.
type patient struct {
	context.Context
	left     *atomic.Int64
	deadline bool
}

func (p patient) Err() error {
	if p.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func (p patient) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), p.deadline }

// TestBoundGrows: a longer limit never gives a worse bound, up to the full one, and continuing later gives the same
// bound. With a deadline, the first levels of all busy periods come first.
func TestBoundGrows(t *testing.T) {
	in := queue(t, 400, 60, 0.95).in
	full := proven(t, runOf(in))
	for _, deadline := range []bool{false, true} {
		growths, last := 0, new(big.Rat)
		for looks := int64(0); last.Cmp(full) < 0 && looks < 1_000_000; looks += 1 + looks/8 {
			left := new(atomic.Int64)
			left.Store(looks)
			r, opt := runOf(in), solver.Options{Threads: 1}
			if err := r.prove(patient{context.Background(), left, deadline}, opt, 1); err != nil {
				t.Fatal(err)
			}
			v := claimed(r)
			if v.Cmp(last) < 0 || v.Cmp(full) > 0 {
				t.Fatalf("after %d looks %s, before %s, in full %s", looks, v, last, full)
			}
			if v.Cmp(last) > 0 {
				growths++
			}
			last = v
			if err := r.prove(context.Background(), opt, 1); err != nil || claimed(r).Cmp(full) != 0 {
				t.Fatalf("going on leads to %s, not %s: %v", claimed(r), full, err)
			}
		}
		if growths < 10 || last.Cmp(full) < 0 {
			t.Errorf("the bound grew %d times to %s of %s", growths, last, full)
		}
	}
}

// TestIterations: the search uses the permitted iterations, more never cost more, and threads make no difference. The
// placement is near the bound.
func TestIterations(t *testing.T) {
	for name, in := range map[string]*reduceplace.Instance{"short": queue(t, 400, 60, 0.95).in,
		"long": queue(t, 3000, 200, 0.9).in} {
		var last *big.Rat
		for _, n := range []int{1, 30, 300} {
			var first *big.Rat
			for _, threads := range []int{1, 3} {
				most := 0
				watch := &solver.Watch{OnChange: func(s solver.State) {
					if s.Phase == solver.PhaseSearch {
						most = max(most, s.Done)
					}
				}}
				r := runOf(in)
				out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: n, Threads: threads, Watch: watch})
				if err != nil {
					t.Fatal(err)
				}
				c := cost(t, r, out)
				if seen, _ := c.Float64(); most >= n || most < n-1 || watch.State().Incumbent.Value != seen {
					t.Errorf("%s, %d iterations: %d and a cost of %v reported, is %s", name, n, most, watch.State().Incumbent, c)
				}
				if first != nil && c.Cmp(first) != 0 || last != nil && c.Cmp(last) > 0 {
					t.Errorf("%s, %d iterations: %s, with one thread %s, before %s", name, n, c, first, last)
				}
				first = c
			}
			last = first
		}
		if ratio, _ := new(big.Rat).Quo(last, proven(t, runOf(in))).Float64(); ratio < 1 || ratio > 1.1 {
			t.Errorf("%s: %v times the bound", name, ratio)
		}
	}
}
