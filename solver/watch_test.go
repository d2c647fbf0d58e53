package solver

import (
	"context"
	"math"
	"testing"
	"time"
)

// TestWatchPhases: a phase's time excludes the phases inside it, and a phase that begins again continues.
func TestWatchPhases(t *testing.T) {
	w := &Watch{}
	opt := Options{Watch: w}
	_, endOuter := opt.Phase(context.Background(), "outer", 1)
	_, endInner := opt.Phase(context.Background(), "inner", 1)
	time.Sleep(30 * time.Millisecond)
	if s := w.State(); s.Phase != "inner" {
		t.Errorf("in phase %q", s.Phase)
	}
	endInner()
	if s := w.State(); s.Phase != "outer" {
		t.Errorf("in phase %q", s.Phase)
	}
	endOuter()
	_, end := opt.Phase(context.Background(), "outer", 1)
	end()
	list := w.Phases()
	if len(list) != 2 || list[0].Name != "outer" || list[1].Name != "inner" {
		t.Fatal(list)
	}
	if list[1].Time < 30*time.Millisecond || list[0].Time >= list[1].Time {
		t.Error(list)
	}
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
	if s.Incumbent.Value != 4 || s.IncumbentBy != "c" || s.Bound.Value != 3 || s.BoundBy != "b" || s.Improvements != 4 {
		t.Error(s)
	}
}

// TestWatchLimits distinguishes a phase that a limit ended from one that ended by itself.
func TestWatchLimits(t *testing.T) {
	w := &Watch{}
	opt := Options{Watch: w}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	_, end := opt.Phase(ctx, "quick", 0.5)
	end()
	if s := w.State(); s.CutShort || s.UsedUp {
		t.Error(s)
	}
	phase, end := opt.Phase(ctx, "slow", 1e-9)
	<-phase.Done()
	end()
	w.UsedUp()
	if s := w.State(); !s.CutShort || !s.UsedUp {
		t.Error(s)
	}
}

// TestPhaseShare: under a time limit a phase ends after its share, and the run continues; without a limit no phase ends
// early.
func TestPhaseShare(t *testing.T) {
	free, end := (Options{}).Phase(context.Background(), "bound", 0.1)
	if _, limited := free.Deadline(); limited {
		t.Error("a limit out of nothing")
	}
	end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	phase, end := (Options{}).Phase(ctx, "bound", 0.5)
	defer end()
	until, _ := phase.Deadline()
	if left := time.Until(until); left > 31*time.Minute || left < 29*time.Minute {
		t.Errorf("%s of an hour", left)
	}
}
