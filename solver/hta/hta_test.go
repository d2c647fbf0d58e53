package hta

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/tier"
	"mrsched/solver"
)

// opened is a run on a generated workload.
func opened(t rapid.TB, w *model.Workload, err error, p params) *run {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	in, err := hta.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return &run{in: in, w: w, p: p}
}

// small draws a tiny random instance.
func small(t *rapid.T) *run {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	w, err := instances.SmallHTA(r, rapid.IntRange(0, 3).Draw(t, "shape"))
	return opened(t, w, err, params{tie: rapid.SampledFrom(ties).Draw(t, "tie")})
}

// preset runs a generator with its defaults and some changes.
func preset(t testing.TB, name string, seed uint64, change solver.Params) *run {
	t.Helper()
	p, err := instances.FindPreset("hta", name)
	if err != nil {
		t.Fatal(err)
	}
	values := solver.Params{}
	for _, q := range p.Params {
		v, ok := change[q.Name]
		if !ok {
			v, err = defaultOf(q)
			if err != nil {
				t.Fatal(err)
			}
		}
		values[q.Name] = v
	}
	w, err := p.Generate(values, seed)
	return opened(t, w, err, params{tie: "first"})
}

func defaultOf(q solver.Param) (any, error) {
	switch q.Kind {
	case solver.IntParam:
		return model.ParseFixed(q.Default, 0)
	case solver.FloatParam:
		v, _ := new(big.Float).SetString(q.Default)
		f, _ := v.Float64()
		return f, nil
	case solver.BoolParam:
		return q.Default == "true", nil
	}
	return q.Default, nil
}

// makespan runs an algorithm, checks its schedule and its bound, and returns both.
func makespan(t rapid.TB, r *run, name string, opt solver.Options) (cost, bound *big.Rat) {
	t.Helper()
	out, err := r.Solve(context.Background(), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.in.Check(out.Schedule); len(v) > 0 {
		t.Fatalf("%s: %v", name, v)
	}
	cost = r.in.Evaluate(out.Schedule).Value
	for _, b := range out.Bounds {
		v, ok := new(big.Rat).SetString(b.Certificate.(*hta.Certificate).Value)
		if !ok {
			t.Fatal("no value")
		}
		if bound == nil || v.Cmp(bound) > 0 {
			bound = v
		}
	}
	return cost, bound
}

// brute is the least makespan over all numbers of local tasks of all blocks on all servers. It is branch and bound over
// the tasks for each number of remote tasks.
func brute(in *hta.Instance) *big.Rat {
	best := in.Measure(make([]int32, in.Tasks)).Makespan
	for r := 0; r <= in.Tasks; r++ {
		best = min(best, withRemote(in, r, best))
	}
	return big.NewRat(int64(best), int64(model.Second))
}

// withRemote is the least makespan below best of assignments with at most r remote tasks, each at the cost of r remote
// tasks.
func withRemote(in *hta.Instance, r int, best model.Time) model.Time {
	load := make([]model.Time, in.Servers)
	w := in.Cost.Remote.At(r)
	var place func(task, left int)
	place = func(task, left int) {
		if task == in.Tasks {
			best = min(best, slices.Max(load))
			return
		}
		seen := map[model.Time]bool{} // servers without the block of a remote task differ only in their load
		for s := range load {
			cost := in.Cost.Local
			if !in.Local(in.Block[task], int32(s)) {
				if left == 0 {
					continue
				}
				cost = w
			}
			if load[s]+cost >= best {
				continue
			}
			load[s] += cost
			if cost == in.Cost.Local || task < in.Tasks-1 || !seen[load[s]] {
				seen[load[s]] = true
				rest := left
				if !in.Local(in.Block[task], int32(s)) {
					rest--
				}
				place(task+1, rest)
			}
			load[s] -= cost
		}
	}
	place(0, r)
	return best
}

var searching = solver.Options{Iterations: 50, Seed: 1, Threads: 1}

// TestSmall: bound ≤ optimum ≤ cost ≤ guarantee for every algorithm and shape of remote costs; best is never worse
// than flow.
func TestSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := small(t)
		optimum := brute(r.in)
		costs := map[string]*big.Rat{}
		for _, a := range algorithms() {
			cost, bound := makespan(t, r, a.Name, searching)
			if bound.Cmp(optimum) > 0 || optimum.Cmp(cost) > 0 {
				t.Fatalf("%s: bound %s, optimum %s, cost %s", a.Name, bound, optimum, cost)
			}
			if g := r.Guarantee(a.Name, false); g != nil {
				if err := g.Judge(cost, optimum, true); err != nil || g.Verdict != model.VerdictProven {
					t.Fatalf("%s: cost %s, optimum %s, guarantee %+v: %v", a.Name, cost, optimum, g, err)
				}
			}
			costs[a.Name] = cost
		}
		if costs["best"].Cmp(costs["flow"]) > 0 {
			t.Fatalf("best %s, flow %s", costs["best"], costs["flow"])
		}
	})
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

// TestFlowByHand: six tasks read the only block, on server 1 of 3; costs are 1 and 2. With τ = 1 the loads are 3, 4, 4,
// with τ = 3 3, 4, 2, with τ = 4 4, 2, 2. No threshold beats 4, but the last has the fewest remote tasks. A makespan of
// 3 is infeasible: three local tasks leave three remote ones of cost 2, one on each of two servers. The optimum is 4.
func TestFlowByHand(t *testing.T) {
	b := model.NewBuilder()
	b.Cost(model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 2 * model.Second}}, model.Locus{})
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", model.Locus{})
	for _, s := range []string{"s1", "s2", "s3"} {
		b.Node(model.Node{ID: s, Kind: model.HostNode, MapSlots: 1}, "rack", model.Locus{})
	}
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		b.Task(model.Task{ID: id, Kind: model.Map}, "j", "x", model.Locus{})
	}
	b.Placement("x", "s1", model.Locus{})
	w, err := b.Build()
	r := opened(t, w, err, params{tie: "first"})
	x := r.balance(context.Background())
	if !slices.Equal(x.Load, []int32{6, 0, 0}) || !slices.Equal(x.Level, []int32{6, 0, 0}) {
		t.Fatalf("loads %v, levels %v", x.Load, x.Level)
	}
	for tau, want := range map[int32]model.Time{1: 4, 2: 4, 3: 4, 4: 4, 5: 5, 6: 6} {
		if _, made := r.extended(x.Units, tau, false, math.MaxInt64); made != want*model.Second {
			t.Errorf("τ = %d: makespan %s, want %d", tau, made, want)
		}
	}
	cost, bound := makespan(t, r, "flow", searching)
	server, _ := r.bestBalanced(context.Background(), x, false)
	if l := r.in.Measure(server); cost.Cmp(big.NewRat(4, 1)) != 0 || bound.Cmp(cost) != 0 ||
		l.Remote() != 2 {
		t.Errorf("flow %s with %d remote tasks, bound %s", cost, l.Remote(), bound)
	}
}

// TestDegenerate: one server; one task; remote tasks as cheap as local ones; tasks of cost 0.
func TestDegenerate(t *testing.T) {
	for name, r := range map[string]*run{
		"one server": preset(t, "replicated", 1, solver.Params{"tasks": int64(7), "servers": int64(1), "replicas": int64(1)}),
		"one task":   preset(t, "replicated", 1, solver.Params{"tasks": int64(1), "servers": int64(5)}),
		"no cost": preset(t, "replicated", 1, solver.Params{"tasks": int64(50), "servers": int64(9), "zipf": 1.0,
			"local": 0.0, "remote": 0.0}),
		"free local": preset(t, "replicated", 1, solver.Params{"tasks": int64(50), "servers": int64(9), "local": 0.0}),
		"all remote": preset(t, "replicated", 1, solver.Params{"tasks": int64(100), "servers": int64(30), "zipf": 3.0,
			"remote": 1.0}),
	} {
		for _, a := range algorithms() {
			if a.SizeLimit > 0 && r.in.Tasks > a.SizeLimit {
				continue
			}
			cost, bound := makespan(t, r, a.Name, searching)
			if a.Name == "best" && cost.Cmp(bound) != 0 {
				t.Errorf("%s: %s costs %s, bound %s", name, a.Name, cost, bound)
			}
		}
	}
}

// TestBestMeetsBound: on at least 19 of 20 replicated instances best reaches the bound.
func TestBestMeetsBound(t *testing.T) {
	met, total := 0, 0
	for seed := range uint64(4) {
		for _, size := range [][2]int64{{1000, 20}, {1000, 100}, {3000, 70}, {10_000, 300}} {
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

// TestStops: without time there is still a complete schedule and a bound.
func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, a := range algorithms() {
		if a.SizeLimit > 0 {
			continue
		}
		r := preset(t, "replicated", 1, solver.Params{"zipf": 1.0})
		out, err := r.Solve(ctx, a.Name, searching)
		if err != nil {
			t.Fatal(a.Name, err)
		}
		if v := r.in.Check(out.Schedule); len(v) > 0 || len(out.Bounds) == 0 {
			t.Error(a.Name, v, len(out.Bounds))
		}
		if out.Status != model.StatusLimit { // for round-robin only the bound stops
			t.Errorf("%s: status %s", a.Name, out.Status)
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
	r := shared(t, 1_000_000, 2200, 2200, model.AssignmentCost{Local: model.Second,
		Remote: model.RemoteCost{Base: 3 * model.Second, PerRemote: 1000}})
	for _, name := range []string{"round-robin", "flow", "best"} {
		if cost, bound := makespan(t, r, name, searching); cost.Cmp(bound) != 0 {
			t.Errorf("%s costs %s, bound %s", name, cost, bound)
		}
		if r.Guarantee(name, false) == nil {
			t.Error(name, "promises nothing")
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
	r := shared(t, 20_000, 12, 1, model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 5_137_000,
		PerRemote: 537}})
	reports := 0
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 100, Seed: 1, Threads: 1,
		Watch: &solver.Watch{OnChange: func(solver.State) { reports++ }}})
	if err != nil || reports > 100 || out.Status != model.StatusFeasible {
		t.Errorf("%d packings, %v, %v", reports, out.Status, err)
	}
}
