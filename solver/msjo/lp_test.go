package msjo

import (
	"context"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

// lpTolerance is the relative difference allowed between two LP solutions of one instance.
const lpTolerance = 1e-7

// long is enough for the first-order method.
var long = solver.Options{Iterations: 3000}

// TestLP checks the collapse theorem of docs/mathematics.md: the collapsed LP has the value of the published one, on
// map-reduce, map-only, reduce-only and general jobs. Starting with the first-order method's sets changes the rounds,
// not the optimum. With every violated prefix, as published, only the set of all tasks is missing. More machines never
// raise the value. What the first-order method proves is close to it.
func TestLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 12, false)
		more, err := shop.NewIdentical(in.Workload(), int64(in.Nodes)+1)
		if err != nil {
			t.Fatal(err)
		}
		value := func(in *shop.Instance, published bool, gen generationOptions) float64 {
			_, r := relax(t, in, published, gen)
			return r.value
		}
		short := value(in, false, generationOptions{})
		long, warm := value(in, true, generationOptions{}), value(in, false, generationOptions{warm: true})
		every, wide := value(in, true, generationOptions{every: true}), value(more, false, generationOptions{})
		slack := lpTolerance * (1 + short)
		if math.Abs(long-short) > slack || math.Abs(warm-short) > slack || every > short+slack || wide > short+slack {
			t.Fatalf("collapsed %.9f, published %.9f, warm %.9f, with every prefix %.9f, with another machine %.9f", short,
				long, warm, every, wide)
		}
		if rapid.IntRange(0, 2).Draw(t, "thin out") == 0 {
			firstOrder(t, in, short, 1e-9, 1e-3)
		}
	})
	for _, jobs := range []int64{20, 100} {
		in := marsInstance(t, jobs, 2)
		_, exact := relax(t, in, false, generationOptions{warm: true})
		firstOrder(t, in, exact.value, firstOrderTolerance, 1e-5)
	}
}

// firstOrder compares what the first-order method proves with the optimum of the LP.
func firstOrder(t fataler, in *shop.Instance, exact, tolerance, short float64) {
	t.Helper()
	c := newCollapsed(in)
	lb := float(proven(t, c, c.firstOrder(context.Background(), long, tolerance)))
	if lb > exact*(1+1e-9)+1e-9 || lb < exact*(1-short)-1e-6 {
		t.Fatalf("%d jobs: first-order certified %.9f, lp_solve %.9f", in.Jobs, lb, exact)
	}
}

// TestBounds: no certified bound exceeds the optimum, whatever makes it, and no schedule is better than the optimum.
func TestBounds(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			in := small(t, 7, ordered)
			if ordered && !in.Ordered() {
				t.Fatal("an instance with ordered times is not ordered")
			}
			opt := optimum(t, in)
			boundOfLP(t, in, opt)
			boundOfEpsilon(t, in, opt)
			r := prepared(in, nil)
			relax, err := r.relaxation(t.Context(), options())
			if err != nil {
				t.Fatal(err)
			}
			boundOfPrices(t, r, relax, opt)
			boundOfBothSides(t, r, relax, opt)
		})
	}
}

// boundOfLP: the certificate loses almost nothing of the LP, and MarS keeps its factors 3 and 4 against it.
func boundOfLP(t *rapid.T, in *shop.Instance, opt *big.Rat) {
	c, r := relax(t, in, false, generationOptions{warm: true})
	lb := proven(t, c, r)
	atMost(t, in, lb, opt, "LP")
	if d := r.value - float(lb); d > lpTolerance*(1+r.value) {
		t.Fatalf("the LP has value %.9f, its certificate %.9f", r.value, float(lb))
	}
	order := (&run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}}).midpointOrder(r)
	for name, s := range map[string]*model.Schedule{"mars": graph(in).InOrder(order, in.Nodes),
		"mars-list": graph(in).NeverIdle(ranks(order), in.Nodes)} {
		if v := in.Check(s); len(v) > 0 {
			t.Fatalf("%s: %v", name, v)
		}
		value, factor := in.Evaluate(s).Value, 4.0
		if in.Ordered() {
			factor = 3
		}
		if value.Cmp(opt) < 0 || name == "mars" && float(value) > factor*r.value*(1+1e-9) {
			t.Fatalf("%s %s, optimum %s, LP %g", name, value.FloatString(6), opt.FloatString(6), r.value)
		}
	}
}

// boundOfEpsilon: with a stop threshold the certified value is still a bound, and MarS keeps 4/(1−ε).
func boundOfEpsilon(t *rapid.T, in *shop.Instance, opt *big.Rat) {
	const epsilon = 0.3
	c, r := relax(t, in, rapid.Bool().Draw(t, "published"), generationOptions{epsilon: epsilon, every: true})
	atMost(t, in, proven(t, c, r), opt, "epsilon")
	run := &run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}}
	value := float(in.Evaluate(graph(in).InOrder(run.midpointOrder(r), in.Nodes)).Value)
	if value > 4/(1-epsilon)*r.value*(1+1e-9) {
		t.Fatalf("mars %g exceeds 4/(1−ε) times the LP %g", value, r.value)
	}
}

// boundOfPrices: prices of machine time, if there are any.
func boundOfPrices(t *rapid.T, r *run, relax *relaxation, opt *big.Rat) {
	b, err := r.timeIndexed(context.Background(), relax, brief(60))
	if err != nil {
		t.Fatal(err)
	}
	if b.bound != nil {
		atMost(t, r.in, proves(t, r.in, b.bound), opt, "time-indexed")
	}
}

// boundOfBothSides: the two-sided bound is at least that of the LP and that of the jobs alone.
func boundOfBothSides(t *rapid.T, r *run, relax *relaxation, opt *big.Rat) {
	lp, err := r.proof(relax)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := r.aloneBound(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	both, err := r.twoSided(t.Context(), relax, options())
	if err != nil {
		t.Fatal(err)
	}
	if both != nil { // else no task takes time
		twoSidedIsLarger(t, r.in, both, opt, lp, alone)
	}
}

func twoSidedIsLarger(t *rapid.T, in *shop.Instance, both *solver.Bound, opt *big.Rat, others ...*solver.Bound) {
	v := proves(t, in, both)
	atMost(t, in, v, opt, "two-sided")
	for _, b := range others {
		if less := float(proves(t, in, b)); float(v) < less*(1-1e-9) {
			t.Fatalf("two-sided %.9f, %s %.9f", float(v), b.Method, less)
		}
	}
}

// TestTaskBounds: under the task objective published ≤ Schulz ≤ optimum ≤ every schedule, and tmars ≤ 7 times the LP.
// The first-order method and lp_solve agree, as far as the former includes the precedence. The two-sided bound is at
// least that of the LP and that of tasks alone.
func TestTaskBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false).Under(shop.WeightedTaskEnds)
		opt := optimum(t, in)
		proven := func(more ...any) float64 {
			out := solved(t, in, "tmars", underTasks(more...))
			lb := proves(t, in, &out.Bounds[0])
			atMost(t, in, lb, opt, more...)
			return float(lb)
		}
		strong, weak, rough := proven(), proven("inequality", "published"), proven("lp", "first-order")
		if most := strong*(1+1e-7) + 1e-7; weak > most || rough > most ||
			len(in.Workload().Delays) == 0 && rough < strong*(1-1e-4)-1e-4 {
			t.Fatalf("published %g, Schulz %g, first-order %g", weak, strong, rough)
		}
		for _, name := range everything {
			out := outcome(t, opened(t, in, underTasks("epsilon", 0.0)), name, brief(20))
			if out.Schedule == nil {
				continue
			}
			value := in.Evaluate(out.Schedule).Value
			if value.Cmp(opt) < 0 || out.Status == model.StatusOptimal && value.Cmp(opt) != 0 {
				t.Fatalf("%s %s, %s; optimum %s", name, out.Status, value.FloatString(6), opt.FloatString(6))
			}
			if name == "tmars" && float(value) > 7*strong*(1+1e-6) {
				t.Fatalf("tmars %s exceeds 7 times the LP %g", value.FloatString(6), strong)
			}
		}
		r := prepared(in, nil)
		relax, err := r.taskRelaxation(t.Context(), options())
		if err != nil {
			t.Fatal(err)
		}
		alone, err := r.tasksAlone(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		both, err := r.preemptive(t.Context(), relax, options())
		if err != nil {
			t.Fatal(err)
		}
		twoSidedIsLarger(t, in, both, opt, relax.bound, alone)
	})
}

// TestFirstOrderTasks: on the paper's random scenario the first-order method reaches lp_solve's optimum.
func TestFirstOrderTasks(t *testing.T) {
	for _, published := range []bool{false, true} {
		in := marsInstance(t, 10, 1).Under(shop.WeightedTaskEnds)
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

// TestWorkedExample is computed by hand. One machine, job a (weight 2, one task of 3 s) and job b (weight 1, one task
// of 1 s). e_a = 1.5, e_b = 0.5; c = 3, 1. The set {a,b} requires 3(1.5+δ_a) + 1(0.5+δ_b) ≥ 16/2 = 8, that is 3δ_a +
// δ_b ≥ 3; sets {a} and {b} are tight at δ = 0. The cost is 2δ_a + δ_b: a buys 1 s² for 2/3, b for 1. So δ_a = 1, and
// the LP has the value 2·4 + 1·1 = 9. The optimum is b first: 1·1 + 2·4 = 9.
func TestWorkedExample(t *testing.T) {
	in := handmade(t, 1, job{weight: 2, maps: []float64{3}}, job{weight: 1, maps: []float64{1}})
	c, r := relax(t, in, false, generationOptions{})
	if math.Abs(r.value-9) > 1e-9 {
		t.Errorf("LP value %g, want 9", r.value)
	}
	if lb := float(proven(t, c, r)); math.Abs(lb-9) > 1e-8 || lb > 9 {
		t.Errorf("certified %g, want 9", lb)
	}
	if opt := optimum(t, in); opt.Cmp(big.NewRat(9, 1)) != 0 {
		t.Errorf("optimum %s, want 9", opt)
	}
}

// TestMidpoints checks e_u on one map-reduce job by hand: release 1, maps 2 s and 4 s, delay 3 s, reduce 5 s.
// c = 1+4+3+5 = 13. Reduce: L = 0, e = 13 − 2.5 = 10.5. Maps: L = 3+5 = 8; e = 13 − 8 − 1 = 4 and 13 − 8 − 2 = 3.
func TestMidpoints(t *testing.T) {
	in := handmade(t, 2, job{weight: 1, release: 1, maps: []float64{2, 4}, reduces: []float64{5}, delay: 3})
	if in.Alone[0] != 13*model.Second {
		t.Errorf("c = %s, want 13", in.Alone[0])
	}
	for u, want := range []float64{4, 3, 10.5} {
		if got := float64(in.TwiceMidpoint(int32(u))) / 2e6; got != want {
			t.Errorf("e of task %d is %g, want %g", u, got, want)
		}
	}
}

// TestLifted checks COGE's stop rule by hand on the worked example at δ = 0, with midpoints b 0.5 and a 1.5. The proper
// prefix {b} holds (0.5 ≥ 1/2), so no task is raised and Σ w C^NV = 7, the value at δ = 0: any ε > 0 stops there. With
// a second task like b, the prefixes are {b} and {b,b'}: 1·0.5 + 1·0.5 ≥ 4/2 fails by 1, so b' and a rise by 1: C^NV =
// 1, 2, 4 and Σ w C^NV = 1 + 2 + 8 = 11.
func TestLifted(t *testing.T) {
	in := handmade(t, 1, job{weight: 2, maps: []float64{3}}, job{weight: 1, maps: []float64{1}},
		job{weight: 1, maps: []float64{1}})
	c := newCollapsed(in)
	lifted := func(c *collapsed, f formulation, x []float64) float64 {
		g, r := newGeneration(c, f, generationOptions{}), &relaxation{}
		r.midpoint, r.completion = f.point(x)
		g.seps[0].sort(r.midpoint)
		return g.lifted(r)
	}
	if got := lifted(c, byDelay{c}, make([]float64, 3)); math.Abs(got-11) > 1e-12 {
		t.Errorf("Σ w C^NV = %g, want 11", got)
	}
	// Under the task objective, on MARES's machine, the tasks are raised by the same amounts.
	f := byCompletion{c: newCollapsed(in.Under(shop.WeightedTaskEnds)), machine: make([]int32, 3)}
	if got := lifted(f.c, f, []float64{3, 1, 1}); math.Abs(got-11) > 1e-12 {
		t.Errorf("Σ W C^NV = %g, want 11", got)
	}
}

// TestLiteralStopTest: four jobs on a machine, three like b and a. {b, b'} lacks 1 s², and {b, b', b”} lacks 3, or 1 if
// b' and b” have been raised by 1: a rises by 4 or 2 in all, and Σ w C^NV is 1 + 2 + 5 + 14 or 1 + 2 + 3 + 10.
func TestLiteralStopTest(t *testing.T) {
	b := job{weight: 1, maps: []float64{1}}
	c := newCollapsed(handmade(t, 1, job{weight: 2, maps: []float64{3}}, b, b, b))
	for want, literal := range map[float64]bool{22: true, 16: false} {
		g, r := newGeneration(c, byDelay{c}, generationOptions{literal: literal}), &relaxation{}
		r.midpoint, r.completion = byDelay{c}.point(make([]float64, 4))
		g.seps[0].sort(r.midpoint)
		if got := g.lifted(r); math.Abs(got-want) > 1e-12 {
			t.Errorf("literal %t: Σ w C^NV = %g, want %g", literal, got, want)
		}
	}
}

// TestKnown: jobs of weights 1 and 2 come at 0 and at 1 s. Offline the machine waits for the heavier one; in batches of
// 10 s it runs the first at once and the other at 10 s, when that is known.
func TestKnown(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{3}}, job{weight: 2, release: 1, maps: []float64{3}})
	for plan, want := range map[string][2]model.Time{"offline": {4, 1}, "batches": {0, 10}} {
		s := outcome(t, opened(t, in, solver.Params{"plan": plan, "batch-interval": 10.0}), "hjwf", brief(1)).Schedule
		if got := [2]model.Time{s.Entries[0].Start, s.Entries[1].Start}; got[0] != want[0]*model.Second ||
			got[1] != want[1]*model.Second {
			t.Errorf("%s: %v", plan, got)
		}
	}
	_, err := Problem().Open(in.Workload(), solver.Params{"plan": "batches", "ties": "fit"})
	if err == nil {
		t.Error("--plan batches --ties fit is accepted")
	}
}

// TestInequalities by hand: three tasks of 2 s and weight 1 on two machines. Schulz: 2·ΣC ≥ 36/4 + 12/2, ΣC ≥ 7.5;
// published: 2·ΣC ≥ (12 + 36)/4, ΣC ≥ 6. The optimum is 2 + 2 + 4.
func TestInequalities(t *testing.T) {
	in := handmade(t, 2, job{weight: 1, maps: []float64{2, 2, 2}}).Under(shop.WeightedTaskEnds)
	for inequality, want := range map[string]float64{"schulz": 7.5, "published": 6} {
		out := solved(t, in, "tmars", underTasks("inequality", inequality))
		if lb := float(proves(t, in, &out.Bounds[0])); lb > want || lb < want-1e-6 {
			t.Errorf("%s: %.9f, want %g", inequality, lb, want)
		}
	}
}
