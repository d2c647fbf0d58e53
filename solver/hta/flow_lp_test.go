package hta

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// sameAsFlow compares flow-lp with flow: the loads of local tasks and the virtual makespan for every threshold, and the
// virtual makespan of the best one.
func sameAsFlow(t *testing.T, r *run) {
	t.Helper()
	ctx := context.Background()
	x := r.balance(ctx)
	for tau := int32(1); tau <= slices.Max(x.Load); tau++ {
		c, err := r.coverLP(ctx, tau)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []int32
		for s := range x.Load {
			got, want = append(got, min(c.Load[s], tau)), append(want, min(x.Load[s], tau))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("τ = %d: local tasks by server %v, those of flow %v", tau, got, want)
		}
	}
	out, err := r.Solve(ctx, "flow-lp", searching)
	if err != nil || out.Status != model.StatusFeasible {
		t.Fatal(out, err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatal(v)
	}
}

func TestFlowLP(t *testing.T) {
	for seed := range uint64(150) {
		w, err := instances.SmallHTA(rand.New(rand.NewPCG(seed, 5)), int(seed))
		sameAsFlow(t, opened(t, w, err, params{tie: "first"}))
	}
	for seed := range uint64(3) {
		for _, change := range []solver.Params{
			{"tasks": int64(46), "servers": int64(9)},
			{"tasks": int64(100), "servers": int64(12), "replicas": int64(1), "server-zipf": 1.0},
			{"tasks": int64(150), "servers": int64(30), "zipf": 1.0, "per-remote": 0.1},
			{"tasks": int64(60), "servers": int64(12), "replicas": int64(2), "server-zipf": 2.0, "remote": 1.0},
		} {
			sameAsFlow(t, preset(t, "replicated", seed, change))
		}
	}
}

// TestFlowLPStops: without time there is still a complete schedule.
func TestFlowLPStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := preset(t, "replicated", 1, solver.Params{"tasks": int64(60), "servers": int64(12)})
	if out, err := r.Solve(ctx, "flow-lp", searching); err != nil || out.Status != model.StatusLimit ||
		len(r.in.Check(out.Schedule)) > 0 {
		t.Fatal(out, err)
	}
}

func BenchmarkFlowLP(b *testing.B) {
	for name, size := range map[string][2]int64{"200x20": {200, 20}, "500x50": {500, 50}, "1000x100": {1000, 100},
		"3000x100": {3000, 100}, "1000x10": {1000, 10}} {
		r := preset(b, "replicated", 1, solver.Params{"tasks": size[0], "servers": size[1], "server-zipf": 0.8,
			"replicas": int64(2)})
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := r.Solve(context.Background(), "flow-lp", searching); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBestShortOfMemory: when lp_solve has no memory, best fails if it calls it, and is the same if not.
func TestBestShortOfMemory(t *testing.T) {
	failed, same := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		w, err := instances.SmallHTA(r, int(seed%4))
		x := opened(t, w, err, params{tie: "first"})
		opt := solver.Options{Iterations: 1, Seed: 1, Threads: 1}
		want, err := x.Solve(context.Background(), "best", opt)
		if err != nil {
			t.Fatal(err)
		}
		called := false
		restore := lpsolve.Inject(lpsolve.Injection{Solve: func(int64, lpsolve.SolutionType) lpsolve.SolutionType {
			called = true
			return lpsolve.NoMemory
		}})
		got, err := opened(t, w, nil, params{tie: "first"}).Solve(context.Background(), "best", opt)
		restore()
		switch {
		case called != errors.Is(err, lp.ErrMemory):
			t.Errorf("seed %d: lp_solve was called: %t; %v", seed, called, err)
		case called:
			failed++
		case err != nil || !slices.Equal(got.Schedule.Entries, want.Schedule.Entries):
			t.Errorf("seed %d: %v, want %v or an error; %v", seed, got, want, err)
		default:
			same++
		}
	}
	if failed == 0 || same == 0 {
		t.Errorf("best needed lp_solve %d times and did without %d times", failed, same)
	}
}
