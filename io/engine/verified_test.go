package engine

import (
	"math/rand/v2"
	"testing"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// TestMethodsOnce: if an algorithm proves two bounds by one method, the result states the higher one: check accepts
// each method once.
func TestMethodsOnce(t *testing.T) {
	p := Problems()[0]
	w, err := p.Small.Generate(rand.New(rand.NewPCG(1, 1)), 1)
	if err != nil {
		t.Fatal(err)
	}
	params, err := StatedParams(p.Params, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Open(p, w, params)
	if err != nil {
		t.Fatal(err)
	}
	a := p.Algorithms[0]
	v, err := o.Solve(t.Context(), a, solver.Options{Iterations: 10, Threads: 1, Watch: &solver.Watch{}})
	if err != nil {
		t.Fatal(err)
	}
	methods := len(v.Proofs)
	if v, err = o.Verify(a, &solver.Outcome{Schedule: v.Schedule, Status: v.Status, Facts: v.Facts,
		Bounds: append(v.Bounds, v.Bounds...)}); err != nil {
		t.Fatal(err)
	}
	b, err := o.Settle(&model.Result{Seed: 1}, v, Strongest(v))
	if err != nil {
		t.Fatal(err)
	}
	if stated := b.Result.Metrics[result.MetricBounds].([]any); methods == 0 || len(stated) != methods {
		t.Errorf("%d methods and %d bounds: %v", methods, len(stated), stated)
	}
}
