package msjo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestJobSearch: the bound of jobs alone by search does not exceed the optimum. With only one job it equals the
// optimum, and best returns the schedule found without a further search.
func TestJobSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	alone := 0
	for k := range tier.Draws(40, 160) {
		w, err := instances.SmallMSJO(r, 7, k%2 == 0)
		in := instance(t, w, err)
		opt := optimum(t, in)
		run := &run{in: in, backend: backend, p: params{bound: "auto"}}
		out, err := run.Solve(t.Context(), "best", solver.Options{Iterations: 30, Seed: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		value := in.RoundUp(reread(t, in, run.ended.value.bound.Certificate.(*msjo.Certificate)))
		if value.Cmp(opt) > 0 || in.Jobs == 1 && value.Cmp(opt) != 0 {
			t.Fatalf("instance %d: bound %s, optimum %s", k, value.RatString(), opt.RatString())
		}
		if v := in.Check(out.Schedule); len(v) > 0 {
			t.Fatalf("instance %d: %v", k, v)
		}
		if in.Jobs > 1 {
			continue
		}
		alone++
		if v := in.Evaluate(out.Schedule).Value; v.Cmp(opt) != 0 {
			t.Fatalf("instance %d: cost %s, optimum %s", k, v.RatString(), opt.RatString())
		}
		if n := *out.Facts.(Facts).Iterations; n != 0 {
			t.Fatalf("instance %d: %d iterations", k, n)
		}
	}
	if alone < 5 {
		t.Errorf("only %d instances with one job", alone)
	}
}

// hardJob is one job, in layers, for which proving the earliest end takes thousands of nodes.
func hardJob(t *testing.T) *msjo.Instance {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 15))
	b := model.NewBuilder()
	b.Scalars("hard", "msjo", model.Some(int64(4)), nil)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	for u := range 50 {
		b.Task(model.Task{ID: fmt.Sprint(u), Kind: model.Map, Processing: model.Some(model.Time(1+r.IntN(9)) * model.Second)},
			"j", "", model.Locus{})
		for v := range u {
			if u/6 == v/6+1 && r.IntN(2) == 0 {
				b.Delay(fmt.Sprint(v), fmt.Sprint(u), 0, model.Locus{})
			}
		}
	}
	w, err := b.Build()
	return instance(t, w, err)
}

// TestJobSearchThreads: neither the number of parallel searches nor a second run changes a result.
func TestJobSearchThreads(t *testing.T) {
	var first string
	for threads := 1; threads <= 2; threads++ {
		for range 2 {
			in := hardJob(t)
			r := &run{in: in, backend: backend, p: params{bound: "auto"}}
			out, err := r.Solve(t.Context(), "best", solver.Options{Iterations: 300, Seed: 1, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal([]any{out.Bounds, out.Schedule})
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = string(text)
			}
			if first != string(text) {
				t.Fatalf("%d threads: %s, want %s", threads, text, first)
			}
			if proof := r.ended.value.list[0].Refuted; proof == nil || proof.Nodes < 1000 || r.optimum() == nil {
				t.Errorf("refutation %+v", proof)
			}
		}
	}
}

// TestSearchEnds: the search ends with a schedule that costs no more than the bound: Smith's rule on one machine.
func TestSearchEnds(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(8, 1))
	var jobs []job
	for range 20 {
		jobs = append(jobs, job{weight: float64(1 + r.IntN(9)), maps: []float64{float64(1 + r.IntN(99))}})
	}
	in := handmade(t, 1, jobs...)
	out, err := (&run{in: in, backend: backend, p: params{bound: "auto"}}).Solve(t.Context(), "best", options())
	if err != nil {
		t.Fatal(err)
	}
	if n := *out.Facts.(Facts).Iterations; n >= options().Iterations {
		t.Errorf("%d iterations", n)
	}
}
