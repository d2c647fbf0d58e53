package msjo

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

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
