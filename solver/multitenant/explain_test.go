package multitenant

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model/multitenant"
	"mrsched/solver"
)

// TestJobsPayTheBound judges the payments of random clusters.
func TestJobsPayTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobsPayTheBound(rt, anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), anyDemands(rt)).open(rt, nil))
	})
}

// jobsPayTheBound: the payments of all jobs at the certificate's prices, plus the unusable capacity, add up to the
// bound.
func jobsPayTheBound(t *rapid.T, r *run) {
	bounds, err := r.prove(context.Background(), solver.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	o := newOracle(r.in, 1)
	for k, exact := range certified(t, r.in, bounds) {
		c := bounds[k].Certificate.(*multitenant.Certificate)
		if c.Prices == nil {
			continue
		}
		price, sum := o.normal(c.Prices), 0.0
		for j, paid := range o.pays(price) {
			if r.in.Arrival[j] >= c.Prices.From {
				sum += paid
			}
		}
		for k, idle := range o.idle(o.x.Window(c.Prices.From)) {
			sum += price[k] * o.capacity[k] * idle
		}
		// links may be used 20 µs longer, and jobs pay whole units
		if v, _ := exact.Float64(); math.Abs(sum-v) > 1e-3+1e-4*v {
			t.Fatalf("%s: jobs pay %g of %g", c.Method, sum, v)
		}
	}
}
