package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// samplesOf makes samples of one feature.
func samplesOf(xy ...[2]float64) []sample {
	list := make([]sample, len(xy))
	for i, v := range xy {
		list[i] = sample{x: [features]float64{v[0], math.NaN(), math.NaN()}, y: v[1], row: int32(i)}
	}
	return list
}

// at1 is a query of one feature.
func at1(x float64) [features]float64 { return [features]float64{x, math.NaN(), math.NaN()} }

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, by hand %v", what, got, want)
	}
}

// TestNeighbours: k = ⌈n^{4/5}⌉. 32^{4/5} = 2⁴ = 16 and 10^{5·4/5} = 10⁴ exactly; 2^{4/5} = 1.74, 5^{4/5} = 3.62,
// 10^{4/5} = 6.31, 33^{4/5} = 16.4.
func TestNeighbours(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {2, 2}, {5, 4}, {10, 7}, {32, 16}, {33, 17}, {100_000, 10_000}, {243, 81},
		{1_000_000, 63_096}} {
		if got := neighbours(c[0], 1<<30); got != c[1] {
			t.Errorf("n = %d: k = %d, by hand %d", c[0], got, c[1])
		}
	}
	if got := neighbours(1_000_000, 256); got != 256 {
		t.Errorf("capped by 256, k = %d", got)
	}
}

// TestKNNByHand: five runs at 0, 1, 2, 3, 4 take 10, 20, 30, 40, 90. k = ⌈5^{4/5}⌉ = 4. The mean of the sizes is 2,
// their deviation √2.
//
// At 1 the four nearest are 1, 0, 2, 3 with distances 0, 1, 1, 2 over √2. R = √2, and 1 − (d/R)² is 1, ¾, ¾, 0. The
// estimate is (20 + ¾·10 + ¾·30 + 0)/(2½) = 20.
// At 2 the distances of 2, 1, 3, 0, 4 are 0, 1, 1, 2, 2. The last two are equally far and have weight 0:
// (30 + ¾·20 + ¾·40)/2½ = 30.
// At 0: 0, 1, 2, 3 with 1, 8/9, 5/9, 0: (10 + 8/9·20 + 5/9·30)/(22/9) = (90 + 160 + 150)/22 = 400/22.
func TestKNNByHand(t *testing.T) {
	list := samplesOf([2]float64{0, 10}, [2]float64{1, 20}, [2]float64{2, 30}, [2]float64{3, 40}, [2]float64{4, 90})
	m := newKNN(list, 256, true)
	if m.k != 4 {
		t.Fatalf("k = %d, by hand 4", m.k)
	}
	closeTo(t, "the scale", m.line.scale[0], 1/math.Sqrt2)
	for _, c := range [][2]float64{{1, 20}, {2, 30}, {0, 400.0 / 22}} {
		closeTo(t, "the estimate", m.estimate(at1(c[0])), c[1])
	}
}

// TestKNNPlainMean: if all of the k nearest are equally far, the estimate is the plain mean of all runs at that
// distance.
func TestKNNPlainMean(t *testing.T) {
	two, one := [2]float64{2, 7}, [2]float64{1, 4}
	for _, c := range []struct {
		name    string
		samples []sample
		limit   int
		x, want float64
	}{
		{"n = k = 1", samplesOf(one), 256, 99, 4},
		{"identical points", samplesOf(one, one, [2]float64{1, 7}), 256, 1, 5},
		{"identical points, beyond them", samplesOf(one, one, [2]float64{1, 7}), 256, 50, 5},
		{"k = 1 of several", samplesOf(one, two, [2]float64{3, 100}), 1, 1.1, 4},
		{"k = 1 between two", samplesOf(one, two, [2]float64{3, 100}), 1, 1.5, 5.5},
		{"k = 2 on either side", samplesOf(one, [2]float64{3, 100}), 256, 2, 52},
		{"sizes 0", samplesOf([2]float64{0, 3}, [2]float64{0, 5}), 256, 0, 4},
		{"more runs alike than k", samplesOf(one, one, one, [2]float64{1, 8}, two), 2, 1, 5},
	} {
		closeTo(t, c.name, newKNN(slices.Clone(c.samples), c.limit, true).estimate(at1(c.x)), c.want)
	}
}

// TestKNNUnknown: cpu is known for the first two runs only, 1 and 3. The others get the mean 2. Then these are as far
// from 2 as any query without cpu.
func TestKNNUnknown(t *testing.T) {
	nan := math.NaN()
	list := []sample{{x: [features]float64{5, 1, nan}, y: 10, row: 0}, {x: [features]float64{5, 3, nan}, y: 30, row: 1},
		{x: [features]float64{5, nan, nan}, y: 50, row: 2}}
	m := newKNN(list, 1, true)
	if want := [features]float64{0, 2, 0}; m.mean != want {
		t.Errorf("means %v, by hand %v", m.mean, want)
	}
	closeTo(t, "the deviation", 1/m.line.scale[1], 1)
	for _, c := range [][2]float64{{1, 10}, {3, 30}, {2, 50}, {nan, 50}} {
		closeTo(t, "the estimate", m.estimate([features]float64{7, c[0], nan}), c[1])
	}
}

// drawSamples draws runs on a coarse grid, so that many are equal or equally far from a query; sometimes the grid is
// fine.
func drawSamples(t *rapid.T) []sample {
	n := rapid.IntRange(1, 120).Draw(t, "n")
	values := rapid.SampledFrom([]int{1, 2, 5, 1_000_000}).Draw(t, "values")
	list := make([]sample, n)
	for i := range list {
		for f := range features {
			list[i].x[f] = float64(rapid.IntRange(0, values).Draw(t, "x"))
			if f > 0 && rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
				list[i].x[f] = math.NaN()
			}
		}
		list[i].y, list[i].row = float64(rapid.IntRange(0, 1000).Draw(t, "y")), int32(i)
	}
	return list
}

func drawPoint(t *rapid.T) (x [features]float64) {
	for f := range x {
		x[f] = float64(rapid.IntRange(0, 6).Draw(t, "at"))
	}
	return x
}

// scanning is a model that looks at all points: for it no point is far away in the feature that sorts them.
func scanning(list []sample, limit int) *knn {
	m := newKNN(slices.Clone(list), limit, true)
	m.line.unit = 0
	return m
}

// TestKNNProperties: the line finds exactly the neighbours that a scan of all points finds. Estimates lie between the
// least and the largest time. Neither the order of rows nor the units of features matter.
func TestKNNProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, limit := drawSamples(t), rapid.IntRange(1, 60).Draw(t, "limit")
		scan, line := scanning(list, limit), newKNN(slices.Clone(list), limit, true)
		scaled := slices.Clone(list)
		unit := [features]float64{rapid.Float64Range(1e-6, 1e6).Draw(t, "unit"), 3, 1024}
		for i := range scaled {
			for f := range features {
				scaled[i].x[f] *= unit[f]
			}
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(scaled), func(i, k int) { scaled[i], scaled[k] = scaled[k], scaled[i] })
		other := newKNN(scaled, limit, true)
		for range 5 {
			x := drawPoint(t)
			y := scan.estimate(x)
			if got := line.estimate(x); got != y {
				t.Fatalf("line %v, scan %v", got, y)
			}
			least, most := math.Inf(1), math.Inf(-1)
			for _, r := range list {
				least, most = min(least, r.y), max(most, r.y)
			}
			if y < least || y > most {
				t.Fatalf("estimate %v of times from %v to %v", y, least, most)
			}
			for f := range x {
				x[f] *= unit[f]
			}
			if got := other.estimate(x); math.Abs(got-y) > 1e-6*max(1, y) {
				t.Fatalf("in other units %v, otherwise %v", got, y)
			}
		}
	})
}

// TestKNNLarge compares line and scan on many points that agree in some features.
func TestKNNLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	list := make([]sample, 5000)
	for i := range list {
		list[i] = sample{x: [features]float64{float64(r.IntN(40)), float64(i), math.Exp(r.NormFloat64())}, y: r.Float64(),
			row: int32(i)}
	}
	line, scan := newKNN(slices.Clone(list), 256, true), scanning(list, 256)
	for range 50 {
		x := [features]float64{float64(r.IntN(50)), float64(r.IntN(len(list))), r.Float64()}
		if a, b := line.estimate(x), scan.estimate(x); a != b {
			t.Fatalf("line %v, scan %v", a, b)
		}
	}
}

// BenchmarkKNN is the estimator's target: 10⁶ rows built in at most 3 s, 10⁵ queries for 256 neighbours in 15 s.
func BenchmarkKNN(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	list := make([]sample, 1_000_000)
	for i := range list {
		list[i] = sample{x: [features]float64{math.Exp(r.NormFloat64()), r.NormFloat64(), r.NormFloat64()},
			y: 1e6 * math.Exp(r.NormFloat64()), row: int32(i)}
	}
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			newKNN(slices.Clone(list), 256, true)
		}
	})
	m := newKNN(list, 256, true)
	b.Run("query", func(b *testing.B) {
		for b.Loop() {
			m.estimate([features]float64{math.Exp(r.NormFloat64()), r.NormFloat64(), r.NormFloat64()})
		}
	})
}

// TestPlainDistance: bytes count as they are, cores and memory in percent of the most. From a run of 100 bytes and 4
// cores, one of 130 bytes and 4 cores is 30 away, and one of 100 bytes and 2 cores is 50 away. Weights are
// 1, 1 − 0.6² and 0.
func TestPlainDistance(t *testing.T) {
	list := []sample{{x: [features]float64{100, 4, 1}, y: 1}, {x: [features]float64{130, 4, 1}, y: 2, row: 1},
		{x: [features]float64{100, 2, 1}, y: 3, row: 2}}
	closeTo(t, "the estimate", newKNN(list, 256, false).estimate([features]float64{100, 4, 1}), (1+0.64*2)/1.64)
}
