package msjo

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// smallExactly draws an instance with exactly the given number of tasks, at least two jobs and two machines.
func smallExactly(t testing.TB, tasks int, seed uint64) *msjo.Instance {
	t.Helper()
	for k := uint64(0); ; k++ {
		w, err := instances.SmallMSJO(rand.New(rand.NewPCG(seed, k)), tasks, seed%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Tasks) != tasks || len(w.Jobs) == 1 {
			continue
		}
		in, err := msjo.New(w, 2)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
}

// thinned keeps the given numbers of maps and reduces of every job of the preset mars, on two machines.
func thinned(t testing.TB, jobs, maps, reduces int, seed uint64) *msjo.Instance {
	t.Helper()
	preset, err := instances.FindPreset("msjo", "mars")
	if err != nil {
		t.Fatal(err)
	}
	full, err := preset.Generate(solver.Params{"jobs": int64(jobs), "machines": int64(2), "counts": "random",
		"times":        "random",
		"delay-factor": 1.3, "uw-order": "none"}, seed)
	if err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder()
	b.Scalars("thinned", "msjo", model.Some(int64(2)), nil)
	for _, j := range full.Jobs {
		b.Job(model.Job{ID: j.ID, Release: j.Release, Weight: j.Weight}, model.Locus{})
	}
	left := map[int][2]int{}
	for _, u := range full.Tasks {
		k, most := 0, maps
		if u.Kind == model.Reduce {
			k, most = 1, reduces
		}
		n := left[int(u.Job)]
		if n[k] < most {
			b.Task(model.Task{ID: u.ID, Kind: u.Kind, Processing: u.Processing, ShuffleDelay: u.ShuffleDelay},
				full.Jobs[u.Job].ID, "", model.Locus{})
		}
		n[k]++
		left[int(u.Job)] = n
	}
	w, err := b.Build()
	return instance(t, w, err)
}

// byIndex is the order with which the comparisons start.
func byIndex(in *msjo.Instance) []int32 { return graph(in).Topological(make([]int64, in.Nodes)) }

// formulations are the ways to write the problem as a MILP; half seconds divide all times of smallExactly.
var formulations = map[string]func(*milp) error{
	"network": (*milp).network,
	"slots":   func(f *milp) error { return f.slots(model.Second / 2) },
}

// TestExactAgainstMILP: the search and two MILPs through lp_solve have the same optimum, to the microsecond. The test
// compares the solver's number, rounded to the grid of all costs, and the cost of its schedule.
func TestExactAgainstMILP(t *testing.T) {
	const seeds = 12         // times 3 sizes
	grid := big.NewRat(4, 1) // weights and times are multiples of ½
	for seed := range uint64(seeds) {
		for tasks := 4; tasks <= 6; tasks++ {
			in := smallExactly(t, tasks, seed)
			opt := optimum(t, in)
			known := graph(in).InOrder(byIndex(in), in.Machines)
			for name, state := range formulations {
				f := newMILP(in, known)
				if err := state(f); err != nil {
					t.Fatal(err)
				}
				value, s := f.solve(context.Background(), t)
				if v := in.Check(s); len(v) > 0 {
					t.Fatalf("%s: %v", name, v)
				}
				if got := in.Evaluate(s).Value; got.Cmp(opt) != 0 {
					t.Errorf("%d tasks, seed %d: %s schedules at %s, exact at %s", tasks, seed, name, got.FloatString(6),
						opt.FloatString(6))
				}
				if want := new(big.Rat).Mul(opt, grid); new(big.Rat).SetFloat64(math.Round(value*4)).Cmp(want) != 0 {
					t.Errorf("%d tasks, seed %d: %s says %g, exact %s", tasks, seed, name, value, opt.FloatString(6))
				}
			}
		}
	}
}

// TestProvenAgain: from an optimal schedule the search needs no more nodes than it took to find it, so check can repeat
// it within the stated size.
func TestProvenAgain(t *testing.T) {
	for seed := range uint64(40) {
		for _, in := range []*msjo.Instance{smallExactly(t, 12, seed), smallExactly(t, 9, seed).Under(msjo.TaskObjective),
			thinned(t, 3, 2, 2, seed)} {
			order, nodes, proven, _ := solveExact(context.Background(), in, byIndex(in), unlimited, solver.Options{})
			_, again, provenAgain, _ := solveExact(context.Background(), in, order, nodes, solver.Options{})
			if !proven || !provenAgain {
				t.Errorf("%d tasks, seed %d: %d nodes, then %d", in.Tasks, seed, nodes, again)
			}
		}
	}
}

// BenchmarkExact runs exact and both MILPs on the same instances from the same schedule: ten instances of a size per
// iteration. "unsolved" counts those that take lp_solve more than 10 s. Larger sizes are for branch and bound alone.
func BenchmarkExact(b *testing.B) {
	for _, tasks := range []int{5, 6, 7, 8} {
		for _, name := range []string{"network", "slots"} {
			b.Run(fmt.Sprintf("%s-%dtasks", name, tasks), func(b *testing.B) { benchmarkMILP(b, tasks, name) })
		}
	}
	for _, tasks := range []int{5, 6, 7, 8, 10, 12, 15} {
		b.Run(fmt.Sprintf("exact-%dtasks", tasks), func(b *testing.B) {
			benchmarkExact(b, func(seed uint64) *msjo.Instance { return smallExactly(b, tasks, seed) })
		})
	}
	for _, x := range [][3]int{{3, 2, 2}, {3, 3, 2}, {5, 2, 1}, {3, 4, 2}} {
		b.Run(fmt.Sprintf("exact-mars-%dtasks-%djobs", x[0]*(x[1]+x[2]), x[0]), func(b *testing.B) {
			benchmarkExact(b, func(seed uint64) *msjo.Instance { return thinned(b, x[0], x[1], x[2], seed) })
		})
	}
}

// benchmarkSeeds is the number of instances per iteration.
const benchmarkSeeds = 10

func benchmarkExact(b *testing.B, make func(seed uint64) *msjo.Instance) {
	var set []*msjo.Instance
	for seed := range uint64(benchmarkSeeds) {
		set = append(set, make(seed))
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
}

func benchmarkMILP(b *testing.B, tasks int, name string) {
	unsolved, runs := 0, 0
	for b.Loop() {
		for seed := range uint64(benchmarkSeeds) {
			in := smallExactly(b, tasks, seed)
			f := newMILP(in, graph(in).InOrder(byIndex(in), in.Machines))
			if err := formulations[name](f); err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			if _, s := f.solve(ctx, b); s == nil {
				unsolved++
			}
			cancel()
			runs++
		}
	}
	b.ReportMetric(float64(unsolved)/float64(runs), "unsolved")
}
