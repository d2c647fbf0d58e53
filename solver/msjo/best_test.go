package msjo

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// TestJustify: neither pass makes a job later, and the result is a valid schedule.
func TestJustify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 12, false)
		e := newEngine(in)
		for u := range e.key {
			e.key[u] = rapid.Int64Range(-5, 5).Draw(t, "key")
		}
		e.neverIdle()
		check := func(what string) {
			if v := in.Check(assign(in, e.start)); len(v) > 0 {
				t.Fatalf("%s: %v", what, v)
			}
		}
		check("never idle")
		for range 3 {
			before := slices.Clone(e.done)
			e.right(slices.Max(before))
			check("right")
			e.left()
			check("left")
			for j, c := range e.done {
				if c > before[j] {
					t.Fatalf("job %d: %s became %s", j, before[j], c)
				}
			}
		}
	})
}

// TestBestFindsOptimum: on tiny instances the search ends at the optimum nearly always, and never below it.
func TestBestFindsOptimum(t *testing.T) {
	for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
		met, tried := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			in := small(t, 7, false).Under(objective)
			r := &run{in: in, p: solver.Bind[params](solver.Params{"bound": "lp"}), backend: backend}
			out, err := r.Solve(context.Background(), "best", options())
			if err != nil {
				t.Fatal(err)
			}
			if v := in.Check(out.Schedule); len(v) > 0 {
				t.Fatal(v)
			}
			tried++
			switch cost := in.Evaluate(out.Schedule).Value.Cmp(optimum(t, in)); {
			case cost < 0:
				t.Fatal("below the optimum")
			case cost == 0:
				met++
			}
		})
		t.Logf("%s: optimum met on %d of %d instances", objective, met, tried)
		if met*100 < tried*92 { // 97 % and more over many runs; each run draws new instances
			t.Errorf("%s: optimum met on %d of %d instances", objective, met, tried)
		}
	}
}

// mixed draws an instance: mostly tiny ones of every shape, with and without weights of tasks, and sometimes the
// paper's random jobs.
func mixed(t fataler, r *rand.Rand) *msjo.Instance {
	t.Helper()
	var w *model.Workload
	var err error
	if r.IntN(20) == 0 {
		preset, _ := instances.FindPreset("msjo", "mars")
		w, err = preset.Generate(solver.Params{"jobs": int64(2 + r.IntN(4)), "machines": int64(4 + r.IntN(12)),
			"counts": "random", "times": "random", "delay-factor": 1.3, "uw-order": "none"}, r.Uint64())
	} else {
		w, err = instances.SmallMSJO(r, 3+r.IntN(13), r.IntN(2) == 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 {
		for u := range w.Tasks {
			w.Tasks[u].Weight = model.Some(model.Weight(r.IntN(8)) * model.UnitWeight / 2)
		}
	}
	in, err := msjo.New(w, int64(r.IntN(5))) // 0: the workload's number
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestBestNeverWorse: however few iterations there are, no algorithm without search is cheaper, for any objective and
// parameters.
func TestBestNeverWorse(t *testing.T) {
	for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
		t.Run(string(objective), func(t *testing.T) {
			t.Parallel()
			random, cases := rand.New(rand.NewPCG(7, uint64(len(t.Name())))), 250
			if testing.Short() {
				cases = 50
			}
			for range cases {
				in := mixed(t, random).Under(objective)
				p := solver.Params{"bound": "lp", "objective": string(objective),
					"prediction-error": []float64{0, 0, 0.3, 1}[random.IntN(4)],
					"batch-interval":   []float64{0.5, 2, 50}[random.IntN(3)],
					"epsilon":          []float64{0, 0, 0.3}[random.IntN(3)],
					"inequality":       []string{"schulz", "published"}[random.IntN(2)]}
				opt := solver.Options{Iterations: 1 + random.IntN(20), Seed: random.Uint64(), Threads: 1}
				neverWorse(t, in, p, func(r *run, name string) (*solver.Outcome, error) {
					return r.Solve(t.Context(), name, opt)
				})
			}
		})
	}
}

// TestBestNeverWorseLimited is the same test under a time limit that suffices for the algorithms.
func TestBestNeverWorseLimited(t *testing.T) {
	for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
		t.Run(string(objective), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(8, uint64(len(t.Name()))))
			for range 3 {
				in := mixed(t, random).Under(objective)
				p := solver.Params{"bound": "auto", "objective": string(objective)}
				opt := solver.Options{Iterations: unlimited, Seed: 1, Threads: 1}
				neverWorse(t, in, p, func(r *run, name string) (*solver.Outcome, error) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					return r.Solve(ctx, name, opt)
				})
			}
		})
	}
}

// neverWorse compares best with all algorithms without search. Each runs on a newly opened instance.
func neverWorse(t fataler, in *msjo.Instance, p solver.Params,
	solve func(r *run, name string) (*solver.Outcome, error)) {
	t.Helper()
	cost := func(name string) *big.Rat {
		r := &run{in: in, p: solver.Bind[params](p), backend: backend}
		out, err := solve(r, name)
		if err != nil {
			t.Fatal(name, err)
		}
		if v := in.Check(out.Schedule); len(v) > 0 {
			t.Fatal(name, v)
		}
		return in.Evaluate(out.Schedule).Value
	}
	best := cost("best")
	for _, name := range comparators {
		if other := cost(name); other.Cmp(best) < 0 {
			t.Fatalf("best %s, %s %s: %v", bigFloat(best), name, bigFloat(other), p)
		}
	}
}

// TestBestThreads: the schedule does not depend on the number of threads, and is no worse than the first one.
func TestBestThreads(t *testing.T) {
	in := marsInstance(t, 10, 1)
	var schedules []*model.Schedule
	for _, threads := range []int{1, 2} {
		r := &run{in: in, p: solver.Bind[params](solver.Params{"bound": "lp"}), backend: backend}
		out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 500, Seed: 7, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		schedules = append(schedules, out.Schedule)
	}
	if !slices.Equal(schedules[0].Entries, schedules[1].Entries) {
		t.Error("schedules differ with the number of threads")
	}
	c, lp := relax(t, in, false, generationOptions{warm: true})
	list := graph(in).NeverIdle(ranks((&run{in: in, c: c}).midpointOrder(lp)), in.Machines)
	if best, start := in.Evaluate(schedules[0]).Value, in.Evaluate(list).Value; best.Cmp(start) >= 0 {
		t.Errorf("best %s is no better than mars-list %s", best.FloatString(3), start.FloatString(3))
	}
}

// TestCandidates: for any size, best tries every algorithm that suits it, and none with a search.
func TestCandidates(t *testing.T) {
	for _, x := range []struct{ tasks, want int }{
		{1, len(comparators)}, {batchTasks + 1, 13}, {assignedTasks + 1, 11}, {completionTasks + 1, 9}} {
		for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
			r := &run{in: &msjo.Instance{Tasks: x.tasks, Objective: objective}}
			quick, others := r.candidates()
			if got := len(quick) + len(others); got != x.want {
				t.Errorf("%d tasks, %s: %d candidates, want %d", x.tasks, objective, got, x.want)
			}
		}
	}
}
