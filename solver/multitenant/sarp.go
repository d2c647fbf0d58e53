package multitenant

import (
	"cmp"
	"math"
	"slices"
)

// sarp is Shuffle-Aware Reduce Placement: how many reduces of a job are wanted in each rack, in proportion to its maps'
// output there. It counts when the job's reduces become eligible, and again when the maps end if that was earlier.
// Until a share of the maps has ended, the counts are SAMP's forecast. It is nil if no map has any output.
func (s *simulation) sarp(j *job) []int32 {
	if !s.c.sarp {
		return nil
	}
	switch {
	case j.sw.counts != nil:
	case j.sw.forecast != nil && float64(j.mapsEnded) < s.c.mapsDone*float64(j.maps):
		s.facts.sarps++
		j.sw.counts = j.sw.forecast
	case j.output > 0:
		s.facts.sarps++
		share := make([]float64, s.in.Racks)
		for rack, bytes := range j.produced {
			share[rack] = float64(bytes)
		}
		j.sw.counts = apportion(j.reduces, share)
	}
	return j.sw.counts
}

// apportion divides a number in proportion to shares, by largest remainder; ties: the lower rack. Without shares all
// are 0.
func apportion(n int32, share []float64) []int32 {
	count, sum := make([]int32, len(share)), 0.0
	for _, f := range share {
		sum += f
	}
	if sum == 0 {
		return count
	}
	rest, order := make([]float64, len(share)), make([]int, len(share))
	left := n
	for k, f := range share {
		quota := float64(n) * (f / sum)
		count[k] = min(left, int32(math.Floor(quota)))
		left -= count[k]
		rest[k], order[k] = quota-float64(count[k]), k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for k := 0; left > 0; k = (k + 1) % len(order) {
		count[order[k]]++
		left--
	}
	return count
}
