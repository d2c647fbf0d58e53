package hta

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/solver"
)

// slotted makes a random instance of up to seven maps on up to five nodes in up to three racks; some nodes have no map
// slots. By k, costs grow, do not grow, or depend on racks.
func slotted(t testing.TB, k uint64) *run {
	t.Helper()
	r, b := rand.New(rand.NewPCG(k, 12)), model.NewBuilder()
	half := func(n int) model.Time { return model.Time(r.IntN(n)) * model.Second / 2 }
	cost := model.AssignmentCost{Local: half(4) + model.Second/2}
	cost.Remote.Base = cost.Local + half(5)
	switch k % 5 {
	case 1:
		cost.Remote.PerRemote = half(3) + model.Second/4
	case 2:
		cost.Remote.Table = []model.Time{cost.Remote.Base, cost.Remote.Base + half(3), cost.Remote.Base + 2*model.Second}
		cost.Remote.Base = 0
	case 3:
		cost.Rack = model.Some(cost.Local + (cost.Remote.Base-cost.Local)/2)
	case 4:
		cost.Rack = model.Some(cost.Remote.Base)
	}
	b.Cost(cost, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	parents := []string{"root"}
	for i := range r.IntN(4) {
		parents = append(parents, fmt.Sprint("rack", i))
		b.Node(model.Node{ID: parents[i+1], Kind: model.RackNode}, "root", model.Locus{})
	}
	nodes := 1 + r.IntN(5)
	runs := r.IntN(nodes) // always has map slots
	for i := range nodes {
		n := model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, MapSlots: max(0, r.Int64N(4)-1), ReduceSlots: 1}
		if i == runs {
			n.MapSlots = 1
		}
		b.Node(n, parents[r.IntN(len(parents))], model.Locus{})
	}
	for i := range 1 + r.IntN(7) {
		block := fmt.Sprint("b", r.IntN(i+1))
		b.Task(model.Task{ID: fmt.Sprint("t", i), Kind: model.Map}, "j", block, model.Locus{})
		b.Placement(block, fmt.Sprint("n", r.IntN(nodes)), model.Locus{})
	}
	w, err := b.Build()
	return opened(t, w, err, params{tie: "first"})
}

// solved runs an algorithm, checks the schedule and returns its cost and bound.
func solved(ctx context.Context, t testing.TB, r *run, name string, opt solver.Options) (cost, bound *big.Rat) {
	t.Helper()
	out, err := r.Solve(ctx, name, opt)
	if err != nil {
		t.Fatal(name, err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatal(name, v)
	}
	return r.in.Evaluate(out.Schedule).Value, big.NewRat(int64(r.value), int64(model.Second))
}

// TestSlots: on instances with nodes without map slots, bound ≤ optimum ≤ cost ≤ guarantee, exact finds the optimum,
// and best is never worse than any other algorithm. This holds under any tie rule, and under time limits that stop
// everything early or nothing.
func TestSlots(t *testing.T) {
	unheld, racks, inRack := 0, 0, 0
	for k := range uint64(500) {
		r := slotted(t, k)
		optimum := big.NewRat(int64(enumerate(r)), int64(model.Second))
		if r.in.Unheld > 0 {
			unheld++
			if r.in.Cost.Rack.Known {
				racks++
			}
			for b := range int32(r.in.Blocks) {
				if len(r.in.Replicas(b)) == 0 && len(r.in.ReplicaRacks(b)) > 0 {
					inRack++
					break
				}
			}
		}
		for _, limit := range []time.Duration{0, time.Nanosecond, time.Minute} {
			ctx, cancel := context.Background(), func() {}
			if limit > 0 {
				ctx, cancel = context.WithTimeout(ctx, limit)
			}
			best, _ := solved(ctx, t, r, "best", searching)
			for _, name := range []string{"flow", "flow-lp", "round-robin", "exact", "best"} {
				for _, tie := range ties {
					if r.p.tie = tie; tie != "first" && name != "round-robin" {
						continue
					}
					cost, bound := solved(ctx, t, r, name, searching)
					if bound.Cmp(optimum) > 0 || optimum.Cmp(cost) > 0 {
						t.Fatalf("%d, limit %s: %s costs %s, bound %s, optimum %s", k, limit, name, cost, bound, optimum)
					}
					if name != "exact" && best.Cmp(cost) > 0 {
						t.Fatalf("%d, limit %s: best costs %s, %s with tie %s %s", k, limit, best, name, tie, cost)
					}
					if g := r.Guarantee(name, false); g != nil && limit == 0 {
						if err := g.Judge(cost, optimum, true); err != nil || g.Verdict != model.VerdictProven {
							t.Fatalf("%d: %s costs %s, optimum %s, guarantee %+v: %v", k, name, cost, optimum, g, err)
						}
					}
					if name == "exact" && limit != time.Nanosecond && cost.Cmp(optimum) != 0 {
						t.Fatalf("%d: exact finds %s, the optimum is %s", k, cost, optimum)
					}
				}
			}
			cancel()
		}
	}
	if unheld < 100 || racks < 40 || inRack < 30 {
		t.Errorf("%d instances with a block that no server holds, %d with costs for racks, %d with servers in its rack",
			unheld, racks, inRack)
	}
}

// TestLimitLeavesNothing: later runs do not use results that a limit cut short.
func TestLimitLeavesNothing(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for k := range uint64(20) {
		params := solver.Params{"tasks": int64(200), "servers": int64(15), "zipf": 1.1, "racks": int64(3)}
		if k%2 > 0 {
			params["rack-cost"] = 1.5
		}
		fresh, used := preset(t, "replicated", k, params), preset(t, "replicated", k, params)
		for _, name := range []string{"flow", "best", "round-robin"} {
			if _, err := used.Solve(ended, name, searching); err != nil {
				t.Fatal(err)
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

// TestUnheldGuarantee by hand: servers A and B hold the blocks of four maps, a node without map slots that of a fifth.
// Local maps cost 1, others 3. The optimum is 4: the fifth and one more on A, three on B. flow balances the four first
// and ends at 5. Theorem 5.4 would forbid this on two servers, where its additive term is 0.
func TestUnheldGuarantee(t *testing.T) {
	b := model.NewBuilder()
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for node, slots := range map[string]int64{"A": 1, "B": 2, "C": 0} {
		b.Node(model.Node{ID: node, Kind: model.HostNode, MapSlots: slots}, "root", model.Locus{})
	}
	for i, nodes := range []string{"AB", "AB", "AB", "AB", "C"} {
		block := fmt.Sprint("b", i)
		b.Task(model.Task{ID: fmt.Sprint("t", i), Kind: model.Map}, "j", block, model.Locus{})
		for _, node := range nodes {
			b.Placement(block, string(node), model.Locus{})
		}
	}
	w, err := b.Build()
	r := opened(t, w, err, params{tie: "first"})
	if r.in.Servers != 2 || r.in.Unheld != 1 {
		t.Fatalf("%d servers, %d maps without a holder", r.in.Servers, r.in.Unheld)
	}
	flow, bound := makespan(t, r, "flow", searching)
	best, _ := makespan(t, r, "best", searching)
	if flow.Cmp(big.NewRat(5, 1)) != 0 || best.Cmp(big.NewRat(4, 1)) != 0 || bound.Cmp(best) != 0 {
		t.Errorf("flow %s, best %s, bound %s", flow, best, bound)
	}
	if g := r.Guarantee("flow", false); g.Additive != "1.5" {
		t.Errorf("additive term %s, want (1 − 1/2)·3", g.Additive)
	}
}

// TestBestUnderLimit: with a time limit and no other limit, best ends in time even if it does not reach the bound. It
// has spent some of the time on makespans other than the bound.
func TestBestUnderLimit(t *testing.T) {
	r := preset(t, "replicated", 3, solver.Params{"tasks": int64(300), "servers": int64(20), "zipf": 1.4,
		"racks": int64(4), "rack-cost": 1.7,
		"remote": 3.3, "replicas": int64(2)})
	quick, bound := makespan(t, r, "best", solver.Options{Iterations: 20, Seed: 1, Threads: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	began := time.Now()
	cost, _ := solved(ctx, t, r, "best", solver.Options{Iterations: 1 << 40, Seed: 1, Threads: 1})
	if d := time.Since(began); d > 8*time.Second {
		t.Errorf("%s", d)
	}
	if cost.Cmp(quick) > 0 {
		t.Errorf("%s, with 20 iterations %s, bound %s", cost, quick, bound)
	}
}

// TestFlowLPThreshold: flow-lp returns the assignment of the only LP that best solves.
func TestFlowLPThreshold(t *testing.T) {
	for k := range uint64(100) {
		r := slotted(t, k)
		if k%2 > 0 {
			r = preset(t, "replicated", k, solver.Params{"tasks": int64(30 + k), "servers": int64(3 + k/8), "zipf": 1.3})
		}
		want, err := solveFlowLP(context.Background(), r, searching)
		if err != nil {
			t.Fatal(err)
		}
		x := &search{run: r, opt: searching}
		r.balance(context.Background())
		x.makespan = 1 << 62
		if x.tryFlowLP(context.Background()); !slices.Equal(x.server, want.server) {
			t.Errorf("%d: %v, flow-lp has %v", k, x.server, want.server)
		}
	}
}

// TestExplainUnheld explains every map and the job of instances with nodes without map slots. For a map whose block no
// server holds, the explanation states that no move makes it node-local.
func TestExplainUnheld(t *testing.T) {
	said := 0
	for k := range uint64(60) {
		r := slotted(t, k)
		out, err := r.Solve(context.Background(), "best", searching)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := json.Marshal(out.Bounds[0].Certificate)
		if err != nil {
			t.Fatal(err)
		}
		q := solver.Question{Schedule: out.Schedule, Task: model.None, Alternatives: 3, Certificate: certificate}
		if _, err := r.Explain(context.Background(), q); err != nil {
			t.Fatal(err)
		}
		for i := range int32(r.in.Tasks) {
			q.Task = r.in.TaskIndex(i)
			x, err := r.Explain(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.in.Replicas(r.in.Block[i])) == 0 {
				said++
				if len(x.Where) != 2 || !strings.Contains(x.Where[1].Text, "lies only on nodes without map slots, so no server "+
					"runs the map node-locally") {
					t.Errorf("%d, task %d: %+v", k, i, x.Where)
				}
			}
		}
	}
	if said < 20 {
		t.Errorf("%d maps without a holder", said)
	}
}
