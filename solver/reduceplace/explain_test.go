package reduceplace

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// jobsOf is a workload with the names of jobs.
func jobsOf(in *reduceplace.Instance) *model.Workload {
	w := &model.Workload{}
	for j := range int32(in.Jobs) {
		w.Jobs = append(w.Jobs, model.Job{ID: in.JobID(j)})
	}
	return w
}

// answered is an explainer that answered about a job or one of its reduces.
func answered(t rapid.TB, r *run, s *model.Schedule, task model.TaskIndex, job int32) (*explainer,
	*explain.Explanation) {
	t.Helper()
	x := r.explainer(context.Background(), explain.Question{Workload: jobsOf(r.in), Schedule: s, Task: task,
		Job: model.JobIndex(job), Alternatives: 4})
	e, err := x.Answer(x.ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	return x, e
}

// TestExplainQueue by hand: four slots. j0, of three reduces, holds three from 0 to 9. j1 needs two and waits for them.
// j2 needs one, which is free, but comes after j1. With one job at a time, j1 waits for that reason.
func TestExplainQueue(t *testing.T) {
	for k, want := range map[int][]string{
		3: {"release 0", "machine 9 release 1", "machine 9 lower-ranked 9 release 2"},
		1: {"release 0", "machine 9 release 1", "machine 18 release 2"},
	} {
		r := testRun(t, []float64{1, 2, 3, 4}, k, []testJob{{0, 9, 3, 3}, {1, 9, 2, 2}, {2, 9, 1, 1}})
		for j := range want {
			_, x := answered(t, r, r.in.Schedule(policySlots(t, r, "greedy")), model.None, int32(j))
			var words []string
			for _, f := range x.When {
				words = append(words, f.Kind, string(f.Until))
			}
			if got := strings.Join(words, " "); got != want[j] {
				t.Errorf("%d at a time: job %d: %s, want %s", k, j, got, want[j])
			}
		}
	}
}

// TestAnyStream judges policies and explanations of random streams of jobs, of which some wait, some have no reduces,
// some no work.
func TestAnyStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 4).Draw(t, "max R")
		cost := make([]float64, rapid.IntRange(most, 10).Draw(t, "r"))
		for s := range cost {
			cost[s] = float64(rapid.IntRange(0, 9).Draw(t, "cost"))
		}
		slices.Sort(cost)
		var jobs []testJob
		at := 0.0
		for range rapid.IntRange(1, 15).Draw(t, "n") {
			at += float64(rapid.IntRange(0, 5).Draw(t, "between"))
			jobs = append(jobs, testJob{at, float64(rapid.IntRange(0, 9).Draw(t, "work")), rapid.IntRange(0, most).Draw(t, "R"),
				float64(rapid.IntRange(0, 99).Draw(t, "bytes"))})
		}
		r := testRun(t, cost, rapid.IntRange(1, 5).Draw(t, "K"), jobs)
		r.p.horizon = rapid.Int64Range(0, 9).Draw(t, "horizon")
		policiesPass(t, r)
		exchangesAreValid(t, r)
		fallsHold(t, r)
	})
}

// policiesPass: every policy places every job on free slots, also when jobs wait for slots, have no reduces or no work,
// and when it is stopped.
func policiesPass(t *rapid.T, r *run) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rapid.IntRange(0, 9).Draw(t, "stopped") == 0 {
		cancel()
	}
	for _, name := range []string{"greedy", "rhc", "random", "threshold"} {
		f, err := algorithmOf(t, name).Solve(ctx, r, solver.Options{Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bad := r.in.Check(r.in.Schedule(f.slot))
		if limit := f.status == model.StatusLimit; len(bad) > 0 || limit != (ctx.Err() != nil) {
			t.Fatalf("%s: status %s, %v", name, f.status, bad)
		}
	}
}

// exchangesAreValid: every exchange is a placement that the checker accepts, at the cost by which it is ranked. Of one
// reduce the cheapest is told first, exactly evaluated.
func exchangesAreValid(t *rapid.T, r *run) {
	s := r.in.Schedule(policySlots(t, r, rapid.SampledFrom([]string{"greedy", "random", "rhc"}).Draw(t, "policy")))
	now := r.in.Evaluate(s).Value
	for row, entry := range s.Entries {
		x, told := answered(t, r, s, entry.Task, r.in.JobOf(int32(entry.Task)))
		var least *big.Rat
		for _, m := range x.Moves(int32(row)) {
			after := &model.Schedule{Entries: slices.Clone(s.Entries)}
			for i, e := range m.Entries {
				after.Entries[i] = e
			}
			bad := r.in.Check(after)
			change := new(big.Rat).Sub(r.in.Evaluate(after).Value, now)
			if v, _ := change.Float64(); len(bad) > 0 || math.Abs(v-m.About) > 1e-6 {
				t.Fatalf("%+v changes the cost by %g: %v", m, v, bad)
			}
			if least == nil || change.Cmp(least) < 0 {
				least = change
			}
		}
		if list := told.Alternatives; len(list) == 0 != (least == nil) || least != nil &&
			(list[0].Change != model.ExactNumber(least) || list[0].Objective != model.ExactNumber(least.Add(least, now))) {
			t.Fatalf("row %d: %+v, the cheapest: %v", row, list, least)
		}
	}
}

// fallsHold: what the bound's numbers prove if a job fetches nothing is no more than a placement then costs.
func fallsHold(t *rapid.T, r *run) {
	proven(t, r)
	c := r.bounds[0].Certificate.(*reduceplace.Certificate)
	slot := policySlots(t, r, "greedy")
	for j := range int32(r.in.Jobs) {
		left, err := r.in.ProvenWithout(c, j)
		if err != nil {
			t.Fatal(err)
		}
		others := slices.Clone(slot)
		for task := r.in.First[j]; task < r.in.First[j+1]; task++ {
			others[task] = model.None
		}
		if cost := r.in.Fetching(others); left.Cmp(cost) > 0 {
			t.Fatalf("job %d: %s is proven, %s reached", j, left, cost)
		}
	}
}
