package msjo

import (
	"encoding/json"
	"context"
	"testing"
	"time"

	"mrsched/instances"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

func mars(t testing.TB, jobs int64, seed uint64) *msjo.Instance {
	p, err := instances.FindPreset("msjo", "mars")
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Generate(solver.Params{"jobs": jobs, "machines": int64(50), "counts": "random", "times": "random", "delay-factor": 1.3, "uw-order": "none"}, seed)
	if err != nil {
		t.Fatal(err)
	}
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestTry(t *testing.T) {
	for _, n := range []int64{50,100,200,400} {
		in := mars(t, n, 1)
		c := newCollapsed(in)
		at := time.Now()
		r, err := c.generate(context.Background(), lpsolve.NewSolver, byDelay{c}, generationOptions{warm: true}, solver.Options{Iterations: unlimited})
		if err != nil {
			t.Fatal(err)
		}
		d := time.Since(at)
		cert, err := certify(in, "cls-lp", []pricedTerm{{0, c.byTask(r.price)}})
		if err != nil {
			t.Fatal(err)
		}
		run := &run{in: in, c: c, solved: r}
		v, _ := in.Certify(mustJSON(cert))
		lb, _ := v.Value.Float64()
		o := run.midpointOrder(r)
		mars, _ := in.Evaluate(graph(in).InOrder(o, in.Machines)).Value.Float64()
		marsl, _ := in.Evaluate(graph(in).NeverIdle(ranks(o), in.Machines)).Value.Float64()
		t.Logf("%d jobs %d tasks: %v rounds %d rows %d value %.6f cert %.6f rel %.2g mars %.4f list %.4f viol %v", n, in.Tasks, d, r.rounds, r.rows, r.value, lb, (r.value-lb)/lb, mars/lb, marsl/lb,
			in.Check(graph(in).NeverIdle(ranks(o), in.Machines)))
	}
}

func mustJSON(v any) []byte { b, _ := json.Marshal(v); return b }

func TestADMM(t *testing.T) {
	for _, n := range []int64{10, 20, 50, 100, 200, 400,2000} {
		in := mars(t, n, 1)
		c := newCollapsed(in)
		for _, tol := range []float64{1e-5, 1e-6,1e-7} {
			at := time.Now()
			lb, _, k := newADMM(c).run(context.Background(), 5000, tol)
			t.Logf("%d jobs tol %g: %d it, %v, lb %.6f", n, tol, k, time.Since(at), lb)
		}
	}
}
