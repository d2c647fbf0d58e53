package msjo

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// comparators are the algorithms of this file's properties: all without search.
var comparators = []string{"mars", "mars-list", "so-mars", "tmars", "tmars-list", "mares", "h-mares", "huwf", "hjwf",
	"stf", "htwf", "htwf-list", "wspt-list", "fifo"}

// everything adds the searches.
var everything = append(slices.Clone(comparators), "coge", "best", "exact")

// underTasks is the parameter of the task objective.
func underTasks(more ...any) solver.Params {
	p := solver.Params{"objective": "twtct"}
	for i := 0; i+1 < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

// near fails if a schedule's cost differs from the hand calculation by more than a thousandth: some starts come from
// LPs.
func near(t *testing.T, in *shop.Instance, name string, p solver.Params, want float64) {
	t.Helper()
	out := solved(t, in, name, p)
	if got := float(in.Evaluate(out.Schedule).Value); math.Abs(got-want) > 1e-3 {
		t.Errorf("%s: %g, want %g: %v", name, got, want, out.Schedule.Entries)
	}
}

// TestBare: without its bounds an algorithm makes the same schedule, under either objective and with wrong times.
func TestBare(t *testing.T) {
	in := marsInstance(t, 3, 1)
	for _, p := range []solver.Params{{"epsilon": 0.3, "prediction-error": 0.5}, underTasks("epsilon", 0.3)} {
		for _, name := range comparators {
			want := solved(t, in, name, p)
			out, err := opened(t, in, p).SolveBare(t.Context(), name, options())
			if err != nil || out.Bounds != nil || !reflect.DeepEqual(out.Schedule, want.Schedule) {
				t.Errorf("%s, %v: another schedule: %v", name, p, err)
			}
		}
	}
}

// TestListComparators is computed by hand on one machine: job a (weight 4) with map 2 s, delay 3 s, reduce 1 s, and
// job b (weight 5) with one map of 10 s. w/Σp is 4/3 and 1/2.
//
//	huwf       a-map 0–2, idle, a-reduce 5–6, b 6–16          4·6 + 5·16 = 104
//	hjwf       b 0–10, a-map 10–12, idle, a-reduce 15–16      4·16 + 5·10 = 114
//	stf        a-map 0–2, b 2–12, a-reduce 12–13              4·13 + 5·12 = 112
//	htwf       b weighs 5, a's tasks 4 each: as hjwf          114
//	htwf-list  the same: b 0–10, a-map 10–12, a-reduce 15–16  114
//	wspt-list  as stf: at 2 only b is available               112
//	fifo       a comes first: as wspt-list                     112
func TestListComparators(t *testing.T) {
	in := handmade(t, 1, job{weight: 4, maps: []float64{2}, reduces: []float64{1}, delay: 3},
		job{weight: 5, maps: []float64{10}})
	for name, want := range map[string]float64{"huwf": 104, "hjwf": 114, "stf": 112, "htwf": 114, "htwf-list": 114,
		"wspt-list": 112, "fifo": 112} {
		near(t, in, name, nil, want)
	}
}

// TestFIFOFig1 is Fig. 1(a) of the paper: under Hadoop's default both jobs end at 250 s, so the total is 500; 425 is
// optimal.
func TestFIFOFig1(t *testing.T) { near(t, fig1(t), "fifo", nil, 500) }

// TestHTWFByHand: one machine. Job a has a map of 2 s and weight 5 and, after 3 s, a reduce of 1 s and weight 9; job b
// has one map of 10 s and weight 4. htwf takes a's map, then its reduce, for which the machine waits until 5, then b:
// 5·2 + 9·6 + 4·16 = 128. htwf-list starts b at 2 instead of waiting: 5·2 + 4·12 + 9·13 = 175.
func TestHTWFByHand(t *testing.T) {
	w := handmade(t, 1, job{weight: 1, maps: []float64{2}, reduces: []float64{1}, delay: 3},
		job{weight: 1, maps: []float64{10}}).Workload()
	for u, weight := range []float64{5, 9, 4} {
		w.Tasks[u].Weight = model.Some(model.WeightOf(weight))
	}
	in := instance(t, w, nil).Under(shop.WeightedTaskEnds)
	near(t, in, "htwf", underTasks(), 128)
	near(t, in, "htwf-list", underTasks(), 175)
}

// TestTMarsByHand. One machine, tasks of 1 and 3 s, weights 1. The LP, 1·C_1 + 3·C_2 ≥ ½(10 + 16) = 13 and C_1 ≥ 1,
// gives C = 1 and 4, so n = 1 and 3; α_1 = 1, α_2 = 0: t̄_0 = 1, t̄_1 = 1 + 1 + 1 = 3, t̄_2 = 3 + 2 + 0 = 5. The first
// runs 1–2, the second 5–8: 10. Without intervals they end at 1 and 4: 5. A single task of 0.01 s is its own unit of
// time: it runs 0.01–0.02.
func TestTMarsByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{1}}, job{weight: 1, maps: []float64{3}}).Under(shop.WeightedTaskEnds)
	near(t, in, "tmars", underTasks(), 10)
	near(t, in, "tmars-list", underTasks(), 5)
	alone := handmade(t, 1, job{weight: 1, maps: []float64{0.01}}).Under(shop.WeightedTaskEnds)
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

// TestMARESEpsilon: under the task objective a stop threshold also ends MARES's LP early, at a cost of at least 1 − ε
// of the LP's.
func TestMARESEpsilon(t *testing.T) {
	in := marsInstance(t, 4, 1).Under(shop.WeightedTaskEnds)
	cost := func(p solver.Params) (sum float64) {
		plan, err := prepared(in, p).assignment(context.Background(), options())
		if err != nil {
			t.Fatal(err)
		}
		for u, c := range plan.completion {
			sum += in.TaskWeight[u].Float() * c
		}
		return sum
	}
	if a, b := cost(underTasks("epsilon", 0.3)), cost(underTasks()); a > b*(1-1e-3) || a < 0.7*b*(1-1e-3) {
		t.Errorf("stopped at %g; the LP has value %g", a, b)
	}
}

// TestMARESByHand: two machines, jobs of weight 1 with one map of 3, 2 and 1 s. Longest first assigns a alone, b and c
// together. The LP of the second machine, 2C_b + C_c ≥ ½(5 + 9), C_b ≥ 2, C_c ≥ 1, has its minimum at C_c = 1, C_b = 3;
// C_a = 3. mares starts c at 1, b at 3 and a at 3: 2 + 5 + 6 = 13; h-mares c at 0, b at 1 and a at 0: 1 + 3 + 3 = 7.
func TestMARESByHand(t *testing.T) {
	in := handmade(t, 2, job{weight: 1, maps: []float64{3}}, job{weight: 1, maps: []float64{2}},
		job{weight: 1, maps: []float64{1}})
	near(t, in, "mares", nil, 13)
	near(t, in, "h-mares", nil, 7)
}

// TestSOMarsByHand: one machine, batches of 4 s. At 0 only a (6 s, weight 1) is known and runs to 6. At 4 b (released
// at 1, 1 s, weight 10) and c (at 3, 2 s, weight 100) are known; c has the higher w/p: c 6–8, then b 8–9. At 8 d (at 5,
// 1 s, weight 50) is known. b would keep its place from the plan of 4 only if it had started before 8. It had not, and
// d has the higher w/p: d 8–9, b 9–10. 1·6 + 100·8 + 50·9 + 10·10 = 1356.
func TestSOMarsByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{6}}, job{weight: 10, release: 1, maps: []float64{1}},
		job{weight: 100, release: 3, maps: []float64{2}}, job{weight: 50, release: 5, maps: []float64{1}})
	near(t, in, "so-mars", solver.Params{"batch-interval": 4.0}, 1356)
}

// TestPredictionError: an error of 0 changes nothing. With an error, the LP bound stays that of the true times, and
// another seed gives another plan.
func TestPredictionError(t *testing.T) {
	in := marsInstance(t, 10, 1)
	for _, name := range comparators {
		exact, wrong := solved(t, in, name, nil), solved(t, in, name, solver.Params{"prediction-error": 0.8})
		if !reflect.DeepEqual(exact.Bounds, wrong.Bounds) {
			t.Errorf("%s: the bound depends on predictions", name)
		}
		same := reflect.DeepEqual(exact.Schedule, wrong.Schedule)
		switch name {
		case "hjwf", "htwf", "htwf-list", "fifo": // use no processing time
			if !same {
				t.Errorf("%s: its schedule depends on predictions", name)
			}
		case "huwf", "wspt-list": // a job's errors mostly cancel
		default:
			if same {
				t.Errorf("%s: errors change nothing", name)
			}
		}
	}
	r := &run{in: in, p: solver.Bind[params](solver.Params{"prediction-error": 0.5})}
	one := r.planner(solver.Options{Seed: 1}).in
	two := r.planner(solver.Options{Seed: 2}).in
	if reflect.DeepEqual(one.Least, two.Least) {
		t.Error("seeds 1 and 2 err alike")
	}
	for u, p := range one.Least {
		if d := math.Abs(float64(p - in.Least[u])); d > 0.5*float64(in.Least[u])+1 {
			t.Errorf("task %d: predicted %s, true %s", u, p, in.Least[u])
		}
	}
}

// TestComparators: with right and wrong predictions, every algorithm makes a valid schedule, costs at least the optimum
// and every bound, and repeats its result. MARES costs at most 8 times its own LP, whose machines are fixed, on
// map-reduce jobs.
func TestComparators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 7, rapid.Bool().Draw(t, "ordered"))
		p := solver.Params{"prediction-error": rapid.SampledFrom([]float64{0, 0, 1}).Draw(t, "error"),
			"batch-interval": rapid.SampledFrom([]float64{0.5, 2, 50}).Draw(t, "interval"),
			"epsilon":        rapid.SampledFrom([]float64{0, 0, 0.3}).Draw(t, "epsilon")}
		opt := optimum(t, in)
		for _, name := range comparators {
			out := solved(t, in, name, p)
			if value := in.Evaluate(out.Schedule).Value; value.Cmp(opt) < 0 {
				t.Fatalf("%s %s below optimum %s", name, value.FloatString(6), opt.FloatString(6))
			}
			atMost(t, in, largest(t, in, out), opt, name)
			if again := solved(t, in, name, p); !reflect.DeepEqual(out, again) {
				t.Fatalf("%s: two runs differ", name)
			}
		}
		if len(in.Workload().Delays) == 0 {
			maresFactor(t, in)
		}
	})
}

func maresFactor(t *rapid.T, in *shop.Instance) {
	r := &run{in: in}
	plan, err := r.assignment(context.Background(), options())
	if err != nil {
		t.Fatal(err)
	}
	var lp float64
	for j := range in.Jobs {
		end := 0.0
		for _, u := range in.JobSteps(j) {
			if u < int32(in.Tasks) {
				end = max(end, plan.completion[u])
			}
		}
		lp += in.Weight[j].Float() * end
	}
	notBefore := make([]model.Time, in.Tasks)
	for u, c := range plan.completion {
		notBefore[u] = model.TimeOf(c)
	}
	s := graph(in).Assigned(ranks(byTime(r.in, plan.completion)), plan.machine, notBefore, plan.machines)
	if value := float(in.Evaluate(s).Value); value > 8*lp*(1+1e-5) {
		t.Fatalf("mares %g exceeds 8 times its LP %g", value, lp)
	}
}

// TestBalanced: without its last task, no machine has more than any other.
func TestBalanced(t *testing.T) {
	in := marsInstance(t, 10, 1)
	load := make([]model.Time, in.Nodes)
	longest := slices.Max(in.Least)
	for u, i := range balanced(in, in.Nodes) {
		load[i] += in.Least[u]
	}
	least, most := slices.Min(load), slices.Max(load)
	if most-least > longest {
		t.Errorf("loads from %s to %s; the longest task has %s", least, most, longest)
	}
}
