package realtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// TestEventOrder: all ends, arrivals, releases and ready times of one instant are known before any slot starts a task.
func TestEventOrder(t *testing.T) {
	one := []simWorker{{1, 1, 1}}
	for name, c := range map[string]struct {
		jobs []simJob
		want string
	}{
		"arrival at a finish": { // B arrives when A.m1 ends, and is due before A
			jobs: []simJob{{id: "A", due: 100, maps: []float64{4, 4}}, {id: "B", release: 4, due: 10, maps: []float64{1}}},
			want: "A.m1 w1/m1 0–4; B.m1 w1/m1 4–5; A.m2 w1/m1 5–9",
		},
		"release at a finish": { // A.m2 is released when A.m1 ends; until then the slot idles
			jobs: []simJob{{id: "A", due: 10, maps: []float64{4, 4}, late: []float64{0, 4}},
				{id: "B", release: 4, due: 100, maps: []float64{1}}},
			want: "A.m1 w1/m1 0–4; A.m2 w1/m1 4–8; B.m1 w1/m1 8–9",
		},
		"ready at a finish": { // A's reduce is ready when that of B ends; C has waited for it, and is due later
			jobs: []simJob{{id: "B", due: 5, reduces: []float64{3}}, {id: "C", due: 100, reduces: []float64{1}},
				{id: "A", due: 20, maps: []float64{2}, shuffle: []float64{1}, reduces: []float64{5}}},
			want: "A.m1 w1/m1 0–2; B.r1 w1/r1 0–3; A.r1 w1/r1 3–8; C.r1 w1/r1 8–9",
		},
		"no time at all": { // tasks of length 0 follow each other in one instant
			jobs: []simJob{{id: "A", due: 1, maps: []float64{0, 0}, reduces: []float64{0}}},
			want: "A.m1 w1/m1 0–0; A.m2 w1/m1 0–0; A.r1 w1/r1 0–0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := simRun(t, simWorkload(t, one, c.jobs), simParams(nil))
			if got := simOrder(r.in, simSolve(t, r, "edf").Schedule); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestPlacement: maps are dealt in turn, continuing after the last job; a worker with two slots gets two. A map with a
// block goes to the holder that is expected to be free first, and does not count in dealing.
func TestPlacement(t *testing.T) {
	workers := []simWorker{{1, 2, 0}, {1, 1, 0}, {4, 1, 0}, {1, 0, 1}}
	w := simWorkload(t, workers, []simJob{
		{id: "A", maps: []float64{4, 4, 4}, due: 9},
		{id: "B", maps: []float64{4, 4, 4}, holder: []int{0, 2, 0}, due: 9},
	})
	r := simRun(t, w, simParams(nil))
	// A: w1, w1, w2. B: B.m1 w3, B.m2 to w2, which holds its block; B.m3 w1, where A's maps run.
	want := "A.m1 w1/m1 0–4; A.m2 w1/m2 0–4; A.m3 w2 0–4; B.m1 w3 0–1; B.m2 w2 4–8; B.m3 w1/m1 4–8"
	if got := simOrder(r.in, simSolve(t, r, "fifo").Schedule); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHolderFreeFirst: of two holders the map goes to the one whose queue is expected to be free first.
func TestHolderFreeFirst(t *testing.T) {
	b := model.NewBuilder()
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for _, id := range []string{"w1", "w2", "w3"} {
		n := model.Node{ID: id, Kind: model.HostNode, MapSlots: 1}
		if id == "w3" {
			n.MapSlots, n.ReduceSlots = 0, 1 // holds the block and runs no maps
		}
		b.Node(n, "root", model.Locus{})
	}
	b.Job(model.Job{ID: "A", Weight: model.UnitWeight, Deadline: model.Some(9 * model.Second)}, model.Locus{})
	for _, id := range []string{"w3", "w1", "w2"} {
		b.Placement("x", id, model.Locus{})
	}
	for i, p := range []model.Time{5, 1, 1, 1} {
		block := "x"
		if i == 0 {
			block = "" // dealt to w1
		}
		b.Task(model.Task{ID: fmt.Sprintf("m%d", i+1), Kind: model.Map, Processing: model.Some(p * model.Second)}, "A", block,
			model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	r := simRun(t, w, simParams(nil))
	// m1 waits at w1 with 5 s. m2, m3, m4: w2 is expected to be free after 0, 1 and 2 s.
	want := "m1 w1 0–5; m2 w2 0–1; m3 w2 1–2; m4 w2 2–3"
	if got := simOrder(r.in, simSolve(t, r, "fifo").Schedule); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestExpect estimates the reduce phase before the maps have ended. Workers with reduce slots have speeds 4, 1 and 2,
// so the median is 2. Partitions of 8, 6, 4 and 2 s at speed 1 on 2 reducers: 8+2 and 6+4, that is 10/2 = 5 s, and 20/2
// = 10 s of work.
func TestExpect(t *testing.T) {
	w := simWorkload(t, []simWorker{{4, 1, 1}, {1, 0, 1}, {2, 0, 1}}, []simJob{{id: "A", due: 9, maps: []float64{1},
		keys: map[string]uint16{"a": 8, "b": 6, "c": 4, "d": 2}, reducers: 2}})
	r := simRun(t, w, simParams(map[string]any{"partitions": int64(4)}))
	s := newSimulation(r, simPolicy(t, "llf"), r.in)
	sizes := slices.Clone(r.in.Bytes[r.in.SetsOf(0)[0].First:][:4])
	slices.Sort(sizes)
	if !slices.Equal(sizes, []model.Bytes{2, 4, 6, 8}) {
		t.Fatalf("the hash puts keys together: %v", sizes)
	}
	if last, work := s.expect(0); last != 5*model.Second || work != 10*model.Second {
		t.Errorf("got %s and %s, want 5 and 10", last, work)
	}
}

// TestSimulate: on random instances, for all policies and partitioners, schedules violate nothing, are repeatable, and
// equal those of an implementation without heaps.
func TestSimulate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := simRandom(t)
		lof := rapid.SampledFrom([]float64{0, 0.5, 1, 1.5}).Draw(t, "lof")
		partitioner := rapid.SampledFrom([]string{"hash", "lb", "dp", "lb-sketch", "dp-sketch"}).Draw(t, "partitioner")
		seed := rapid.Uint64Range(0, 99).Draw(t, "seed")
		r := simRun(t, w, simParams(map[string]any{lofParam: lof, partitionParam: partitioner,
			"partitions": int64(rapid.IntRange(0, 8).Draw(t, "partitions"))}))
		if seed > 0 {
			r.expected = noisy{r.in, seed}
		} else {
			r.expected = r.in
		}
		for _, p := range policyList() {
			out := simSolve(t, r, p.Name)
			got := simOrder(r.in, out.Schedule)
			again := simSolve(t, r, p.Name)
			if s := simOrder(r.in, again.Schedule); s != got || !reflect.DeepEqual(again.Facts, out.Facts) {
				t.Fatalf("%s: again\n%s %v\nfirst\n%s %v", p.Name, s, again.Facts, got, out.Facts)
			}
			if want := simOrder(r.in, simNaive(t, r, p, r.expected)); got != want {
				t.Fatalf("%s: got\n%s\nwant\n%s", p.Name, got, want)
			}
			if out.Status != model.StatusFeasible {
				t.Fatalf("%s: %s", p.Name, out.Status)
			}
			simWorkConserving(t, r.in, out.Schedule, p.Name)
		}
	})
}

// simWorkConserving requires that some slot works whenever an arrived job has a task that could run.
func simWorkConserving(t simTB, in *realtime.Instance, s *model.Schedule, name string) {
	rows := slices.Clone(s.Entries)
	slices.SortFunc(rows, func(a, b model.Entry) int { return cmp.Compare(a.Start, b.Start) })
	ready, end := in.Ready(s), model.Time(0)
	for _, e := range rows {
		could := in.ReleaseOf(int32(e.Task))
		if !in.IsMap(int32(e.Task)) {
			could = max(could, ready[in.JobOf(int32(e.Task))])
		}
		if e.Start > end && could < e.Start {
			t.Fatalf("%s: no task runs from %s to %s, but task %d could\n%s", name, end, e.Start, e.Task, simOrder(in, s))
		}
		end = max(end, e.End)
	}
}

// TestSimulateLimit: an expired context still gives a complete schedule, whether it ends at once or half way.
func TestSimulateLimit(t *testing.T) {
	var jobs []simJob
	for k := range 200 {
		jobs = append(jobs, simJob{id: fmt.Sprintf("J%d", k), release: float64(k), due: 30, maps: []float64{1, 2, 3},
			reduces: []float64{2, 2}})
	}
	w := simWorkload(t, []simWorker{{1, 1, 1}, {2, 1, 1}}, jobs)
	for _, p := range policyList() {
		for _, after := range []int{0, 1} {
			r := simRun(t, w, simParams(map[string]any{lofParam: 1.5}))
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

// huge expects every task to take forever.
type huge struct{}

func (huge) Time(_, _ int32) model.Time { return math.MaxInt64 }

// TestSimulateDegenerate: missing or absurd values still give a result.
func TestSimulateDegenerate(t *testing.T) {
	one := []simWorker{{1, 1, 1}}
	for name, c := range map[string]struct {
		workers []simWorker
		jobs    []simJob
		b       expectation
		missed  int
	}{
		"no maps":    {one, []simJob{{id: "A", due: 3, reduces: []float64{1, 2}}}, nil, 0},
		"no reduces": {[]simWorker{{1, 1, 0}}, []simJob{{id: "A", due: 2, maps: []float64{1, 2}}}, nil, 1},
		"no deadline": {one, []simJob{{id: "A", maps: []float64{1}, reduces: []float64{1}},
			{id: "B", maps: []float64{1}}}, nil, 0},
		"all impossible": {one, []simJob{{id: "A", due: 0.5, maps: []float64{1}},
			{id: "B", due: 1, reduces: []float64{2}}}, nil, 2},
		"expected for ever": {one, []simJob{{id: "A", due: 9, maps: []float64{1, 1}, reduces: []float64{1}},
			{id: "B", due: 9, reduces: []float64{2}}}, huge{}, 0},
		"an endless due": {one, []simJob{{id: "A", release: 1e9, due: 1e12, maps: []float64{1}, reduces: []float64{1}},
			{id: "B", due: 1, maps: []float64{1}}}, nil, 0},
	} {
		for _, p := range policyList() {
			t.Run(name+"/"+p.Name, func(t *testing.T) {
				r := simRun(t, simWorkload(t, c.workers, c.jobs), simParams(map[string]any{lofParam: 1.5}))
				r.expected = c.b
				out := simSolve(t, r, p.Name)
				if e := r.in.Ends(out.Schedule); e.Missed != c.missed {
					t.Errorf("%d missed, want %d", e.Missed, c.missed)
				}
			})
		}
	}
}

// BenchmarkSimulate: 10⁴ jobs of 59 maps and 23 reduces on 82 workers, in a stream and all at once.
func BenchmarkSimulate(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var workers []simWorker
	for k := range 82 {
		w := simWorker{speed: math.Exp(0.3 * random.NormFloat64()), maps: 1}
		if k >= 59 {
			w.maps, w.reduces = 0, 1
		}
		workers = append(workers, w)
	}
	for _, c := range []struct {
		name     string
		gap, due float64
	}{{"stream", 5, 20}, {"burst", 0.001, 20}, {"loose", 0.001, 1e5}} {
		var jobs []simJob
		for k := range 10_000 {
			j := simJob{id: fmt.Sprintf("J%d", k), release: c.gap * float64(k), due: c.due, maps: make([]float64, 59),
				reduces: make([]float64, 23)}
			for i := range j.maps {
				j.maps[i] = 2
			}
			for i := range j.reduces {
				j.reduces[i] = 3 * random.Float64()
			}
			jobs = append(jobs, j)
		}
		r := simRun(b, simWorkload(b, workers, jobs), simParams(map[string]any{lofParam: 1.5}))
		for _, p := range policyList() {
			b.Run(c.name+"/"+p.Name, func(b *testing.B) {
				for b.Loop() {
					out, err := r.simulate(context.Background(), p, solver.Options{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.in.Ends(out.Schedule).Missed), "missed")
				}
			})
		}
	}
}
