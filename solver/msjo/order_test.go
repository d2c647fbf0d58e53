package msjo

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// outcomes returns the outcomes, as text, of algorithms that run one after another on one opened instance.
func outcomes(t *testing.T, in *msjo.Instance, p solver.Params, names ...string) (texts []string) {
	t.Helper()
	r := &run{in: in.Under(msjo.Objective(p.Text("objective"))), p: solver.Bind[params](p), backend: backend}
	for _, name := range names {
		out, err := r.Solve(context.Background(), name, solver.Options{Iterations: 30, Seed: 1, Threads: 2})
		if err != nil {
			t.Fatal(name, err)
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// TestBoundUnderLimit: under a limit that is far too short the first schedules come first, then the bound, before any
// search. So a search proves no less than what every job alone does.
func TestBoundUnderLimit(t *testing.T) {
	in := marsInstance(t, 60, 1)
	for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
		watch := &solver.Watch{}
		p := solver.Params{"bound": "auto", "objective": string(objective)}
		r := &run{in: in.Under(objective), p: solver.Bind[params](p), backend: backend}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		out, err := r.Solve(ctx, "best", solver.Options{Iterations: unlimited, Seed: 1, Threads: 2, Watch: watch})
		if err != nil {
			t.Fatal(err)
		}
		if phases := watch.Phases(); phases[0].Name != solver.PhaseStart ||
			phases[1].Name != solver.PhaseBound {
			t.Errorf("%s: phases %v", objective, phases)
		}
		cert := out.Bounds[0].Certificate.(*msjo.Certificate)
		lb, trivial := float(reread(t, r.in, cert)), 0.0
		for j, c := range in.Alone {
			trivial += in.Weight[j].Float() * c.Seconds()
		}
		if objective == msjo.JobObjective && lb < trivial {
			t.Errorf("%s: bound %g below that of every job alone, %g", objective, lb, trivial)
		}
		if s := watch.State(); !s.Bound.Known || !s.Incumbent.Known || s.Bound.Value > s.Incumbent.Value {
			t.Errorf("%s: %+v", objective, s)
		}
	}
}

// TestWatch: a run reports the bounds and schedules that it returns in the end.
func TestWatch(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 9))
	for range 12 {
		in := mixed(t, random)
		for _, objective := range []msjo.Objective{msjo.JobObjective, msjo.TaskObjective} {
			p := solver.Params{"bound": "all", "objective": string(objective)}
			r := &run{in: in.Under(objective), p: solver.Bind[params](p), backend: backend}
			for _, name := range append(slices.Clone(comparators), "coge", "best", "exact") {
				if name == "exact" && in.Tasks > exactTasks {
					continue
				}
				watch := &solver.Watch{}
				out, err := r.Solve(t.Context(), name, solver.Options{Iterations: 50, Seed: 1, Threads: 2, Watch: watch})
				if err != nil {
					t.Fatal(name, err)
				}
				seen, bound := watch.State(), 0.0
				for _, b := range out.Bounds {
					bound = max(bound, float(r.in.RoundUp(reread(t, r.in, b.Certificate.(*msjo.Certificate)))))
				}
				if out.Schedule == nil {
					continue
				}
				cost := float(r.in.Evaluate(out.Schedule).Value)
				if out.Status == model.StatusOptimal {
					bound = cost
				}
				if math.Abs(seen.Bound.Value-bound) > 1e-6*bound || math.Abs(seen.Incumbent.Value-cost) > 1e-9*cost {
					t.Errorf("%s, %s: told %+v, returned bound %g and cost %g", name, objective, seen, bound, cost)
				}
			}
		}
	}
}
