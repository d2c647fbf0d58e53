package realtime

import (
	"slices"

	"mrsched/model"
)

// lofNeighbours is l, the number of neighbours of a Local Outlier Factor.
const lofNeighbours = 10

// lofFloor is the least reachability distance, a microsecond, so that densities are finite.
const lofFloor = 1

// lofGroup is a run of equal laxities and what all of them have in common.
type lofGroup struct {
	at        model.Time
	count     int
	low, high int     // groups low … high−1 hold its neighbours
	distance  uint64  // to the l-th neighbour
	density   float64 // local reachability density, per microsecond
}

// lof is the Local Outlier Factor of each of some laxities: about 1 among others as dense as its neighbours, larger
// for one that is farther from them than they are from each other.
//
// The neighbours of a point are all others up to the distance of its l-th nearest, so more than l where several are
// that far away. Of n ≤ l points l is n − 1; one point alone has 1. Reachability distances are at least 1 µs, so that
// points that are all alike have 1 and one beside them a finite value. O(n log n + n l).
//
// Source: Breunig, Kriegel, Ng, Sander, SIGMOD 2000; DynamicShare, equations 3–5, where 4 is upside down.
func lof(laxities []model.Time, l int) []float64 {
	out := make([]float64, len(laxities))
	if l = min(l, len(laxities)-1); l < 1 {
		for i := range out {
			out[i] = 1
		}
		return out
	}
	groups := lofGroups(laxities)
	for i := range groups {
		reach(groups, i, l)
	}
	for i := range groups {
		g := &groups[i]
		sum, n := 0.0, 0
		for k := g.low; k < g.high; k++ {
			b, others := &groups[k], groups[k].count
			if k == i {
				others--
			}
			sum += float64(float64(others) * float64(max(b.distance, gap(g, b), lofFloor)))
			n += others
		}
		g.density = float64(n) / sum
	}
	factor := make([]float64, len(groups))
	for i := range groups {
		g := &groups[i]
		sum, n := 0.0, 0
		for k := g.low; k < g.high; k++ {
			others := groups[k].count
			if k == i {
				others--
			}
			sum += float64(float64(others) * groups[k].density)
			n += others
		}
		factor[i] = sum / (float64(n) * g.density)
	}
	for i, v := range laxities {
		k, _ := slices.BinarySearchFunc(groups, v, func(g lofGroup, v model.Time) int {
			if g.at < v {
				return -1
			} else if g.at > v {
				return 1
			}
			return 0
		})
		out[i] = factor[k]
	}
	return out
}

// lofGroups sorts laxities and joins those that are equal.
func lofGroups(laxities []model.Time) (groups []lofGroup) {
	sorted := slices.Clone(laxities)
	slices.Sort(sorted)
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			groups = append(groups, lofGroup{at: v})
		}
		groups[len(groups)-1].count++
	}
	return groups
}

// gap is the distance of two groups, in microseconds; it fits even where signed numbers do not hold it.
func gap(a, b *lofGroup) uint64 { return uint64(max(a.at, b.at)) - uint64(min(a.at, b.at)) }

// reach finds the neighbours of a group's points: whole groups, the nearer one first, both if they are as near.
func reach(groups []lofGroup, i, l int) {
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

// overloaded lists the laxities, one of each worker's, whose Local Outlier Factor exceeds a threshold and that lie
// below the median, of an even number the mean of the middle two. Threshold 0: none.
func overloaded(laxities []model.Time, threshold float64) (list []int32) {
	if threshold <= 0 || len(laxities) == 0 {
		return nil
	}
	sorted := slices.Clone(laxities)
	slices.Sort(sorted)
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	for i, f := range lof(laxities, lofNeighbours) {
		v := laxities[i]
		below := v < low || v == low && low < high
		if f > threshold && below {
			list = append(list, int32(i))
		}
	}
	return list
}
