package hta

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	gophersat "github.com/crillab/gophersat/solver"

	"mrsched/model"
	"mrsched/model/hta/sat"
	"mrsched/solver"
)

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
	random := rand.New(rand.NewPCG(11, 13))
	answers := map[bool]int{}
	for i := range 200 {
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
	if answers[true] < 30 || answers[false] < 30 {
		t.Errorf("the formulas are too much alike: %v", answers)
	}
	t.Logf("satisfiable, or not: %v", answers)
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
