package realtime

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestEventOrder: all ends, arrivals, releases and ready times of one instant are known before any slot starts a task.
func TestEventOrder(t *testing.T) {
	for _, c := range []struct {
		jobs []job
		want string
	}{
		{ // B arrives when A.m1 ends, and is due before A
			[]job{{id: "A", due: 100, maps: []float64{4, 4}}, {id: "B", release: 4, due: 10, maps: []float64{1}}},
			"A.m1 w1/m1 0–4; B.m1 w1/m1 4–5; A.m2 w1/m1 5–9",
		},
		{ // A.m2 is released when A.m1 ends; until then the slot idles
			[]job{{id: "A", due: 10, maps: []float64{4, 4}, late: []float64{0, 4}},
				{id: "B", release: 4, due: 100, maps: []float64{1}}},
			"A.m1 w1/m1 0–4; A.m2 w1/m1 4–8; B.m1 w1/m1 8–9",
		},
		{ // A's reduce is ready when that of B ends; C has waited for it, and is due later
			[]job{{id: "B", due: 5, reduces: []float64{3}}, {id: "C", due: 100, reduces: []float64{1}},
				{id: "A", due: 20, maps: []float64{2}, shuffle: []float64{1}, reduces: []float64{5}}},
			"A.m1 w1/m1 0–2; B.r1 w1/r1 0–3; A.r1 w1/r1 3–8; C.r1 w1/r1 8–9",
		},
		{ // tasks of length 0 follow each other in one instant
			[]job{{id: "A", due: 1, maps: []float64{0, 0}, reduces: []float64{0}}},
			"A.m1 w1/m1 0–0; A.m2 w1/m1 0–0; A.r1 w1/r1 0–0",
		},
	} {
		checkPolicy(t, spec{0, []worker{{1, 1, 1}}, c.jobs}.run(t, nil), "edf", c.want, 0)
	}
}

// TestPlacement: maps are dealt in turn, continuing after the last job; a worker with two slots gets two. A map with a
// block goes to the holder that is expected to be free first, and does not count in dealing. A: w1, w1, w2. B: B.m1 w3,
// B.m2 to w2, which holds its block; B.m3 w1, where A's maps run.
func TestPlacement(t *testing.T) {
	r := spec{0, []worker{{1, 2, 0}, {1, 1, 0}, {4, 1, 0}, {1, 0, 1}}, []job{
		{id: "A", maps: []float64{4, 4, 4}, due: 9},
		{id: "B", maps: []float64{4, 4, 4}, holder: []int{0, 2, 0}, due: 9}}}.run(t, nil)
	checkPolicy(t, r, "fifo",
		"A.m1 w1/m1 0–4; A.m2 w1/m2 0–4; A.m3 w2 0–4; B.m1 w3 0–1; B.m2 w2 4–8; B.m3 w1/m1 4–8", 0)
}

// TestHolderFreeFirst: of two holders the map goes to the one whose queue is expected to be free first; another runs no
// maps. m1 is dealt to w1, with 5 s. m2, m3, m4: w2 is expected to be free after 0, 1 and 2 s.
func TestHolderFreeFirst(t *testing.T) {
	w := spec{0, []worker{{1, 1, 0}, {1, 1, 0}, {1, 0, 1}}, []job{{id: "A", due: 9, maps: []float64{5, 1, 1, 1},
		holder: []int{0, 3, 3, 3}}}}.workload(t)
	for k := range w.Placements[:3] {
		for holder := range model.NodeIndex(2) {
			p := w.Placements[k]
			p.Node -= 1 + holder
			w.Placements = append(w.Placements, p)
		}
	}
	checkPolicy(t, opened(t, w, nil), "fifo", "A.m1 w1 0–5; A.m2 w2 0–1; A.m3 w2 1–2; A.m4 w2 2–3", 0)
}

// TestExpect estimates the reduce phase before the maps have ended. Workers with reduce slots have speeds 4, 1 and 2,
// so the median is 2. Partitions of 8, 6, 4 and 2 s at speed 1 on 2 reducers: 8+2 and 6+4, that is 10/2 = 5 s.
func TestExpect(t *testing.T) {
	r := spec{0, []worker{{4, 1, 1}, {1, 0, 1}, {2, 0, 1}}, []job{{due: 9, maps: []float64{1}, parts: []float64{8, 6, 4, 2},
		reducers: 2}}}.run(t, nil)
	s := newSimulation(r, policyOf(t, "llf"), r.in)
	if last := s.expect(0); last != 5*model.Second {
		t.Errorf("got %s, want 5", last)
	}
}

// TestSimulate: on random instances, for all policies and partitioners, schedules violate nothing, are repeatable, and
// equal those of an implementation without heaps.
func TestSimulate(t *testing.T) {
	tier.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		x := drawSimulated(t)
		lof := rapid.SampledFrom([]float64{0, 0.5, 1, 1.5}).Draw(t, "lof")
		partitioner := rapid.SampledFrom([]string{"hash", "lb", "dp", "lb-sketch", "dp-sketch"}).Draw(t, "partitioner")
		seed := rapid.Uint64Range(0, 99).Draw(t, "seed")
		r := x.run(t, solver.Params{lofParam: lof, partitionParam: partitioner,
			"partitions": int64(rapid.IntRange(0, 8).Draw(t, "partitions"))})
		r.expected = noisy{r.in, seed}
		for _, p := range policyList() {
			out, again := solved(t, r, p.Name), solved(t, r, p.Name)
			got := timetable(r.in, out.Schedule)
			if s := timetable(r.in, again.Schedule); s != got || !reflect.DeepEqual(again.Facts, out.Facts) {
				t.Fatalf("%s: again\n%s %v\nfirst\n%s %v", p.Name, s, again.Facts, got, out.Facts)
			}
			if want := timetable(r.in, simNaive(t, r, p, r.expected)); got != want {
				t.Fatalf("%s: got\n%s\nwant\n%s", p.Name, got, want)
			}
			if out.Status != model.StatusFeasible {
				t.Fatalf("%s: %s", p.Name, out.Status)
			}
			conserves(t, r.in, out.Schedule, p.Name)
		}
	})
}

// conserves requires that some slot works whenever an arrived job has a task that could run.
func conserves(t tester, in *realtime.Instance, s *model.Schedule, name string) {
	rows := slices.Clone(s.Entries)
	slices.SortFunc(rows, func(a, b model.Entry) int { return cmp.Compare(a.Start, b.Start) })
	ready, end := in.Ready(s), model.Time(0)
	for _, e := range rows {
		could := in.ReleaseOf(int32(e.Task))
		if !in.IsMap(int32(e.Task)) {
			could = max(could, ready[in.JobOf(int32(e.Task))])
		}
		if e.Start > end && could < e.Start {
			t.Fatalf("%s: no task runs from %s to %s, but task %d could\n%s", name, end, e.Start, e.Task, timetable(in, s))
		}
		end = max(end, e.End)
	}
}

// TestSimulateLimit: an expired context still gives a complete schedule, whether it ends at once or half way.
func TestSimulateLimit(t *testing.T) {
	x := spec{workers: []worker{{1, 1, 1}, {2, 1, 1}}}
	for k := range 200 {
		x.jobs = append(x.jobs, job{release: float64(k), due: 30, maps: []float64{1, 2, 3}, reduces: []float64{2, 2}})
	}
	r := x.run(t, solver.Params{lofParam: 1.5})
	for _, p := range policyList() {
		for after := range 2 {
			ctx, cancel := context.WithCancel(context.Background())
			looks := 0
			out, err := r.simulate(ctx, p, solver.Options{Watch: &solver.Watch{OnChange: func(seen solver.State) {
				if looks++; looks > after {
					cancel()
				}
				if seen.Done > seen.Total {
					t.Errorf("%d of %d", seen.Done, seen.Total)
				}
			}}})
			cancel()
			if err != nil || out.Status != model.StatusLimit {
				t.Fatalf("%s: %v, %v", p.Name, out, err)
			}
			if bad := r.in.Check(out.Schedule); len(bad) > 0 {
				t.Errorf("%s: %v", p.Name, bad)
			}
		}
	}
}

// endless expects every task to take forever.
type endless struct{}

func (endless) Time(_, _ int32) model.Time { return math.MaxInt64 }

// TestSimulateDegenerate: missing or absurd values still give a result.
func TestSimulateDegenerate(t *testing.T) {
	one := []float64{1}
	for k, c := range []struct {
		jobs   []job
		b      expectation
		missed int
	}{
		{[]job{{due: 2, maps: []float64{1, 2}}}, nil, 1},
		{[]job{{maps: one, reduces: one}, {maps: one}}, nil, 0},
		{[]job{{due: 0.5, maps: one}, {due: 1, reduces: []float64{2}}}, nil, 2},
		{[]job{{due: 9, maps: []float64{1, 1}, reduces: one}, {due: 9, reduces: []float64{2}}}, endless{}, 0},
		{[]job{{release: 1e9, due: 1e12, maps: one, reduces: one}, {due: 1, maps: one}}, nil, 0},
	} {
		for _, p := range policyList() {
			r := spec{0, []worker{{1, 1, 1}}, c.jobs}.run(t, solver.Params{lofParam: 1.5})
			r.expected = c.b
			if e := r.in.Ends(solved(t, r, p.Name).Schedule); e.Missed != c.missed {
				t.Errorf("%d, %s: %d missed, want %d", k, p.Name, e.Missed, c.missed)
			}
		}
	}
}
