package cli

import (
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// TestStatusText: on a narrow terminal the least important parts are dropped first.
func TestStatusText(t *testing.T) {
	s := solver.State{Phase: "search", Done: 4769, Total: 100_000,
		Incumbent: model.Some(6854.25), Bound: model.Some(6388.0)}
	for _, c := range []struct {
		width int
		want  string
	}{
		{100, "best 4.2s of 30s (search 4,769 of 100,000): incumbent 6,854.25, bound 6,388, gap 7.30 %"},
		{86, "best 4.2s of 30s (search): incumbent 6,854.25, bound 6,388, gap 7.30 %"},
		{69, "best 4.2s of 30s (search): incumbent 6,854.25, gap 7.30 %"},
		{56, "best 4.2s of 30s (search): gap 7.30 %"},
		{36, "best 4.2s of 30s: gap 7.30 %"},
		{27, "best 4.2s of 30s"},
		{15, "best 4.2s of 30"},
		{0, ""},
		{-3, ""},
	} {
		if got := statusText("best", 4250*time.Millisecond, 30*time.Second, s, c.width); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
	for want, s := range map[string]solver.State{
		"lb 1m1s":         {},
		"lb 1m1s (bound)": {Phase: "bound"},
		// a total that is never reached
		"lb 1m1s (search)":                       {Phase: "search", Done: 4769, Total: engine.Unlimited},
		"lb 1m1s: bound 0.5":                     {Bound: model.Some(0.5)},
		"lb 1m1s: incumbent 0, bound 0, gap 0 %": {Incumbent: model.Some(0.0), Bound: model.Some(0.0)},
		"lb 1m1s: incumbent 3, bound 3, gap 0 %": {Incumbent: model.Some(3.0), Bound: model.Some(3.0)},
		"lb 1m1s: incumbent 434,400,000,000, bound 434,399,999,999, gap 0.01 %": {
			Incumbent: model.Some(434.4e9), Bound: model.Some(434.4e9 - 1)},
	} {
		if got := statusText("lb", 61_900*time.Millisecond, 0, s, 200); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "1.066": 1.065831, "999.999": 999.999, "1,065.83": 1065.831, "471,189": 471188.763, "47,118.8": 47118.76,
		"-1,234,568": -1234567.5,
		"100":        100, "-100": -100, "1e+15": 1e15, "999,999,999,999,999": 999999999999999, "-12.5": -12.5,
	} {
		if got := grouped(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
