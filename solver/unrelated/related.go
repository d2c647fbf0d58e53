package unrelated

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"mrsched/model"
)

// bySpeed lists the classes, the fastest first.
func (in *Instance) bySpeed() []int32 {
	return model.Ordered(len(in.speed), func(a, b int32) int { return cmp.Compare(in.speed[b], in.speed[a]) })
}

// relatedBound raises a bound to T* of related machines, in closed form. A task of size b may run on the machines with
// v ≥ b/T, so these sets of machines are nested, and the program for T has a solution if and only if
//
//	Σ { b_i : p_i > T on the (k+1)-th class } ≤ T·V_k   for all k, where V_k is the speed of the k fastest classes,
//
// because the largest tasks can fill the fastest machines first. The prices for the k with the largest T are the speeds
// of these classes, and 0 for the others.
//
// Complexity: O(tasks · (log tasks + classes)). After the context ends there is one try.
func (in *Instance) relatedBound(ctx context.Context, b *Bound) {
	order := in.bySpeed()
	best, most := in.tightest(order, float64(b.Value))
	if best < 0 {
		return
	}
	top := in.speed[order[0]]
	whole := make([]int64, len(order))
	room := 0.0
	for _, c := range order[:best+1] {
		whole[c] = int64(math.Round(in.speed[c] / top * MaxPrice))
		room += float64(whole[c]) * float64(len(in.members[c]))
	}
	// Times are rounded to microseconds, so that the prices prove a little more or less than most; above most, other
	// tasks count.
	low := model.Time(math.Min(math.Ceil(in.need(whole, model.Time(most))/room), math.Ceil(most)+float64(in.n)))
	in.confirm(ctx, b, whole, in.roundUp(low))
}

// tightest finds how many of the fastest classes, best+1, demand the largest T, and that T; −1 if none demands more
// than a known bound.
func (in *Instance) tightest(order []int32, known float64) (best int, most float64) {
	fastest := int(order[0])
	size := make([]float64, in.n)
	for i := range size {
		size[i] = float64(in.time(i, fastest)) * in.speed[fastest]
	}
	slices.SortFunc(size, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := make([]float64, in.n+1)
	for i, b := range size {
		sum[i+1] = sum[i] + b
	}
	best, most = -1, known
	total := 0.0
	for k, c := range order {
		total += in.speed[c] * float64(len(in.members[c]))
		large := func(float64) float64 { return sum[in.n] }
		if k+1 < len(order) {
			if in.divisible {
				continue
			}
			next := in.speed[order[k+1]]
			large = func(t float64) float64 { return sum[sort.Search(in.n, func(i int) bool { return size[i] <= t*next })] }
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
	return best, most
}

// relatedShares is the vertex for related machines: the largest tasks fill the fastest machines up to a limit.
func (in *Instance) relatedShares(limit model.Time) (list []share) {
	order := in.bySpeed()
	k := 0
	left := float64(limit) * float64(len(in.members[order[0]]))
	for _, i := range in.sorted() {
		rest := 1.0
		for rest > shareTolerance {
			t := float64(in.time(int(i), int(order[k])))
			part := rest
			if t*rest > left && k+1 < len(order) {
				part = left / t
			}
			if part > shareTolerance {
				list = append(list, share{i, order[k], part})
			}
			rest -= part
			if left -= part * t; rest > shareTolerance {
				k++
				left = float64(limit) * float64(len(in.members[order[k]]))
			}
		}
	}
	sortShares(list)
	return list
}
