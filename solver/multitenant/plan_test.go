package multitenant

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// replicated is two racks of two nodes; each job's input lies in both racks, as in the paper's Figure 5.
func replicated() *clusterRows {
	c := newCluster(2, 2, 2, 1, 10e6, 5e6)
	for j, id := range []string{"a", "b"} {
		c.add(testJob{id: id, user: "u" + id, arrival: float64(j), reduces: 2, mapTime: 10, redTime: 5, input: 10e6, shuffle: 40e6,
			replicas: [][]int{{0, 2}, {1, 3}, {0, 3}, {1, 2}}})
	}
	return c
}

// TestBestGathers: with traffic that weighs enough, each of two jobs keeps to a rack of its own, and nothing crosses.
func TestBestGathers(t *testing.T) {
	r := replicated().open(t, nil)
	p := newPlacer(r.in)
	list := p.place(1000)
	for j, c := range list {
		if in := count(c.racks); in != 1 {
			t.Errorf("job %d runs its maps in %d racks", j, in)
		}
		for k, n := range c.counts {
			if n > 0 && !c.racks[k] {
				t.Errorf("job %d has %d reduces in rack %d, without maps", j, n, k)
			}
		}
	}
	if slices.Equal(list[0].racks, list[1].racks) {
		t.Error("both jobs run in the same rack")
	}
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 100, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if found := r.in.Check(out.Schedule); len(found) > 0 {
		t.Fatal(found)
	}
	if x := newScore(r.in, out.Schedule); x.cross.Sign() != 0 {
		t.Errorf("%s bytes cross racks: %v", x.cross.FloatString(0), out.Found)
	}
}

func count(set []bool) (n int) {
	for _, in := range set {
		if in {
			n++
		}
	}
	return n
}

// TestStrictPlan: a plan without spill and overflow is followed to the letter, whatever the order.
func TestStrictPlan(t *testing.T) {
	r := replicated().open(t, nil)
	p := newPlacer(r.in)
	base, err := config{nass: true, sarp: true, samp: true}.with(r.p)
	if err != nil {
		t.Fatal(err)
	}
	s := &planSearch{r: r, base: base}
	choices := p.place(1000)
	for k, rank := range p.orders() {
		out, err := r.simulate(context.Background(), s.with(&plan{choice: choices, rank: rank, spill: spillNone, early: k%2 == 0}), solver.Options{Iterations: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if found := r.in.Check(out.Schedule); len(found) > 0 {
			t.Fatal(found)
		}
		f := r.in.Flows(out.Schedule)
		for _, e := range out.Schedule.Entries {
			c := choices[r.in.JobOf(int32(e.Task))]
			if rack := r.in.RackOf[r.in.WorkerOf[e.Machine]]; r.in.IsMap(int32(e.Task)) && !c.racks[rack] {
				t.Errorf("order %s: a map ran in rack %d", orderName[k], rack)
			}
		}
		for j, c := range choices {
			for k, n := range c.counts {
				if f.Reducers[j*r.in.Racks+k] != n {
					t.Errorf("job %d has %d reduces in rack %d, not %d", j, f.Reducers[j*r.in.Racks+k], k, n)
				}
			}
		}
	}
}

// TestMidpoints: three jobs of map work only on one slot: 8 s from 0, 2 s from 1, 4 s from 2. The shortest of what is there
// runs: 0–1 the first, 1–3 the second, 3–7 the third, 7–14 the first. Midpoints are (1·0.5 + 7·10.5)/8, 2 and 5.
func TestMidpoints(t *testing.T) {
	c := newCluster(1, 1, 1, 1, 0, 0)
	for j, x := range []struct{ arrival, work float64 }{{0, 8}, {1, 2}, {2, 4}} {
		c.add(testJob{id: string(rune('a' + j)), user: "u", arrival: x.arrival, mapTime: x.work, replicas: [][]int{nil}})
	}
	p := newPlacer(c.open(t, nil).in)
	work := []float64{8, 2, 4}
	for j, want := range work {
		if is := p.work(int32(j)); is != want {
			t.Errorf("job %d has work %g, not %g", j, is, want)
		}
	}
	mid := p.midpoints(work, []int32{1, 2, 0}, []int32{0, 1, 2})
	for j, want := range []float64{(0.5 + 7*10.5) / 8, 2, 5} {
		if math.Abs(mid[j]-want) > 1e-9 {
			t.Errorf("job %d has midpoint %g, not %g", j, mid[j], want)
		}
	}
	want := [][]int32{fairOrder: nil, midpointOrder: {2, 0, 1}, sizeOrder: {2, 0, 1}, tailOrder: {0, 2, 1}, arrivalOrder: {0, 1, 2}}
	if is := p.orders(); !reflect.DeepEqual(is, want) {
		t.Errorf("orders %v, not %v", is, want)
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

// TestScoreGap: what is worse counts, in shares.
func TestScoreGap(t *testing.T) {
	r := replicated().open(t, nil)
	out, in := r.play(t, "fair")
	x := newScore(in, out.Schedule)
	y := newScore(in, out.Schedule)
	if g := x.gap(&y); g != 0 {
		t.Errorf("gap %g to itself", g)
	}
	y.makespan /= 2
	if g := x.gap(&y); math.Abs(g-1) > 1e-6 {
		t.Errorf("gap %g where the makespan is double", g)
	}
	y = newScore(in, out.Schedule)
	y.jobs.Add(y.jobs, y.jobs)
	if g := x.gap(&y); g != 0.5 {
		t.Errorf("gap %g where throughput is half", g)
	}
	y = newScore(in, out.Schedule)
	y.cross.SetInt64(0)
	if g := x.gap(&y); x.cross.Sign() > 0 && g != 1 {
		t.Errorf("gap %g where nothing need cross", g)
	}
}

// TestBestIsDeterministic: at any number of threads, with a window, and when stopped at once.
func TestBestIsDeterministic(t *testing.T) {
	r := replicated().open(t, solver.Params{"measure-from": 5.0, "measure-until": 60.0})
	solve := func(ctx context.Context, threads, iterations int) *solver.Outcome {
		out, err := r.Solve(ctx, "best", solver.Options{Iterations: iterations, Seed: 3, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one, two := solve(context.Background(), 1, 60), solve(context.Background(), 2, 60)
	if !reflect.DeepEqual(one.Schedule, two.Schedule) || !reflect.DeepEqual(one.Found, two.Found) || one.Status != model.StatusFeasible {
		t.Error("two threads find something else than one")
	}
	if n := solve(context.Background(), 1, 1).Found["simulations"]; n != 1 {
		t.Errorf("%v simulations in one iteration", n)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	out := solve(ended, 1, 60)
	if found := r.in.Check(out.Schedule); len(found) > 0 || out.Status != model.StatusLimit {
		t.Errorf("stopped: %s, %v", out.Status, found)
	}
}

// TestPlacerWithoutMaps: jobs of reduces only, and of maps only, have choices.
func TestPlacerWithoutMaps(t *testing.T) {
	c := newCluster(2, 1, 1, 1, 0, 1e6)
	c.add(testJob{id: "reduces", user: "u", reduces: 5, redTime: 2})
	c.add(testJob{id: "maps", user: "u", mapTime: 2, replicas: [][]int{{0}, nil}})
	r := c.open(t, nil)
	for j, choice := range newPlacer(r.in).place(2) {
		sum := int32(0)
		for _, n := range choice.counts {
			sum += n
		}
		if want := r.in.Reduces(int32(j)); sum != want {
			t.Errorf("job %d has %d reduces in racks, not %d", j, sum, want)
		}
	}
	var in *multitenant.Instance = r.in
	out, err := r.Solve(context.Background(), "best", solver.Options{Iterations: 40, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if found := in.Check(out.Schedule); len(found) > 0 {
		t.Fatal(found)
	}
}
