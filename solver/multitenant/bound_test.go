package multitenant

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// openSmall opens a small random instance.
func openSmall(t *rapid.T) *run {
	for seed := rapid.Uint64().Draw(t, "seed"); ; seed++ {
		if w, err := instances.SmallMultitenant(rand.New(rand.NewPCG(seed, 1)), int(seed%1000)); err == nil {
			return opened(t, w, nil)
		}
	}
}

// TestNothingToDoHasABound: jobs of length 0 have the bound 0, which proves a schedule of length 0 optimal.
func TestNothingToDoHasABound(t *testing.T) {
	r := newCluster(1, 1, 1, 1, 1e6, 0).with(testJob{id: "j", user: "u", reduces: 1, replicas: [][]int{{0}}}).open(t, nil)
	bounds, err := r.prove(context.Background(), solver.Options{Threads: 1})
	if err != nil || len(bounds) != 1 || bounds[0].Method != multitenant.LongestJob ||
		certified(t, r.in, bounds)[0].Sign() != 0 {
		t.Fatalf("%v, %v", bounds, err)
	}
}

// certified are the values of bounds, after a round trip through JSON.
func certified(t rapid.TB, in *multitenant.Instance, bounds []solver.Bound) []*big.Rat {
	var list []*big.Rat
	for _, b := range bounds {
		raw, err := json.Marshal(b.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		c, err := in.Certify(raw)
		if err != nil {
			t.Fatalf("%s: %v", b.Method, err)
		}
		if c.Method != b.Method {
			t.Fatalf("%s says %s", b.Method, c.Method)
		}
		list = append(list, c.Value)
	}
	return list
}

// TestBoundsBelowPolicies: no schedule is shorter than a bound, and no fewer bytes cross racks than the bound for its
// makespan. Bounds are sorted. best ends no later than any policy, and its facts can be derived again.
func TestBoundsBelowPolicies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var r *run
		if rapid.Bool().Draw(rt, "with demands") {
			r = anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), demands{true, true}).open(rt, nil)
		} else {
			r = openSmall(rt)
		}
		earliest := model.MaxTime
		for _, a := range methods().Algorithms() {
			out, err := r.Solve(context.Background(), a.Name, solver.Options{Iterations: 30, Seed: 1, Threads: 1})
			if err != nil {
				rt.Fatal(err)
			}
			r.sound(rt, out)
			list := certified(rt, r.in, out.Bounds)
			value := r.in.Evaluate(out.Schedule).Value
			for k, v := range list {
				if v.Cmp(value) > 0 {
					rt.Fatalf("%s: %s below the bound %s of %s", a.Name, value.FloatString(6), v.FloatString(6), out.Bounds[k].Method)
				}
				if k > 0 && v.Cmp(list[k-1]) > 0 {
					rt.Fatalf("bound %d exceeds the one before", k)
				}
			}
			x := newScore(r.in, out.Schedule)
			least, ok := new(big.Rat).SetString(string(out.Facts.(*Facts).CrossingBound))
			x.complete()
			if !ok || least.Cmp(x.cross) > 0 {
				rt.Fatalf("%s: %s bytes cross racks, bound %v", a.Name, x.cross.FloatString(3), least)
			}
			_, facts, err := r.Witness(context.Background(), out.Schedule, false)
			if err != nil || facts.(TrafficFacts).CrossingBound != out.Facts.(*Facts).CrossingBound {
				rt.Fatalf("%s: %v and %v, %v", a.Name, facts, out.Facts, err)
			}
			if a.Name == "best" && x.makespan > earliest {
				rt.Fatalf("best ends at %s, a policy at %s", x.makespan, earliest)
			}
			earliest = min(earliest, x.makespan)
		}
	})
}

// TestHugeBytesCross: sizes of 2^58 bytes leave no bits for prices, so only a byte that crosses has a price, of 1. Only
// the first rack has map slots and only the second reduce slots. So the whole shuffle crosses, which that price proves.
// From 2^59 on even that cannot be evaluated, and there is no claim.
func TestHugeBytesCross(t *testing.T) {
	for size, want := range map[model.Bytes]model.Number{1 << 58: "288230376151711744", 1 << 60: "0"} {
		c := newRows()
		c.rack(1e15, model.Node{MapSlots: 1})
		c.rack(1e15, model.Node{ReduceSlots: 1})
		r := c.with(testJob{id: "a", mapTime: 1, redTime: 1, reduces: 1, shuffle: size, input: size,
			replicas: [][]int{nil}}).open(t, nil)
		out, err := r.Solve(context.Background(), "fair", solver.Options{Iterations: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Facts.(*Facts).CrossingBound; got != want {
			t.Errorf("of %d bytes, %v cross racks at least, not %s", size, got, want)
		}
	}
}

// TestLoads: NetSat sees as many bytes enter racks as leave them, and no more than the links carry. The total equals
// the schedule's bytes across racks, apart from rounding to the network's steps. Intervals do not overlap.
func TestLoads(t *testing.T) {
	w, err := busyCluster(4, 20, 3, 4, 2, func(r *rand.Rand) int { return 1 + r.IntN(60) }).Build()
	if err != nil {
		t.Fatal(err)
	}
	r := opened(t, w, nil)
	for _, policy := range []string{"fair", "sw-relaxed"} {
		var loads []Load
		r.Observe(func(x Load) { loads = append(loads, x) })
		out, in := r.play(t, policy), r.in
		r.Observe(nil)
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
}
