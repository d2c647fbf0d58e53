package multitenant

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// replicated has two racks of two nodes; each job's input lies in both racks, as in the paper's Figure 5.
func replicated() *clusterRows {
	c := newCluster(2, 2, 2, 1, 10e6, 5e6)
	for j, id := range []string{"a", "b"} {
		c.add(testJob{id: id, user: "u" + id, arrival: float64(j), reduces: 2, mapTime: 10, redTime: 5, input: 10e6,
			shuffle:  40e6,
			replicas: [][]int{{0, 2}, {1, 3}, {0, 3}, {1, 2}}})
	}
	return c
}

// TestStrictPlan: a plan whose jobs may not run anywhere is followed, whatever the order: each of two jobs stays in its
// own rack, where its input lies.
func TestStrictPlan(t *testing.T) {
	c := newCluster(2, 2, 2, 1, 10e6, 5e6)
	for j, id := range []string{"a", "b"} {
		c.add(testJob{id: id, user: "u" + id, arrival: float64(j), reduces: 2, mapTime: 10, redTime: 5, input: 10e6,
			shuffle: 40e6, replicas: [][]int{{2 * j}, {2*j + 1}, {2 * j}, {2*j + 1}}})
	}
	r := c.open(t, nil)
	s := r.search(t)
	for k, rank := range [][]int32{{0, 1}, {1, 0}} {
		p := &plan{rank: rank, choice: []choice{{racks: []bool{true, false}, output: true, early: k == 0},
			{racks: []bool{false, true}, output: true, early: k == 0}}}
		out := r.follow(t, s, p)
		for _, e := range out.Schedule.Entries {
			if at := r.in.RackOf[r.in.WorkerOf[e.Machine]]; at != r.in.JobOf(int32(e.Task)) {
				t.Errorf("order %v: task %d ran in rack %d", rank, e.Task, at)
			}
		}
	}
}

// TestLoosen: a plan with a rack where a job fits nowhere blocks neither the others nor that job.
func TestLoosen(t *testing.T) {
	c := newRows()
	for memory := range model.Bytes(2) {
		c.rack(0, model.Node{MapSlots: 1, ReduceSlots: 1, MemoryBytes: model.Some(1 + memory)})
	}
	two := func(int) taskNeeds { return taskNeeds{memory: model.Some(model.Bytes(2))} }
	r := c.with(testJob{id: "a", mapTime: 1, redTime: 1, replicas: [][]int{nil}, reduces: 1, mapNeeds: two,
		redNeeds: two}).open(t, nil)
	p := &plan{rank: []int32{0}, choice: []choice{{racks: []bool{true, false}, output: true}}}
	expectRuns(t, r, r.follow(t, r.search(t), p), "a: n1/m1 0-1, n1/r1 1-2")
}

// TestBestOrders: on one map slot and one reduce slot every policy runs job a first, which comes first in the workload,
// and ends at 40. With the long reduce of job b first all tasks end at 31 (Johnson's rule).
func TestBestOrders(t *testing.T) {
	r := newCluster(1, 1, 1, 1, 0, 0).with(
		testJob{id: "a", user: "a", mapTime: 10, redTime: 1, reduces: 1, replicas: [][]int{nil}},
		testJob{id: "b", user: "b", mapTime: 10, redTime: 20, reduces: 1, replicas: [][]int{nil}}).open(t, nil)
	for _, a := range policies().Algorithms() {
		if _, last := r.in.Ends(r.play(t, a.Name).Schedule); last != 40*model.Second {
			t.Errorf("%s ends at %s", a.Name, last)
		}
	}
	if _, last := r.in.Ends(r.best(t).Schedule); last != 31*model.Second {
		t.Errorf("best ends at %s", last)
	}
}

// TestMoveRank: the others keep their order.
func TestMoveRank(t *testing.T) {
	for _, x := range []struct {
		j, to int32
		want  []int32
	}{{0, 3, []int32{3, 0, 1, 2}}, {3, 0, []int32{1, 2, 3, 0}}, {1, 1, []int32{0, 1, 2, 3}}, {2, 1, []int32{0, 2, 1, 3}}} {
		if is := moveRank([]int32{0, 1, 2, 3}, x.j, x.to); !slices.Equal(is, x.want) {
			t.Errorf("job %d to %d: %v, not %v", x.j, x.to, is, x.want)
		}
	}
}

// TestScoreOrder: makespan first, then bytes that cross racks, then turn-around.
func TestScoreOrder(t *testing.T) {
	of := func(makespan model.Time, cross int64, around model.Time) score {
		return score{makespan: makespan, cross: big.NewRat(cross, 1), around: around}
	}
	list := []score{of(1, 9, 9), of(2, 1, 9), of(2, 2, 1), of(2, 2, 2), of(3, 0, 0)}
	for i := range list {
		for k := range list {
			if is := list[i].before(&list[k]); is != (i < k) {
				t.Errorf("%d before %d: %t", i, k, is)
			}
		}
	}
}

// TestIterations: of 25 000 tasks, of which an iteration simulates 20 000, five iterations simulate two plans.
func TestIterations(t *testing.T) {
	tier.Slow(t)
	r := newCluster(1, 2, 2, 1, 0, 0).with(testJob{id: "a", mapTime: 1, replicas: make([][]int, 25_000)}).open(t, nil)
	for iterations, want := range map[int]int{1: 6, 5: 8} {
		out, err := r.SolveBare(context.Background(), "best", solver.Options{Iterations: iterations, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if n := *out.Facts.(*Facts).Simulations; n != want {
			t.Errorf("%d iterations: %v simulations, expected %d", iterations, n, want)
		}
	}
}

// TestBestTells: a Watch sees phases in their order, a bound, and the returned schedule as the best one.
func TestBestTells(t *testing.T) {
	r := replicated().open(t, nil)
	var names []string
	w := &solver.Watch{OnChange: func(s solver.State) {
		if s.Phase != "" && !slices.Contains(names, s.Phase) {
			names = append(names, s.Phase)
		}
	}}
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 50, Seed: 3, Threads: 1, Watch: w})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{solver.PhaseBound, solver.PhaseStart, solver.PhaseSearch, phaseCrossing}
	if !slices.Equal(names, want) {
		t.Errorf("phases %v, expected %v", names, want)
	}
	_, last := r.in.Ends(out.Schedule)
	bound, _ := certified(t, r.in, out.Bounds)[0].Float64()
	if is := w.State(); is.Incumbent != model.Some(last.Seconds()) || is.Bound != model.Some(bound) {
		t.Errorf("%+v, the schedule ends at %s and the bound is %g", is, last, bound)
	}
}

// TestBoundsCutShort: bounds that a limit cut short are computed again for the next algorithm.
func TestBoundsCutShort(t *testing.T) {
	r := replicated().open(t, nil)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	cut, err := r.bound(ended, solver.Options{Threads: 1})
	if err != nil || r.bounds != nil {
		t.Fatalf("%v; kept: %v", err, r.bounds)
	}
	full, err := r.bound(context.Background(), solver.Options{Threads: 1})
	if err != nil || len(full) <= len(cut) || len(r.bounds) != len(full) {
		t.Errorf("%d bounds in no time, %d in full, %d kept; %v", len(cut), len(full), len(r.bounds), err)
	}
}

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
		p := &plan{rank: []int32{0}, choice: []choice{{spill: spillAny, overflow: true}}, inLine: x.inLine}
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
	c, host := newRows(), model.Node{MapSlots: 2, Bandwidth: rate(1e6)}
	c.rack(0.1e6, host, host)
	host.ReduceSlots = 2
	c.rack(0.1e6, host, host)
	r := c.with(
		testJob{id: "far", user: "u", reduces: 4, mapTime: 1, redTime: 10, shuffle: 20e6, replicas: [][]int{{0}, {1}}},
		testJob{id: "near", user: "u", reduces: 2, mapTime: 10, redTime: 10, shuffle: 20e6,
			replicas: [][]int{{2}, {3}}}).open(t, nil)
	p := &plan{rank: []int32{0, 1}, inLine: true, choice: []choice{
		{racks: []bool{true, false}}, {racks: []bool{false, true}}}}
	out := r.follow(t, r.search(t), p)
	if ends, _ := r.in.Ends(out.Schedule); ends[1].Seconds() > 31 || ends[0].Seconds() < 200 {
		t.Errorf("the jobs end at %v", ends)
	}
}

// TestFluid: three jobs have two maps of 10 s each, one with its block in each of two racks. In the first rack the
// second map reads its 5 MB in 5 s and so moves 2.5 s of all uplinks. In both racks the jobs take 10 s each.
func TestFluid(t *testing.T) {
	c := newCluster(2, 1, 1, 1, 1e6, 1e6)
	for _, id := range []string{"a", "b", "c"} {
		c.add(testJob{id: id, user: "u", mapTime: 10, input: 5e6, replicas: [][]int{{0}, {1}}})
	}
	f := newFluid(newPlacer(c.open(t, nil).in), false, margins{1, 1})
	if cost := f.judge(); math.Abs(cost-30) > 1e-6 {
		t.Errorf("the balanced plan costs %g", cost)
	}
	clear(f.option)
	if cost := f.judge(); math.Abs(cost-3*25-3*fluidCross*2.5) > 1e-6 {
		t.Errorf("in the first rack the plan costs %g", cost)
	}
	f.improve(context.Background(), 500, rand.New(rand.NewPCG(1, 1)))
	if cost := f.judge(); math.Abs(cost-30) > 1e-6 {
		t.Errorf("the improved plan costs %g", cost)
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
