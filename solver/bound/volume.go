package bound

import (
	"context"
	"math"

	"mrsched/solver"
)

// Settings of the volume algorithm.
const (
	// volumeMix is the share of the newest subgradient in the direction.
	volumeMix = 0.1
	// A rise of the bound scales the step by volumeRaise, volumePatience iterations without a rise by volumeCut.
	volumeRaise    = 1.05
	volumeCut      = 0.7
	volumePatience = 8
	// volumeLeast is the scale of the step below which the search ends, volumeMost the largest scale.
	volumeLeast, volumeMost = 1e-4, 2
)

// Volume maximises a bound over prices ≥ 0 by the volume algorithm: subgradient steps from the best prices found, along
// a moving average of the subgradients.
//
// Source: Barahona and Anbil, Math. Prog. 2000.
type Volume struct {
	Prices, Best []float64
	// Supply scales the steps of prices: what is on offer at each price; 0: the price stays. Nil: 1 everywhere.
	Supply []float64
	// Top is the largest price; 0: there is none.
	Top float64
	// Scale is that of the first step.
	Scale float64
	// Evaluate is the bound at Prices, and what is used of each supply less the supply. An error ends the search.
	Evaluate func(excess []float64) (float64, error)
	// Aim is a value that the bound may reach.
	Aim func(best float64) float64
	// Average, if set, adds the last evaluation to moving averages.
	Average func(share float64)
	// Better, if set, is told each better value.
	Better func(value float64)
}

// Run makes at most the given number of iterations and leaves the best prices in Best.
// Errors: that of the first evaluation.
func (v *Volume) Run(ctx context.Context, iterations int, opt solver.Options) error {
	excess, mean := make([]float64, len(v.Prices)), make([]float64, len(v.Prices))
	best, err := v.Evaluate(mean)
	if err != nil {
		return err
	}
	copy(v.Best, v.Prices)
	v.average(1)
	scale, stall := v.Scale, 0
	for it := 1; it <= iterations && scale > volumeLeast && ctx.Err() == nil; it++ {
		norm, aim := v.norm(mean), v.Aim(best)
		if norm < 1e-12 || aim <= best {
			break
		}
		v.step(mean, scale*(aim-best)/norm)
		value, err := v.Evaluate(excess)
		if err != nil {
			break // prices outgrew their unit; the best ones remain
		}
		for i, x := range excess {
			mean[i] = volumeMix*x + (1-volumeMix)*mean[i]
		}
		v.average(volumeMix)
		if value > best {
			best = value
			copy(v.Best, v.Prices)
			if scale, stall = min(scale*volumeRaise, volumeMost), 0; v.Better != nil {
				v.Better(best)
			}
		} else if stall++; stall >= volumePatience {
			scale, stall = scale*volumeCut, 0
		}
		opt.Report(it, iterations)
	}
	return nil
}

func (v *Volume) average(share float64) {
	if v.Average != nil {
		v.Average(share)
	}
}

func (v *Volume) supply(i int) float64 {
	if v.Supply == nil {
		return 1
	}
	return v.Supply[i]
}

// norm is the squared length of a direction, over the prices that can move along it.
func (v *Volume) norm(direction []float64) (sum float64) {
	for i, g := range direction {
		if s := v.supply(i); s > 0 && (g > 0 || v.Best[i] > 0) {
			sum += g * g / s
		}
	}
	return sum
}

// step moves the prices from the best ones.
func (v *Volume) step(direction []float64, by float64) {
	top := v.Top
	if top == 0 {
		top = math.Inf(1)
	}
	for i, g := range direction {
		if s := v.supply(i); s > 0 {
			v.Prices[i] = min(max(0, v.Best[i]+by*g/s), top)
		}
	}
}
