package shop

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// TestAssign: on small instances of R||Σ wC, some of whose jobs have weight or length 0, the search over assignments
// finds the optimum that exact proves. No bound exceeds it.
func TestAssign(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 4))
		in := built(t, unrelatedJobs(r, 6, 2, int(seed%2), 3), shop.WeightedEnds)
		if !assigns(in) {
			t.Fatalf("seed %d: an instance of R||Σ wC is not searched as such", seed)
		}
		opt := solver.Options{Iterations: 20, Seed: seed, Threads: 1}
		exact, out := outcome(t, &run{in: in}, "exact", opt), outcome(t, &run{in: in}, "best", opt)
		want := in.Evaluate(exact.Schedule).Value
		if got := in.Evaluate(out.Schedule).Value; exact.Status != model.StatusOptimal || got.Cmp(want) != 0 {
			t.Errorf("seed %d: best costs %s, exact is %s at %s", seed, got, exact.Status, want)
		}
		atMost(t, in, out, want, seed)
	}
}

// TestNothing: jobs of weight 1, 0 and 10 take 10 s, 0 s and 1 s on one node. The third goes before the first, at cost
// 10 + 11, although swapping either with the second, which lies between them, gains nothing.
func TestNothing(t *testing.T) {
	b, at := hosts(0), model.Locus{}
	for k, length := range []model.Time{10, 0, 1} {
		id := string(rune('a' + k))
		b.Job(model.Job{ID: id, Weight: []model.Weight{1, 0, 10}[k] * model.UnitWeight}, at)
		b.Task(model.Task{ID: id, Processing: model.Some(length * model.Second)}, id, "", at)
	}
	in := built(t, b, shop.WeightedEnds)
	p := pricingOf(t, in)
	c := &shop.Certificate{Claim: model.Claim{Method: shop.MethodJobPrices, Kind: shop.KindJobPrices},
		JobPrices: &shop.JobPrices{Prices: []int64{100, 100, 100}}}
	if err := p.E.Sign(c); err != nil || rounded(t, in, c).Cmp(big.NewRat(21, 1)) != 0 {
		t.Errorf("prices of jobs prove %s, %v", c.Value, err)
	}
	out := outcome(t, &run{in: in}, "best", testOptions)
	if in.Evaluate(out.Schedule).Value.Cmp(big.NewRat(21, 1)) != 0 {
		t.Errorf("best: %v", out)
	}
}

// TestAssignShares: after moves the stored shares and cost equal those of the schedule.
func TestAssignShares(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	in := onUnrelated(t, r, 30, 4)
	first := inserted(context.Background(), in, byKey(in, make([]float64, in.Tasks)), solver.Options{})
	a := newAssignment(in, first, r, nil)
	for range 20 {
		a.step(0)
		copy(a.bestAt, a.at)
		want := in.Evaluate(a.schedule()).Value
		if got, _ := want.Float64(); got != a.now {
			t.Fatalf("moves leave %v, the schedule costs %v", a.now, got)
		}
		share := slices.Collect(slices.Values(a.share[1]))
		a.restart()
		if !slices.Equal(share, a.share[1]) {
			t.Fatalf("moves leave shares %v, not %v", share, a.share[1])
		}
	}
}

// TestAssigns: assigns recognises the instances whose schedules are more than an assignment.
func TestAssigns(t *testing.T) {
	at := model.Locus{}
	for name, c := range map[string]struct {
		change    func(b *model.Builder)
		objective shop.Objective
		want      bool
	}{
		"plain":      {func(*model.Builder) {}, shop.WeightedEnds, true},
		"place":      {func(b *model.Builder) { b.Eligible("j0", "", "n1", at) }, shop.WeightedEnds, true},
		"objective":  {func(*model.Builder) {}, shop.Makespan, false},
		"dependency": {func(b *model.Builder) { b.Dependency("j1", "j0", 0, at) }, shop.WeightedEnds, false},
		"calendar": {func(b *model.Builder) {
			b.Unavailable(model.Unavailable{From: 5, Until: model.Some[model.Time](6)}, "n0", at)
		}, shop.WeightedEnds, false},
		"fixed": {func(b *model.Builder) { b.FixedTask("tj0", "n0", 0, at) }, shop.WeightedEnds, false},
		"tasks": {func(b *model.Builder) {
			b.Task(model.Task{ID: "more", Processing: model.Some(model.Second)}, "j0", "", at)
		}, shop.WeightedEnds, false},
		"release": {func(b *model.Builder) {
			b.Job(model.Job{ID: "late", Release: 1}, at)
			b.Task(model.Task{ID: "t", Processing: model.Some(model.Second)}, "late", "", at)
		}, shop.WeightedEnds, false},
		"unused node": {func(b *model.Builder) {
			b.Node(model.Node{ID: "wide", Kind: model.HostNode, CPU: model.Some(2.0)}, "rack", at)
		}, shop.WeightedEnds, true},
		"room for two": {func(b *model.Builder) {
			b.Node(model.Node{ID: "wide", Kind: model.HostNode, CPU: model.Some(2.0)}, "rack", at)
			b.Job(model.Job{ID: "any"}, at)
			b.Task(model.Task{ID: "t", Processing: model.Some(model.Second)}, "any", "", at)
		}, shop.WeightedEnds, false},
	} {
		b := unrelatedJobs(rand.New(rand.NewPCG(1, 1)), 3, 2, 1, 9)
		c.change(b)
		if in := built(t, b, c.objective); assigns(in) != c.want {
			t.Errorf("%s: searched as assignments: %v", name, !c.want)
		}
	}
}

// TestMeetsBound: under every objective the search ends soon after its cost equals a bound.
func TestMeetsBound(t *testing.T) {
	for _, o := range []shop.Objective{shop.WeightedEnds, shop.Makespan} {
		in := built(t, unrelatedJobs(rand.New(rand.NewPCG(1, 9)), 6, 6, 1, 9), o)
		opt := solver.Options{Iterations: 100_000, Seed: 1, Threads: 1}
		m := outcome(t, &run{in: in}, "best", opt)
		if n := *m.Facts.(Facts).Iterations; n > 10*searchEpoch {
			t.Errorf("%s: %d iterations", o, n)
		}
	}
}
