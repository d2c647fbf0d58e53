package unrelated

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
)

const (
	// weightRounds is how many vectors of prices multiplicative weights try for one limit, weightLimits how many limits,
	// weightTimes how many times they look at in all.
	weightRounds = 300
	weightLimits = 4
	weightTimes  = 400_000_000
	// leastWeight is the least price of a class.
	leastWeight = 1e-9
)

// weightsBound raises a bound by prices that multiplicative weights find (Arora, Hazan, Kale 2012), first for the bound
// as the limit on times, then for the new bound, and so on.
func (in *Instance) weightsBound(ctx context.Context, b *Bound) {
	for range weightLimits {
		before := b.Value
		if in.raise(b, in.weights(ctx, b.Value)); float64(b.Value) <= float64(before)*1.001 || ctx.Err() != nil {
			return
		}
	}
}

// weights are prices of classes for a limit. All tasks go where price · time is least; the prices of classes that get
// much then grow. Each vector of prices proves something, and the best one is kept.
func (in *Instance) weights(ctx context.Context, limit model.Time) []float64 {
	classes := len(in.speed)
	y := make([]float64, classes)
	for c := range y {
		y[c] = 1
	}
	load, best, value := make([]float64, classes), slices.Clone(y), 0.0
	for round := range min(weightRounds, 1+weightTimes/weightLimits/max(1, in.n*classes)) {
		if ctx.Err() != nil {
			break
		}
		if v := in.respond(y, limit, load) / sumOfMost(in, y); v > value {
			value = v
			copy(best, y)
		}
		most := slices.Max(load)
		if most == 0 {
			break
		}
		step := 1 / math.Sqrt(float64(round+1))
		for c := range y {
			y[c] *= math.Exp(step * (load[c]/most - 1))
		}
		top := slices.Max(y)
		for c := range y {
			y[c] = math.Max(y[c]/top, leastWeight)
		}
	}
	return best
}

// respond puts every task where price · time is least. It returns the sum of these, and stores the load of one machine
// of each class.
func (in *Instance) respond(y []float64, limit model.Time, load []float64) (need float64) {
	clear(load)
	for i := range in.n {
		at, least := -1, math.Inf(1)
		for c := range y {
			if t := in.time(i, c); in.fits(t, limit) {
				if v := y[c] * float64(t); v < least {
					at, least = c, v
				}
			}
		}
		load[at] += float64(in.time(i, at))
		need += least
	}
	for c := range load {
		load[c] /= float64(len(in.members[c]))
	}
	return need
}
