package estimate

import "testing"

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
