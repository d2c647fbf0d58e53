package hta

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestOptimum: bound ≤ optimum ≤ cost ≤ guarantee for every algorithm, best is never worse than any other but exact,
// and exact finds and proves the optimum. The bounds, and that best is no worse, hold under a limit that stops
// everything early, too.
func TestOptimum(t *testing.T) {
	tier.Slow(t)
	seen := map[string]int{}
	for k := range uint64(tier.Draws(200, 1500)) {
		r := drawn(t, k)
		least, _ := brute(r.in)
		optimum := rat(least)
		if got := exactly(t, r); got != least {
			t.Fatalf("%d: exact %s, optimum %s", k, got, optimum)
		}
		for _, limited := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			if limited {
				cancel()
			}
			best, _ := within(t, ctx, r, "best", searching)
			for _, name := range []string{"flow", "round-robin"} {
				cost, bound := within(t, ctx, r, name, searching)
				if bound.Cmp(optimum) > 0 || optimum.Cmp(best) > 0 || best.Cmp(cost) > 0 {
					t.Fatalf("%d, limited %t: bound %s, optimum %s, best %s, %s %s", k, limited, bound, optimum, best, name, cost)
				}
				if g := r.Guarantee(name, limited); g != nil && !limited {
					if err := g.Judge(cost, optimum, true); err != nil || g.Verdict != model.VerdictProven {
						t.Fatalf("%d: %s costs %s, optimum %s, guarantee %+v: %v", k, name, cost, optimum, g, err)
					}
				}
			}
			cancel()
		}
		if r.in.Unheld > 0 {
			seen["unheld"]++
		}
		if r.in.Cost.Rack.Known {
			seen["rack"]++
		}
		if !r.in.Cost.Remote.Constant() {
			seen["growing"]++
		}
	}
	if seen["unheld"] < 20 || seen["rack"] < 40 || seen["growing"] < 40 {
		t.Errorf("the instances are too much alike: %v", seen)
	}
}

// TestTheorem41: one more replica makes the round robin worse: w_loc without it, w_rem with it.
func TestTheorem41(t *testing.T) {
	for _, c := range []struct {
		extra bool
		tie   string
		want  int64
	}{{false, "worst", 1}, {true, "worst", 3}, {true, "first", 1}} {
		r := preset(t, "thm41", 1, solver.Params{"extra-replica": c.extra})
		r.p.tie = c.tie
		if cost, _ := makespan(t, r, "round-robin", searching); cost.Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("further replica %t, tie %s: %s, want %d", c.extra, c.tie, cost, c.want)
		}
	}
}

// TestTheorem43: the round robin's worst output costs at least ⌊m/n⌋·w_rem, the optimum is ⌈m/n⌉·w_loc.
func TestTheorem43(t *testing.T) {
	for _, c := range []struct{ tasks, servers int64 }{{80, 10}, {8, 4}, {15, 5}, {23, 7}, {3, 3}} {
		r := preset(t, "thm43", 1, solver.Params{"tasks": c.tasks, "servers": c.servers})
		r.p.tie = "worst"
		cost, _ := makespan(t, r, "round-robin", searching)
		best, _ := makespan(t, r, "best", searching)
		if cost.Cmp(big.NewRat(c.tasks/c.servers*3, 1)) < 0 || best.Cmp(big.NewRat((c.tasks+c.servers-1)/c.servers, 1)) != 0 {
			t.Errorf("%d tasks on %d servers: round-robin %s, best %s", c.tasks, c.servers, cost, best)
		}
	}
}

// TestBestMeetsBound: on at least 19 of 20 replicated instances best reaches the bound.
func TestBestMeetsBound(t *testing.T) {
	tier.Slow(t)
	met, total := 0, 0
	for seed := range uint64(tier.Draws(1, 4)) {
		for _, size := range [][2]int64{{500, 10}, {1000, 20}, {1000, 100}, {3000, 70}, {3000, 200}} {
			for _, zipf := range []float64{0, 0.5, 1, 1.2} {
				r := preset(t, "replicated", seed, solver.Params{"tasks": size[0], "servers": size[1], "zipf": zipf})
				cost, bound := makespan(t, r, "best", searching)
				total++
				if cost.Cmp(bound) == 0 {
					met++
				} else {
					t.Logf("seed %d, %d tasks, %d servers, zipf %g: %s, bound %s", seed, size[0], size[1], zipf, cost, bound)
				}
			}
		}
	}
	if met*20 < total*19 {
		t.Errorf("%d of %d at the bound", met, total)
	}
}

// TestLimits: without time there is still a complete schedule and a bound, and later runs do not use them.
func TestLimits(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for k := range uint64(6) {
		params := solver.Params{"tasks": int64(200), "servers": int64(15), "zipf": 1.1, "racks": int64(3)}
		if k%2 > 0 {
			params["rack-cost"] = 1.5
		}
		fresh, used := preset(t, "replicated", k, params), preset(t, "replicated", k, params)
		for _, a := range algorithms() {
			out, err := used.Solve(ended, a.Name, searching)
			if err != nil || out.Status != model.StatusLimit || len(used.in.Check(out.Schedule)) > 0 || len(out.Bounds) == 0 {
				t.Fatalf("%s: %+v, %v", a.Name, out, err)
			}
		}
		if used.proven {
			t.Fatal("a bound without time is proven")
		}
		for _, name := range []string{"flow", "best"} {
			cost, bound := makespan(t, fresh, name, searching)
			again, bound2 := makespan(t, used, name, searching)
			if cost.Cmp(again) != 0 || bound.Cmp(bound2) != 0 || !slices.Equal(fresh.balanced.Load, used.balanced.Load) {
				t.Errorf("%d: %s: %s ≥ %s, after a limit %s ≥ %s", k, name, cost, bound, again, bound2)
			}
		}
	}
}

// shared makes a workload of tasks that all read one block, which the first replicas servers hold.
func shared(t *testing.T, tasks, servers, replicas int, cost model.AssignmentCost) *run {
	t.Helper()
	b := model.NewBuilder()
	b.Cost(cost, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "root", model.Locus{})
	for s := range servers {
		b.Node(model.Node{ID: fmt.Sprint("s", s), Kind: model.HostNode, MapSlots: 1}, "rack", model.Locus{})
		if s < replicas {
			b.Placement("x", fmt.Sprint("s", s), model.Locus{})
		}
	}
	for k := range tasks {
		b.Task(model.Task{ID: fmt.Sprint("t", k), Kind: model.Map}, "j", "x", model.Locus{})
	}
	w, err := b.Build()
	return opened(t, w, err, params{tie: "first"})
}

// TestManyReaders: readers times replicas exceeds 32 bits, but time and memory do not grow with it.
func TestManyReaders(t *testing.T) {
	tier.Slow(t)
	r := shared(t, 70_000, 31_000, 31_000, model.AssignmentCost{Local: model.Second,
		Remote: model.RemoteCost{Base: 3 * model.Second, PerRemote: 1000}})
	for _, name := range []string{"round-robin", "flow", "best"} {
		if cost, bound := makespan(t, r, name, searching); cost.Cmp(bound) != 0 || r.Guarantee(name, false) == nil {
			t.Errorf("%s costs %s, bound %s", name, cost, bound)
		}
	}
}

// TestHugeCosts: n times a makespan exceeds 63 bits. All tasks but one may be remote in an optimal assignment, so the
// additive term is that of 19 remote tasks: 998/999·5·10¹⁰.
func TestHugeCosts(t *testing.T) {
	low, high := 40_000_000_000*model.Second, 50_000_000_000*model.Second
	r := shared(t, 20, 1000, 1, model.AssignmentCost{Local: low, Remote: model.RemoteCost{Table: []model.Time{low, low,
		low, high}}})
	want := new(big.Rat).Mul(big.NewRat(998, 999), big.NewRat(50_000_000_000, 1))
	got, _ := r.Guarantee("flow", false).Additive.Rat()
	if d := new(big.Rat).Sub(want, got); d.Sign() < 0 || d.Cmp(big.NewRat(1, 1_000_000)) > 0 {
		t.Errorf("additive %s, want %s", got.FloatString(6), want.FloatString(6))
	}
}

// TestBestEnds: remote costs that make reachable makespans dense must not make best try all of them.
func TestBestEnds(t *testing.T) {
	tier.Slow(t)
	r := shared(t, 2000, 12, 1, model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 5_137_000,
		PerRemote: 537}})
	reports := 0
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 100, Seed: 1, Threads: 1,
		Watch: &solver.Watch{OnChange: func(solver.State) { reports++ }}})
	if err != nil || reports > 100 || out.Status != model.StatusFeasible ||
		r.in.Evaluate(out.Schedule).Value.Cmp(rat(r.value)) != 0 {
		t.Errorf("%d packings, %v, %v", reports, out.Status, err)
	}
}

// TestBestUnderLimit: with a time limit and no other limit, best ends in time even if it does not reach the bound.
func TestBestUnderLimit(t *testing.T) {
	tier.Slow(t)
	r := preset(t, "replicated", 3, solver.Params{"tasks": int64(300), "servers": int64(20), "zipf": 1.4,
		"racks": int64(4), "rack-cost": 1.7, "remote": 3.3, "replicas": int64(2)})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	cost, bound := within(t, ctx, r, "best", solver.Options{Iterations: 1 << 40, Seed: 1, Threads: 1})
	if d := time.Since(began); d > 6*time.Second || cost.Cmp(bound) <= 0 {
		t.Errorf("%s, bound %s after %s", cost, bound, d)
	}
}

func BenchmarkAlgorithms(b *testing.B) {
	r := preset(b, "replicated", 1, solver.Params{"tasks": int64(1000), "servers": int64(100), "server-zipf": 0.8,
		"replicas": int64(2)})
	for _, a := range algorithms() {
		b.Run(a.Name, func(b *testing.B) {
			for b.Loop() {
				makespan(b, &run{in: r.in, w: r.w, p: r.p}, a.Name, searching)
			}
		})
	}
}
