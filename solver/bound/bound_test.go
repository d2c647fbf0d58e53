package bound

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"mrsched/solver"
)

// TestAscentShortOfTime: if time does not suffice for all steps, it ends the epochs earlier.
func TestAscentShortOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		steps, epochs := 0, 0
		a := Ascent{Work: ascentSteps,
			Evaluate: func() float64 { steps++; time.Sleep(2 * time.Millisecond); return float64(steps) },
			Turn:     func(float64) {}, Climb: func(float64) {}, Keep: func() {}, Revert: func() { epochs++ }}
		a.Run(ctx, solver.Options{})
		if steps < 2*epochLeast || epochs <= steps*ascentEpochs/ascentSteps {
			t.Errorf("%d epochs ended in %d steps", epochs, steps)
		}
	})
}

// TestSteps: a bound that add calls enough ends the steps; a limit leaves steps out, but none of share 1.
func TestSteps(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx          context.Context
		enough, want int
		cut          bool
	}{{t.Context(), 9, 3, false}, {t.Context(), 1, 2, false}, {ended, 9, 2, true}} {
		var ran []int
		var steps []Step
		for k, share := range []float64{0.5, 1, 0.5} {
			steps = append(steps, Step{share, func(context.Context) (*solver.Bound, error) {
				ran = append(ran, k)
				return &solver.Bound{}, nil
			}})
		}
		cut, err := Run(c.ctx, steps, func(k int, _ *solver.Bound) bool { return k == c.enough })
		if err != nil || cut != c.cut || len(ran) != c.want {
			t.Errorf("%+v: ran %v, cut %v, %v", c, ran, cut, err)
		}
	}
}
