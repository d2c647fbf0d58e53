package multitenant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// drawCluster is a random cluster of up to three racks with a few jobs. Sizes are in megabytes, since Check tolerates
// one byte per load.
func drawCluster(t *rapid.T) *clusterRows {
	c := newRows()
	nodes := 0
	for range rapid.IntRange(1, 3).Draw(t, "racks") {
		var hosts []model.Node
		for range rapid.IntRange(1, 2).Draw(t, "nodes") {
			nodes++
			hosts = append(hosts, model.Node{MapSlots: rapid.Int64Range(0, 2).Draw(t, "map slots"),
				ReduceSlots: rapid.Int64Range(0, 2).Draw(t, "reduce slots"),
				Bandwidth:   rate(1e6 * float64(rapid.IntRange(0, 3).Draw(t, "bandwidth"))),
				Speed:       model.Some(float64(rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "speed")))})
		}
		hosts[0].MapSlots++
		hosts[0].ReduceSlots++
		c.rack(1e6*float64(rapid.IntRange(0, 2).Draw(t, "uplink")), hosts...)
	}
	for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		x := testJob{id: fmt.Sprintf("j%d", j), user: fmt.Sprintf("u%d", j%2),
			arrival: float64(rapid.IntRange(0, 8).Draw(t, "arrival")), reduces: rapid.Int64Range(0, 4).Draw(t, "reduces"),
			mapTime: float64(rapid.IntRange(1, 9).Draw(t, "map")), redTime: float64(rapid.IntRange(0, 9).Draw(t, "reduce")),
			input:   model.Bytes(1e6 * rapid.IntRange(0, 8).Draw(t, "input")),
			shuffle: model.Bytes(1e6 * rapid.IntRange(0, 40).Draw(t, "shuffle"))}
		for range rapid.IntRange(1, 4).Draw(t, "maps") {
			var at []int
			for range rapid.IntRange(0, 2).Draw(t, "replicas") {
				if n := rapid.IntRange(0, nodes-1).Draw(t, "at"); len(at) == 0 || at[0] != n {
					at = append(at, n)
				}
			}
			x.replicas = append(x.replicas, at)
		}
		c.add(x)
	}
	return c
}

// openDrawn opens a drawn workload with the defaults.
func openDrawn(t rapid.TB, c *clusterRows) *run {
	w, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	values := defaults(t)
	r, err := open(w, values)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// TestNothingToDoHasABound: jobs of length 0 have the bound 0, which proves a schedule of length 0 optimal.
func TestNothingToDoHasABound(t *testing.T) {
	c := newCluster(1, 1, 1, 1, 1e6, 0)
	c.add(testJob{id: "j", user: "u", reduces: 1, replicas: [][]int{{0}}})
	bounds, err := openDrawn(t, c).prove(context.Background(), solver.Options{Threads: 1})
	if err != nil || len(bounds) != 1 || bounds[0].Method != multitenant.LongestJob ||
		bounds[0].Certificate.(*multitenant.Certificate).Value != "0" {
		t.Fatalf("%v, %v", bounds, err)
	}
}

// defaults are the parameters' defaults.
func defaults(t rapid.TB) solver.Params {
	values := solver.Params{}
	for _, p := range Problem().Params {
		values[p.Name] = p.Default
		if p.Kind == solver.FloatParam {
			var v float64
			if _, err := fmt.Sscan(p.Default, &v); err != nil {
				t.Fatal(err)
			}
			values[p.Name] = v
		}
	}
	return values
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
			r = anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), demands{true, true}).open(t, nil)
		} else {
			r = openDrawn(rt, drawCluster(rt))
		}
		earliest := model.MaxTime
		for _, a := range methods().Algorithms() {
			out, err := r.Solve(context.Background(), a.Name, solver.Options{Iterations: 30, Seed: 1, Threads: 1})
			if err != nil {
				rt.Fatal(err)
			}
			if found := r.in.Check(out.Schedule); len(found) > 0 {
				rt.Fatalf("%s: %v", a.Name, found)
			}
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

// TestRackPricesAreTheProgram: cutting planes find the optimum that lp_solve finds for the whole program. The exact
// value of the rounded prices equals it.
func TestRackPricesAreTheProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := openDrawn(t, drawCluster(t))
		o := newOracle(r.in, 1)
		p, err := o.rackPrices(context.Background(), 0, 0, 0)
		if err != nil || p == nil {
			t.Fatal(p, err)
		}
		exact, err := o.x.Makespan(p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := lpsolve.NewSolver(o.program(p.From))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sol, err := s.Solve(context.Background())
		if err != nil || sol.Status != lp.Optimal {
			t.Fatal(sol, err)
		}
		v, _ := exact.Float64()
		if v > sol.Objective+1e-6*math.Abs(sol.Objective)+1e-6 || v < sol.Objective-2e-3*math.Abs(sol.Objective)-1e-4 {
			t.Fatalf("prices prove %g, the program has %g", v, sol.Objective)
		}
	})
}

// TestBoundsScale: with all times and sizes doubled, bounds double except for rounding.
func TestBoundsScale(t *testing.T) {
	value := func(scale float64) float64 {
		c := newCluster(3, 2, 2, 1, 3e6, 2e6)
		for j := range 3 {
			c.add(testJob{id: fmt.Sprint("j", j), user: "u", arrival: scale * float64(j), reduces: 4, mapTime: 2 * scale,
				redTime: 3 * scale, input: model.Bytes(1e7 * scale),
				shuffle: model.Bytes(2e8 * scale), replicas: [][]int{{0, 2}, {1, 3}, {4}, {5, 0}, {2}, {3}}})
		}
		r := c.open(t, nil)
		bounds, err := r.prove(context.Background(), solver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := certified(t, r.in, bounds)[0].Float64()
		return v
	}
	if once, twice := value(1), value(2); math.Abs(twice-2*once) > 2e-3*once {
		t.Errorf("%g, with everything doubled %g", once, twice)
	}
}

// TestFormulate: the written program has descriptive names; too large a program is an error.
func TestFormulate(t *testing.T) {
	c := newCluster(2, 1, 1, 1, 1e6, 1e6)
	c.add(testJob{id: "sort", user: "u", reduces: 2, mapTime: 2, redTime: 3, input: 1e6, shuffle: 4e6,
		replicas: [][]int{{0}, {1}}})
	r := c.open(t, nil)
	for format, want := range map[string][]string{"lp": {"T: the makespan", "m_sort_0_1_rack1", "placed_r_sort_0",
		"slots_map_0"}, "mps": {"T: the makespan", "m_sort_0_1_rack1", "RHS"}} {
		var text bytes.Buffer
		if err := r.Formulate(context.Background(), &text, format); err != nil {
			t.Fatal(err)
		}
		for _, x := range want {
			if !strings.Contains(text.String(), x) {
				t.Errorf("%s without %q", format, x)
			}
		}
	}
}

// BenchmarkBounds: the paper's cluster, and one of 60 racks.
func BenchmarkBounds(b *testing.B) {
	for _, size := range []struct{ racks, jobs, users, maps int }{{10, 360, 30, 3000}, {60, 5894, 200, 150}} {
		c := busyCluster(size.racks, size.jobs, size.users, 6, 2, func(r *rand.Rand) int {
			return 1 +
				int(r.ExpFloat64()*float64(size.maps))
		})
		r := c.open(b, nil)
		b.Run(fmt.Sprintf("%d jobs, %d tasks, %d racks", r.in.Jobs, r.in.Tasks, r.in.Racks), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.prove(context.Background(), solver.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
