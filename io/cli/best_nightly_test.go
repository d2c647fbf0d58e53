//go:build nightly

package cli

import (
	"context"
	"math/big"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mrsched/io/engine"
	"mrsched/solver"
)

// TestBestUnderLimit: within a second, best costs no more than any algorithm that constructs a schedule. A longer limit
// never gives a worse bound, up to rounding.
func TestBestUnderLimit(t *testing.T) {
	for _, c := range matrixCases() {
		t.Run(c.name, func(t *testing.T) {
			var side errgroup.Group // one instance per core: with a fraction of a core, the first schedules may be cut short
			side.SetLimit(runtime.GOMAXPROCS(0))
			for seed := range uint64(40) {
				side.Go(func() error {
					c.bestUnderLimit(t, 1_000+seed, seed < 4)
					return nil
				})
			}
			_ = side.Wait()
		})
	}
}

func (c matrixCase) bestUnderLimit(t *testing.T, seed uint64, longer bool) {
	fresh := c.open(t, seed)
	if fresh == nil {
		return
	}
	solved := func(a solver.Algorithm, o *engine.Opened, limit time.Duration, iterations int) (cost, bound *big.Rat) {
		ctx, end := context.WithTimeout(t.Context(), limit)
		defer end()
		v, err := o.Solve(ctx, a, solver.Options{Iterations: iterations, Seed: seed, Threads: 1})
		if err != nil {
			t.Errorf("%s, instance %d: %s: %v", c.name, seed, a.Name, err)
			return nil, nil
		}
		if proof := engine.Strongest(v); proof != nil {
			bound = proof.Certified.Value
		}
		return o.Cost(v), bound
	}
	best, _ := c.Algorithm(bestName)
	least, bound := solved(best, c.open(t, seed), time.Second, engine.Unlimited)
	if least == nil || bound == nil {
		t.Errorf("%s, instance %d: best makes no schedule, or proves no bound", c.name, seed)
		return
	}
	if longer {
		_, now := solved(best, c.open(t, seed), 3*time.Second, engine.Unlimited)
		bound.Mul(bound, big.NewRat(999_999, 1_000_000))
		if now == nil || now.Cmp(bound) < 0 {
			t.Errorf("%s, instance %d: the bound is %v after 3 s, and was %s after a second", c.name, seed, now,
				bound.FloatString(6))
		}
	}
	for _, a := range c.Algorithms {
		if a.Search || a.Exhaustive || a.BoundOnly || !runs(fresh, a) {
			continue
		}
		if v, _ := solved(a, fresh, time.Hour, 30); v != nil && v.Cmp(least) < 0 {
			t.Errorf("%s, instance %d: best costs %s, %s %s", c.name, seed, least.FloatString(6), a.Name, v.FloatString(6))
		}
	}
}
