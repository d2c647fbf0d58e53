package msjo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
	"mrsched/solver"
)

// bruteForce is the least objective over InOrder of every order: see list.Graph.InOrder.
func bruteForce(in *msjo.Instance) *big.Rat {
	g := graph(in)
	var best *big.Rat
	order, used := make([]int32, 0, in.Tasks), make([]bool, in.Tasks)
	before := make([][]int32, in.Tasks) // tasks before each task, through barriers
	for u := range int32(in.Tasks) {
		g.Next(u, 0, func(v int32, _ model.Time) { before[v] = append(before[v], u) })
	}
	var try func()
	try = func() {
		if len(order) == in.Tasks {
			if v := in.Evaluate(g.InOrder(order, in.Machines)).Value; best == nil || v.Cmp(best) < 0 {
				best = v
			}
			return
		}
	next:
		for u := range int32(in.Tasks) {
			if used[u] {
				continue
			}
			for _, v := range before[u] {
				if !used[v] {
					continue next
				}
			}
			used[u] = true
			order = append(order, u)
			try()
			order = order[:len(order)-1]
			used[u] = false
		}
	}
	try()
	return best
}

// TestExactAgainstBruteForce tries all orders, under both objectives.
func TestExactAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false)
		for _, in := range []*msjo.Instance{in, in.Under(msjo.TaskObjective)} {
			if opt, best := optimum(t, in), bruteForce(in); opt.Cmp(best) != 0 {
				t.Fatalf("%s: exact %s, brute force %s", in.Objective, opt.FloatString(6), best.FloatString(6))
			}
		}
	})
}

// smallExactly draws an instance with exactly the given number of tasks, at least two jobs and two machines.
func smallExactly(t fataler, tasks int, seed uint64) *msjo.Instance {
	t.Helper()
	for k := uint64(0); ; k++ {
		w := tiny(t, rand.New(rand.NewPCG(seed, k)), tasks, seed%2 == 0).Workload()
		if len(w.Tasks) == tasks && len(w.Jobs) > 1 {
			in, err := msjo.New(w, 2)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
	}
}

// thinned keeps the given numbers of maps and reduces of every job of the preset mars, on two machines.
func thinned(t fataler, jobs, maps, reduces int, seed uint64) *msjo.Instance {
	t.Helper()
	full := preset(t, int64(jobs), 2, seed)
	b := model.NewBuilder()
	b.Scalars("thinned", "msjo", model.Some(int64(2)), nil)
	for _, j := range full.Jobs {
		b.Job(model.Job{ID: j.ID, Release: j.Release, Weight: j.Weight}, model.Locus{})
	}
	left := map[model.JobIndex][2]int{}
	for _, u := range full.Tasks {
		k, most := 0, maps
		if u.Kind == model.Reduce {
			k, most = 1, reduces
		}
		n := left[u.Job]
		if n[k] < most {
			b.Task(model.Task{ID: u.ID, Kind: u.Kind, Processing: u.Processing, ShuffleDelay: u.ShuffleDelay},
				full.Jobs[u.Job].ID, "", model.Locus{})
		}
		n[k]++
		left[u.Job] = n
	}
	w, err := b.Build()
	return instance(t, w, err)
}

// byIndex is the order with which the comparisons start.
func byIndex(in *msjo.Instance) []int32 { return graph(in).Topological(make([]int64, in.Nodes)) }

// TestProvenAgain: from an optimal schedule the search needs no more nodes than it took to find it, so check can repeat
// it within the stated size. A schedule that starts a second later is not proven.
func TestProvenAgain(t *testing.T) {
	for seed := range uint64(tier.Draws(20, 60)) {
		for _, in := range []*msjo.Instance{smallExactly(t, 12, seed), smallExactly(t, 9, seed).Under(msjo.TaskObjective),
			thinned(t, 3, 2, 2, seed)} {
			order, nodes, proven, _ := solveExact(context.Background(), in, byIndex(in), unlimited, solver.Options{})
			_, again, provenAgain, _ := solveExact(context.Background(), in, order, nodes, solver.Options{})
			if !proven || !provenAgain {
				t.Errorf("%d tasks, seed %d: %d nodes, then %d", in.Tasks, seed, nodes, again)
			}
		}
		in := smallExactly(t, 7, seed)
		if seed%2 == 0 {
			in = in.Under(msjo.TaskObjective)
		}
		r := prepared(in, nil)
		out := outcome(t, r, "exact", brief(20))
		if out.Status != model.StatusOptimal {
			t.Fatal(out)
		}
		nodes := *out.Facts.(Facts).Nodes
		if ok, err := r.Optimal(context.Background(), out.Schedule, nodes); !ok || err != nil {
			t.Errorf("seed %d: %d nodes prove nothing again: %v", seed, nodes, err)
		}
		late := &model.Schedule{Entries: append([]model.Entry(nil), out.Schedule.Entries...)}
		for u := range late.Entries {
			late.Entries[u].Start += model.Second
			late.Entries[u].End += model.Second
		}
		worse := in.Evaluate(late).Value.Cmp(in.Evaluate(out.Schedule).Value) > 0 // unless all weights are 0
		if ok, _ := r.Optimal(context.Background(), late, 1<<20); ok && worse {
			t.Errorf("seed %d: a schedule that starts too late counts as optimal", seed)
		}
	}
}

// TestExactOnManyMachines: a node of the search stores no more machines than there are tasks.
func TestExactOnManyMachines(t *testing.T) {
	r := opened(t, instance(t, alike(t, 0, model.Second, model.UnitWeight), nil),
		solver.Params{"machines": int64(10_000_000)})
	if out := outcome(t, r, "exact", brief(20)); out.Status != model.StatusOptimal {
		t.Error(out)
	}
}

// TestJobSearch: the bound of jobs alone by search does not exceed the optimum. With only one job it equals the
// optimum, and best returns the schedule found without a further search.
func TestJobSearch(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(21, 4))
	alone := 0
	for k := 0; k < tier.Draws(12, 160) || alone < 5; k++ {
		in := tiny(t, r, 7, k%2 == 0)
		opt := optimum(t, in)
		run := prepared(in, solver.Params{"bound": "auto"})
		out := outcome(t, run, "best", brief(30))
		v := proves(t, in, run.ended.value.bound)
		atMost(t, in, v, opt, k)
		if in.Jobs > 1 {
			continue
		}
		alone++
		cost, n := in.Evaluate(out.Schedule).Value, *out.Facts.(Facts).Iterations
		if in.RoundUp(v).Cmp(opt) != 0 || cost.Cmp(opt) != 0 || n != 0 {
			t.Fatalf("instance %d: bound %s, cost %s, optimum %s, %d iterations", k, v.RatString(), cost.RatString(),
				opt.RatString(), n)
		}
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

// TestJobSearchThreads: the number of parallel searches does not change a result.
func TestJobSearchThreads(t *testing.T) {
	var texts [2]string
	for k := range texts {
		r := prepared(hardJob(t), solver.Params{"bound": "auto"})
		out := outcome(t, r, "best", solver.Options{Iterations: 300, Seed: 1, Threads: 1 + k})
		text, err := json.Marshal([]any{out.Bounds, out.Schedule})
		if err != nil {
			t.Fatal(err)
		}
		texts[k] = string(text)
		if proof := r.ended.value.list[0].Refuted; proof == nil || proof.Nodes < 1000 || r.optimum() == nil {
			t.Errorf("refutation %+v", proof)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("one thread: %s, two: %s", texts[0], texts[1])
	}
}

// BenchmarkExact runs exact on the same ten instances of a size per iteration.
func BenchmarkExact(b *testing.B) {
	const seeds = 10
	run := func(name string, draw func(seed uint64) *msjo.Instance) {
		b.Run(name, func(b *testing.B) {
			var set []*msjo.Instance
			for seed := range uint64(seeds) {
				set = append(set, draw(seed))
			}
			nodes, runs := 0, 0
			for b.Loop() {
				for _, in := range set {
					_, n, proven, _ := solveExact(context.Background(), in, byIndex(in), unlimited, solver.Options{})
					if !proven {
						b.Fatal("the search did not end")
					}
					nodes += n
					runs++
				}
			}
			b.ReportMetric(float64(nodes)/float64(runs), "nodes")
		})
	}
	for _, tasks := range []int{5, 6, 7, 8, 10, 12, 15} {
		run(fmt.Sprintf("%dtasks", tasks), func(seed uint64) *msjo.Instance { return smallExactly(b, tasks, seed) })
	}
	for _, x := range [][3]int{{3, 2, 2}, {3, 3, 2}, {5, 2, 1}, {3, 4, 2}} {
		run(fmt.Sprintf("mars-%dtasks-%djobs", x[0]*(x[1]+x[2]), x[0]),
			func(seed uint64) *msjo.Instance { return thinned(b, x[0], x[1], x[2], seed) })
	}
}
