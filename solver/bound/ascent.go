package bound

import (
	"context"
	"math"
	"time"

	"mrsched/solver"
)

// Settings of mirror ascent.
const (
	// ascentSteps is the largest number of steps, ascentLeast the smallest.
	ascentSteps, ascentLeast = 2000, 30
	// ascentMix is the share of the newest gains in the direction.
	ascentMix = 0.1
	// The steps are divided into ascentEpochs epochs. Each starts from the best point so far. The step size is
	// ascentRate in the first, relative to the largest gain, and halves in each epoch.
	ascentRate   = 2.0
	ascentEpochs = 8
	// ascentGain is the relative gain of an epoch below which the ascent ends, after the first ascentTry: from a good
	// start, large steps gain nothing.
	ascentGain = 1e-7
	ascentTry  = 4
	// epochLeast is the number of steps before which time does not end an epoch: values fall at first.
	epochLeast = 50
)

// Ascent holds the operations of mirror ascent at a point. Work bounds its steps, between the largest and the smallest
// number.
type Ascent struct {
	Work         int
	Evaluate     func() float64
	Turn         func(mix float64) // mixes the gains into the direction
	Climb        func(rate float64)
	Keep, Revert func()              // save and restore the best point
	Better       func(value float64) // is told each better value; nil: nobody is
}

// Run climbs until the steps are used up, an epoch gains little or ctx ends. The best point is the last one kept. The
// bound has so many kinks that hardly any small step raises it at once, so values fall on the way. If time does not
// suffice for all steps, the epochs share it.
//
// Source: Beck and Teboulle, OR Letters 2003.
func (a *Ascent) Run(ctx context.Context, opt solver.Options) {
	steps := min(max(a.Work, ascentLeast), ascentSteps)
	best, last, rate, mix := math.Inf(-1), math.Inf(-1), ascentRate, 1.0
	until, limited := ctx.Deadline()
	begin, epoch, turned := time.Now(), 0, 0
	for it := 1; it <= steps && (ctx.Err() == nil || it == 1); it++ {
		value := a.Evaluate()
		a.Turn(mix)
		mix = ascentMix
		if value > best {
			best = value
			if a.Keep(); a.Better != nil {
				a.Better(best)
			}
		}
		now := it * ascentEpochs / steps
		if limited && it-turned >= epochLeast {
			now = max(now, int(ascentEpochs*float64(time.Since(begin))/float64(until.Sub(begin))))
		}
		if now > epoch {
			epoch, turned = epoch+1, it
			a.Revert()
			rate, mix = rate/2, 1
			if epoch > ascentTry && best-last < ascentGain*math.Abs(best) {
				break
			}
			last = best
		} else {
			a.Climb(rate)
		}
		opt.Report(it, steps)
	}
}

// Highest looks for the maximum of a concave function on [0, 1]. Its last evaluation is at the maximum.
func Highest(at func(x float64) float64) float64 {
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
	return at(where)
}
