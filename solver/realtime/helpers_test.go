package realtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// tester is what tests, benchmarks and properties have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// spec describes a workload.
type spec struct {
	unit    model.Time // of times; 0: a second
	workers []worker
	jobs    []job
}

type worker struct {
	speed         float64
	maps, reduces int64
}

// job is a job of a test, with times at speed 1.
type job struct {
	id            string  // empty: j1, j2, …
	release, due  float64 // due: after its arrival; 0: no deadline; negative: at once
	maps, reduces []float64
	parts, keys   []float64   // instead of reduces: bytes, at a byte a unit
	reducers      int64       // of parts or keys; 0: as many as slots
	partitions    int64       // of keys; 0: not stated
	shuffle       []float64   // by map: its shuffle delay
	holder        []int       // by map: the worker, from 1, that holds its block; 0 or missing: it reads none
	late          []float64   // by map, then by reduce: how long after its job it is released
	given         [][]float64 // by map, then by reduce or part; by worker: times instead
}

func (x spec) workload(t tester) *model.Workload {
	t.Helper()
	b, unit, slots := model.NewBuilder(), float64(cmp.Or(x.unit, model.Second)), int64(0)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for i, w := range x.workers {
		b.Node(model.Node{ID: fmt.Sprintf("w%d", i+1), Kind: model.HostNode, MapSlots: w.maps, ReduceSlots: w.reduces,
			Speed: model.Some(w.speed)}, "root", model.Locus{})
		slots += w.reduces
	}
	long := func(v float64) model.Time { return model.Time(math.Round(v * unit)) }
	for i, j := range x.jobs {
		j.id = cmp.Or(j.id, fmt.Sprintf("j%d", i+1))
		row := model.Job{ID: j.id, Release: long(j.release), Weight: model.UnitWeight}
		if j.due != 0 {
			row.Deadline = model.Some(long(max(0, j.due)))
		}
		if len(j.parts)+len(j.keys) > 0 {
			row.Reduces, row.ReduceRate = model.Some(cmp.Or(j.reducers, slots)), model.Some(float64(model.Second)/unit)
		}
		if j.partitions > 0 {
			row.Partitions = model.Some(j.partitions)
		}
		b.Job(row, model.Locus{})
		j.add(b, long)
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// add adds the rows of a job's tasks and data.
func (j job) add(b *model.Builder, long func(v float64) model.Time) {
	var ids []string
	task := func(id string, kind model.TaskKind, p float64) {
		row, block, k := model.Task{ID: j.id + id, Kind: kind, Processing: model.Some(long(p))}, "", len(ids)
		if k < len(j.late) {
			row.Release = model.Some(long(j.release + j.late[k]))
		}
		if k < len(j.maps) && k < len(j.shuffle) {
			row.ShuffleDelay = long(j.shuffle[k])
		}
		if k < len(j.maps) && k < len(j.holder) && j.holder[k] > 0 {
			block = "of " + row.ID
			b.Placement(block, fmt.Sprintf("w%d", j.holder[k]), model.Locus{})
		}
		b.Task(row, j.id, block, model.Locus{})
		ids = append(ids, row.ID)
	}
	for k, p := range j.maps {
		task(fmt.Sprintf(".m%d", k+1), model.Map, p)
	}
	for k, p := range j.reduces {
		task(fmt.Sprintf(".r%d", k+1), model.Reduce, p)
	}
	for k, bytes := range j.parts {
		ids = append(ids, fmt.Sprintf("p%d", k+1))
		b.Part(model.Part{Partition: ids[len(ids)-1], Bytes: model.Bytes(bytes)}, j.id, model.Locus{})
	}
	for k, times := range j.given {
		for w, p := range times {
			b.GivenTime(model.GivenTime{Task: ids[k], Time: long(p)}, j.id, fmt.Sprintf("w%d", w+1), model.Locus{})
		}
	}
	for k, bytes := range j.keys {
		b.KeyData(model.KeyData{Key: fmt.Sprintf("k%d", k), Bytes: model.Bytes(bytes)}, j.id, model.Locus{})
	}
}

// settings are parameters: goal deadlines, true times, no LOF, unless set.
func settings(set solver.Params) solver.Params {
	p := solver.Params{"goal": "deadlines", "deadline-factor": 0.0, "partitions": int64(0), "sketch-delta": 0.2,
		"sketch-seed": int64(1), "resplit-cost": "", estimatesParam: "true", neighboursParam: int64(256), distanceParam: "plain", lofParam: 0.0,
		partitionParam: "dp"}
	maps.Copy(p, set)
	return p
}

var (
	inPhases = solver.Params{"goal": "partitions"}
	inPieces = solver.Params{"goal": "partitions", "resplit-cost": "0"}
)

func opened(t tester, w *model.Workload, set solver.Params) *run {
	t.Helper()
	r, err := Problem().Open(w, settings(set))
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

func (x spec) run(t tester, set solver.Params) *run {
	t.Helper()
	return opened(t, x.workload(t), set)
}

var someSearch = solver.Options{Iterations: 200, Seed: 1, Threads: 1}

// solved runs an algorithm without bounds. The checker accepts the schedule.
func solved(t tester, r *run, name string) *solver.Outcome {
	t.Helper()
	out, err := r.SolveBare(context.Background(), name, someSearch)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if bad := r.in.Check(out.Schedule); len(bad) > 0 {
		t.Fatalf("%s: %v\n%s", name, bad, timetable(r.in, out.Schedule))
	}
	return out
}

// bounded runs an algorithm with its bounds, in missed deadlines or microseconds. The checker accepts the schedule and
// the certificate.
func bounded(t tester, r *run, name string) (out *solver.Outcome, cost, bound int64) {
	t.Helper()
	out, err := r.Solve(context.Background(), name, someSearch)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if bad := r.in.Check(out.Schedule); len(bad) > 0 {
		t.Fatalf("%s: %v", name, bad)
	}
	return out, whole64(t, r.in, r.in.Evaluate(out.Schedule).Value), certified(t, r, 0)
}

// certified writes, reads and checks the certificate of a run's bound. It proves no more than it states.
func certified(t tester, r *run, k int) int64 {
	t.Helper()
	c := *r.bounds[k].Certificate.(*realtime.Certificate)
	certify := func() (*big.Rat, error) {
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		proven, err := r.in.Certify(raw)
		return proven.Value, err
	}
	value, err := certify()
	if err != nil {
		t.Fatalf("%s: %v", c.Method, err)
	}
	c.Value = new(big.Rat).Add(value, big.NewRat(1, 1)).RatString()
	if _, err := certify(); err == nil {
		t.Fatalf("%s: one more is accepted", c.Method)
	}
	return whole64(t, r.in, value)
}

// whole64 is a cost or bound in the unit of an instance's goal.
func whole64(t tester, in *realtime.Instance, v *big.Rat) int64 {
	t.Helper()
	if in.Goal == realtime.Partitions {
		v = new(big.Rat).Mul(v, big.NewRat(int64(model.Second), 1))
	}
	if !v.IsInt() {
		t.Fatalf("a cost of %s", v)
	}
	return v.Num().Int64()
}

func factsOf(out *solver.Outcome) Facts { return out.Facts.(Facts) }

// timetable writes a schedule as "task slot start–end" in seconds, by start, then by task.
func timetable(in *realtime.Instance, s *model.Schedule) string {
	rows := slices.Clone(s.Entries)
	slices.SortFunc(rows, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Task, b.Task))
	})
	var out []string
	for _, e := range rows {
		id, _, _ := in.TaskName(e.Task)
		out = append(out, fmt.Sprintf("%s %s %s–%s", id, in.MachineName(e.Machine), e.Start, e.End))
	}
	return strings.Join(out, "; ")
}

// drawWorkers draws up to n workers with up to so many slots of a kind; the first has one of each.
func drawWorkers(t *rapid.T, n, slots int) []worker {
	list := []worker{{1, 1, 1}}
	for range rapid.IntRange(0, n-1).Draw(t, "workers") {
		list = append(list, worker{rapid.SampledFrom([]float64{0.25, 0.5, 1, 1.3, 3}).Draw(t, "speed"),
			int64(rapid.IntRange(0, slots).Draw(t, "map slots")), int64(rapid.IntRange(0, slots).Draw(t, "reduce slots"))})
	}
	return list
}

// drawJobs draws up to n jobs with up to the given numbers of maps and reduces each, and deadlines up to due; with
// workers, some with unrelated times on them.
func drawJobs(t *rapid.T, n, maps, reduces, due, workers int) []job {
	jobs := make([]job, rapid.IntRange(1, n).Draw(t, "jobs"))
	draw := func(name string, least, most int) []float64 {
		list := make([]float64, rapid.IntRange(least, most).Draw(t, name))
		for k := range list {
			list[k] = float64(rapid.IntRange(0, 9).Draw(t, name))
		}
		return list
	}
	for i := range jobs {
		j := &jobs[i]
		j.release, j.due = float64(rapid.IntRange(0, 12).Draw(t, "release")), float64(rapid.IntRange(0, due).Draw(t, "due"))
		if j.due == 0 {
			j.due = rapid.SampledFrom([]float64{0, -1, -1, -1}).Draw(t, "at once")
		}
		j.maps, j.shuffle = draw("maps", 1, maps), draw("shuffle", 0, maps)
		switch rapid.IntRange(0, 3).Draw(t, "data") {
		case 0: // map-only
		case 1:
			j.reducers, j.keys = int64(rapid.IntRange(1, max(1, reduces)).Draw(t, "reducers")), draw("keys", 1, 6)
		default:
			j.reduces = draw("reduces", 0, reduces)
		}
		for range (len(j.maps) + len(j.reduces)) * rapid.IntRange(0, min(1, workers)).Draw(t, "given") {
			j.given = append(j.given, draw("times", workers, workers))
		}
		if rapid.Bool().Draw(t, "own releases") {
			j.late = draw("late", 0, len(j.maps)+len(j.reduces))
		}
	}
	return jobs
}
