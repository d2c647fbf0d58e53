package msjo

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// alike has jobs of two maps and a reduce, all alike, on two machines.
func alike(t *testing.T, release, length model.Time, weight model.Weight) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("extreme", "msjo", model.Some(int64(2)), nil)
	for _, job := range []string{"a", "b", "c", "d"} {
		b.Job(model.Job{ID: job, Release: release, Weight: weight}, model.Locus{})
		for _, task := range []string{"x", "y", "z"} {
			kind := model.Map
			if task == "z" {
				kind = model.Reduce
			}
			b.Task(model.Task{ID: job + task, Kind: kind, Processing: model.Some(length)}, job, "", model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestExtremeMagnitudes: times and weights for which prices of machine time are coarse, or are no exact integers at
// all. There are still solutions. Releases are seconds since 1970 and later; weights of 10^12 stand beside
// microseconds.
func TestExtremeMagnitudes(t *testing.T) {
	for _, x := range []struct {
		release, length model.Time
		weight          model.Weight
	}{
		{1_700_000_000 * model.Second, model.Second, 3 * model.UnitWeight},
		{1e12 * model.Second, model.Second, model.UnitWeight},
		{0, 1e10 * model.Second, 9e12 * model.UnitWeight},
		{0, 1, 1e12 * model.UnitWeight},
	} {
		w := alike(t, x.release, x.length, x.weight)
		for _, objective := range []string{"twjct", "twtct"} {
			r := opened(t, instance(t, w, nil), solver.Params{"objective": objective, "bound": "all"})
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
		b := model.NewBuilder()
		b.Scalars("mixed", "msjo", model.Some(int64(2)), nil)
		for j := range 12 {
			job := strconv.Itoa(j)
			weight := []model.Weight{0, 1, 5e5, 1e6, 1e17, 1e18}[random.IntN(6)] // up to 1e12
			b.Job(model.Job{ID: job, Weight: weight}, model.Locus{})
			for u := range 1 + random.IntN(5) {
				task := model.Task{ID: job + "." + strconv.Itoa(u), Kind: model.TaskKind(min(1, u/2)),
					Processing: model.Some(model.Time(random.IntN(10)) * model.Second)}
				b.Task(task, job, "", model.Locus{})
			}
		}
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, lp := range []string{"auto", "lpsolve"} {
			r := opened(t, instance(t, w, nil), solver.Params{"lp": lp, "bound": bound})
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
		in := instance(t, alike(t, 0, model.Second, model.UnitWeight), nil)
		out, err := opened(t, in, solver.Params{"objective": objective}).Solve(context.Background(), name, brief(100))
		if !errors.Is(err, lp.ErrMemory) {
			t.Errorf("%s: %v, %v; want an error", name, out, err)
		}
	}
}
