package msjo

import (
	"context"
	"encoding/json"
	"flag"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// marsInstance is the paper's random scenario on 50 machines.
func marsInstance(t testing.TB, jobs int64, seed uint64) *msjo.Instance {
	t.Helper()
	preset, err := instances.FindPreset("msjo", "mars")
	if err != nil {
		t.Fatal(err)
	}
	w, err := preset.Generate(solver.Params{"jobs": jobs, "machines": int64(50), "counts": "random", "times": "random",
		"delay-factor": 1.3, "uw-order": "none"}, seed)
	return instance(t, w, err)
}

// instance makes the dense view of a generated workload.
func instance(t testing.TB, w *model.Workload, err error) *msjo.Instance {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// small draws a tiny random instance.
func small(t *rapid.T, tasks int, ordered bool) *msjo.Instance {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	w, err := instances.SmallMSJO(r, tasks, ordered)
	if err != nil {
		t.Fatal(err)
	}
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// fataler is the common part of *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// relax solves the LP to its end.
func relax(t fataler, in *msjo.Instance, published bool, gen generationOptions) (*collapsed, *relaxation) {
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
	cert, err := certify(c.in, "cls-lp", r.terms)
	if err != nil {
		t.Fatal(err)
	}
	return reread(t, c.in, cert)
}

// reread certifies a certificate's text. The value is not rounded up.
func reread(t fataler, in *msjo.Instance, cert *msjo.Certificate) *big.Rat {
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

// optimum is the exact optimum of a small instance.
func optimum(t fataler, in *msjo.Instance) *big.Rat {
	t.Helper()
	start := graph(in).Topological(make([]int64, in.Nodes))
	order, _, ok, _ := solveExact(context.Background(), in, start, 50_000_000, solver.Options{})
	if !ok {
		t.Fatal("the exact search did not end")
	}
	s := graph(in).InOrder(order, in.Machines)
	if v := in.Check(s); len(v) > 0 {
		t.Fatalf("optimal schedule: %v", v)
	}
	return in.Evaluate(s).Value
}

func float(r *big.Rat) float64 { v, _ := r.Float64(); return v }

// backend is the LP solver of the tests.
var backend = lp.Backend(lpsolve.NewSolver)

func options() solver.Options {
	return solver.Options{Iterations: solver.DefaultIterations, Seed: 1, Threads: 2}
}

// TestMain raises the number of random instances per property.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("300"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// open opens a workload as the driver does.
func open(w *model.Workload, p solver.Params) (solver.Run, error) { return Problem().Open(w, p) }

func init() { tier.Rapid(25) }
