package realtime

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// lateWorker is a worker of a test's instance. lateJob is a job with the times of its maps and reduces at speed 1, in
// seconds, or the data of its keys in bytes, at a byte per second.
type lateWorker struct {
	speed         float64
	maps, reduces int64
}

type lateJob struct {
	release, deadline model.Time // deadline < 0: none
	maps, reduces     []model.Time
	reducers          int64 // of keys
	keys              []int64
	shuffle           model.Time
	given             [][]model.Time // by map, then by reduce; by worker: times instead
	late              []model.Time   // by map, then by reduce: how long after its job it is released
}

// lateInstance builds an instance of goal deadlines; unit is the length of a time of 1.
func lateInstance(t rapid.TB, unit model.Time, workers []lateWorker, jobs []lateJob,
	o realtime.Options) *realtime.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for i, w := range workers {
		b.Node(model.Node{ID: fmt.Sprintf("w%d", i+1), Kind: model.HostNode, MapSlots: w.maps, ReduceSlots: w.reduces,
			Speed: model.Some(w.speed)}, "root", model.Locus{})
	}
	for i, j := range jobs {
		id := fmt.Sprintf("j%d", i+1)
		row := model.Job{ID: id, Release: unit * j.release, Weight: model.UnitWeight}
		if j.deadline >= 0 {
			row.Deadline = model.Some(unit * j.deadline)
		}
		if len(j.keys) > 0 {
			row.Reduces, row.ReduceRate = model.Some(j.reducers), model.Some(float64(model.Second)/float64(unit))
		}
		b.Job(row, model.Locus{})
		task := func(id string, kind model.TaskKind, k int, p model.Time) model.Task {
			row := model.Task{ID: id, Kind: kind, Processing: model.Some(unit * p)}
			if k < len(j.late) {
				row.Release = model.Some(unit * (j.release + j.late[k]))
			}
			return row
		}
		for k, p := range j.maps {
			row := task(fmt.Sprintf("%s.m%d", id, k+1), model.Map, k, p)
			row.ShuffleDelay = unit * j.shuffle
			b.Task(row, id, "", model.Locus{})
		}
		for k, p := range j.reduces {
			b.Task(task(fmt.Sprintf("%s.r%d", id, k+1), model.Reduce, len(j.maps)+k, p), id, "", model.Locus{})
		}
		for k, row := range j.given {
			kind := fmt.Sprintf(".m%d", k+1)
			if k >= len(j.maps) {
				kind = fmt.Sprintf(".r%d", k-len(j.maps)+1)
			}
			for w, x := range row {
				b.GivenTime(model.GivenTime{Task: id + kind, Time: unit * x}, id, fmt.Sprintf("w%d", w+1), model.Locus{})
			}
		}
		for k, n := range j.keys {
			b.KeyData(model.KeyData{Key: fmt.Sprintf("k%d", k), Bytes: model.Bytes(n)}, id, model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	o.Goal = realtime.Deadlines
	in, err := realtime.New(w, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// solveLate runs best or exact with its bound and checks the schedule.
func solveLate(t rapid.TB, in *realtime.Instance, solve func(context.Context, *run, solver.Options) (*solver.Outcome,
	error)) (missed, bound int, out *solver.Outcome) {
	t.Helper()
	r := newRun(in, params{})
	opt := solver.Options{Iterations: 200, Seed: 1, Threads: 1}
	if err := r.prove(context.Background(), opt, 1); err != nil {
		t.Fatal(err)
	}
	out, err := solve(context.Background(), r, opt)
	if err != nil {
		t.Fatal(err)
	}
	if v := in.Check(out.Schedule); len(v) > 0 {
		t.Fatalf("%v", v)
	}
	return in.Ends(out.Schedule).Missed, r.lateBound(), out
}

// TestPlanByHand runs best on instances with known optima.
func TestPlanByHand(t *testing.T) {
	one := []lateWorker{{1, 1, 1}}
	for name, c := range map[string]struct {
		workers       []lateWorker
		jobs          []lateJob
		bound, missed int
	}{
		// Maps of 4, 3 and 2 s due at 4, 6 and 6: two of them fit, but never all.
		"three jobs": {one, []lateJob{{maps: []model.Time{4}, deadline: 4}, {maps: []model.Time{3}, deadline: 6},
			{maps: []model.Time{2}, deadline: 6}}, 1, 1},
		// 2 + 2 s fit before 4, 3 more do not before 6.
		"short ones first": {one, []lateJob{{maps: []model.Time{3}, deadline: 6}, {maps: []model.Time{2}, deadline: 4},
			{maps: []model.Time{2}, deadline: 4}}, 1, 1},
		// One of two jobs misses in each of two bursts that do not touch.
		"two bursts": {one, []lateJob{{maps: []model.Time{4}, deadline: 5}, {maps: []model.Time{4}, deadline: 5},
			{release: 10, maps: []model.Time{4}, deadline: 5}, {release: 10, maps: []model.Time{4}, deadline: 5}}, 2, 2},
		// 2 s of maps, then 3 s of reduces, due after 4.
		"critical path": {one, []lateJob{{maps: []model.Time{2}, reduces: []model.Time{3}, deadline: 4},
			{maps: []model.Time{1}, deadline: 9}}, 1, 1},
		// The shuffle's second makes it late.
		"shuffle": {one, []lateJob{{maps: []model.Time{2}, reduces: []model.Time{3}, shuffle: 1, deadline: 5}}, 1, 1},
		// Two maps of 3 s on slots of speed 1 and ½ take 6 s one after another or at once; work alone says 4.
		"whole tasks": {[]lateWorker{{1, 1, 0}, {0.5, 1, 0}}, []lateJob{{maps: []model.Time{3, 3}, deadline: 5}}, 1, 1},
		// A reduce phase that fits into the free time of a slot before a more urgent job uses it.
		"gap": {one, []lateJob{{maps: []model.Time{6}, reduces: []model.Time{2}, deadline: 9},
			{release: 1, maps: []model.Time{1}, deadline: 15, reduces: []model.Time{2}}}, 0, 0},
		// The map ends at 2, the reduce comes at 3 and takes 3 s: too long for the first deadline, just in time for the
		// second.
		"own release of a reduce": {one, []lateJob{{maps: []model.Time{2}, reduces: []model.Time{3}, late: []model.Time{0, 3},
			deadline: 5}}, 1, 1},
		"and in time": {one, []lateJob{{maps: []model.Time{2}, reduces: []model.Time{3}, late: []model.Time{0, 3},
			deadline: 6}}, 0, 0},
		// Reduces of 1 s come at 5 and 0: the second goes first.
		"reduces in turn": {one, []lateJob{{reduces: []model.Time{1, 5}, late: []model.Time{5, 0}, deadline: 6}}, 0, 0},
		"no deadlines":    {one, []lateJob{{maps: []model.Time{6}, deadline: -1}}, 0, 0},
		"nothing": {one, []lateJob{{maps: []model.Time{0}, deadline: 0},
			{release: 3, maps: []model.Time{0}, reduces: []model.Time{0}, deadline: 0}}, 0, 0},
	} {
		in := lateInstance(t, model.Second, c.workers, c.jobs, realtime.Options{})
		missed, bound, out := solveLate(t, in, bestPlan)
		if missed != c.missed || bound != c.bound || out.Status != model.StatusOptimal {
			t.Errorf("%s: %d missed, bound %d, %s; expected %d and %d", name, missed, bound, out.Status, c.missed, c.bound)
		}
	}
}

// TestPlanOverload: a stream of jobs of 2 s, one per second, on one slot, each due 4 s after its arrival. All work of
// 60 jobs runs until 63 s, so at least 60 − 31 miss, and the bound says so.
func TestPlanOverload(t *testing.T) {
	var jobs []lateJob
	for k := range 60 {
		jobs = append(jobs, lateJob{release: model.Time(k), maps: []model.Time{2}, deadline: 4})
	}
	in := lateInstance(t, model.Second, []lateWorker{{1, 1, 1}}, jobs, realtime.Options{})
	missed, bound, out := solveLate(t, in, bestPlan)
	if missed != 29 || bound != 29 || out.Status != model.StatusOptimal {
		t.Errorf("%d missed, bound %d, %s; expected 29 for both", missed, bound, out.Status)
	}
}

// TestPlanPolicies: best misses no more deadlines than any policy that knows the true times, and has more total
// lateness only if it misses fewer. No schedule misses fewer than the bound.
func TestPlanPolicies(t *testing.T) {
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		in := lateInstance(rt, model.Second, drawLateWorkers(rt), drawLateJobs(rt, 12, 3, 3, 25, 0),
			realtime.Options{Delta: 0.3})
		values := solver.Params{}
		for _, p := range Problem().Params {
			switch p.Kind {
			case solver.StringParam:
				values[p.Name] = p.Default
			case solver.IntParam:
				v, _ := strconv.ParseInt(p.Default, 10, 64)
				values[p.Name] = v
			case solver.FloatParam:
				v, _ := strconv.ParseFloat(p.Default, 64)
				values[p.Name] = v
			}
		}
		r := newRun(in, solver.Bind[params](values))
		opt := solver.Options{Iterations: 50, Seed: 1, Threads: 1}
		best, err := r.Solve(context.Background(), "best", opt)
		if err != nil {
			rt.Fatal(err)
		}
		bound, cost := r.lateBound(), r.costOf(best.Schedule)
		for _, p := range policyList() {
			name := p.Name
			out, err := r.Solve(context.Background(), name, opt)
			if err != nil {
				rt.Fatalf("%s: %v", name, err)
			}
			ran++
			if c := r.costOf(out.Schedule); c.missed < bound || cost.missed > c.missed || best.Status != model.StatusOptimal &&
				cost.compare(c) > 0 {
				rt.Fatalf("%s %v, best %v, bound %d", name, c, cost, bound)
			}
		}
	})
	if ran == 0 {
		t.Error("no policy ran")
	}
}

// drawLateJobs draws up to n jobs with up to the given numbers of maps and reduces each, and deadlines up to late; with
// workers, some with unrelated times on them.
func drawLateJobs(t *rapid.T, n, maps, reduces int, late int64, workers int) []lateJob {
	jobs := make([]lateJob, rapid.IntRange(1, n).Draw(t, "jobs"))
	times := func(name string, least, most int) []model.Time {
		list := make([]model.Time, rapid.IntRange(least, most).Draw(t, name))
		for k := range list {
			list[k] = model.Time(rapid.IntRange(0, 9).Draw(t, name))
		}
		return list
	}
	for i := range jobs {
		j := &jobs[i]
		j.release, j.deadline = model.Time(rapid.IntRange(0, 12).Draw(t, "release")),
			model.Time(rapid.Int64Range(0, late).Draw(t, "deadline"))
		j.shuffle = model.Time(rapid.IntRange(0, 2).Draw(t, "shuffle"))
		j.maps = times("maps", 1, maps)
		switch rapid.IntRange(0, 3).Draw(t, "data") {
		case 0: // map-only
		case 1:
			j.reducers = int64(rapid.IntRange(1, max(1, reduces)).Draw(t, "reducers"))
			for range rapid.IntRange(1, 6).Draw(t, "keys") {
				j.keys = append(j.keys, int64(rapid.IntRange(0, 5).Draw(t, "bytes")))
			}
		default:
			j.reduces = times("reduces", 0, reduces)
		}
		for range (len(j.maps) + len(j.reduces)) * rapid.IntRange(0, min(1, workers)).Draw(t, "given") {
			j.given = append(j.given, times("times", workers, workers))
		}
		if rapid.Bool().Draw(t, "own releases") {
			j.late = times("late", 0, len(j.maps)+len(j.reduces))
		}
	}
	return jobs
}

// drawLateWorkers draws up to three workers that have slots of both kinds.
func drawLateWorkers(t *rapid.T) []lateWorker {
	list := []lateWorker{{1, 1, 1}}
	for range rapid.IntRange(0, 2).Draw(t, "workers") {
		list = append(list, lateWorker{rapid.SampledFrom([]float64{0.5, 1, 1.3, 2}).Draw(t, "speed"),
			int64(rapid.IntRange(0, 1).Draw(t, "map slots")), int64(rapid.IntRange(0, 1).Draw(t, "reduce slots"))})
	}
	return list
}
