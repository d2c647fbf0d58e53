//go:build campaign

package cli

import (
	"context"
	"math/big"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/solver"
)

const (
	// growEach is the number of instances per problem, growScale their size relative to others.
	growEach, growScale = 10, 10
)

// TestBoundGrowsWithTime: a longer time limit never gives a worse bound, up to rounding.
func TestBoundGrowsWithTime(t *testing.T) {
	for _, c := range bestCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(growEach) {
				c.boundGrows(t, 4_000_000+seed)
			}
		})
	}
}

func (c bestCase) boundGrows(t *testing.T, seed uint64) {
	var least *big.Rat
	for _, limit := range []time.Duration{time.Second, 3 * time.Second, 10 * time.Second} {
		o := c.open(t, seed, growScale)
		if o == nil {
			return
		}
		a, _ := o.Problem.Algorithm(bestName)
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
		t.Logf("%s, instance %d, %s: %s, %s", c.name, seed, limit, v.Status, value.FloatString(6))
		if least == nil {
			least = new(big.Rat).Mul(value, big.NewRat(999_999, 1_000_000))
		} else if value.Cmp(least) < 0 {
			t.Errorf("%s, instance %d: the bound is %s after %s, and was %s after a second", c.name, seed,
				value.FloatString(6), limit, least.FloatString(6))
		}
	}
}
