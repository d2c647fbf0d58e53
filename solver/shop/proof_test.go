package shop

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/proof"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver/explain"
)

// TestEngine: on tiny instances of all features and objectives, exact proves the optimum by clauses, with a
// certificate. A certificate that claims more, or other windows, proves nothing, and none without its end.
func TestEngine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	tried, engines := 0, 0
	for k := 0; tried < tier.Draws(60, 3000); k++ {
		in := small(t, r, k)
		if in.Tasks > 5 || in.CostUnit().Sign() == 0 {
			continue
		}
		tried++
		optimum := in.Objective.Rat(brute(in).first.Into(new(big.Int)))
		optimum.Sub(optimum, in.Less())
		out := outcome(t, &run{in: in}, "exact", testOptions)
		if got := in.Evaluate(out.Schedule).Value; got.Cmp(optimum) != 0 || out.Status != model.StatusOptimal {
			t.Errorf("instance %d: %s, %s; brute force %s", k, got, out.Status, optimum)
		}
		atMost(t, in, out, optimum, k)
		for _, b := range out.Bounds {
			if b.Method == shop.MethodEngine {
				engines++
				tampered(t, in, b.Certificate.(*shop.Certificate), optimum)
				explained(t, in, out.Schedule, b.Certificate, optimum)
			}
		}
	}
	if engines < tried/4 {
		t.Errorf("%d certificates on %d instances", engines, tried)
	}
}

// TestBeside: the engine works beside best, and its bound and the schedule are the same with any number of threads.
func TestBeside(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	b := begun(10)
	for u := range 20 {
		id := fmt.Sprint("t", u)
		add(b, id, model.Time(1+r.IntN(10)), float64(1+r.IntN(6)))
		if u > 6 {
			b.Delay(fmt.Sprint("t", r.IntN(u)), id, 0, model.Locus{})
		}
	}
	in := built(t, b, shop.Makespan)
	opt := testOptions
	opt.Iterations = 500
	var values []string
	for threads := range 3 {
		opt.Threads = threads + 1
		out := outcome(t, &run{in: in}, "best", opt)
		last := out.Bounds[len(out.Bounds)-1]
		values = append(values, fmt.Sprint(valueOf(last.Certificate.(*shop.Certificate)), out.Schedule.Entries))
		if last.Method != shop.MethodEngine {
			t.Errorf("%d threads: the last bound is by %s", threads+1, last.Method)
		}
	}
	if values[0] != values[1] || values[0] != values[2] {
		t.Errorf("results depend on the number of threads: %q", values)
	}
}

// explained: what an explanation of any job says about the bound is the optimum, or up to it, and then the proof.
func explained(t *testing.T, in *shop.Instance, s *model.Schedule, c any, optimum *big.Rat) {
	t.Helper()
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	x, err := (&run{in: in}).Explain(t.Context(), explain.Question{Workload: in.Workload(), Schedule: s,
		Task: model.None, Job: model.JobIndex(in.Job[s.Entries[0].Task]), Certificate: raw})
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range x.Bound {
		if v, _ := f.Until.Rat(); v.Cmp(optimum) > 0 || (v.Cmp(optimum) < 0) != (k == 0 && len(x.Bound) == 2) {
			t.Errorf("the optimum is %s: %v", optimum, x.Bound)
		}
	}
	if (len(x.Bound) == 0) != (optimum.Sign() == 0) || len(x.Bound) > 2 {
		t.Errorf("a certificate by clauses: %v", x)
	}
}

func tampered(t *testing.T, in *shop.Instance, c *shop.Certificate, optimum *big.Rat) {
	t.Helper()
	if v := rounded(t, in, c); v.Cmp(optimum) != 0 {
		t.Errorf("the engine proves %s, the optimum is %s", v, optimum)
	}
	for name, change := range map[string]func(c *shop.Certificate, x *shop.Clauses){
		"a larger value": func(c *shop.Certificate, _ *shop.Clauses) {
			v, _ := new(big.Rat).SetString(c.Value)
			c.Value = v.Add(v, big.NewRat(1, 1_000_000)).RatString()
		},
		"windows that none fits": func(c *shop.Certificate, x *shop.Clauses) {
			var log proof.Log
			log.Add([]proof.Literal{proof.AtLeast(int32(in.Steps), 1<<40)}, []proof.Hint{{Kind: proof.ByArc}})
			v, _ := new(big.Rat).SetString(c.Value)
			c.Value = v.Add(v, big.NewRat(1<<20, 1)).RatString()
			y, err := shop.NewClauses(0, &log)
			if err != nil {
				t.Fatal(err)
			}
			*x = *y
		},
		"a cut log":        func(_ *shop.Certificate, x *shop.Clauses) { x.Log = x.Log[:len(x.Log)-1] },
		"negative windows": func(_ *shop.Certificate, x *shop.Clauses) { x.Last = -1 },
		"bounds of jobs":   func(c *shop.Certificate, _ *shop.Clauses) { c.Alone = []shop.AloneBound{{}} },
	} {
		other, x := *c, *c.Clauses
		other.Clauses = &x
		change(&other, &x)
		raw, err := json.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Certify(raw); err == nil {
			t.Errorf("a certificate with %s is accepted", name)
		}
	}
}

// Room for tasks on all nodes together is not room on one of them: tasks that do not fit by count, fixed tasks that
// differ, and absences that differ keep nodes out of a bundle.
func TestBundles(t *testing.T) {
	second := func(b *model.Builder, id string, length, release, cpu int) {
		b.Job(model.Job{ID: id, Release: model.Time(release) * model.Second, Weight: model.UnitWeight}, model.Locus{})
		b.Task(model.Task{ID: id, Processing: model.Some(model.Time(length) * model.Second),
			CPU: model.Some(float64(cpu))}, id, "", model.Locus{})
	}
	for _, c := range []struct {
		name             string
		cpu, bundles     int
		together, single int64 // makespans
		fill             func(b *model.Builder)
	}{
		{"three tasks of 2 on two nodes of 3", 3, 1, 1, 2, func(b *model.Builder) {
			for _, id := range []string{"p", "q", "r"} {
				second(b, id, 1, 0, 2)
			}
		}},
		{"fixed tasks of one node", 2, 2, 4, 5, func(b *model.Builder) {
			second(b, "B", 1, 0, 2)
			second(b, "C", 1, 0, 2)
			second(b, "p", 2, 0, 1)
			second(b, "q", 3, 0, 1)
			second(b, "r", 3, 1, 1)
			b.FixedTask("B", "n0", 0, model.Locus{})
			b.FixedTask("C", "n0", 2*model.Second, model.Locus{})
		}},
		{"absences at both ends", 1, 2, 12, 14, func(b *model.Builder) {
			second(b, "p", 9, 3, 1)
			b.Unavailable(model.Unavailable{From: 10 * model.Second}, "n0", model.Locus{})
			b.Unavailable(model.Unavailable{Until: model.Some(5 * model.Second)}, "n1", model.Locus{})
		}},
	} {
		b := model.NewBuilder()
		b.Scalars(c.name, "cluster", model.Optional[int64]{}, nil)
		b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		for i := range 2 {
			b.Node(model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, CPU: model.Some(float64(c.cpu))}, "root", model.Locus{})
		}
		c.fill(b)
		in := built(t, b, shop.Makespan)
		optimum := brute(in).first.Into(new(big.Int)).Int64() / int64(model.Second)
		x := newEngine(in, nil, 0, nil)
		if !x.above(t.Context(), unlimited, unlimited) || x.end() != c.single || optimum != c.single {
			t.Errorf("%s: %d, brute force %d, expected %d", c.name, x.end(), optimum, c.single)
		}
		if len(x.m.Bundles) != c.bundles {
			t.Errorf("%s: bundles %v", c.name, x.m.Bundles)
		}
	}
}
