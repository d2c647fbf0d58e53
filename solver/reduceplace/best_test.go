package reduceplace

import (
	"context"
	"math/big"
	"testing"
	"time"

	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// TestBestIterations: best uses the permitted iterations in each of its searches, and does not depend on threads.
func TestBestIterations(t *testing.T) {
	in := queue(t, 400, 60, 0.95)
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
			out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: n, Seed: 1, Threads: threads,
				Watch: watch})
			if err != nil {
				t.Fatal(err)
			}
			c := cost(t, r, out)
			if most >= 2*n || n > 1 && most < n {
				t.Errorf("%d iterations: %d reported", n, most)
			}
			if seen, _ := c.Float64(); watch.State().Incumbent.Value != seen {
				t.Errorf("the Watch saw %v, the cost is %v", watch.State().Incumbent, seen)
			}
			if first != nil && c.Cmp(first) != 0 {
				t.Errorf("%d iterations: %s, with one thread %s", n, c, first)
			}
			first = c
		}
		if last != nil && first.Cmp(last) > 0 {
			t.Errorf("%d iterations: %s after %s", n, first, last)
		}
		last = first
	}
}

// TestBestUnderLimit: with only a time limit, best ends soon after it, or earlier if there is nothing left to try.
func TestBestUnderLimit(t *testing.T) {
	for _, c := range []struct {
		in      *reduceplace.Instance
		limit   time.Duration
		threads int
	}{{queue(t, 300, 40, 3), 200 * time.Millisecond, 1}, {queue(t, 300, 40, 3), 200 * time.Millisecond, 2},
		{tiny(t, 7), time.Minute, 1}, {tiny(t, 7), time.Minute, 2}} {
		ctx, cancel := context.WithTimeout(context.Background(), c.limit)
		began := time.Now()
		if _, err := runOf(c.in).Solve(ctx, "best", solver.Options{Iterations: 1 << 40, Seed: 1,
			Threads: c.threads}); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began); d > 5*time.Second {
			t.Errorf("%s of %s", d, c.limit)
		}
		cancel()
	}
}
