package shop

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
)

// TestParallel: on tiny instances of R||Cmax, with equal nodes and with nodes that are told apart, best finds the
// optimum of brute force, and no bound exceeds it.
func TestParallel(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	for k := range tier.Draws(40, 400) {
		b := unrelatedJobs(r, 2+r.IntN(4), 1+r.IntN(3), 1, []int{1, 3, 19}[k%3])
		in := built(t, b, shop.Makespan)
		if parallelOf(in) == nil {
			t.Fatal("it is no R||Cmax")
		}
		out := outcome(t, &run{in: in}, "best", testOptions)
		want := in.Objective.Rat(brute(in).first.Into(new(big.Int)))
		if is := in.Evaluate(out.Schedule).Value; is.Cmp(want) != 0 {
			t.Errorf("instance %d: best costs %s, the optimum is %s", k, is, want)
		}
		atMost(t, in, out, want, k)
	}
	if parallelOf(onUnrelated(t, r, 4, 2)) != nil {
		t.Error("Σ w C is taken for a makespan")
	}
}

// TestPricedPool: two tasks of 2 s on one node and 6 s on the other cannot be split better than into 3 s of both nodes.
// With prices 3 and 1 they cost 12, and a second of both nodes costs 4.
func TestPricedPool(t *testing.T) {
	b, at := begun(0, 0), model.Locus{}
	for _, id := range []string{"u", "v"} {
		b.Task(model.Task{ID: id}, "j", "", at)
		for i, seconds := range []model.Time{2, 6} {
			b.GivenTime(model.GivenTime{Task: id, Time: seconds * model.Second}, "j", fmt.Sprint("n", i), at)
		}
	}
	in := built(t, b, shop.Makespan)
	e := shop.NewEvaluator(in)
	if s, ok := pricedPool(t.Context(), in, e, 0, []float64{1, 1}); !ok || s.score != 3e6 {
		t.Errorf("%v, %v", s.score, ok)
	}
}
