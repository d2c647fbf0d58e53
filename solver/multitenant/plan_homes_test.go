package multitenant

import (
	"context"
	"slices"
	"testing"

	"mrsched/solver"
)

// TestHomes: the heavy job keeps the first rack busy for 10 s. Of three maps of another job, two lie in both racks.
// They go to the second one, since the third lies in the first only. Both racks end at 20 s, also in the simulation.
func TestHomes(t *testing.T) {
	c := newCluster(2, 1, 1, 1, 10e6, 5e6)
	c.add(testJob{id: "heavy", user: "u", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 50e6,
		replicas: [][]int{{0}}})
	c.add(testJob{id: "light", user: "v", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 1,
		replicas: [][]int{{0, 1}, {0, 1}, {0}}})
	r := c.open(t, nil)
	s, err := newPlanSearch(context.Background(), r, solver.Options{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := s.p.balance(true, 1, 1, s.p.spreadJobs(0.8))
	f := newFluid(b, b.johnson())
	p := f.plan("", spillNone, spillHome)
	f.homes(p)
	if p.choice[0].homes != nil || !slices.Equal(p.choice[1].homes, []int32{1, 1, 0}) {
		t.Fatalf("homes %v and %v", p.choice[0].homes, p.choice[1].homes)
	}
	out, err := r.simulate(context.Background(), s.with(p), solver.Options{Iterations: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	expectRuns(t, r, out, "light", "n1/m1 0-10", "n1/m1 10-20", "n0/m1 10-20", "n0/r1 20-21.000001")
}

// TestReaders: one map at a time reads its 5 MB from the other rack, which takes 5 s, and computes for 1 s. Meanwhile
// the second slot runs another job's map for 10 s; then it begins a map as soon as no other map reads.
func TestReaders(t *testing.T) {
	c := newCluster(2, 1, 2, 1, 1e6, 1e6)
	c.add(testJob{id: "a", user: "u", mapTime: 1, input: 5e6, replicas: [][]int{{0}, {0}, {0}, {0}}})
	c.add(testJob{id: "b", user: "u", mapTime: 10, replicas: [][]int{{1}}})
	r := c.open(t, nil)
	s, err := newPlanSearch(context.Background(), r, solver.Options{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.p.readers(); !slices.Equal(got, []int32{2, 2}) {
		t.Errorf("up to %v maps read at once", got)
	}
	second := []bool{false, true}
	p := &plan{rank: []int32{0, 1}, choice: []choice{{places: second}, {places: second}}, readers: []int32{1, 1}}
	out, err := r.simulate(context.Background(), s.with(p), solver.Options{Iterations: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	expectRuns(t, r, out, "a", "n1/m1 0-6", "n1/m1 6-12", "n1/m2 11-17", "n1/m1 16-22")
	expectRuns(t, r, out, "b", "n1/m2 0-10")
}
