package msjo

import (
	"context"
	"encoding/json"
	"flag"
	"math/big"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"mrsched/instances"
	reader "mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// fataler is the common part of *testing.T, *testing.B and *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// preset is a workload of the paper's random scenario.
func preset(t fataler, jobs, machines int64, seed uint64) *model.Workload {
	t.Helper()
	p, err := instances.FindPreset("msjo", "mars")
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Generate(solver.Params{"jobs": jobs, "machines": machines, "counts": "random", "times": "random",
		"delay-factor": 1.3, "uw-order": "none"}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// marsInstance is the paper's random scenario on 50 machines.
func marsInstance(t fataler, jobs int64, seed uint64) *shop.Instance {
	t.Helper()
	return instance(t, preset(t, jobs, 50, seed), nil)
}

// instance makes the dense view of a generated workload.
func instance(t fataler, w *model.Workload, err error) *shop.Instance {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	in, err := shop.NewIdentical(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// tiny makes a tiny random instance.
func tiny(t fataler, r *rand.Rand, tasks int, ordered bool) *shop.Instance {
	t.Helper()
	w, err := instances.SmallMSJO(r, tasks, ordered)
	return instance(t, w, err)
}

// small draws a tiny random instance.
func small(t *rapid.T, tasks int, ordered bool) *shop.Instance {
	return tiny(t, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7)), tasks, ordered)
}

// job is one job of a hand-made instance.
type job struct {
	weight, release float64
	maps, reduces   []float64
	delay           float64
}

func handmade(t fataler, machines int64, jobs ...job) *shop.Instance {
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

// prepared is a run on an instance, under its objective.
func prepared(in *shop.Instance, p solver.Params) *run {
	return &run{in: in, p: solver.Bind[params](p), backend: backend}
}

// outcome runs an algorithm and checks its schedule.
func outcome(t fataler, r *run, name string, opt solver.Options) *solver.Outcome {
	t.Helper()
	out, err := r.Solve(context.Background(), name, opt)
	if err != nil {
		t.Fatal(name, err)
	}
	if out.Schedule != nil {
		if v := r.in.Check(out.Schedule); len(v) > 0 {
			t.Fatalf("%s: %v", name, v)
		}
	}
	return out
}

// solved runs an algorithm on an instance's workload, opened as the driver does.
func solved(t fataler, in *shop.Instance, name string, p solver.Params) *solver.Outcome {
	t.Helper()
	return outcome(t, opened(t, in, p), name, options())
}

func opened(t fataler, in *shop.Instance, p solver.Params) *run {
	t.Helper()
	r, err := Problem().Open(in.Workload(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// brief lets a search run for some iterations.
func brief(iterations int) solver.Options {
	return solver.Options{Iterations: iterations, Seed: 1, Threads: 2}
}

// relax solves the LP to its end.
func relax(t fataler, in *shop.Instance, published bool, gen generationOptions) (*collapsed, *relaxation) {
	t.Helper()
	c := newCollapsed(in)
	var f formulation = byDelay{c}
	if published {
		f = byStart{c}
	}
	r, err := c.generate(context.Background(), lpsolve.NewSolver, f, gen, solver.Options{Iterations: unlimited})
	if err != nil {
		t.Fatal(err)
	}
	if !r.complete {
		t.Fatal("constraint generation did not end")
	}
	return c, r
}

// proven is the bound of a relaxation's certificate, re-read from its text.
func proven(t fataler, c *collapsed, r *relaxation) *big.Rat {
	t.Helper()
	cert, err := certify(c.in, "cls-lp", r.price)
	if err != nil {
		t.Fatal(err)
	}
	return reread(t, c.in, cert)
}

// reread certifies a certificate's text. The value is not rounded up.
func reread(t fataler, in *shop.Instance, cert *shop.Certificate) *big.Rat {
	t.Helper()
	text, err := json.Marshal(cert)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := in.Certify(text)
	if err != nil {
		t.Fatal(err)
	}
	value, _ := new(big.Rat).SetString(cert.Value)
	if proof.Value.Cmp(value) < 0 {
		t.Fatalf("%s is rounded down to %s", cert.Value, proof.Value.RatString())
	}
	return value
}

// proves is what a bound proves, re-read from the text of its certificate.
func proves(t fataler, in *shop.Instance, b *solver.Bound) *big.Rat {
	t.Helper()
	return reread(t, in, b.Certificate.(*shop.Certificate))
}

// largest is an outcome's largest bound.
func largest(t fataler, in *shop.Instance, out *solver.Outcome) *big.Rat {
	t.Helper()
	most := new(big.Rat)
	for k := range out.Bounds {
		if v := proves(t, in, &out.Bounds[k]); v.Cmp(most) > 0 {
			most = v
		}
	}
	return most
}

// signed signs a certificate and returns what it proves.
func signed(t fataler, in *shop.Instance, cert *shop.Certificate) *big.Rat {
	t.Helper()
	if err := in.Sign(cert); err != nil {
		t.Fatal(err)
	}
	return reread(t, in, cert)
}

// atMost fails if a bound exceeds the optimum, before rounding or after.
func atMost(t fataler, in *shop.Instance, bound, optimum *big.Rat, about ...any) {
	t.Helper()
	if up := in.RoundUp(bound); bound.Cmp(optimum) > 0 || up.Cmp(optimum) > 0 {
		t.Fatalf("bound %s, rounded up %s, above the optimum %s: %v", bound.FloatString(6), up.FloatString(6),
			optimum.FloatString(6), about)
	}
}

// optimum is the exact optimum of a small instance.
func optimum(t fataler, in *shop.Instance) *big.Rat {
	t.Helper()
	order, _, ok, _ := solveExact(context.Background(), in, byIndex(in), 50_000_000, solver.Options{})
	if !ok {
		t.Fatal("the exact search did not end")
	}
	s := graph(in).InOrder(order, in.Nodes)
	if v := in.Check(s); len(v) > 0 {
		t.Fatalf("optimal schedule: %v", v)
	}
	return in.Evaluate(s).Value
}

func float(r *big.Rat) float64 { v, _ := r.Float64(); return v }

// backend is the LP solver of the tests.
var backend = lp.Backend(lpsolve.NewSolver)

func options() solver.Options { return brief(solver.DefaultIterations) }

func init() {
	tier.Rapid(25)
	if tier.Nightly {
		_ = flag.Set("rapid.checks", "300")
	}
}

// fig1 is the first example of the paper.
func fig1(t fataler) *shop.Instance {
	t.Helper()
	list := instances.Examples()
	k := slices.IndexFunc(list, func(p instances.Preset) bool { return p.Name == "fig1" })
	w, err := reader.ReadBytes(list[k].Document, "fig1.json", reader.Options{})
	return instance(t, w, err)
}
