package multitenant

import (
	"math"
	"slices"
	"testing"
)

// TestReducesInLine: eight reduces of 10 MB on four slots of one rack, whose two nodes carry 1 MB/s each. All at once,
// four fetch until 30 s and compute until 40 s, and the others fetch until 60 s and end at 70 s. In line, two fetch
// while two compute. The links are busy from 10 s to 50 s, and the last two compute until 60 s, apart from the small
// amounts that waiting cohorts fetch.
func TestReducesInLine(t *testing.T) {
	r := newCluster(1, 2, 1, 2, 1e6, 0).with(testJob{id: "a", user: "u", reduces: 8, mapTime: 10, redTime: 10,
		shuffle: 80e6, replicas: [][]int{nil, nil}}).open(t, nil)
	s := r.search(t)
	for _, x := range []struct {
		inLine      bool
		least, most float64
	}{{false, 70, 70.001}, {true, 60, 64}} {
		p := s.anywhere(arrivalOrder, false, spillAny)
		p.inLine = x.inLine
		if _, end := r.in.Ends(r.follow(t, s, p).Schedule); end.Seconds() < x.least || end.Seconds() > x.most {
			t.Errorf("in line %t: the last reduce ends at %s, not between %g and %g", x.inLine, end, x.least, x.most)
		}
	}
}

// TestReducesBesideSlowUplinks: the first job has its maps in one rack and four reduces in the other, where four slots
// are. An uplink carries 0.1 MB/s, so its reduces fetch their 20 MB for 200 s. Two of them at a time are enough for the
// links of 1 MB/s to two nodes, so the other two slots serve the second job, which has all its tasks in the second
// rack: it ends after 10 s of maps, 10 s of fetching and 10 s of computing.
func TestReducesBesideSlowUplinks(t *testing.T) {
	r := newCluster(2, 2, 2, 2, 1e6, 0.1e6).with(
		testJob{id: "far", user: "u", reduces: 4, mapTime: 1, redTime: 10, shuffle: 20e6, replicas: [][]int{{0}, {1}}},
		testJob{id: "near", user: "u", reduces: 2, mapTime: 10, redTime: 10, shuffle: 20e6,
			replicas: [][]int{{2}, {3}}}).open(t, nil)
	first, second := []bool{true, false}, []bool{false, true}
	p := &plan{rank: []int32{0, 1}, inLine: true, choice: []choice{
		{places: first, counts: []int32{0, 4}}, {places: second, counts: []int32{0, 2}}}}
	out := r.follow(t, r.search(t), p)
	if ends, _ := r.in.Ends(out.Schedule); ends[1].Seconds() > 31 || ends[0].Seconds() < 200 {
		t.Errorf("the jobs end at %v", ends)
	}
}

// TestSpreadJobs: a job with a large shuffle keeps to the rack of its input, where it takes 10 s. Another job with a
// small shuffle has 30 s of maps with input in both racks: 10 s fill the first rack up to 20 s, and 20 s the second.
// The same holds if this job comes first in the workload. It is planned after the other.
func TestSpreadJobs(t *testing.T) {
	for at := range 2 {
		jobs := []testJob{
			{id: "heavy", user: "u", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 50e6, replicas: [][]int{{0}}},
			{id: "light", user: "v", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 1,
				replicas: [][]int{{0, 1}, {0, 1}, {0, 1}}}}
		p := newPlacer(newCluster(2, 1, 1, 1, 10e6, 5e6).with(jobs[at], jobs[1-at]).open(t, nil).in)
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
	p := newPlacer(newCluster(2, 1, 1, 1, 1e6, 1e6).with(testJob{id: "a", user: "u", reduces: 1, mapTime: 10, redTime: 1,
		input: 5e6, shuffle: 2, replicas: [][]int{{0}, {0}}}).open(t, nil).in)
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
	r := newCluster(2, 1, 1, 2, 0, 0).with(testJob{id: "a", user: "u", reduces: 2, mapTime: 10, redTime: 5, shuffle: 40,
		replicas: [][]int{{0, 1}, {0, 1}}}).open(t, nil)
	out := r.best(t)
	_, end := r.in.Ends(out.Schedule)
	moved, least := r.in.Flows(out.Schedule).Shuffle().RatString(), out.Facts.(*Facts).CrossingBound
	if end.Seconds() > 15.001 || moved != "20" || least != "0" {
		t.Errorf("ends at %s, %s bytes cross, at least %s", end, moved, least)
	}
}

// TestHomes: the heavy job keeps the first rack busy for 10 s. Of three maps of another job, two lie in both racks.
// They go to the second one, since the third lies in the first only. Both racks end at 20 s, also in the simulation.
func TestHomes(t *testing.T) {
	r := newCluster(2, 1, 1, 1, 10e6, 5e6).with(
		testJob{id: "heavy", user: "u", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 50e6,
			replicas: [][]int{{0}}},
		testJob{id: "light", user: "v", reduces: 1, mapTime: 10, redTime: 1, input: 1e6, shuffle: 1,
			replicas: [][]int{{0, 1}, {0, 1}, {0}}}).open(t, nil)
	s := r.search(t)
	b := s.p.balance(true, 1, 1, s.p.spreadJobs(0.8))
	f := newFluid(b, b.johnson())
	p := f.plan("", spillNone, spillHome)
	f.homes(p)
	if p.choice[0].homes != nil || !slices.Equal(p.choice[1].homes, []int32{1, 1, 0}) {
		t.Fatalf("homes %v and %v", p.choice[0].homes, p.choice[1].homes)
	}
	expectRuns(t, r, r.follow(t, s, p), "light: n1/m1 0-10, n1/m1 10-20, n0/m1 10-20, n0/r1 20-21.000001")
}

// TestReaders: one map at a time reads its 5 MB from the other rack, which takes 5 s, and computes for 1 s. Meanwhile
// the second slot runs another job's map for 10 s; then it begins a map as soon as no other map reads.
func TestReaders(t *testing.T) {
	r := newCluster(2, 1, 2, 1, 1e6, 1e6).with(
		testJob{id: "a", user: "u", mapTime: 1, input: 5e6, replicas: [][]int{{0}, {0}, {0}, {0}}},
		testJob{id: "b", user: "u", mapTime: 10, replicas: [][]int{{1}}}).open(t, nil)
	s := r.search(t)
	if got := s.p.readers(); !slices.Equal(got, []int32{2, 2}) {
		t.Errorf("up to %v maps read at once", got)
	}
	second := []bool{false, true}
	p := &plan{rank: []int32{0, 1}, choice: []choice{{places: second}, {places: second}}, readers: []int32{1, 1}}
	expectRuns(t, r, r.follow(t, s, p), "a: n1/m1 0-6, n1/m1 6-12, n1/m2 11-17, n1/m1 16-22", "b: n1/m2 0-10")
}
