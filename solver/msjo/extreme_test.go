package msjo

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// alike has jobs of two maps and a reduce, all alike, on two machines.
func alike(t *testing.T, release, length, weight float64) *shop.Instance {
	t.Helper()
	x := job{weight: weight, release: release, maps: []float64{length, length}, reduces: []float64{length}}
	return handmade(t, 2, x, x, x, x)
}

// TestExtremeMagnitudes: times and weights for which prices of machine time are coarse, or are no exact integers at
// all. There are still solutions. Releases are seconds since 1970 and later; weights of 10^12 stand beside
// microseconds.
func TestExtremeMagnitudes(t *testing.T) {
	for _, x := range []struct {
		release, length, weight float64
	}{
		{1_700_000_000, 1, 3},
		{1e12, 1, 1},
		{0, 1e10, 9e12},
		{0, 1e-6, 1e12},
	} {
		in := alike(t, x.release, x.length, x.weight)
		for _, objective := range []string{"twjct", "twtct"} {
			r := opened(t, in, solver.Params{"objective": objective, "bound": "all"})
			for _, name := range []string{"best", "exact", "tmars"} {
				outcome(t, r, name, brief(20))
			}
		}
	}
}

// TestMixedMagnitudes: lp_solve fails on weights of 1e12 beside 1e-6. The first-order method replaces it, without a
// guarantee; with --lp lpsolve there is an error.
func TestMixedMagnitudes(t *testing.T) {
	tier.Slow(t)
	fallbacks, bound := 0, "lp"
	if tier.Nightly {
		bound = "all"
	}
	for _, seed := range []uint64{10, 11} { // of 0 to 11, lp_solve fails on 11
		random := rand.New(rand.NewPCG(seed, 7))
		var jobs []job
		for range 12 {
			x := job{weight: []float64{0, 1e-6, 0.5, 1, 1e11, 1e12}[random.IntN(6)]}
			for u := range 1 + random.IntN(5) {
				if p := float64(random.IntN(10)); u < 2 {
					x.maps = append(x.maps, p)
				} else {
					x.reduces = append(x.reduces, p)
				}
			}
			jobs = append(jobs, x)
		}
		in := handmade(t, 2, jobs...)
		for _, lp := range []string{"auto", "lpsolve"} {
			r := opened(t, in, solver.Params{"lp": lp, "bound": bound})
			out, err := r.Solve(context.Background(), "mars", solver.Options{Iterations: 100, Seed: 1, Threads: 1})
			switch {
			case err != nil && lp == "auto":
				t.Errorf("seed %d: %v", seed, err)
			case err != nil:
				if fallbacks++; !strings.Contains(err.Error(), "differ too much in magnitude") {
					t.Errorf("seed %d: %v", seed, err)
				}
			case len(out.Bounds) == 0:
				t.Errorf("seed %d, %s: no bound", seed, lp)
			}
		}
	}
	if fallbacks == 0 {
		t.Error("lp_solve solves both, so no fallback was tested")
	}
}

// TestShortOfMemory: no other method replaces lp_solve when memory is short, since the result would depend on that.
func TestShortOfMemory(t *testing.T) {
	defer lpsolve.Inject(lpsolve.Injection{Solve: func(int64, lpsolve.SolutionType) lpsolve.SolutionType {
		return lpsolve.NoMemory
	}})()
	for objective, name := range map[string]string{"twjct": "mars", "twtct": "tmars"} {
		in := alike(t, 0, 1, 1)
		out, err := opened(t, in, solver.Params{"objective": objective}).Solve(context.Background(), name, brief(100))
		if !errors.Is(err, lp.ErrMemory) {
			t.Errorf("%s: %v, %v; want an error", name, out, err)
		}
	}
}
