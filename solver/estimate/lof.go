package estimate

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// leastReach is the least reachability distance, a microsecond, so that densities are finite.
const leastReach = 1

// equalPoints are equal values and what all of them have in common.
type equalPoints struct {
	at        model.Time
	count     int
	low, high int     // groups low … high−1 hold the neighbours
	distance  uint64  // to the l-th neighbour
	density   float64 // local reachability density, per microsecond
}

// OutlierFactors are the Local Outlier Factors of values: about 1 for one among others as dense as its neighbours,
// larger for one that is farther from them than they are from each other.
//
// The neighbours of a value are all others up to the distance of its l-th nearest, so more than l if several are that
// far away. Of n ≤ l values l is n − 1; one value alone has 1. Reachability distances are at least 1 µs, so that equal
// values have factor 1, and a value next to them has a finite factor. O(n log n + n l).
//
// Source: Breunig, Kriegel, Ng, Sander, SIGMOD 2000; DynamicShare, equations 4 and 5. Its local reachability density,
// in equation 4, is the inverse of the mean reachability distance, as here.
func OutlierFactors(values []model.Time, l int) []float64 {
	out := make([]float64, len(values))
	if l = min(l, len(values)-1); l < 1 {
		for i := range out {
			out[i] = 1
		}
		return out
	}
	groups := groupEqual(values)
	for i := range groups {
		findNeighbours(groups, i, l)
	}
	for i := range groups {
		g := &groups[i]
		sum, n := overNeighbours(groups, i, func(b *equalPoints) float64 {
			return float64(max(b.distance, gap(g, b), leastReach))
		})
		g.density = n / sum
	}
	factor := make([]float64, len(groups))
	for i := range groups {
		sum, n := overNeighbours(groups, i, func(b *equalPoints) float64 { return b.density })
		factor[i] = sum / (n * groups[i].density)
	}
	for i, v := range values {
		k, _ := slices.BinarySearchFunc(groups, v, func(g equalPoints, v model.Time) int { return cmp.Compare(g.at, v) })
		out[i] = factor[k]
	}
	return out
}

// overNeighbours sums a function over the neighbours of a value of a group, and counts them.
func overNeighbours(groups []equalPoints, i int, of func(b *equalPoints) float64) (sum, n float64) {
	for k := groups[i].low; k < groups[i].high; k++ {
		others := groups[k].count
		if k == i {
			others--
		}
		sum += float64(float64(others) * of(&groups[k]))
		n += float64(others)
	}
	return sum, n
}

// groupEqual sorts values and joins those that are equal.
func groupEqual(values []model.Time) (groups []equalPoints) {
	for i, v := range slices.Sorted(slices.Values(values)) {
		if i == 0 || v != groups[len(groups)-1].at {
			groups = append(groups, equalPoints{at: v})
		}
		groups[len(groups)-1].count++
	}
	return groups
}

// gap is the distance of two groups, in microseconds; it is right even where signed numbers overflow.
func gap(a, b *equalPoints) uint64 { return uint64(max(a.at, b.at)) - uint64(min(a.at, b.at)) }

// findNeighbours finds the neighbours of a group's values: whole groups, the nearer one first, both if they are as
// near.
func findNeighbours(groups []equalPoints, i, l int) {
	g := &groups[i]
	g.low, g.high = i, i+1
	for n := g.count - 1; n < l; {
		left, right := g.low > 0, g.high < len(groups)
		if left && right {
			a, b := gap(g, &groups[g.low-1]), gap(g, &groups[g.high])
			left, right = a <= b, b <= a
		}
		if left {
			g.low--
			n, g.distance = n+groups[g.low].count, gap(g, &groups[g.low])
		}
		if right {
			n, g.distance = n+groups[g.high].count, gap(g, &groups[g.high])
			g.high++
		}
	}
}
