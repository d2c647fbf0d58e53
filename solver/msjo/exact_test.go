package msjo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// cheapest is the least objective of all schedules that keep the frozen rows of a plan, if there is one. It tries every
// order of the other tasks; in one of them, each begins as soon as it and the first idle machine are ready.
func cheapest(in *shop.Instance) *big.Rat {
	p := in.Replan()
	if p == nil {
		p = &model.Replan{}
	}
	s := &model.Schedule{Entries: make([]model.Entry, in.Tasks)}
	idle := slices.Repeat([]model.Time{p.Until}, in.Nodes)
	done := make([]bool, in.Tasks)
	for u := range in.Tasks {
		if r := p.Frozen(model.TaskIndex(u)); r != nil {
			s.Entries[u] = model.Entry{Task: r.Index, Machine: r.At, Start: r.Start, End: r.Start + in.Least[u]}
			idle[r.At], done[u] = max(idle[r.At], s.Entries[u].End), true
		}
	}
	before := make([][]int32, in.Tasks)
	delay := make([][]model.Time, in.Tasks)
	for u := range int32(in.Tasks) {
		graph(in).Next(u, 0, func(v int32, d model.Time) {
			before[v], delay[v] = append(before[v], u), append(delay[v], d)
		})
	}
	var best *big.Rat
	var place func(left int)
	place = func(left int) {
		if left == 0 {
			if v := in.Evaluate(s).Value; best == nil || v.Cmp(best) < 0 {
				best = v
			}
			return
		}
		for u := range in.Tasks {
			start, ready := in.Earliest[u], !done[u]
			for k, v := range before[u] {
				ready = ready && done[v]
				start = max(start, s.Entries[v].End+delay[u][k])
			}
			if !ready {
				continue
			}
			i := slices.Index(idle, slices.Min(idle))
			was := idle[i]
			start = max(start, was)
			idle[i], done[u] = start+in.Least[u], true
			s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: int32(i), Start: start, End: idle[i]}
			place(left - 1)
			idle[i], done[u] = was, false
		}
	}
	open := 0
	for _, d := range done {
		if !d {
			open++
		}
	}
	place(open)
	return best
}

// TestBrute: on tiny instances under both objectives, exact is optimal, no schedule is cheaper than brute force or
// breaks a rule, no bound exceeds the optimum, and best costs no more than any list.
func TestBrute(t *testing.T) {
	tier.Slow(t)
	for k := range tier.Draws(30, 400) {
		base := tiny(t, rand.New(rand.NewPCG(uint64(k), 7)), 6, k%2 == 0)
		for _, in := range []*shop.Instance{base, base.Under(shop.WeightedTaskEnds)} {
			judgeAll(t, k, in, cheapest(in))
		}
	}
}

// judgeAll runs all algorithms on an instance whose optimum is known.
func judgeAll(t *testing.T, k int, in *shop.Instance, optimum *big.Rat) {
	cost := map[string]*big.Rat{}
	for _, a := range algorithms() {
		out := outcome(t, prepared(in, nil), a.Name, brief(60))
		for _, b := range out.Bounds {
			text, err := json.Marshal(b.Certificate)
			if err != nil {
				t.Fatal(err)
			}
			if proof, err := in.Certify(text); err != nil || proof.Value.Cmp(optimum) > 0 {
				t.Errorf("instance %d: %s proves %v, %v, the optimum is %s", k, b.Method, proof.Value, err, optimum)
			}
		}
		if a.BoundOnly {
			continue
		}
		cost[a.Name] = in.Evaluate(out.Schedule).Value
		if c := cost[a.Name].Cmp(optimum); c < 0 || c > 0 && a.Exhaustive {
			t.Errorf("instance %d, %s: %s costs %s, brute force %s", k, in.Objective, a.Name, cost[a.Name], optimum)
		}
	}
	for name, c := range cost {
		if cost["best"].Cmp(c) > 0 && name != "exact" {
			t.Errorf("instance %d, %s: %s is cheaper than best", k, in.Objective, name)
		}
	}
}

// smallExactly draws an instance with exactly the given number of tasks, at least two jobs and two machines.
func smallExactly(t fataler, tasks int, seed uint64) *shop.Instance {
	t.Helper()
	for k := uint64(0); ; k++ {
		w := tiny(t, rand.New(rand.NewPCG(seed, k)), tasks, seed%2 == 0).Workload()
		if len(w.Tasks) == tasks && len(w.Jobs) > 1 {
			in, err := shop.NewIdentical(w, 2)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
	}
}

// byIndex is the order with which the comparisons start.
func byIndex(in *shop.Instance) []int32 { return graph(in).Topological(make([]int64, in.Steps)) }

// TestProvenAgain: from an optimal schedule the search needs no more nodes than it took to find it, so check can repeat
// it within the stated size. A schedule that starts a second later is not proven.
func TestProvenAgain(t *testing.T) {
	for seed := range uint64(tier.Draws(20, 60)) {
		for _, in := range []*shop.Instance{smallExactly(t, 12, seed),
			smallExactly(t, 9, seed).Under(shop.WeightedTaskEnds)} {
			order, nodes, proven, _ := solveExact(context.Background(), in, byIndex(in), unlimited, solver.Options{})
			_, again, provenAgain, _ := solveExact(context.Background(), in, order, nodes, solver.Options{})
			if !proven || !provenAgain {
				t.Errorf("%d tasks, seed %d: %d nodes, then %d", in.Tasks, seed, nodes, again)
			}
		}
		in := smallExactly(t, 7, seed)
		if seed%2 == 0 {
			in = in.Under(shop.WeightedTaskEnds)
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
	r := opened(t, alike(t, 0, 1, 1),
		solver.Params{"machines": int64(shop.MaxNodes)})
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
		v := run.least
		if b := run.proved.value; b != nil && b.bound != nil {
			atMost(t, in, proves(t, in, b.bound), opt, k)
		}
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
func hardJob(t *testing.T) *shop.Instance {
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

// TestEngineOfHardJob: the engine proves what other bounds do not, and finds the schedule. A search does not take what
// it found without a first schedule, nor a worse schedule than its own.
func TestEngineOfHardJob(t *testing.T) {
	r := prepared(hardJob(t), solver.Params{"bound": "all"})
	outcome(t, r, "coge", brief(300))
	alone := r.proved.value
	outcome(t, r, "best", brief(300))
	x := r.proved.value
	if alone == nil || alone == x || x == nil || x.bound == nil || r.optimum() == nil {
		t.Errorf("%+v after %+v, bound %s", x, alone, r.least)
	}
	cheap := r.first.schedule
	x.schedule = solved(t, r.in, "fifo", nil).Schedule
	if _, err := r.byEngine(t.Context(), brief(300)); err != nil || r.first.schedule != cheap ||
		!r.cheaper(cheap, x.schedule) {
		t.Error("the engine's schedule replaced a cheaper one", err)
	}
}

// TestNoEngineForPacking: a packing that costs what other bounds prove ends the bounds before the engine.
func TestNoEngineForPacking(t *testing.T) {
	x, r := job{weight: 1}, rand.New(rand.NewPCG(1, 2))
	for range provenTasks {
		x.maps = append(x.maps, float64(20+r.IntN(80)))
	}
	for _, name := range []string{"coge", "best"} {
		r := prepared(handmade(t, 7, x), solver.Params{"bound": "all"})
		out := outcome(t, r, name, brief(300))
		if r.proved.known || r.optimum() == nil || len(out.Bounds) < 2 {
			t.Errorf("%s: engine %v, bound %s", name, r.proved.known, r.least)
		}
	}
}

// BenchmarkExact runs exact on the same ten instances of a size per iteration.
func BenchmarkExact(b *testing.B) {
	for _, tasks := range []int{5, 8, 12, 15} {
		b.Run(fmt.Sprintf("%dtasks", tasks), func(b *testing.B) {
			var set []*shop.Instance
			for seed := range uint64(10) {
				set = append(set, smallExactly(b, tasks, seed))
			}
			nodes := 0
			for b.Loop() {
				for _, in := range set {
					_, n, _, _ := solveExact(context.Background(), in, byIndex(in), unlimited, solver.Options{})
					nodes += n
				}
			}
			b.ReportMetric(float64(nodes)/float64(b.N*len(set)), "nodes")
		})
	}
}
