package multitenant

import (
	"context"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// TestLoads: NetSat sees as many bytes enter racks as leave them, and no more than the links carry. The total equals
// the schedule's bytes across racks, apart from rounding to the network's steps. Intervals do not overlap.
func TestLoads(t *testing.T) {
	busy := func() *clusterRows {
		return busyCluster(4, 20, 3, 4, 2, func(r *rand.Rand) int { return 1 + r.IntN(60) })
	}
	r := busy().open(t, nil)
	w, err := busy().Build() // again, because a builder builds only once
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"fair", "sw-relaxed"} {
		loads, err := Loads(context.Background(), w, defaults(t), policy)
		if err != nil {
			t.Fatal(err)
		}
		out, in := r.play(t, policy)
		bare, err := r.SolveBare(context.Background(), policy, solver.Options{Threads: 1})
		if err != nil || bare.Algorithm != policy || bare.Bounds != nil || len(bare.Schedule.Entries) !=
			len(out.Schedule.Entries) {
			t.Fatalf("%s: %v, %+v", policy, err, bare)
		}
		f := in.Flows(out.Schedule)
		moved, _ := f.Shuffle().Float64()
		moved += float64(f.Read)
		sums, last := [2]float64{}, model.Time(0)
		for _, x := range loads {
			if x.From < last || x.Until <= x.From {
				t.Fatalf("%s: a stretch %s-%s after %s", policy, x.From, x.Until, last)
			}
			last = x.Until
			for direction := range sums {
				for rack, b := range x.Carried[direction] {
					sums[direction] += float64(b)
					if most := float64(in.Uplink[rack]) * (x.Until - x.From).Seconds(); float64(b) > 1.01*most+1 {
						t.Errorf("%s: rack %d carries %d from %s to %s", policy, rack, b, x.From, x.Until)
					}
				}
			}
		}
		for direction, sum := range sums {
			if sum < 0.98*moved || sum > 1.001*moved {
				t.Errorf("%s: direction %d carries %.4g of %.4g bytes", policy, direction, sum, moved)
			}
		}
	}
	if _, err := Loads(context.Background(), w, defaults(t), "best"); err == nil {
		t.Error("best is no policy")
	}
}
