package shop

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
)

// smallBegun is a tiny instance of all features of which some tasks have begun, whatever rules say.
func smallBegun(t *testing.T, r *rand.Rand, k int) *shop.Instance {
	t.Helper()
	for {
		w, err := instances.SmallCluster(r, k)
		if err != nil {
			t.Fatal(err)
		}
		hosts, now := w.Hosts(), model.Time(1+r.IntN(5))*model.Second
		w.Now, w.Grace, w.Fixed = model.Some(now), model.Some(model.Time(r.IntN(3))*model.Second), nil
		for u := range w.Tasks {
			if r.IntN(2) > 0 {
				continue
			}
			s := model.StateRow{Task: model.TaskIndex(u), Node: hosts[r.IntN(len(hosts))],
				Start: now - model.Time(r.IntN(6))*model.Second}
			switch r.IntN(4) {
			case 0:
				s.End = model.Some(s.Start + model.Time(r.IntN(int((now-s.Start)/model.Second)+1))*model.Second)
			case 1:
				s.Remaining = model.Some(model.Time(r.IntN(5)) * model.Second)
			}
			w.State = append(w.State, s)
		}
		if in, err := shop.New(w); err == nil && len(w.State) > 0 {
			return in.Under(shop.Objective(shop.Objectives()[k%5]))
		}
	}
}

// TestStateBrute: on tiny instances on which tasks have begun, on nodes that leave or that are too full, exact is
// optimal, every schedule is valid, and no bound exceeds the optimum.
func TestStateBrute(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 54))
	tried, engines := 0, 0
	for k := 0; tried < tier.Draws(150, 6000); k++ {
		in := smallBegun(t, r, k)
		if in.Tasks > 6 {
			continue
		}
		tried++
		optimum := in.Objective.Rat(brute(in).first.Into(new(big.Int)))
		optimum.Sub(optimum, in.Less())
		for _, a := range algorithms() {
			out := outcome(t, &run{in: in}, a.Name, testOptions)
			if out.Schedule == nil {
				continue
			}
			got := in.Evaluate(out.Schedule).Value
			if got.Cmp(optimum) < 0 || a.Exhaustive && (got.Cmp(optimum) != 0 || out.Status != model.StatusOptimal) {
				t.Errorf("instance %d: %s costs %s, %s; brute force %s", k, a.Name, got, out.Status, optimum)
			}
			atMost(t, in, out, optimum, k)
			for _, b := range out.Bounds {
				if b.Method == shop.MethodEngine {
					engines++
				}
			}
		}
	}
	if engines < tried/8 {
		t.Errorf("%d certificates of clauses on %d instances", engines, tried)
	}
}
