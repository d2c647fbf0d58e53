package msjo

import (
	"context"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/msjo"
)

// lpTolerance is the relative difference allowed between two LP solutions of one instance.
const lpTolerance = 1e-7

// TestCollapse checks the collapse theorem of docs/mathematics.md: the collapsed LP has the value of the published one,
// on map-reduce, map-only, reduce-only and general jobs.
func TestCollapse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 12, false)
		_, short := relax(t, in, false, generationOptions{})
		_, long := relax(t, in, true, generationOptions{})
		if d := math.Abs(short.value - long.value); d > lpTolerance*(1+long.value) {
			t.Fatalf("collapsed %.9f, published %.9f", short.value, long.value)
		}
	})
}

// TestWarmStart: starting with the first-order method's sets changes the rounds, not the optimum.
func TestWarmStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 12, false)
		_, cold := relax(t, in, false, generationOptions{})
		_, warm := relax(t, in, false, generationOptions{warm: true})
		if d := math.Abs(cold.value - warm.value); d > lpTolerance*(1+cold.value) {
			t.Fatalf("cold %.9f, warm %.9f", cold.value, warm.value)
		}
	})
}

// TestPublishedSeparation: adding every violated prefix, as published, ends at the same value. Only the set of all
// tasks is missing, which the published rows leave out.
func TestPublishedSeparation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 8, false)
		_, every := relax(t, in, true, generationOptions{every: true})
		_, peaks := relax(t, in, true, generationOptions{})
		if every.value > peaks.value+lpTolerance*(1+peaks.value) {
			t.Fatalf("published separation %.9f above %.9f", every.value, peaks.value)
		}
	})
}

// TestBounds: certified bound ≤ optimum ≤ schedules. The certificate loses almost nothing of the LP, and MarS keeps its
// factors 3 and 4 against the LP.
func TestBounds(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			in := small(t, 7, ordered)
			c, r := relax(t, in, false, generationOptions{warm: true})
			lb := proven(t, c, r)
			if d := r.value - float(lb); d > lpTolerance*(1+r.value) {
				t.Fatalf("the LP has value %.9f, its certificate %.9f", r.value, float(lb))
			}
			opt := optimum(t, in)
			if lb.Cmp(opt) > 0 {
				t.Fatalf("bound %s above optimum %s", lb.FloatString(6), opt.FloatString(6))
			}
			run := &run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}}
			order := run.midpointOrder(r)
			for name, s := range map[string]*model.Schedule{"mars": graph(in).InOrder(order, in.Machines),
				"mars-list": graph(in).NeverIdle(ranks(order), in.Machines)} {
				if v := in.Check(s); len(v) > 0 {
					t.Fatalf("%s: %v", name, v)
				}
				value := in.Evaluate(s).Value
				if value.Cmp(opt) < 0 {
					t.Fatalf("%s %s below optimum %s", name, value.FloatString(6), opt.FloatString(6))
				}
				factor := 4.0
				if in.Ordered() {
					factor = 3
				}
				if name == "mars" && float(value) > factor*r.value*(1+1e-9) {
					t.Fatalf("mars %s exceeds %g times the LP %g", value.FloatString(6), factor, r.value)
				}
			}
			if ordered && !in.Ordered() {
				t.Fatal("an instance with ordered times is not ordered")
			}
		})
	}
}

// TestEpsilon: with a stop threshold the certified value is still a bound, and MarS keeps 4/(1−ε).
func TestEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 7, false)
		published := rapid.Bool().Draw(t, "published")
		const epsilon = 0.3
		c, r := relax(t, in, published, generationOptions{epsilon: epsilon, every: true})
		lb := proven(t, c, r)
		if opt := optimum(t, in); lb.Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", lb.FloatString(6), opt.FloatString(6))
		}
		run := &run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}}
		value := float(in.Evaluate(graph(in).InOrder(run.midpointOrder(r), in.Machines)).Value)
		if value > 4/(1-epsilon)*r.value*(1+1e-9) {
			t.Fatalf("mars %g exceeds 4/(1−ε) times the LP %g", value, r.value)
		}
	})
}

// TestTheory: more machines never raise the LP, and scaling all times scales it.
func TestTheory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 10, false)
		more, err := msjo.New(in.Workload(), int64(in.Machines)+1)
		if err != nil {
			t.Fatal(err)
		}
		_, a := relax(t, in, false, generationOptions{})
		_, b := relax(t, more, false, generationOptions{})
		if b.value > a.value*(1+1e-9)+1e-9 {
			t.Fatalf("%d machines: %g, one more: %g", in.Machines, a.value, b.value)
		}
	})
}

// job is one job of a hand-made instance.
type job struct {
	weight, release float64
	maps, reduces   []float64
	delay           float64
}

func handmade(t *testing.T, machines int64, jobs ...job) *msjo.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("handmade", "msjo", model.Some(machines), nil)
	for j, x := range jobs {
		id := string(rune('a' + j))
		b.Job(model.Job{ID: id, Weight: model.WeightOf(x.weight), Release: model.TimeOf(x.release)}, model.Locus{})
		for i, p := range x.maps {
			b.Task(model.Task{ID: id + "m" + string(rune('1'+i)), Processing: model.Some(model.TimeOf(p)),
				ShuffleDelay: model.TimeOf(x.delay)}, id, "", model.Locus{})
		}
		for i, p := range x.reduces {
			b.Task(model.Task{ID: id + "r" + string(rune('1'+i)), Kind: model.Reduce, Processing: model.Some(model.TimeOf(p))},
				id, "", model.Locus{})
		}
	}
	w, err := b.Build()
	return instance(t, w, err)
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
	f := byCompletion{c: newCollapsed(in.Under(msjo.TaskObjective)), machine: make([]int32, 3)}
	if got := lifted(f.c, f, []float64{3, 1, 1}); math.Abs(got-11) > 1e-12 {
		t.Errorf("Σ W C^NV = %g, want 11", got)
	}
}

// TestExactAgainstBruteForce tries all orders, under both objectives.
func TestExactAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false)
		if rapid.Bool().Draw(t, "tasks") {
			in = in.Under(msjo.TaskObjective)
		}
		g := graph(in)
		var best *big.Rat
		order := make([]int32, 0, in.Tasks)
		waiting := append([]int32(nil), in.Preds...)
		var try func()
		release := func(u int32, by int32) {
			var walk func(u int32)
			walk = func(u int32) {
				for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
					v := in.SuccNode[a]
					if by > 0 && waiting[v] == 0 && v >= int32(in.Tasks) {
						walk(v)
					}
					waiting[v] += by
					if by < 0 && waiting[v] == 0 && v >= int32(in.Tasks) {
						walk(v)
					}
				}
			}
			walk(u)
		}
		used := make([]bool, in.Tasks)
		try = func() {
			if len(order) == in.Tasks {
				if v := in.Evaluate(g.InOrder(order, in.Machines)).Value; best == nil || v.Cmp(best) < 0 {
					best = v
				}
				return
			}
			for u := range int32(in.Tasks) {
				if used[u] || waiting[u] > 0 {
					continue
				}
				used[u] = true
				release(u, -1)
				order = append(order, u)
				try()
				order = order[:len(order)-1]
				release(u, 1)
				used[u] = false
			}
		}
		try()
		if opt := optimum(t, in); opt.Cmp(best) != 0 {
			t.Fatalf("exact %s, brute force %s", opt.FloatString(6), best.FloatString(6))
		}
	})
}

// TestInterrupted: an expired context still leaves a schedule and a valid bound.
func TestInterrupted(t *testing.T) {
	in := marsInstance(t, 10, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, a := range Problem().Algorithms {
		run, err := open(in.Workload(), map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := run.Solve(ctx, a.Name, options())
		if err != nil {
			t.Fatal(a.Name, err)
		}
		if out.Status != model.StatusLimit {
			t.Errorf("%s: status %s", a.Name, out.Status)
		}
		if out.Schedule != nil && len(in.Check(out.Schedule)) > 0 {
			t.Errorf("%s: %v", a.Name, in.Check(out.Schedule))
		}
	}
}
