package hta

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

// maxPriceRounds is how many minimum cuts one price vector may take; four are usual.
const maxPriceRounds = 30

// proveRacks finds server prices (model/hta/prices.go), beginning at a known bound, and returns their bound and
// certificate, if they prove something, and the prices for assignments of all tasks.
//
// Method: for a load T the largest Σ_t v_t(y) − T·Σ_s y_s over prices y from a finite set of levels is a minimum cut
// (rack_cut.go); it is positive exactly if such prices show that no assignment has a makespan up to T. T begins at
// the bound known so far and rises to what the prices just found prove, as in Newton's method, until no prices prove
// more. For assignments without remote tasks a price may also be 0; for those with local ones only, the servers that
// the balanced semi-matching loads most prove the optimum.
//
// Source: T* of R‖Cmax, Lenstra, Shmoys, Tardos 1990; Dinkelbach 1967 for the rise of T.   Differs: no LP is solved.
func (r *run) proveRacks(ctx context.Context, known model.Time) (model.Time, *solver.Bound, []int64, error) {
	in := r.in
	if !in.Cost.Rack.Known || in.Cost.Local == 0 || in.PriceLimit() == 0 {
		return 0, nil, nil, nil
	}
	prices := [][]int64{r.bestPrices(ctx, hta.Remote, known)}
	if in.PriceBound(prices) < in.Cost.Remote.At(0) { // else some assignment without remote tasks may be better
		prices = append(prices, r.bestPrices(ctx, hta.RackLocal, in.Cost.Rack.Value), r.fullest(ctx))
	}
	c := &hta.Certificate{Claim: model.Claim{Method: "server-prices", Kind: hta.KindServerPrices}, Prices: prices}
	if err := in.Sign(c); err != nil {
		return 0, nil, nil, err
	}
	return in.PriceBound(prices), &solver.Bound{Method: c.Method, Certificate: c}, prices[0], nil
}

// fullest prices the servers that no assignment of local tasks relieves at 1, the others at 0.
func (r *run) fullest(ctx context.Context) []int64 {
	x := r.balance(ctx)
	top := slices.Max(x.Load)
	y := make([]int64, r.in.Servers)
	for s, level := range x.Level {
		if level == top {
			y[s] = 1
		}
	}
	return y
}

// bestPrices maximises the bound on assignments with classes up to the given one, beginning at a known bound.
func (r *run) bestPrices(ctx context.Context, class hta.Locality, known model.Time) []int64 {
	in := r.in
	best := r.startPrices(ctx, class, known)
	value := in.ClassBounds(best)[class]
	cut := r.newPriceCut(ctx, class, max(value, known))
	if cut == nil {
		return best
	}
	for load := max(value, known); ; {
		y := cut.solve(ctx, load)
		if y == nil {
			return best
		}
		v := in.ClassBounds(y)[class]
		if v > value {
			best, value = y, v
		}
		if cut.rounds++; v <= load || cut.rounds == maxPriceRounds {
			return best
		}
		load = v
	}
}

// startPrices are the best of one price for all and, for a few thresholds τ near the known bound, a rack's worth more
// for the servers of A(τ).
func (r *run) startPrices(ctx context.Context, class hta.Locality, known model.Time) []int64 {
	in := r.in
	level := r.balance(ctx).Level
	limit := in.PriceLimit()
	low, high := min(int64(in.Cost.Local), limit), min(int64(in.Cost.Rack.Value), limit)
	best := make([]int64, in.Servers)
	for s := range best {
		best[s] = 1
	}
	value := in.ClassBounds(best)[class]
	if low == high {
		return best
	}
	middle := int32(known / in.Cost.Local)
	for tau := max(0, middle-2); tau <= middle+2; tau++ {
		y := make([]int64, in.Servers)
		for s := range y {
			if y[s] = low; level[s] > tau {
				y[s] = high
			}
		}
		if v := in.ClassBounds(y)[class]; v > value {
			best, value = y, v
		}
	}
	return best
}

// priceLevels are the prices that the cut chooses from, rising. A vertex of the linear program's dual has prices whose
// ratios are products of ratios of costs: with p = c₂/c₁ and q = c₃/c₂, the powers of p, and q times these, between 1
// and p·q times the least price. Without remote tasks the least price is 0.
func (r *run) priceLevels(class hta.Locality, load model.Time) []int64 {
	in := r.in
	g := greatest(in.Cost.Local, in.Cost.Rack.Value, in.Cost.Remote.At(0))
	c1, c2, c3 := float64(in.Cost.Local/g), float64(in.Cost.Rack.Value/g), float64(in.Cost.Remote.At(0)/g)
	p, q := c2/c1, c3/c2
	top := p * q
	if class == hta.RackLocal {
		q, top = 1, p*p*p
	}
	// All capacities, Σ_b readers·Δv and T·Σ_s Δy, shall fit; exact ratios if they do.
	room := math.Exp2(58) / top / (float64(in.Servers)*4*(float64(load/g)+c3) + float64(in.Tasks)*c3)
	unit := min(c1*c1*c2*c2, math.Exp2(30), room, math.Floor(float64(in.PriceLimit())/(top+1)))
	if unit < 1 {
		return nil
	}
	var list []int64
	if class == hta.RackLocal {
		list = append(list, 0)
	}
	for i := -2; i <= 3; i++ {
		for _, f := range []float64{1, q} {
			if v := f * math.Pow(p, float64(i)); v >= 1-1e-12 && v <= top*(1+1e-12) {
				list = append(list, int64(math.Round(v*unit)))
			}
		}
	}
	list = append(list, int64(math.Round(top*unit)))
	slices.Sort(list)
	return slices.Compact(list)
}

// greatest is the greatest common divisor, 1 of zeros.
func greatest(list ...model.Time) model.Time {
	a := list[0]
	for _, b := range list[1:] {
		for b != 0 {
			a, b = b, a%b
		}
	}
	return max(a, 1)
}
