package estimate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestLOFByHand: the values are 0, 1, 3, 10 µs and l = 2. The distances to the second neighbour are 3, 2, 3, 9, and the
// neighbours {1, 3}, {0, 3}, {1, 0}, {3, 1}.
//
// Mean reachability distances: of 0 (max(2,1) + max(3,3))/2 = 5/2; of 1 (max(3,1) + max(3,2))/2 = 3; of 3
// (max(2,2) + max(3,3))/2 = 5/2; of 10 (max(3,7) + max(2,9))/2 = 8. Densities: 2/5, 1/3, 2/5, 1/8.
// Factors: of 0 (1/3 + 2/5)/2 : 2/5 = 11/12; of 1 (2/5 + 2/5)/2 : 1/3 = 6/5; of 3 as of 0; of 10
// (2/5 + 1/3)/2 : 1/8 = 44/15.
func TestLOFByHand(t *testing.T) {
	for i, f := range OutlierFactors([]model.Time{3, 10, 0, 1}, 2) {
		closeTo(t, "the factor", f, []float64{11.0 / 12, 44.0 / 15, 11.0 / 12, 6.0 / 5}[i])
	}
	// With l = 1 both 0 and 4 are neighbours of 2: means of reachability distances are 2 everywhere, all factors 1.
	for _, f := range OutlierFactors([]model.Time{0, 2, 4}, 1) {
		closeTo(t, "the factor", f, 1)
	}
}

// TestLOFDegenerate: no point, one point, two, fewer than l, duplicates, a single outlier.
func TestLOFDegenerate(t *testing.T) {
	if got := OutlierFactors(nil, 10); len(got) != 0 {
		t.Errorf("of nothing %v", got)
	}
	for _, c := range [][]model.Time{{5}, {5, 900}, {5, 5}, {-3, -3, -3}, {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
		{math.MinInt64, math.MaxInt64}} {
		for _, f := range OutlierFactors(c, 10) {
			closeTo(t, "the factor", f, 1)
		}
	}
	// Eleven equal values have distance 1 µs to each other; the twelfth, a second away, is 10⁶ times less dense.
	list := append(slices.Repeat([]model.Time{7}, 11), 7+model.Second)
	f := OutlierFactors(list, 10)
	closeTo(t, "the factor of one alike", f[0], 1)
	closeTo(t, "the factor of the outlier", f[11], 1e6)
	// With ten equal values the tenth neighbour of each is the outlier, so all are equally dense.
	for _, f := range OutlierFactors(list[1:], 10) {
		closeTo(t, "the factor", f, 1)
	}
}

// slowLOF follows the definitions of Breunig et al. literally.
func slowLOF(x []model.Time, l int) []float64 {
	n := len(x)
	l = min(l, n-1)
	d := func(a, b int) float64 { return math.Abs(float64(x[a] - x[b])) }
	distance, near := make([]float64, n), make([][]int, n)
	for a := range n {
		var all []float64
		for b := range n {
			if b != a {
				all = append(all, d(a, b))
			}
		}
		slices.Sort(all)
		distance[a] = all[l-1]
		for b := range n {
			if b != a && d(a, b) <= distance[a] {
				near[a] = append(near[a], b)
			}
		}
	}
	density, out := make([]float64, n), make([]float64, n)
	for a := range n {
		sum := 0.0
		for _, b := range near[a] {
			sum += max(distance[b], d(a, b), 1)
		}
		density[a] = float64(len(near[a])) / sum
	}
	for a := range n {
		for _, b := range near[a] {
			out[a] += density[b] / density[a] / float64(len(near[a]))
		}
	}
	return out
}

// TestLOFProperties compares with the definitions. Factors are finite and positive. Neither the order of values nor a
// common shift matters.
func TestLOFProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.SampledFrom([]int64{3, 30, 1_000_000}).Draw(t, "spread")
		x := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-spread, spread), func(v int64) model.Time { return model.Time(v) }),
			2, 60).Draw(t, "x")
		l := rapid.IntRange(1, 15).Draw(t, "l")
		want := slowLOF(x, l)
		shifted := slices.Clone(x)
		slices.Reverse(shifted)
		for i := range shifted {
			shifted[i] += 12345
		}
		again := OutlierFactors(shifted, l)
		for i, f := range OutlierFactors(x, l) {
			if math.IsInf(f, 0) || !(f > 0) || math.Abs(f-want[i]) > 1e-9*want[i] || f != again[len(x)-1-i] {
				t.Fatalf("point %d: %v, by definition %v, shifted and reversed %v", i, f, want[i], again[len(x)-1-i])
			}
		}
	})
}
