package msjo

import (
	"context"
	"math"

	"mrsched/solver"
)

// Settings of the search for two-sided prices.
const (
	// twoSidedSteps is the most steps, twoSidedLeast the fewest, and twoSidedWork bounds steps times tasks between them.
	twoSidedSteps, twoSidedLeast = 2000, 30
	twoSidedWork                 = 3_000_000
	// twoSidedMix is the share of the newest gains in the direction.
	twoSidedMix = 0.3
	// The step is twoSidedRate at first, relative to a job's largest gain. It is scaled by twoSidedRaise after a rise of
	// the bound, up to twoSidedMost, and by twoSidedCut after twoSidedPatience steps without.
	twoSidedRate     = 0.03
	twoSidedMost     = 2
	twoSidedRaise    = 1.05
	twoSidedCut      = 0.85
	twoSidedPatience = 5
	// twoSidedEnd is the step at which the search ends.
	twoSidedEnd = 1e-5
	// leastShare is the share of a weight that is spread over all its prices at the start.
	leastShare = 0.003
)

// ascent is what mirror ascent does at a point.
type ascent struct {
	evaluate     func() float64
	turn         func(mix float64) // mixes the gains into the direction
	climb        func(rate float64)
	keep, revert func() // of the best point
}

// ascend climbs until the steps are used up, the step is tiny or ctx ends. Its best point is the last one kept.
func ascend(ctx context.Context, opt solver.Options, size int, a ascent) {
	steps := min(max(twoSidedWork/max(1, size), twoSidedLeast), twoSidedSteps)
	best, rate, stall, mix := math.Inf(-1), twoSidedRate, 0, 1.0
	for it := 1; it <= steps && rate > twoSidedEnd && (ctx.Err() == nil || it == 1); it++ {
		value := a.evaluate()
		a.turn(mix)
		mix = twoSidedMix
		if value > best {
			best = value
			a.keep()
			rate, stall = min(rate*twoSidedRaise, twoSidedMost), 0
			opt.Watch.Bound(best*(1-floatError), methodTwoSided)
		} else if stall++; stall >= twoSidedPatience {
			a.revert()
			rate, stall = rate*twoSidedCut, 0
		}
		a.climb(rate)
		opt.Report(it, steps)
	}
}

// highest looks for the largest value of a concave function from 0 to 1, and evaluates it there last.
func highest(at func(x float64) float64) {
	best, where := at(1), 1.0
	if v := at(0); v > best {
		best, where = v, 0
	}
	for step := 0.5; step > 1.0/64; step /= 2 {
		for _, x := range []float64{where - step, where + step} {
			if x < 0 || x > 1 {
				continue
			}
			if v := at(x); v > best {
				best, where = v, x
				break
			}
		}
	}
	at(where)
}
