package cli

import (
	"context"
	"errors"
	"math/big"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// bestName is the name of the search that every problem has.
const bestName = "best"

// TestBestIsBest: for every problem and objective, best costs no more than any algorithm that constructs a schedule,
// both with few iterations and under a time limit.
func TestBestIsBest(t *testing.T) {
	t.Run("iterations", func(t *testing.T) {
		for _, c := range bestCases() {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				refused := 0
				for seed := range uint64(bestEach) {
					if !c.bestIsBest(t, seed, 0) {
						refused++
					}
				}
				if refused*5 > bestEach {
					t.Errorf("%d of %d instances are refused", refused, bestEach)
				}
			})
		}
	})
	t.Run("limit", func(t *testing.T) {
		for _, c := range bestCases() {
			t.Run(c.name, func(t *testing.T) {
				var side errgroup.Group // one instance per core: with a fraction of a core, the first schedules may be cut short
				side.SetLimit(runtime.GOMAXPROCS(0))
				for seed := range uint64(bestLimitedEach) {
					side.Go(func() error {
						c.bestIsBest(t, 1_000_000+seed, time.Second)
						return nil
					})
				}
				_ = side.Wait()
			})
		}
	})
}

// bestIsBest reports whether the problem accepts the instance.
func (c bestCase) bestIsBest(t *testing.T, seed uint64, limit time.Duration) bool {
	o := c.open(t, seed, 1)
	if o == nil {
		return false
	}
	best, ok := o.Problem.Algorithm(bestName)
	if !ok {
		t.Errorf("%s has no algorithm %s", c.problem, bestName)
		return true
	}
	opt := solver.Options{Iterations: 1 + int(seed%30), Seed: seed, Threads: 1}
	least := price(o, t, best, opt, limit)
	if least == nil {
		t.Errorf("%s, instance %d: best makes no schedule", c.name, seed)
		return true
	}
	fresh, cheapest, of := c.open(t, seed, 1), least, bestName
	for _, a := range o.Problem.Algorithms {
		if a.Name == bestName || a.Search || a.Exhaustive || a.BoundOnly || !runs(fresh, a) {
			continue
		}
		if cost := price(fresh, t, a, opt, 0); cost != nil && cost.Cmp(cheapest) < 0 {
			cheapest, of = cost, a.Name
		}
	}
	if of != bestName {
		t.Errorf("%s, instance %d, %v: best costs %s, %s %s", c.name, seed, o.Params, least.FloatString(6), of,
			cheapest.FloatString(6))
	}
	return true
}

// runs reports whether -a all includes an algorithm.
func runs(o *engine.Opened, a solver.Algorithm) bool {
	small := a.SizeLimit == 0 || o.Run.View().TaskCount() <= a.SizeLimit
	return small && o.Run.Excludes(a.Name) == solver.Exclusion{}
}

// price is the verified cost of an algorithm's result; nil: the instance lacks data that it needs.
func price(o *engine.Opened, t *testing.T, a solver.Algorithm, opt solver.Options, limit time.Duration) *big.Rat {
	ctx := t.Context()
	if limit > 0 {
		opt.Iterations = engine.Unlimited
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	v, err := o.Solve(ctx, a, opt)
	var input *model.InputError
	switch {
	case errors.As(err, &input):
		return nil
	case err != nil:
		t.Errorf("%s: %v", a.Name, err)
		return nil
	}
	return o.Cost(v)
}
