package msjo

import (
	"math"
	"math/bits"

	"mrsched/model"
	"mrsched/model/shop"
)

// Settings of bounds by prices of machine time.
const (
	// priceCells is the number of cells of λ in the time-indexed bound.
	priceCells = 400
	// volumeScale is the scale of the first step.
	volumeScale = 0.3
	// spareBits are reserved for the growth of λ beyond its start.
	spareBits = 4
)

// priceShift is the finest unit in which prices up to top, and all their sums, are integers of 61 bits.
func priceShift(in *shop.Instance, cell model.Time, cells int, top float64) int {
	need := bits.Len64(uint64(cell) * uint64(cells)) // Λ
	last := uint64(cell) * uint64(cells)
	room := 61
	for j := range in.Jobs {
		var work, lag model.Time
		for _, u := range in.JobSteps(j) {
			work += in.Least[u]
			lag = max(lag, in.Tail[u]+in.Least[u])
		}
		need = max(need, bits.Len64(uint64(work)))
		at := max(uint64(in.Alone[j]), last+uint64(lag))
		room = min(room, 61-bits.Len64(at)-bits.Len64(uint64(in.Weight[j])))
	}
	_, e := math.Frexp(top)
	return min(61-need-e-spareBits, room)
}

// startPrices derives λ from the LP: while the fluid schedule works on a task of price π per second, λ falls at the
// rate π.
func (c *collapsed) startPrices(r *relaxation, cell model.Time, cells int) []float64 {
	sep := separator{group: c.all()[0], c: c}
	price, minus := r.price, make([]float64, len(c.task))
	for k, u := range c.task {
		minus[k] = -price[u]
	}
	sep.sort(minus)
	lambda := make([]float64, cells)
	width := cell.Seconds()
	var a, current float64
	next := 0
	rate := make([]float64, cells)
	for k := range rate {
		for next < len(sep.order) && a <= (float64(k)+0.5)*width*c.m {
			current = -sep.order[next].x
			a += c.p[sep.order[next].k]
			next++
		}
		if a <= (float64(k)+0.5)*width*c.m {
			current = 0
		}
		rate[k] = current
	}
	var sum float64
	for k := cells - 1; k >= 0; k-- {
		lambda[k] = sum + rate[k]*width/2
		sum += rate[k] * width
	}
	return lambda
}
