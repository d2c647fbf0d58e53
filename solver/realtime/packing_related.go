package realtime

import (
	"context"
	"math"
	"slices"
	"sort"

	"mrsched/model"
	"mrsched/model/realtime"
)

// bySpeed are the classes, the fastest first.
func (p *packing) bySpeed() []int {
	order := make([]int, len(p.Worker))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := p.in.Speed[p.Worker[a]], p.in.Speed[p.Worker[b]]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return order
}

// nested raises the bound to T* of slots that differ in speed only, in closed form. A partition of base b may lie on
// the slots with v ≥ b/T, so the sets of slots are nested, and a limit T is kept by some splitting of partitions if and
// only if
//
//	Σ { b_i : p_i > T on the (k+1)-th class } ≤ T·V_k   for all k, V_k being the speed of the k fastest classes,
//
// by filling slots from the fastest on with the partitions from the largest on. The prices of the k that demands most
// are the speeds of these classes, and 0.
//
// Complexity: O(partitions · (log partitions + classes)). After ctx ends there is one try.
func (p *packing) nested(ctx context.Context, f *fractional) {
	order := p.bySpeed()
	fastest := order[0]
	speed := func(c int) float64 { return p.in.Speed[p.Worker[c]] }
	base := make([]float64, p.n) // descending
	for i := range base {
		base[i] = float64(p.time(i, fastest)) * speed(fastest)
	}
	slices.SortFunc(base, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	sum := make([]float64, p.n+1)
	for i, b := range base {
		sum[i+1] = sum[i] + b
	}
	best, most, total := len(order), float64(f.bound), 0.0
	for k, c := range order {
		total += speed(c) * float64(p.count[c])
		large := func(float64) float64 { return sum[p.n] }
		if k+1 < len(order) {
			if p.in.Resplit.Known {
				continue
			}
			next := speed(order[k+1])
			large = func(t float64) float64 { return sum[sort.Search(p.n, func(i int) bool { return base[i] <= t*next })] }
		}
		if large(most) <= most*total {
			continue
		}
		low, high := most, large(most)/total
		for range 60 {
			if mid := (low + high) / 2; large(mid) > mid*total {
				low = mid
			} else {
				high = mid
			}
		}
		best, most = k, low
	}
	if best == len(order) {
		return
	}
	top := speed(fastest)
	proof := realtime.Proof{Slots: make([]int64, p.m)}
	for _, c := range order[:best+1] {
		for _, s := range p.of[c] {
			proof.Slots[s] = int64(math.Round(speed(c) / top * realtime.MaxPrice))
		}
	}
	// Times are rounded to microseconds, so that the prices prove a little more or less; beyond most, other partitions
	// count.
	whole := make([]int64, len(order))
	room := 0.0
	for _, c := range order[:best+1] {
		whole[c] = proof.Slots[p.of[c][0]]
		room += float64(whole[c]) * float64(p.count[c])
	}
	low := model.Time(math.Min(math.Ceil(p.need(whole, model.Time(most))/room), math.Ceil(most)+float64(p.n)))
	if !p.in.Resplit.Known { // loads of whole partitions are multiples of unit
		low = (low + p.unit - 1) / p.unit * p.unit
	}
	for step := model.Time(1); low > f.bound; step *= 2 {
		if p.in.Refute(p.set, low-1, &proof) == nil {
			f.bound, f.proof = low, proof
			return
		}
		if low -= step; ctx.Err() != nil {
			return
		}
	}
}

const (
	// weightRounds is how many vectors of prices multiplicative weights try for one limit, weightLimits how many limits,
	// weightTimes how many times they look at in all.
	weightRounds = 300
	weightLimits = 4
	weightTimes  = 400_000_000
)

// weights raises the bound by prices that multiplicative weights find (Arora, Hazan, Kale 2012), for the bound as the
// limit on times, then for the new bound, and so on.
func (p *packing) weights(ctx context.Context, f *fractional) {
	for range weightLimits {
		before := f.bound
		if p.raise(f, p.weighed(ctx, f.bound)); float64(f.bound) <= float64(before)*1.001 || ctx.Err() != nil {
			return
		}
	}
}

// weighed are prices of classes for a limit: they grow with the loads if every partition lies where price · time is
// least. Each vector proves something; the best is kept.
func (p *packing) weighed(ctx context.Context, limit model.Time) []float64 {
	classes := len(p.Worker)
	y := make([]float64, classes)
	for c := range y {
		y[c] = 1
	}
	load, best, value := make([]float64, classes), slices.Clone(y), 0.0
	for round := range min(weightRounds, 1+weightTimes/weightLimits/max(1, p.n*classes)) {
		if ctx.Err() != nil {
			break
		}
		if v := p.respond(y, limit, load) / p.priceSum(y); v > value {
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

// leastWeight is the least price that multiplicative weights give a class.
const leastWeight = 1e-9

// respond puts every partition where price · time is least. It gives the sum of these, and loads by class, a slot's
// share.
func (p *packing) respond(y []float64, limit model.Time, load []float64) (need float64) {
	clear(load)
	for i := range p.n {
		at, least := -1, math.Inf(1)
		for c := range y {
			if t := p.time(i, c); t <= limit || p.in.Resplit.Known {
				if v := y[c] * float64(t); v < least {
					at, least = c, v
				}
			}
		}
		load[at] += float64(p.time(i, at))
		need += least
	}
	for c := range load {
		load[c] /= float64(p.count[c])
	}
	return need
}

// priceSum is Y: the sum of the Most largest prices, given by class.
func (p *packing) priceSum(y []float64) float64 {
	list := make([]float64, 0, p.m)
	for _, c := range p.Class {
		list = append(list, y[c])
	}
	slices.Sort(list)
	sum := 0.0
	for _, v := range list[p.m-p.Most:] {
		sum += v
	}
	return sum
}
