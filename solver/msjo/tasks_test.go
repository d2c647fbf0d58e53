package msjo

import (
	"context"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

// underTasks is the parameter of the task objective.
func underTasks(more ...any) solver.Params {
	p := solver.Params{"objective": "twtct"}
	for i := 0; i+1 < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

// provenTasks is the certified bound of the LP on completion times.
func provenTasks(t fataler, in *msjo.Instance, p solver.Params) *big.Rat {
	t.Helper()
	out := solved(t, in, "tmars", p)
	return reread(t, in.Under(msjo.TaskObjective), out.Bounds[0].Certificate.(*msjo.Certificate))
}

// taskOptimum is the least TWTCT over InOrder of every order: see list.Graph.InOrder.
func taskOptimum(in *msjo.Instance) *big.Rat {
	g := graph(in)
	var best *big.Rat
	order, used := make([]int32, 0, in.Tasks), make([]bool, in.Tasks)
	var before [][]int32 // tasks before each task, through barriers
	for range in.Tasks {
		before = append(before, nil)
	}
	for u := range int32(in.Tasks) {
		g.Next(u, 0, func(v int32, _ model.Time) { before[v] = append(before[v], u) })
	}
	var try func()
	try = func() {
		if len(order) == in.Tasks {
			if v := in.TaskSum(g.InOrder(order, in.Machines)); best == nil || v.Cmp(best) < 0 {
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

// TestTMarsByHand. One machine, tasks of 1 and 3 s, weights 1. The LP, 1·C_1 + 3·C_2 ≥ ½(10 + 16) = 13 and C_1 ≥ 1,
// gives C = 1 and 4, so n = 1 and 3; α_1 = 1, α_2 = 0: t̄_0 = 1, t̄_1 = 1 + 1 + 1 = 3, t̄_2 = 3 + 2 + 0 = 5. The first
// runs 1–2, the second 5–8: 10. Without intervals they end at 1 and 4: 5. A single task of 0.01 s is its own unit of
// time: it runs 0.01–0.02.
func TestTMarsByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{1}}, job{weight: 1, maps: []float64{3}}).Under(msjo.TaskObjective)
	near(t, in, "tmars", underTasks(), 10)
	near(t, in, "tmars-list", underTasks(), 5)
	alone := handmade(t, 1, job{weight: 1, maps: []float64{0.01}}).Under(msjo.TaskObjective)
	if s := solved(t, alone, "tmars", underTasks()).Schedule; s.Entries[0].End != model.Second/50 {
		t.Errorf("a lone task of 0.01 s ends at %s, want 0.02", s.Entries[0].End)
	}
}

// TestIntervals by hand: completions 2 and 4 are 1 and 2 units (n = 1, 2), 4.5 is 2.25 (n = 3), 0 starts at once; two
// machines. α = 2/4, 4/4, so t̄_0 = 1, t̄_1 = 1 + 1 + ½ = 2.5, t̄_2 = 2.5 + 2 + 1 = 5.5 units of 2 s.
func TestIntervals(t *testing.T) {
	s := model.Second
	got := intervalStarts([]model.Time{2 * s, 4 * s, s, 0}, []float64{2, 4, 4.5, 0}, 2)
	for u, want := range []model.Time{2 * s, 5 * s, 11 * s, 0} {
		if got[u] != want {
			t.Errorf("task %d starts from %s, want %s", u, got[u], want)
		}
	}
}

// TestInequalities by hand: three tasks of 2 s and weight 1 on two machines. Schulz: 2·ΣC ≥ 36/4 + 12/2, ΣC ≥ 7.5;
// published: 2·ΣC ≥ (12 + 36)/4, ΣC ≥ 6. The optimum is 2 + 2 + 4.
func TestInequalities(t *testing.T) {
	in := handmade(t, 2, job{weight: 1, maps: []float64{2, 2, 2}})
	for inequality, want := range map[string]float64{"schulz": 7.5, "published": 6} {
		if lb := float(provenTasks(t, in, underTasks("inequality", inequality))); lb > want || lb < want-1e-6 {
			t.Errorf("%s: %.9f, want %g", inequality, lb, want)
		}
	}
}

// TestTaskBounds: published ≤ Schulz ≤ optimum ≤ every schedule; tmars ≤ 7 times the LP. The first-order method and
// lp_solve agree, as far as the former includes the precedence.
func TestTaskBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false)
		opt := taskOptimum(in)
		strong, weak := provenTasks(t, in, underTasks()), provenTasks(t, in, underTasks("inequality", "published"))
		if float(weak) > float(strong)*(1+1e-7)+1e-7 {
			t.Fatalf("published %s above Schulz %s", bigFloat(weak), bigFloat(strong))
		}
		if strong.Cmp(opt) > 0 || weak.Cmp(opt) > 0 {
			t.Fatalf("bounds %s, %s above optimum %s", bigFloat(weak), bigFloat(strong), bigFloat(opt))
		}
		rough := float(provenTasks(t, in, underTasks("lp", "first-order")))
		if rough > float(strong)*(1+1e-7)+1e-7 || len(in.Workload().Delays) == 0 && rough < float(strong)*(1-1e-4)-1e-4 {
			t.Fatalf("first-order %g, lp_solve %s", rough, bigFloat(strong))
		}
		for _, name := range append(comparators, "coge", "best", "exact") {
			out := briefly(t, in, name, underTasks("epsilon", 0.0))
			if out.Schedule == nil {
				continue
			}
			value := in.TaskSum(out.Schedule)
			if value.Cmp(opt) < 0 {
				t.Fatalf("%s %s below optimum %s", name, bigFloat(value), bigFloat(opt))
			}
			if out.Status == model.StatusOptimal && value.Cmp(opt) != 0 {
				t.Fatalf("%s claims that %s is optimal, but %s is", name, bigFloat(value), bigFloat(opt))
			}
			if name == "tmars" && float(value) > 7*float(strong)*(1+1e-6) {
				t.Fatalf("tmars %s exceeds 7 times the LP %s", bigFloat(value), bigFloat(strong))
			}
		}
	})
}

// briefly runs any algorithm for few iterations.
func briefly(t fataler, in *msjo.Instance, name string, p solver.Params) *solver.Outcome {
	t.Helper()
	r, err := open(in.Workload(), p)
	if err != nil {
		t.Fatal(err)
	}
	opt := options()
	opt.Iterations = 20
	out, err := r.Solve(context.Background(), name, opt)
	if err != nil {
		t.Fatal(name, err)
	}
	return out
}

// TestFirstOrderTasks: on the paper's random scenario the first-order method reaches lp_solve's optimum.
func TestFirstOrderTasks(t *testing.T) {
	for _, published := range []bool{false, true} {
		in := marsInstance(t, 10, 1).Under(msjo.TaskObjective)
		f := byCompletion{c: newCollapsed(in), published: published}
		s := newCompletionADMM(f)
		_, prices := s.closeGap(context.Background(), solver.Options{})
		exact, err := f.c.generate(context.Background(), lpsolve.NewSolver, f, generationOptions{sets: s.sets()},
			solver.Options{Iterations: unlimited})
		if err != nil || !exact.complete {
			t.Fatal(err, exact)
		}
		if lb := prices.value(f); math.Abs(lb-exact.value) > 1e-5*exact.value {
			t.Errorf("published %v: first-order %.3f, lp_solve %.3f", published, lb, exact.value)
		}
	}
}

// TestAnyTaskPrices: the bound is valid for any prices and multipliers.
func TestAnyTaskPrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false).Under(msjo.TaskObjective)
		number := rapid.Float64Range(-1, 100)
		any := &taskPrices{price: rapid.SliceOfN(number, in.Tasks, in.Tasks).Draw(t, "prices"),
			arc: rapid.SliceOfN(number, len(in.SuccNode), len(in.SuccNode)).Draw(t, "arcs")}
		cert, err := certifyTasks(in, "task-lp-schulz", rapid.Bool().Draw(t, "published"), any)
		if err != nil {
			t.Fatal(err)
		}
		if lb, opt := reread(t, in, cert), taskOptimum(in); lb.Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", bigFloat(lb), bigFloat(opt))
		}
	})
}
