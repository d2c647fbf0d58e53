package experiment

import (
	"math"
	"testing"

	"mrsched/instances"
	"mrsched/io/report"
)

func TestInterval(t *testing.T) {
	if got := interval([]float64{1.234}, " %"); got != "1.23 %" {
		t.Error(got)
	}
}

// TestSlopeError by hand: y = x, but 0.5 too high in the middle and a quarter too low at the ends once the line is
// fitted, so s² = (2/16 + 1/4)/1 = 0.375 and the slope's variance s²/2, as Σ(x − x̄)² = 2.
func TestSlopeError(t *testing.T) {
	block := instances.MeasuredBlock{{Intermediate: 0, Seconds: 0}, {Intermediate: 1, Seconds: 1.75},
		{Intermediate: 2, Seconds: 2}}
	if got := slopeError(block); math.Abs(got-math.Sqrt(0.375/2)) > 1e-12 {
		t.Errorf("%g", got)
	}
}

func TestCurveParts(t *testing.T) {
	c := newCurve("c", report.Main, 0, []float64{1, 2, 3}, func(x float64) samples {
		return []float64{x * x,
			x*x - 12*(x-1)*(x-2)}
	})
	if p := extreme(c, 1); p.X != 2 {
		t.Errorf("largest mean %g at %g", p.Mean(), p.X) // means 1, 4, −3
	}
	if p := extreme(c, -1); p.X != 3 {
		t.Errorf("smallest mean %g at %g", p.Mean(), p.X)
	}
	if n := len(inside(c, 1, 2).Points); n != 2 || len(c.Points) != 3 {
		t.Errorf("%d points inside, %d left", n, len(c.Points))
	}
	f := &figure{nil, &report.Figure{}}
	if got := f.rising("", "", c); got.Verdict != report.Undecided || got.Ours != "at 1 of 2 points, the opposite at 0" {
		t.Errorf("%+v", got)
	}
	if got := saved([]float64{75, 120}, []float64{100, 100}); math.Abs(got[0]-25) > 1e-9 || math.Abs(got[1]+20) > 1e-9 {
		t.Error(got)
	}
}
