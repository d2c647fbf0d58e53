package reduceplace

import (
	"context"
	"math/big"
	"testing"
	"time"

	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// streams are instances of best's tests: tiny ones, and queues on few slots at all loads.
func streams(tb testing.TB, visit func(k int, in *reduceplace.Instance)) {
	for k := range 200 {
		visit(k, tiny(tb, uint64(k)))
	}
	for k := range 40 {
		visit(200+k, queueOf(tb, uint64(k), 10+5*k, 11+k%7*3, 0.4+float64(k%6)/3))
	}
}

// TestBestIsBest: best costs no more than any policy or clairvoyant, and no less than exact, also under limits that
// stop everything early or nothing.
func TestBestIsBest(t *testing.T) {
	better, below := 0, 0
	streams(t, func(k int, in *reduceplace.Instance) {
		for _, limit := range []time.Duration{0, time.Nanosecond, time.Minute} {
			ctx, cancel, threads := context.Background(), func() {}, 1
			if limit > 0 {
				threads = 1 + k%2
				ctx, cancel = context.WithTimeout(ctx, limit)
			}
			r := runOf(in)
			costs := map[string]*big.Rat{}
			for _, a := range algorithms() {
				if a.Name == "exact" && in.Tasks > 50 || r.Excludes(a.Name).Why != "" {
					continue
				}
				out, err := r.Solve(ctx, a.Name, solver.Options{Iterations: 100, Seed: uint64(k), Threads: threads})
				if err != nil {
					t.Fatal(k, a.Name, err)
				}
				costs[a.Name] = cost(t, r, out)
				lb, _ := new(big.Rat).SetString(out.Bounds[0].Certificate.(*reduceplace.Certificate).Value)
				if lb.Cmp(costs[a.Name]) > 0 {
					t.Errorf("%d: %s costs %s, less than the bound %s", k, a.Name, costs[a.Name], lb)
				}
			}
			for name, c := range costs {
				if name != "exact" && costs["best"].Cmp(c) > 0 {
					t.Errorf("%d, limit %s: best costs %s, %s %s", k, limit, costs["best"], name, c)
				}
			}
			if c := costs["exact"]; c != nil && limit != time.Nanosecond && costs["best"].Cmp(c) < 0 {
				t.Errorf("%d, limit %s: best costs %s, exact %s", k, limit, costs["best"], c)
			}
			if limit == 0 && costs["best"].Cmp(costs["clairvoyant"]) < 0 {
				better++
			}
			if c := costs["exact"]; c != nil && limit == 0 && costs["best"].Cmp(c) > 0 {
				below++
			}
			cancel()
		}
	})
	t.Logf("best is cheaper than clairvoyant on %d instances, dearer than exact on %d", better, below)
	if better < 5 {
		t.Errorf("best is cheaper than clairvoyant on %d of 240 instances", better)
	}
}

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
