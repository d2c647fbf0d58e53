package experiment

import (
	"testing"

	"mrsched/io/report"
)

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
	f.rising("", c)
	if got := f.Claims[0]; got.Verdict != report.Undecided || got.Ours != "at 1 of 2 points, the opposite at 0" {
		t.Errorf("%+v", got)
	}
}
