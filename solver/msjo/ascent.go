package msjo

import (
	"context"
	"math"
	"time"

	"mrsched/solver"
)

// Settings of the search for two-sided prices.
const (
	// twoSidedSteps is the largest number of steps, twoSidedLeast the smallest. Between them, twoSidedWork bounds steps
	// times tasks.
	twoSidedSteps, twoSidedLeast = 2000, 30
	twoSidedWork                 = 6_000_000
	// twoSidedMix is the share of the newest gains in the direction.
	twoSidedMix = 0.1
	// The steps are divided into twoSidedEpochs epochs. Each starts from the best point so far. The step size is
	// twoSidedRate in the first, relative to the largest gain, and halves in each epoch.
	twoSidedRate   = 2.0
	twoSidedEpochs = 8
	// epochLeast is the number of steps before which time does not end an epoch: values fall at first.
	epochLeast = 50
	// leastShare is the share of a weight that is spread over all its prices at the start.
	leastShare = 0.003
)

// ascent holds the operations of mirror ascent at a point.
type ascent struct {
	evaluate     func() float64
	turn         func(mix float64) // mixes the gains into the direction
	climb        func(rate float64)
	keep, revert func() // save and restore the best point
}

// ascend climbs until the steps are used up or ctx ends. Its best point is the last one kept. The bound has so many
// kinks that hardly any small step raises it at once, so values fall on the way. If time does not suffice for all
// steps, the epochs share it.
func ascend(ctx context.Context, opt solver.Options, size int, a ascent) {
	steps := min(max(twoSidedWork/max(1, size), twoSidedLeast), twoSidedSteps)
	best, rate, mix := math.Inf(-1), twoSidedRate, 1.0
	until, limited := ctx.Deadline()
	begin, epoch, turned := time.Now(), 0, 0
	for it := 1; it <= steps && (ctx.Err() == nil || it == 1); it++ {
		value := a.evaluate()
		a.turn(mix)
		mix = twoSidedMix
		if value > best {
			best = value
			a.keep()
			opt.Watch.Bound(best*(1-floatError), methodTwoSided)
		}
		now := it * twoSidedEpochs / steps
		if limited && it-turned >= epochLeast {
			now = max(now, int(twoSidedEpochs*float64(time.Since(begin))/float64(until.Sub(begin))))
		}
		if now > epoch {
			epoch, turned = epoch+1, it
			a.revert()
			rate, mix = rate/2, 1
		} else {
			a.climb(rate)
		}
		opt.Report(it, steps)
	}
}

// highest looks for the maximum of a concave function on [0, 1]. Its last evaluation is at the maximum.
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
