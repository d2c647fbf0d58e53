package solver

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatchPhases: the phase around one that ended runs again.
func TestWatchPhases(t *testing.T) {
	w := &Watch{}
	opt := Options{Watch: w}
	in := func(name string) {
		if s := w.State(); s.Phase != name {
			t.Errorf("in phase %q, want %q", s.Phase, name)
		}
	}
	_, endOuter := opt.Phase(context.Background(), "outer", 1)
	_, endInner := opt.Phase(context.Background(), "inner", 1)
	in("inner")
	endInner()
	in("outer")
	endOuter()
	in("")
}

// TestWatchKeepsTheBest: only better incumbents and bounds count.
func TestWatchKeepsTheBest(t *testing.T) {
	w := &Watch{}
	for k, v := range []float64{5, 7, 4, math.Inf(-1), math.NaN()} {
		w.Incumbent(v, string(rune('a'+k)))
	}
	for k, v := range []float64{1, 3, 2, math.Inf(1)} {
		w.Bound(v, string(rune('a'+k)))
	}
	s := w.State()
	if s.Incumbent.Value != 4 || s.IncumbentBy != "c" || s.Bound.Value != 3 || s.BoundBy != "b" {
		t.Error(s)
	}
}

// TestWatchLimits: under a time limit a phase ends after its share, and the run continues; without a limit no phase
// ends early. A phase that a limit ended is told from one that ended by itself.
func TestWatchLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Watch{}
		opt := Options{Watch: w}
		free, end := opt.Phase(context.Background(), "bound", 0.1)
		if _, limited := free.Deadline(); limited {
			t.Error("a limit out of nothing")
		}
		end()
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		phase, end := opt.Phase(ctx, "quick", 0.5)
		until, _ := phase.Deadline()
		if left := time.Until(until); left > 31*time.Minute || left < 29*time.Minute {
			t.Errorf("%s of an hour", left)
		}
		end()
		if s := w.State(); s.CutShort || s.UsedUp {
			t.Error(s)
		}
		phase, end = opt.Phase(ctx, "slow", 1e-9)
		<-phase.Done()
		end()
		w.UsedUp()
		if s := w.State(); !s.CutShort || !s.UsedUp {
			t.Error(s)
		}
	})
}
