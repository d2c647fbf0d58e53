package multitenant

import (
	"context"
	"math"
	"testing"

	"mrsched/solver"
)

// TestReducesInLine: eight reduces of 10 MB on four slots of one rack, whose two nodes carry 1 MB/s each. All at once,
// four fetch until 30 s and compute until 40 s, and the others fetch until 60 s and end at 70 s. In line, two fetch
// while two compute. The links are busy from 10 s to 50 s, and the last two compute until 60 s, apart from the small
// amounts that waiting cohorts fetch.
func TestReducesInLine(t *testing.T) {
	c := newCluster(1, 2, 1, 2, 1e6, 0)
	c.add(testJob{id: "a", user: "u", reduces: 8, mapTime: 10, redTime: 10, shuffle: 80e6, replicas: [][]int{nil, nil}})
	r := c.open(t, nil)
	s, err := newPlanSearch(context.Background(), r, solver.Options{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		inLine      bool
		least, most float64
	}{{false, 70, 70.001}, {true, 60, 64}} {
		p := s.anywhere(arrivalOrder, false, spillAny)
		p.inLine = x.inLine
		out, err := r.simulate(context.Background(), s.with(p), solver.Options{Iterations: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if found := r.in.Check(out.Schedule); len(found) > 0 {
			t.Fatal(found)
		}
		if _, end := r.in.Ends(out.Schedule); end.Seconds() < x.least || end.Seconds() > x.most {
			t.Errorf("in line %t: the last reduce ends at %s, not between %g and %g", x.inLine, end, x.least, x.most)
		}
	}
}

// TestReducesBesideSlowUplinks: the first job has its maps in one rack and four reduces in the other, where four slots
// are. An uplink carries 0.1 MB/s, so its reduces fetch their 20 MB for 200 s. Two of them at a time are enough for the
// links of 1 MB/s to two nodes, so the other two slots serve the second job, which has all its tasks in the second
// rack: it ends after 10 s of maps, 10 s of fetching and 10 s of computing.
func TestReducesBesideSlowUplinks(t *testing.T) {
	c := newCluster(2, 2, 2, 2, 1e6, 0.1e6)
	c.add(testJob{id: "far", user: "u", reduces: 4, mapTime: 1, redTime: 10, shuffle: 20e6, replicas: [][]int{{0}, {1}}})
	c.add(testJob{id: "near", user: "u", reduces: 2, mapTime: 10, redTime: 10, shuffle: 20e6,
		replicas: [][]int{{2}, {3}}})
	r := c.open(t, nil)
	s, err := newPlanSearch(context.Background(), r, solver.Options{Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	first, second := []bool{true, false}, []bool{false, true}
	p := &plan{rank: []int32{0, 1}, inLine: true, choice: []choice{
		{places: first, counts: []int32{0, 4}}, {places: second, counts: []int32{0, 2}}}}
	out, err := r.simulate(context.Background(), s.with(p), solver.Options{Iterations: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if found := r.in.Check(out.Schedule); len(found) > 0 {
		t.Fatal(found)
	}
	if ends, _ := r.in.Ends(out.Schedule); ends[1].Seconds() > 31 || ends[0].Seconds() < 200 {
		t.Errorf("the jobs end at %v", ends)
	}
}

// TestSpreadJobs: a job with a large shuffle keeps to the rack of its input, where it takes 10 s. Another job with a
// small shuffle has 30 s of maps with input in both racks: 10 s fill the first rack up to 20 s, and 20 s the second.
// The same holds if this job comes first in the workload. It is planned after the other.
func TestSpreadJobs(t *testing.T) {
	for at := range 2 {
		c := newCluster(2, 1, 1, 1, 10e6, 5e6)
		jobs := []testJob{
			{id: "heavy", user: "u", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 50e6, replicas: [][]int{{0}}},
			{id: "light", user: "v", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 1,
				replicas: [][]int{{0, 1}, {0, 1}, {0, 1}}}}
		c.add(jobs[at])
		c.add(jobs[1-at])
		r := c.open(t, nil)
		p := newPlacer(r.in)
		heavy, light := at, 1-at
		spread := p.spreadJobs(0.7)
		if spread[heavy] || !spread[light] {
			t.Fatalf("spread: %v", spread)
		}
		b := p.balance(true, 1, 1, spread)
		for k, want := range []float64{10, 20} {
			if got := b.chosen[light].use.maps[k]; math.Abs(got-want) > 1e-6 {
				t.Errorf("rack %d works %g s on the light job, not %g", k, got, want)
			}
		}
		f := newFluid(b, b.johnson())
		plan := f.plan("", spillNone, spillAny)
		if plan.rank[heavy] > plan.rank[light] || plan.choice[heavy].spill != spillNone ||
			plan.choice[light].spill != spillAny {
			t.Errorf("ranks %v, choices %+v", plan.rank, plan.choice)
		}
	}
}

// TestLevelFromAfar: a group without input in the given racks is still placed there, and takes longer.
func TestLevelFromAfar(t *testing.T) {
	c := newCluster(2, 1, 1, 1, 1e6, 1e6)
	c.add(testJob{id: "a", user: "u", reduces: 1, mapTime: 10, redTime: 1, input: 5e6, shuffle: 2, replicas: [][]int{{0}, {0}}})
	r := c.open(t, nil)
	p := newPlacer(r.in)
	b := p.balance(true, 1, 1, make([]bool, 1))
	job, fill := &b.x.Jobs[0], make([]float64, 2)
	b.load[mapLoad][0], b.load[mapLoad][1] = 0, 0
	b.level(job, &job.Maps[0], []int32{1}, fill)
	if want := 2 * (10 + 5.0); math.Abs(fill[1]-want) > 1e-3 || fill[0] != 0 {
		t.Errorf("%v, not %g s in the second rack", fill, want)
	}
	b.level(job, &job.Maps[0], []int32{0, 1}, fill)
	if fill[0] < 20-1e-6 || fill[1] > 30+1e-3 {
		t.Errorf("%v: the group went to the fuller rack", fill)
	}
}

// TestCrossingIsBlindToSplits: two maps of one job must run at the same time, so in two racks with one map slot each.
// Then half of their output crosses, wherever the reduces are. The bound is 0: half of the job in each rack fits, too,
// and none of its output crosses. No prices detect this, see docs/mathematics.md.
func TestCrossingIsBlindToSplits(t *testing.T) {
	c := newCluster(2, 1, 1, 2, 0, 0)
	c.add(testJob{id: "a", user: "u", reduces: 2, mapTime: 10, redTime: 5, shuffle: 40, replicas: [][]int{{0, 1}, {0, 1}}})
	r := c.open(t, nil)
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 20, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, end := r.in.Ends(out.Schedule); end.Seconds() > 15.001 {
		t.Errorf("the schedule ends at %s", end)
	}
	if moved := r.in.Flows(out.Schedule).Shuffle(); moved.RatString() != "20" {
		t.Errorf("%s bytes cross", moved.RatString())
	}
	if got := out.Facts.(*Facts).CrossingBound; got != "0" {
		t.Errorf("at least %s bytes cross", got)
	}
}
