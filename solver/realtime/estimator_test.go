package realtime

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const estS = model.Second

// estWorld starts a workload of workers a (speed 1), b (2) and c (4), each with a slot of either kind.
func estWorld() *model.Builder {
	b := model.NewBuilder()
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "root", model.Locus{})
	for i, id := range []string{"a", "b", "c"} {
		b.Node(model.Node{ID: id, Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1, Speed: model.Some(float64(int(1) << i))},
			"rack", model.Locus{})
	}
	return b
}

// estRun adds a past run.
func estRun(b *model.Builder, class, worker string, kind model.TaskKind, bytes model.Bytes, t model.Time) {
	b.PastRun(model.PastRun{Class: class, Worker: worker, Kind: kind, Bytes: bytes, Time: t}, model.Locus{})
}

// estMap adds a map of some bytes.
func estMap(b *model.Builder, job, id string, bytes model.Bytes) {
	b.Task(model.Task{ID: id, Kind: model.Map, InputBytes: model.Some(bytes)}, job, "", model.Locus{})
}

// estOpen learns from a workload whose tasks need no times.
func estOpen(t tester, b *model.Builder) (*Estimator, error) {
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{Goal: realtime.Deadlines, Untimed: true})
	if err != nil {
		t.Fatal(err)
	}
	return NewEstimator(in, 256, "plain")
}

func estMust(t tester, b *model.Builder) *Estimator {
	t.Helper()
	e, err := estOpen(t, b)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// estTask finds a task.
func estTask(t *testing.T, e *Estimator, id string) int32 {
	t.Helper()
	task, ok := e.in.FindTask(id)
	if !ok {
		t.Fatalf("no task %q", id)
	}
	return int32(task)
}

// TestEstimatorSources: a's own map ran for 10 s. On b, which never ran one, all maps of the class count as on speed 1:
// those of a 10 s, of c 3 s · 4 = 12 s, of x, which no longer exists, 8 s. Sizes are equal, so the estimate is their
// mean, 10 s, over 2. No reduce of the class ran, so all its runs count: (10 + 12 + 8)/3 = 10 s, on c over 4.
func TestEstimatorSources(t *testing.T) {
	b := estWorld()
	b.Job(model.Job{ID: "j", Class: "sort", Reduces: model.Some[int64](1)}, model.Locus{})
	estMap(b, "j", "m", 5)
	estRun(b, "sort", "a", model.Map, 7, 10*estS)
	estRun(b, "sort", "c", model.Map, 7, 3*estS)
	estRun(b, "sort", "x", model.Map, 7, 8*estS)
	estRun(b, "other", "b", model.Map, 7, 1000*estS)
	e := estMust(t, b)
	m, r := estTask(t, e, "m"), estTask(t, e, "j/p1")
	for _, c := range []struct {
		task, worker int32
		want         model.Time
	}{{m, 0, 10 * estS}, {m, 1, 5 * estS}, {m, 2, 3 * estS}, {r, 0, 10 * estS}, {r, 2, 2500_000}} {
		if x := e.Time(c.task, c.worker); x != c.want {
			t.Errorf("task %d on worker %d: %s, by hand %s", c.task, c.worker, x, c.want)
		}
	}
}

// TestEstimatorNoRuns: a class that never ran is an input error, one per job. Jobs without their own tasks need no
// runs.
func TestEstimatorNoRuns(t *testing.T) {
	b := estWorld()
	b.Job(model.Job{ID: "j1", Class: "sotr"}, model.Locus{})
	b.Job(model.Job{ID: "j2"}, model.Locus{})
	b.Job(model.Job{ID: "j3", Class: "sort"}, model.Locus{})
	for _, j := range []string{"1", "2", "3"} {
		estMap(b, "j"+j, "m"+j, 5)
	}
	estRun(b, "sort", "a", model.Reduce, 7, estS)
	_, err := estOpen(t, b)
	var input *model.InputError
	if !errors.As(err, &input) || len(input.Findings) != 2 {
		t.Fatal(err)
	}
	for _, f := range input.Findings {
		if f.Code != model.CodeNoTime {
			t.Error(f)
		}
	}
	for _, name := range []string{"dp", "llf", "skewtune"} {
		set := solver.Params{estimatesParam: "history", "goal": string(realtime.Deadlines), "resplit-cost": "0"}
		if name != "llf" {
			set["goal"] = string(realtime.Partitions)
		}
		r := spec{0, []worker{{1, 1, 1}}, []job{{maps: []float64{1}, reduces: []float64{1}}}}.run(t, set)
		if out, err := r.SolveBare(context.Background(), name, someSearch); err == nil {
			t.Errorf("%s without history: %v", name, out)
		}
	}
}

// TestEstimatorNeeds: cpu and memory are those that the task states; otherwise those of the histogram of the worker's
// runs, or of all workers' runs. They select among runs of one size.
func TestEstimatorNeeds(t *testing.T) {
	b := estWorld()
	b.Job(model.Job{ID: "j", Class: "sort"}, model.Locus{})
	estMap(b, "j", "plain", 5)
	b.Task(model.Task{ID: "stated", Kind: model.Map, CPU: model.Some(0.0), MemoryBytes: model.Some[model.Bytes](9)}, "j",
		"", model.Locus{})
	for _, r := range []model.PastRun{
		{Worker: "a", CPU: model.Some(0.0), Time: 1 * estS}, {Worker: "a", CPU: model.Some(2.0), Time: 5 * estS},
		{Worker: "a", CPU: model.Some(2.0), Time: 6 * estS},
		{Worker: "b", Time: 3 * estS}, {Worker: "c", CPU: model.Some(0.0), MemoryBytes: model.Some[model.Bytes](100),
			Time: 3 * estS},
	} {
		r.Class, r.Kind, r.Bytes = "sort", model.Map, 7
		b.PastRun(r, model.Locus{})
	}
	e := estMust(t, b)
	plain, stated := estTask(t, e, "plain"), estTask(t, e, "stated")
	for _, c := range []struct {
		task, worker int32
		time         model.Time
	}{
		{plain, 0, 5500_000},  // cpu 2, memory 100; k = ⌈3^{4/5}⌉ = 3; the run of cpu 0 is at R, the two of cpu 2 at 0
		{stated, 0, 1 * estS}, // the two of cpu 2 are at R
		{plain, 1, 3 * estS},  // of two bins with two runs each, the lower
		{stated, 1, 3 * estS},
	} {
		if got := e.Time(c.task, c.worker); got != c.time {
			t.Errorf("task %d on worker %d: %s, by hand %s", c.task, c.worker, got, c.time)
		}
	}
}

// TestEstimatorMachines: without a topology, names identify machines.
func TestEstimatorMachines(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("", "", model.Some[int64](2), nil)
	b.Job(model.Job{ID: "j", Class: "sort"}, model.Locus{})
	estMap(b, "j", "m", 5)
	estRun(b, "sort", "m2", model.Map, 5, 7*estS)
	estRun(b, "sort", "gone", model.Map, 5, 9*estS)
	e := estMust(t, b)
	if first, second := e.Time(0, 0), e.Time(0, 1); first != 8*estS || second != 7*estS {
		t.Errorf("on m1 %s, on m2 %s; by hand 8 and 7", first, second)
	}
}

// TestEstimatorLines: many partitions take the line's time, few the k-NN estimate. On a, reduces of 10 and 30 bytes
// took 20 and 40 s: 10 s + 1 s a byte. On b, which ran none, it is half of that.
func TestEstimatorLines(t *testing.T) {
	b := estWorld()
	for _, j := range []struct {
		id, class string
		parts     int
	}{{"few", "sort", manyPartitions - 1}, {"many", "sort", manyPartitions}, {"other", "scan", manyPartitions}} {
		b.Job(model.Job{ID: j.id, Class: j.class, Reduces: model.Some[int64](2)}, model.Locus{})
		for k := range j.parts {
			b.Part(model.Part{Partition: fmt.Sprint(k), Bytes: model.Bytes(k)}, j.id, model.Locus{})
		}
	}
	estRun(b, "sort", "a", model.Reduce, 10, 20*estS)
	estRun(b, "sort", "a", model.Reduce, 30, 40*estS)
	estRun(b, "scan", "c", model.Map, 30, 3*estS)
	e := estMust(t, b)
	var some expectation = e
	if _, ok := some.(lined).line(0, 0); ok {
		t.Error("few partitions have a line")
	}
	if x := e.Time(estTask(t, e, "few/20"), 0); x != 30*estS {
		t.Errorf("few partitions: %s; by hand the mean of two at equal distance", x)
	}
	for _, c := range []struct {
		id     string
		worker int32
		time   model.Time
	}{{"many/50", 0, 60 * estS}, {"many/50", 1, 30 * estS}, {"many/0", 2, 2500_000}, {"other/7", 0, 12 * estS}} {
		if x := e.Time(estTask(t, e, c.id), c.worker); x != c.time {
			t.Errorf("%s on %d: %s, by hand %s", c.id, c.worker, x, c.time)
		}
	}
}

// TestEstimatorKeepsNoPast: answers depend neither on earlier queries nor on true times, even for many queries.
func TestEstimatorKeepsNoPast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		build := func(processing int64) *Estimator {
			b := estWorld()
			b.Job(model.Job{ID: "j", Class: "sort"}, model.Locus{})
			for k := range 8 {
				b.Task(model.Task{ID: fmt.Sprint(k), Kind: model.Map, InputBytes: model.Some(model.Bytes(k)),
					Processing: model.Some(model.Time(processing))}, "j", "", model.Locus{})
			}
			for k := range 30 {
				estRun(b, "sort", []string{"a", "b", "x"}[k%3], model.Map, model.Bytes(k*k%17), model.Time(k+1)*estS)
			}
			return estMust(t, b)
		}
		one, two := build(1), build(99)
		for _, k := range rapid.SliceOfN(rapid.IntRange(0, 23), 0, 30).Draw(t, "asked") {
			one.Time(int32(k%8), int32(k/8))
		}
		for k := range int32(24) {
			if a, b := one.Time(k%8, k/8), two.Time(k%8, k/8); a != b {
				t.Fatalf("task %d on worker %d: %s and %s", k%8, k/8, a, b)
			}
		}
	})
}
