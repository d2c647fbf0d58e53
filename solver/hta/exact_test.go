package hta

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// exactly runs exact without limits and returns the proven optimum. The claim must be provable again, and no worse
// claim may be.
func exactly(t rapid.TB, r *run) model.Time {
	t.Helper()
	ctx := context.Background()
	opt := solver.Options{Iterations: 100_000, Seed: 1, Threads: 1}
	out, err := r.Solve(ctx, "exact", opt)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatal(v)
	}
	if out.Status != model.StatusOptimal {
		t.Fatalf("status %s after %v nodes", out.Status, *out.Facts.(Facts).Nodes)
	}
	cost := r.in.Measure(r.in.Assigned(out.Schedule)).Makespan
	best, err := r.Solve(ctx, "best", opt)
	if err != nil {
		t.Fatal(err)
	}
	if b := r.in.Measure(r.in.Assigned(best.Schedule)).Makespan; cost > b || cost < r.value {
		t.Fatalf("exact %s, best %s, bound %s", cost, b, r.value)
	}
	if again, err := r.Optimal(ctx, out.Schedule, *out.Facts.(Facts).Nodes); err != nil || !again {
		t.Fatalf("%s in %v nodes is not proven again: %v", cost, *out.Facts.(Facts).Nodes, err)
	}
	worse := r.in.Schedule(r.roundRobin(r.order("worst", 0)))
	if again, err := r.Optimal(ctx, worse, 1_000_000); err != nil || again !=
		(r.in.Measure(r.in.Assigned(worse)).Makespan == cost) {
		t.Fatalf("a schedule of %s against the optimum %s: %v, %v", r.in.Measure(r.in.Assigned(worse)).Makespan, cost,
			again, err)
	}
	return cost
}

// TestExactSmall compares with brute force, for uniform, affine and tabled costs of remote tasks, and for costs of
// local tasks.
func TestExactSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := small(t)
		r.p = params{tie: "first"}
		want := brute(r.in)
		if got := big.NewRat(int64(exactly(t, r)), int64(model.Second)); got.Cmp(want) != 0 {
			t.Fatalf("exact %s, brute force %s", got, want)
		}
	})
}

// enumerate is the least makespan of all assignments.
func enumerate(r *run) model.Time {
	server := make([]int32, r.in.Tasks)
	best := model.Time(1) << 62
	for {
		best = min(best, r.in.Measure(server).Makespan)
		t := 0
		for ; t < len(server) && int(server[t]) == r.in.Servers-1; t++ {
			server[t] = 0
		}
		if t == len(server) {
			return best
		}
		server[t]++
	}
}

// tiny makes an instance of up to six tasks on up to four servers, with a rack cost in two racks or without racks.
func tiny(random *rand.Rand) (*model.Workload, error) {
	b := model.NewBuilder()
	step := func(n int) model.Time { return model.Time(random.IntN(n)) * model.Second / 4 }
	c := model.AssignmentCost{Local: step(5)}
	c.Rack = model.Some(c.Local + step(6))
	c.Remote.Base = c.Rack.Value + step(9)
	b.Cost(c, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for _, rack := range []string{"r1", "r2"} {
		b.Node(model.Node{ID: rack, Kind: model.RackNode}, "root", model.Locus{})
	}
	servers := 1 + random.IntN(4)
	for s := range servers {
		b.Node(model.Node{ID: fmt.Sprint("s", s), Kind: model.HostNode, MapSlots: 1},
			[]string{"r1", "r2", "root"}[random.IntN(3)], model.Locus{})
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	read := map[string]bool{}
	for t := range 1 + random.IntN(6) {
		block := fmt.Sprint("b", random.IntN(4))
		b.Task(model.Task{ID: fmt.Sprint("t", t), Kind: model.Map}, "j", block, model.Locus{})
		if read[block] {
			continue
		}
		read[block] = true
		for _, s := range random.Perm(servers)[:1+random.IntN(min(2, servers))] {
			b.Placement(block, fmt.Sprint("s", s), model.Locus{})
		}
	}
	return b.Build()
}

// TestExactRacks compares with all assignments where tasks in the rack of their block have their own cost.
func TestExactRacks(t *testing.T) {
	for seed := range uint64(150) {
		w, err := tiny(rand.New(rand.NewPCG(seed, 3)))
		r := opened(t, w, err, params{tie: "first"})
		if got, want := exactly(t, r), enumerate(r); got != want {
			t.Fatalf("seed %d: exact %s, all assignments %s", seed, got, want)
		}
	}
}

// TestExactMILP: lp_solve's branch and bound gives the same answers.
func TestExactMILP(t *testing.T) {
	for seed := range uint64(12) {
		change := solver.Params{"tasks": 15 + int64(seed), "servers": int64(5), "replicas": 1 + int64(seed%2),
			"server-zipf": 1.0,
			"remote":      2.5, "racks": int64(2)}
		if seed%3 == 0 {
			change["rack-cost"] = 1.25
		}
		r := preset(t, "replicated", seed, change)
		optimum := exactly(t, r)
		for _, load := range []model.Time{r.floor(optimum - 1), optimum, r.floor(optimum + model.Second)} {
			q := r.newQuestion(load)
			m := q.build()
			for s, plans := range q.plans {
				for k := range plans {
					m.SetInt(q.lambda[s] + lp.Col(k))
				}
			}
			s, err := lpsolve.NewSolver(m)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			sol, err := s.Solve(ctx)
			cancel()
			s.Close()
			if err != nil || sol.Status != lp.Optimal {
				t.Errorf("seed %d, load %s: lp_solve fails: %v", seed, load, err)
			} else if reached := sol.Objective > float64(r.in.Tasks)-0.5; reached != (load >= optimum) {
				t.Errorf("seed %d, load %s: lp_solve places %g of %d tasks, the optimum is %s", seed, load, sol.Objective,
					r.in.Tasks, optimum)
			}
		}
	}
}

// TestExactReplicated: sizes too large for brute force.
func TestExactReplicated(t *testing.T) {
	improved := 0
	for seed := range uint64(3) {
		for _, change := range []solver.Params{
			{"tasks": int64(46), "servers": int64(9)},
			{"tasks": int64(60), "servers": int64(12), "replicas": int64(1)},
			{"tasks": int64(200), "servers": int64(20), "zipf": 1.0, "per-remote": 0.1},
			{"tasks": int64(200), "servers": int64(66), "replicas": int64(2), "server-zipf": 0.8, "remote": 2.7183},
			{"tasks": int64(60), "servers": int64(12), "rack-cost": 1.5, "replicas": int64(2), "racks": int64(3)},
			{"tasks": int64(40), "servers": int64(1), "replicas": int64(1)},
			{"tasks": int64(60), "servers": int64(12), "replicas": int64(1), "server-zipf": 2.0, "remote": 1.0},
		} {
			r := preset(t, "replicated", seed, change)
			if exactly(t, r) > r.value {
				improved++
			}
		}
	}
	if improved == 0 {
		t.Error("every optimum is at the bound: the questions were never asked")
	}
}

// hard needs more than a hundred nodes.
func hard(t testing.TB) *run {
	return preset(t, "replicated", 0, solver.Params{"tasks": int64(100), "servers": int64(10), "replicas": int64(1),
		"racks":       int64(4),
		"server-zipf": 0.8, "remote": 2.7183, "rack-cost": 1.3})
}

// TestExactLimits: iterations and ctx stop the search, which then claims nothing. The same limit gives the same result.
func TestExactLimits(t *testing.T) {
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if out, err := hard(t).Solve(stopped, "exact", searching); err != nil || out.Status != model.StatusLimit ||
		len(hard(t).in.Check(out.Schedule)) > 0 {
		t.Fatalf("cancelled: %v, %v", out, err)
	}
	var first *solver.Outcome
	for range 2 {
		r := hard(t)
		out, err := r.Solve(context.Background(), "exact", solver.Options{Iterations: 1, Seed: 1, Threads: 1})
		if err != nil || out.Status != model.StatusLimit || *out.Facts.(Facts).Nodes != exactNodes ||
			len(r.in.Check(out.Schedule)) > 0 {
			t.Fatalf("%+v, %v", out, err)
		}
		if again, err := r.Optimal(context.Background(), out.Schedule, exactNodes); again || err != nil {
			t.Fatalf("proven optimal: %v, %v", again, err)
		}
		if first == nil {
			first = out
		}
		for i, e := range out.Schedule.Entries {
			if first.Schedule.Entries[i] != e {
				t.Fatalf("entry %d: %+v, then %+v", i, first.Schedule.Entries[i], e)
			}
		}
	}
	if got, err := hard(t).Optimal(stopped, first.Schedule, 1000); got || err == nil {
		t.Fatalf("cancelled: %v, %v", got, err)
	}
}

func BenchmarkExact(b *testing.B) {
	for name, r := range map[string]*run{
		"racks-100": hard(b),
		"60": preset(b, "replicated", 0, solver.Params{"tasks": int64(60), "servers": int64(12),
			"replicas": int64(1)}),
		"200": preset(b, "replicated", 0, solver.Params{"tasks": int64(200), "servers": int64(66), "replicas": int64(2),
			"server-zipf": 0.8}),
		"1000": preset(b, "replicated", 0, solver.Params{"tasks": int64(1000), "servers": int64(333),
			"replicas": int64(1), "server-zipf": 0.8}),
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := r.Solve(context.Background(), "exact", solver.Options{Iterations: 1000, Seed: 1,
					Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
