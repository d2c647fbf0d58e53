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

// TestBestUnderLimit: within a second, best costs no more than any algorithm that constructs a schedule.
func TestBestUnderLimit(t *testing.T) {
	for _, c := range matrixCases() {
		t.Run(c.name, func(t *testing.T) {
			var side errgroup.Group // one instance per core: with a fraction of a core, the first schedules may be cut short
			side.SetLimit(runtime.GOMAXPROCS(0))
			for seed := range uint64(40) {
				side.Go(func() error {
					c.bestUnderLimit(t, 1_000+seed)
					return nil
				})
			}
			_ = side.Wait()
		})
	}
}

func (c matrixCase) bestUnderLimit(t *testing.T, seed uint64) {
	o, fresh := c.open(t, seed), c.open(t, seed)
	if o == nil {
		return
	}
	best, _ := c.Algorithm(bestName)
	limited, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	cost := func(ctx context.Context, o *engine.Opened, a solver.Algorithm, iterations int) *big.Rat {
		v, err := o.Solve(ctx, a, solver.Options{Iterations: iterations, Seed: seed, Threads: 1})
		if err != nil {
			t.Errorf("%s, instance %d: %s: %v", c.name, seed, a.Name, err)
			return nil
		}
		return o.Cost(v)
	}
	least := cost(limited, o, best, engine.Unlimited)
	if least == nil {
		t.Errorf("%s, instance %d: best makes no schedule", c.name, seed)
		return
	}
	for _, a := range c.Algorithms {
		if a.Search || a.Exhaustive || a.BoundOnly || !runs(fresh, a) {
			continue
		}
		if v := cost(t.Context(), fresh, a, 30); v != nil && v.Cmp(least) < 0 {
			t.Errorf("%s, instance %d: best costs %s, %s %s", c.name, seed, least.FloatString(6), a.Name, v.FloatString(6))
		}
	}
}

// TestBoundGrowsWithTime: a longer time limit never gives a worse bound, up to rounding.
func TestBoundGrowsWithTime(t *testing.T) {
	for _, c := range matrixCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				c.boundGrows(t, 2_000+seed)
			}
		})
	}
}

func (c matrixCase) boundGrows(t *testing.T, seed uint64) {
	var least *big.Rat
	for _, limit := range []time.Duration{time.Second, 3 * time.Second} {
		o := c.open(t, seed)
		if o == nil {
			return
		}
		a, _ := c.Algorithm(bestName)
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		v, err := o.Solve(ctx, a, solver.Options{Iterations: engine.Unlimited, Seed: 1, Threads: 1})
		cancel()
		if err != nil {
			t.Errorf("%s, instance %d, %s: %v", c.name, seed, limit, err)
			return
		}
		best := engine.Strongest(v)
		if best == nil {
			t.Errorf("%s, instance %d, %s: no bound", c.name, seed, limit)
			return
		}
		value := best.Certified.Value
		if least == nil {
			least = new(big.Rat).Mul(value, big.NewRat(999_999, 1_000_000))
		} else if value.Cmp(least) < 0 {
			t.Errorf("%s, instance %d: the bound is %s after %s, and was %s after a second", c.name, seed,
				value.FloatString(6), limit, least.FloatString(6))
		}
	}
}
