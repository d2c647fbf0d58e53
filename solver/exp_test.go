package solver

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExp: Exp returns the bits stated here on every processor. It differs from math.Exp at most in the last bits.
func TestExp(t *testing.T) {
	for x, want := range map[float64]uint64{-4.610360026683679: 0x3f845fbda34da72f,
		-683.6510221754253: 0x249fe404d0ef47d, -411.3148693288884: 0x1ad8381bce9a698f} {
		if got := math.Float64bits(Exp(x)); got != want {
			t.Errorf("Exp(%v) is %#x, expected %#x", x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := r.Float64()*1400 - 700
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 4e-16*want {
			t.Fatalf("Exp(%v) is %v, expected %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{710: math.Inf(1), math.Inf(1): math.Inf(1), math.Inf(-1): 0, -1e300: 0, 0: 1} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%v) is %v, expected %v", x, got, want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp(NaN) is a number")
	}
}
