package msjo

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// objectives are both.
var objectives = []shop.Objective{shop.WeightedEnds, shop.WeightedTaskEnds}

// TestBestFindsOptimum: on tiny instances the search ends at the optimum nearly always, and never below it.
func TestBestFindsOptimum(t *testing.T) {
	for _, objective := range objectives {
		met, tried := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			in := small(t, 7, false).Under(objective)
			out := outcome(t, prepared(in, solver.Params{"bound": "lp"}), "best", options())
			tried++
			switch cost := in.Evaluate(out.Schedule).Value.Cmp(optimum(t, in)); {
			case cost < 0:
				t.Fatal("below the optimum")
			case cost == 0:
				met++
			}
		})
		if met*100 < tried*92 { // 97 % and more over many runs; each run draws new instances
			t.Errorf("%s: optimum met on %d of %d instances", objective, met, tried)
		}
	}
}

// mixed draws an instance: mostly tiny ones of every shape, with and without weights of tasks, and sometimes the
// paper's random jobs.
func mixed(t fataler, r *rand.Rand) *shop.Instance {
	t.Helper()
	var w *model.Workload
	if r.IntN(20) == 0 {
		w = preset(t, int64(2+r.IntN(4)), int64(4+r.IntN(12)), r.Uint64())
	} else {
		w = tiny(t, r, 3+r.IntN(13), r.IntN(2) == 0).Workload()
	}
	if r.IntN(2) == 0 {
		for u := range w.Tasks {
			w.Tasks[u].Weight = model.Some(model.Weight(r.IntN(8)) * model.UnitWeight / 2)
		}
	}
	in, err := shop.NewIdentical(w, int64(r.IntN(5))) // 0: the workload's number
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestBoundFloor: with --bound auto and all, every algorithm's bound is at least that of --bound lp, the weighted
// critical paths, and the weighted area bounds of single jobs, or of single tasks under the task objective. A run
// reports the bounds and schedules that it returns in the end.
func TestBoundFloor(t *testing.T) {
	tier.Slow(t)
	random := rand.New(rand.NewPCG(21, 4))
	for k := range tier.Draws(6, 60) {
		in := mixed(t, random)
		p := solver.Params{"bound": []string{"auto", "all"}[k%2]}
		for _, objective := range objectives {
			in := in.Under(objective)
			lp := largest(t, in, outcome(t, prepared(in, solver.Params{"bound": "lp"}), "coge", brief(30)))
			floor := areas(in)
			for _, name := range everything {
				if name == "exact" && in.Tasks > exactTasks {
					continue
				}
				opt := brief(30)
				opt.Watch = &solver.Watch{}
				out := outcome(t, prepared(in, p), name, opt)
				b := largest(t, in, out)
				if name != "exact" && (b.Cmp(lp) < 0 || in.RoundUp(b).Cmp(floor) < 0) {
					t.Fatalf("%s of %s: bound %s, LP %s, each by itself %s", objective, name, b.RatString(), lp.RatString(),
						floor.RatString())
				}
				if out.Schedule != nil {
					watched(t, in, out, opt.Watch.State(), float(in.RoundUp(b)))
				}
			}
		}
	}
}

// watched compares what a run reported with what it returned.
func watched(t *testing.T, in *shop.Instance, out *solver.Outcome, seen solver.State, bound float64) {
	t.Helper()
	cost := float(in.Evaluate(out.Schedule).Value)
	if out.Status == model.StatusOptimal {
		bound = cost
	}
	if math.Abs(seen.Bound.Value-bound) > 1e-6*bound || math.Abs(seen.Incumbent.Value-cost) > 1e-9*cost {
		t.Errorf("%s, %s: told %+v, returned bound %g and cost %g", out.Algorithm, in.Objective, seen, bound, cost)
	}
}

// areas adds up, for each end that counts, the weighted max of the critical path and, over a and b, of a + W(a, b)/m +
// b.
func areas(in *shop.Instance) *big.Rat {
	sum, path := new(big.Rat), make([]model.Time, in.Steps)
	add := func(w model.Weight, j int, tail []model.Time) {
		most := new(big.Rat)
		offer := func(v *big.Rat) {
			if v.Cmp(most) > 0 {
				most = v
			}
		}
		nodes := in.JobSteps(j)
		for _, x := range nodes {
			if tail[x] >= 0 {
				offer(new(big.Rat).SetInt64(int64(in.Head[x] + in.Least[x] + tail[x])))
			}
			for _, y := range nodes {
				var work model.Time
				for u := range tasksOf(in, j) {
					if in.Head[u] >= in.Head[x] && tail[u] >= max(0, tail[y]) {
						work += in.Least[u]
					}
				}
				if work > 0 {
					v := big.NewRat(int64(work), int64(in.Nodes))
					offer(v.Add(v, new(big.Rat).SetInt64(int64(in.Head[x]+max(0, tail[y])))))
				}
			}
		}
		sum.Add(sum, most.Mul(most, new(big.Rat).SetInt64(int64(w))))
	}
	if in.Objective == shop.WeightedEnds {
		for j := range in.Jobs {
			add(in.Weight[j], j, in.Tail)
		}
	} else {
		for u := range in.Tasks {
			in.PathsTo(int32(u), path)
			add(in.TaskWeight[u], int(in.Job[u]), path)
		}
	}
	return sum.Quo(sum, new(big.Rat).SetInt64(int64(model.UnitWeight)*int64(model.Second)))
}

// TestBoundsCutShort: a run without time proves only critical paths, and the next run does not reuse that.
func TestBoundsCutShort(t *testing.T) {
	maps := make([]float64, 40)
	for u := range maps {
		maps[u] = 10
	}
	in := handmade(t, 16, job{weight: 1, maps: maps})
	r := prepared(in, nil)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, x := range []struct {
		ctx  context.Context
		want string
	}{{ended, "10"}, {context.Background(), "30"}} {
		b, err := r.aloneBound(x.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if v := b.Certificate.(*shop.Certificate).Value; v != x.want {
			t.Errorf("bound %s, want %s", v, x.want)
		}
		r.forget()
	}
}

// TestBoundUnderLimit: under a limit that is far too short the first schedules come first, then the bound, before any
// search. So a search proves no less than what every job alone does.
func TestBoundUnderLimit(t *testing.T) {
	tier.Slow(t)
	in := marsInstance(t, 60, 1)
	for _, objective := range objectives {
		var phases []string
		watch := &solver.Watch{OnChange: func(s solver.State) {
			if s.Phase != "" && !slices.Contains(phases, s.Phase) {
				phases = append(phases, s.Phase)
			}
		}}
		r := prepared(in.Under(objective), solver.Params{"bound": "auto"})
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		out, err := r.Solve(ctx, "best", solver.Options{Iterations: unlimited, Seed: 1, Threads: 2, Watch: watch})
		if err != nil {
			t.Fatal(err)
		}
		if phases[0] != solver.PhaseStart || phases[1] != solver.PhaseBound {
			t.Errorf("%s: phases %v", objective, phases)
		}
		lb, trivial := float(proves(t, r.in, &out.Bounds[0])), 0.0
		for j, c := range in.Alone {
			trivial += in.Weight[j].Float() * c.Seconds()
		}
		if objective == shop.WeightedEnds && lb < trivial*(1-1e-12) { // which sums in another order
			t.Errorf("%s: bound %g below that of every job alone, %g", objective, lb, trivial)
		}
		if s := watch.State(); !s.Bound.Known || !s.Incumbent.Known || s.Bound.Value > s.Incumbent.Value {
			t.Errorf("%s: %+v", objective, s)
		}
	}
}

// TestInterrupted: an expired context still leaves a schedule and a valid bound.
func TestInterrupted(t *testing.T) {
	in := marsInstance(t, 10, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, a := range Problem().Algorithms {
		out, err := opened(t, in, nil).Solve(ctx, a.Name, options())
		if err != nil {
			t.Fatal(a.Name, err)
		}
		if out.Status != model.StatusLimit || out.Schedule == nil && !a.BoundOnly {
			t.Errorf("%s: status %s, schedule %v", a.Name, out.Status, out.Schedule)
		}
		if out.Schedule != nil && len(in.Check(out.Schedule)) > 0 {
			t.Errorf("%s: %v", a.Name, in.Check(out.Schedule))
		}
	}
}

// TestSearchEnds: the search ends with a schedule that costs no more than the bound: Smith's rule on one machine.
func TestSearchEnds(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(8, 1))
	var jobs []job
	for range tier.Draws(6, 20) {
		jobs = append(jobs, job{weight: float64(1 + r.IntN(9)), maps: []float64{float64(1 + r.IntN(99))}})
	}
	in := handmade(t, 1, jobs...)
	out := outcome(t, prepared(in, solver.Params{"bound": "auto"}), "best", options())
	if n := *out.Facts.(Facts).Iterations; n >= options().Iterations {
		t.Errorf("%d iterations", n)
	}
}
