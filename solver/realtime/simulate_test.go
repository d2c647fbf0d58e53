package realtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// simTB is what tests, benchmarks and rapid have in common.
type simTB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// simWorker is a worker of a test's cluster.
type simWorker struct {
	speed         float64
	maps, reduces int64
}

// simJob is a job of a test, times in seconds at speed 1.
type simJob struct {
	id            string
	release, due  float64 // due: after its arrival; 0: no deadline
	maps, reduces []float64
	holder        []int             // by map: the worker, from 1, that holds its block; 0 or missing: it reads none
	late, shuffle []float64         // by map: how long after its job it is released, its shuffle delay
	lateReduces   []float64         // by reduce: how long after its job it is released
	keys          map[string]uint16 // instead of reduces: bytes, at 1 byte a second
	reducers      int64             // of keys
}

// simParams are the parameters' defaults for goal deadlines, with true times and without LOF.
func simParams(set map[string]any) solver.Params {
	p := solver.Params{"goal": "deadlines", "deadline-factor": 0.0, "partitions": int64(0), "sketch-delta": 0.2,
		"sketch-seed": int64(1), "resplit-cost": "",
		estimatesParam: "true", neighboursParam: int64(256), lofParam: 0.0, partitionParam: "dp"}
	for k, v := range set {
		p[k] = v
	}
	return p
}

func simWorkload(t simTB, workers []simWorker, jobs []simJob) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for i, w := range workers {
		b.Node(model.Node{ID: fmt.Sprintf("w%d", i+1), Kind: model.HostNode, MapSlots: w.maps, ReduceSlots: w.reduces,
			Speed: model.Some(w.speed)}, "root", model.Locus{})
	}
	at := func(list []float64, i int) float64 {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	for _, j := range jobs {
		row := model.Job{ID: j.id, Release: model.TimeOf(j.release), Weight: model.UnitWeight,
			Reduces: model.Some(int64(len(j.reduces)))}
		if j.due > 0 {
			row.Deadline = model.Some(model.TimeOf(j.due))
		}
		if j.keys != nil {
			row.Reduces, row.ReduceRate = model.Some(j.reducers), model.Some(1.0)
		}
		b.Job(row, model.Locus{})
		for i, p := range j.maps {
			block := ""
			if h := int(at(floats(j.holder), i)); h > 0 {
				block = fmt.Sprintf("b-%s-%d", j.id, i)
				b.Placement(block, fmt.Sprintf("w%d", h), model.Locus{})
			}
			b.Task(model.Task{ID: fmt.Sprintf("%s.m%d", j.id, i+1), Kind: model.Map, Processing: model.Some(model.TimeOf(p)),
				ShuffleDelay: model.TimeOf(at(j.shuffle, i)),
				Release:      model.Some(model.TimeOf(j.release + at(j.late, i)))}, j.id, block, model.Locus{})
		}
		for i, p := range j.reduces {
			b.Task(model.Task{ID: fmt.Sprintf("%s.r%d", j.id, i+1), Kind: model.Reduce, Processing: model.Some(model.TimeOf(p)),
				Release: model.Some(model.TimeOf(j.release + at(j.lateReduces, i)))}, j.id, "", model.Locus{})
		}
		var keys []string
		for k := range j.keys {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			b.KeyData(model.KeyData{Key: k, Bytes: model.Bytes(j.keys[k])}, j.id, model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func floats(list []int) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out
}

func simRun(t simTB, w *model.Workload, p solver.Params) *run {
	t.Helper()
	r, err := open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

func simPolicy(t simTB, name string) policy {
	t.Helper()
	for _, p := range policyList() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no policy %q", name)
	return policy{}
}

// simOrder writes a schedule as "task slot start–end" in seconds, by start, then by task.
func simOrder(in *realtime.Instance, s *model.Schedule) string {
	rows := slices.Clone(s.Entries)
	slices.SortFunc(rows, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.Task, b.Task))
	})
	var out []string
	for _, e := range rows {
		id, _, _ := in.TaskName(e.Task)
		out = append(out, fmt.Sprintf("%s %s %s–%s", id, in.MachineName(e.Machine), e.Start, e.End))
	}
	return strings.Join(out, "; ")
}

// simSolve simulates and demands a schedule that breaks nothing.
func simSolve(t simTB, r *run, name string) *solver.Outcome {
	t.Helper()
	out, err := r.simulate(context.Background(), simPolicy(t, name), solver.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if bad := r.in.Check(out.Schedule); len(bad) > 0 {
		t.Fatalf("%s: %v\n%s", name, bad, simOrder(r.in, out.Schedule))
	}
	return out
}

// simBelief says of each task id how long it is expected to take everywhere, in seconds; others are known.
type simBelief struct {
	*realtime.Instance
	think map[string]float64
}

func (b simBelief) Time(task, worker int32) model.Time {
	id, _, _ := b.TaskName(model.TaskIndex(task))
	if v, ok := b.think[id]; ok {
		return model.TimeOf(v)
	}
	return b.Instance.Time(task, worker)
}

// TestEventOrder: what ends, arrives, is released or ready at one instant is known before any slot starts something.
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

// TestPlacement: maps are dealt in turn from where the last job stopped, a worker with two slots getting two; blocks go
// to a holder, the one that is expected to be free first, and are not counted in dealing.
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

// TestHolderFreeFirst: of two holders, the one whose queue is expected to be free first.
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

// TestExpect: the reduce phase before the maps have ended. Workers with reduce slots have speeds 4, 1 and 2: the median
// is 2. Partitions of 8, 6, 4 and 2 s at speed 1 on 2 reducers: 8+2 and 6+4, that is 10/2 = 5 s, and 20/2 = 10 s of
// work.
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

// TestSimulate: on random instances, for all policies and partitioners, schedules break nothing, are the same again,
// and those of an implementation without heaps.
func TestSimulate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := simRandom(t)
		lof := rapid.SampledFrom([]float64{0, 0.5, 1, 1.5}).Draw(t, "lof")
		partitioner := rapid.SampledFrom([]string{"hash", "lb", "dp", "lb-sketch", "dp-sketch"}).Draw(t, "partitioner")
		seed := rapid.Uint64Range(0, 99).Draw(t, "seed")
		r := simRun(t, w, simParams(map[string]any{lofParam: lof, partitionParam: partitioner,
			"partitions": int64(rapid.IntRange(0, 8).Draw(t, "partitions"))}))
		if seed > 0 {
			r.belief = noisy{r.in, seed}
		} else {
			r.belief = r.in
		}
		for _, p := range policyList() {
			out := simSolve(t, r, p.Name)
			got := simOrder(r.in, out.Schedule)
			again := simSolve(t, r, p.Name)
			if s := simOrder(r.in, again.Schedule); s != got || !reflect.DeepEqual(again.Facts, out.Facts) {
				t.Fatalf("%s: again\n%s %v\nfirst\n%s %v", p.Name, s, again.Facts, got, out.Facts)
			}
			if want := simOrder(r.in, simNaive(t, r, p, r.belief)); got != want {
				t.Fatalf("%s: got\n%s\nwant\n%s", p.Name, got, want)
			}
			if out.Status != model.StatusFeasible {
				t.Fatalf("%s: %s", p.Name, out.Status)
			}
			simWorkConserving(t, r.in, out.Schedule, p.Name)
		}
	})
}

// simWorkConserving demands that work is done somewhere whenever a job has been arrived and something of it could run.
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
			t.Fatalf("%s: nothing runs from %s to %s, task %d could\n%s", name, end, e.Start, e.Task, simOrder(in, s))
		}
		end = max(end, e.End)
	}
}

// TestSimulateLimit: a context that has ended gives a schedule of everything, at once or half way.
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

// huge believes that everything lasts for ever.
type huge struct{}

func (huge) Time(_, _ int32) model.Time { return math.MaxInt64 }

// TestSimulateDegenerate: missing or absurd values have an answer.
func TestSimulateDegenerate(t *testing.T) {
	one := []simWorker{{1, 1, 1}}
	for name, c := range map[string]struct {
		workers []simWorker
		jobs    []simJob
		b       belief
		missed  int
	}{
		"no maps":    {one, []simJob{{id: "A", due: 3, reduces: []float64{1, 2}}}, nil, 0},
		"no reduces": {[]simWorker{{1, 1, 0}}, []simJob{{id: "A", due: 2, maps: []float64{1, 2}}}, nil, 1},
		"no deadline": {one, []simJob{{id: "A", maps: []float64{1}, reduces: []float64{1}},
			{id: "B", maps: []float64{1}}}, nil, 0},
		"all impossible": {one, []simJob{{id: "A", due: 0.5, maps: []float64{1}},
			{id: "B", due: 1, reduces: []float64{2}}}, nil, 2},
		"believed for ever": {one, []simJob{{id: "A", due: 9, maps: []float64{1, 1}, reduces: []float64{1}},
			{id: "B", due: 9, reduces: []float64{2}}}, huge{}, 0},
		"an endless due": {one, []simJob{{id: "A", release: 1e9, due: 1e12, maps: []float64{1}, reduces: []float64{1}},
			{id: "B", due: 1, maps: []float64{1}}}, nil, 0},
	} {
		for _, p := range policyList() {
			t.Run(name+"/"+p.Name, func(t *testing.T) {
				r := simRun(t, simWorkload(t, c.workers, c.jobs), simParams(map[string]any{lofParam: 1.5}))
				r.belief = c.b
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

// open opens a workload as the driver does.
func open(w *model.Workload, p solver.Params) (solver.Run, error) { return Problem().Open(w, p) }
