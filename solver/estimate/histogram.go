package estimate

import "math/bits"

// bins is how many bins a histogram of n values has: ⌈log₂ n⌉ + 1. Source: Sturges, JASA 1926.
func bins(n int) int { return bits.Len(uint(max(0, n-1))) + 1 }

// fullestBin is the mean of the most populated bin of a histogram of finite values; −1 if there are none. Ties: the bin
// of the lowest values. Bins are equally wide from the least value to the largest; each contains its lower end, and the
// last its upper end, too. O(n).
//
// Source: DynamicShare, section on execution times, which does not say how many bins there are.
func fullestBin(values []float64) float64 {
	if len(values) == 0 {
		return -1
	}
	least, most := values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	if least == most {
		return least
	}
	n := bins(len(values))
	count, mean := make([]int, n), make([]float64, n)
	for _, v := range values {
		// Halves, because the difference of two finite numbers may overflow.
		k := min(n-1, int((v/2-least/2)/(most/2-least/2)*float64(n)))
		count[k]++
		mean[k] += (v - mean[k]) / float64(count[k])
	}
	best := 0
	for k := range count {
		if count[k] > count[best] {
			best = k
		}
	}
	return mean[best]
}
