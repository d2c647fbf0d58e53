package estimate

import (
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestHistogram: n values have ⌈log₂ n⌉ + 1 bins.
func TestHistogram(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3, 5: 4, 8: 4, 9: 5, 1024: 11} {
		if got := bins(n); got != want {
			t.Errorf("%d values, %d bins, by hand %d", n, got, want)
		}
	}
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"one value", []float64{7}, 7},
		{"all alike", []float64{0.1, 0.1, 0.1}, 0.1},
		{"zeros", []float64{0, 0}, 0},
		// Four bins of width 2 from 0 to 8: {0, 1}, {2}, {}, {8}; the first has the most values.
		{"the fullest bin", []float64{8, 0, 2, 1, 1}, 2.0 / 3},
		// Three bins of width 1 from 0 to 3: {0}, {1, 1½}, {3}; 1 belongs to the bin that begins there.
		{"ends of bins", []float64{0, 1, 1.5, 3}, 1.25},
		// Three bins of width 1 from 1 to 4: {1, 1}, {}, {4, 4}. Ties go to the lower bin; the last bin includes its upper
		// end.
		{"ties", []float64{4, 1, 4, 1}, 1},
		{"as large as numbers get", []float64{-1.7e308, 1.7e308, 1.7e308}, 1.7e308},
	} {
		closeTo(t, c.name, fullestBin(c.values), c.want)
	}
}

// TestFitLine: least squares by hand. Through (1, 3), (2, 5), (3, 7): 1 + 2x. Through (1, 0), (2, 2), (3, 4) the free
// line is −2 + 2x; through the origin it is Σxy/Σx² = 16/14. Falling values, or a single size, give the mean.
func TestFitLine(t *testing.T) {
	for _, c := range []struct {
		xy   [][2]float64
		want Line
	}{
		{[][2]float64{{1, 3}, {2, 5}, {3, 7}}, Line{1, 2}},
		{[][2]float64{{1, 0}, {2, 2}, {3, 4}}, Line{0, 16.0 / 14}},
		{[][2]float64{{1, 9}, {2, 5}, {3, 1}}, Line{5, 0}},
		{[][2]float64{{4, 9}, {4, 5}}, Line{7, 0}},
		{[][2]float64{{0, 0}, {0, 0}}, Line{0, 0}},
		{[][2]float64{{6, 2}}, Line{2, 0}},
		// the mean is rounded
		{[][2]float64{{981034, 17}, {981034, 46}, {981034, 12}, {981034, 4}, {981034, 17}, {981034, 63}, {981034, 27}},
			Line{186.0 / 7, 0}},
	} {
		got := fitLine(samplesOf(c.xy...))
		closeTo(t, "the overhead", got.Overhead, c.want.Overhead)
		closeTo(t, "the slope", got.PerByte, c.want.PerByte)
	}
}

// TestFitLineBest: no line of non-negative coefficients nearby has a smaller sum of squares.
func TestFitLineBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		xy := make([][2]float64, n)
		for i := range xy {
			xy[i] = [2]float64{float64(rapid.IntRange(0, 20).Draw(t, "x")), float64(rapid.IntRange(0, 50).Draw(t, "y"))}
		}
		cost := func(l Line) (sum float64) {
			for _, p := range xy {
				d := l.Overhead + l.PerByte*p[0] - p[1]
				sum += d * d
			}
			return sum
		}
		best := fitLine(samplesOf(xy...))
		if best.Overhead < 0 || best.PerByte < 0 {
			t.Fatalf("%+v", best)
		}
		for _, d := range []Line{{0.01, 0}, {-0.01, 0}, {0, 0.01}, {0, -0.01}, {0.01, -0.01}, {-0.01, 0.01}} {
			other := Line{max(0, best.Overhead+d.Overhead), max(0, best.PerByte+d.PerByte)}
			if cost(other) < cost(best)-1e-9 {
				t.Fatalf("%+v costs %v, %+v %v", best, cost(best), other, cost(other))
			}
		}
	})
}

// TestLineAt: values are rounded to the nearest, half up, and never below 0.
func TestLineAt(t *testing.T) {
	for _, c := range []struct {
		overhead, rate, size float64
		want                 model.Time
	}{{1.4, 0, 9, 1}, {1.5, 0, 9, 2}, {1, 0.25, 2, 2}, {-5, 1, 3, 0}, {0, 0, 0, 0}} {
		if got := (Line{c.overhead, c.rate}).At(c.size); got != c.want {
			t.Errorf("%v: %d", c, got)
		}
	}
}
