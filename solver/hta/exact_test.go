package hta

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gophersat "github.com/crillab/gophersat/solver"
	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/hta/sat"
	"mrsched/model/tier"
	"mrsched/solver"
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
	t.Helper()
	return preset(t, "replicated", 0, solver.Params{"tasks": int64(100), "servers": int64(10), "replicas": int64(1),
		"racks":       int64(4),
		"server-zipf": 0.8, "remote": 2.7183, "rack-cost": 1.3})
}

// TestExactLimits: iterations and ctx stop the search, which then claims nothing. The same limit gives the same result.
func TestExactLimits(t *testing.T) {
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
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
		if !slices.Equal(out.Schedule.Entries, first.Schedule.Entries) {
			t.Fatal("two runs differ")
		}
	}
	if got, err := hard(t).Optimal(stopped, first.Schedule, 1000); got || err == nil {
		t.Fatalf("cancelled: %v, %v", got, err)
	}
}

// randomFormula has up to the given numbers of variables and clauses of one to three literals.
func randomFormula(random *rand.Rand, variables, clauses int) *sat.Formula {
	f := &sat.Formula{}
	for range clauses {
		var c sat.Clause
		size := 1 + random.IntN(len(c))
		for i := range c {
			c[i] = sat.Literal(1 + random.IntN(variables))
			if random.IntN(2) == 0 {
				c[i] = -c[i]
			}
			if i >= size {
				c[i] = c[size-1]
			}
		}
		f.Clauses = append(f.Clauses, c)
	}
	return f
}

// satisfiable asks a SAT solver.
func satisfiable(f *sat.Formula) bool {
	var cnf [][]int
	for _, c := range f.Clauses {
		cnf = append(cnf, []int{int(c[0]), int(c[1]), int(c[2])})
	}
	return gophersat.New(gophersat.ParseSlice(cnf)).Solve() == gophersat.Sat
}

// TestSAT: formula → workload → exact → truth assignment, against a SAT solver.
func TestSAT(t *testing.T) {
	tier.Slow(t)
	random := rand.New(rand.NewPCG(11, 13))
	answers := map[bool]int{}
	for i := range tier.Draws(40, 400) {
		f := randomFormula(random, 3+i%2, 2+i%7)
		w, err := sat.Reduce(f)
		r := opened(t, w, err, params{tie: "first"})
		out, err := r.Solve(context.Background(), "exact", solver.Options{Iterations: 1000, Seed: 1, Threads: 1})
		if err != nil || out.Status != model.StatusOptimal {
			t.Fatalf("%v: %+v, %v", f.Clauses, out, err)
		}
		want := satisfiable(f)
		answers[want]++
		facts := out.Facts.(Facts)
		if *facts.Satisfiable != want {
			t.Fatalf("%v: %t, the SAT solver says %t", f.Clauses, *facts.Satisfiable, want)
		}
		values := facts.Truth
		if (values != nil) != want {
			t.Fatalf("%v: %v", f.Clauses, values)
		}
		if !want {
			continue
		}
		truth := sat.Truth{}
		for _, x := range f.Variables() {
			truth[x] = values[fmt.Sprint("x", x)]
		}
		if u := f.Falsified(truth); u >= 0 || len(values) != len(truth) {
			t.Fatalf("%v: clause %d is false under %v", f.Clauses, u+1, values)
		}
	}
	if answers[true] < 8 || answers[false] < 8 {
		t.Errorf("the formulas are too much alike: %v", answers)
	}
}

// TestSATOpen: an algorithm that neither reaches a makespan of 3 nor proves that there is none gives no answer. No
// algorithm answers for other workloads.
func TestSATOpen(t *testing.T) {
	f := &sat.Formula{Clauses: []sat.Clause{{1, 1, 1}, {-1, -1, -1}}}
	w, err := sat.Reduce(f)
	r := opened(t, w, err, params{tie: "first"})
	for _, a := range algorithms() {
		out, err := r.Solve(context.Background(), a.Name, searching)
		if err != nil {
			t.Fatal(err)
		}
		answer := out.Facts.(Facts).Satisfiable
		if (answer != nil) != (a.Name == "exact") || answer != nil && *answer {
			t.Errorf("%s: %v", a.Name, answer)
		}
	}
	r = preset(t, "replicated", 1, solver.Params{"tasks": int64(30), "servers": int64(30)})
	if out, err := r.Solve(context.Background(), "exact", searching); err != nil || out.Facts.(Facts).Satisfiable != nil {
		t.Error(out, err)
	}
}
