package realtime

import (
	"math"
	"testing"
)

// TestSketchSize: d = ⌈ln 1/δ⌉, with ln 2500 = 7.8, ln 20 = 2.996, ln 2 = 0.7.
func TestSketchSize(t *testing.T) {
	for delta, want := range map[float64]int{0.0004: 8, 0.05: 3, 0.5: 1, 1: 1, math.Exp(-4): 4} {
		if got := SketchRows(delta); got != want {
			t.Errorf("%d rows for δ = %g, want %d", got, delta, want)
		}
	}
}
