package realtime

import (
	"fmt"
	"strconv"

	"mrsched/model"
)

// tester is what tests, benchmarks and properties have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// input builds a workload. Times are seconds.
type input struct {
	*model.Builder
	rooted bool
}

// machines are n workers of speed 1 with a slot of each kind.
func (b *input) machines(n int64) { b.Scalars("test", "realtime", model.Some(n), nil) }

// node adds a worker; a speed of 0 is not stated.
func (b *input) node(id string, speed float64, maps, reduces int64) {
	if !b.rooted {
		b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		b.rooted = true
	}
	n := model.Node{ID: id, Kind: model.HostNode, MapSlots: maps, ReduceSlots: reduces}
	if speed > 0 {
		n.Speed = model.Some(speed)
	}
	b.Node(n, "root", model.Locus{})
}

func (b *input) job(j model.Job) {
	j.Weight = model.UnitWeight
	b.Job(j, model.Locus{})
}

// reducing has reducers that work off a byte a second, and partitions of its keys unless 0.
func reducing(id string, reduces, partitions int64) model.Job {
	j := model.Job{ID: id, Reduces: model.Some(reduces), ReduceRate: model.Some(1.0)}
	if partitions > 0 {
		j.Partitions = model.Some(partitions)
	}
	return j
}

func (b *input) task(job string, t model.Task) { b.Task(t, job, "", model.Locus{}) }

// mapTask adds a map; one of negative length states none.
func (b *input) mapTask(job, id string, seconds float64) {
	t := model.Task{ID: id, Kind: model.Map}
	if seconds >= 0 {
		t.Processing = model.Some(model.TimeOf(seconds))
	}
	b.task(job, t)
}

func (b *input) reduceTask(job, id string, bytes model.Bytes) {
	b.task(job, model.Task{ID: id, Kind: model.Reduce, InputBytes: model.Some(bytes)})
}

func (b *input) part(job, id string, bytes model.Bytes) {
	b.Part(model.Part{Map: "any", Partition: id, Bytes: bytes}, job, model.Locus{})
}

func (b *input) key(job, key string, bytes model.Bytes) {
	b.KeyData(model.KeyData{Key: key, Bytes: bytes}, job, model.Locus{})
}

func (b *input) given(job, task, worker string, seconds int) {
	b.GivenTime(model.GivenTime{Task: task, Time: model.Time(seconds) * model.Second}, job, worker, model.Locus{})
}

// build opens the instance of the rows that a function adds.
func build(t tester, o Options, rows func(b *input)) (*Instance, error) {
	t.Helper()
	b := &input{Builder: model.NewBuilder()}
	rows(b)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return New(w, o)
}

func opened(t tester, o Options, rows func(b *input)) *Instance {
	t.Helper()
	in, err := build(t, o, rows)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// lab has workers A (speed 1), B (2) and C (½) with slots A/m1, A/r1, B/m1, B/r1, B/r2 and C. Job x is due at 10 s, has
// two reducers, two maps of 3 and 4 s, the second with a shuffle delay of 1 s, and partitions of 30, 10 and 0 bytes
// that take 4, 2 and 1 s at speed 1. y arrives at 2 s, is due at 5 s and has 3 reducers; of its keys a (5 bytes)
// Hadoop's hash, 128, goes to y/p1 of two partitions and b (3 bytes), 129, to y/p2; there is a sketch of one row. z
// arrives at 3 s and has a map of 1 s.
func lab(t tester, o Options) *Instance {
	t.Helper()
	o.Delta, o.SketchSeed = 0.5, 1
	return opened(t, o, func(b *input) {
		b.node("A", 1, 1, 1)
		b.node("B", 2, 1, 2)
		b.node("C", 0.5, 0, 1)
		b.job(model.Job{ID: "x", Deadline: model.Some(10 * model.Second), Reduces: model.Some(int64(2)),
			TaskOverhead: model.Some(model.Second), MapRate: model.Some(10.0), ReduceRate: model.Some(10.0)})
		y := reducing("y", 3, 2)
		y.Release, y.Deadline = 2*model.Second, model.Some(3*model.Second)
		b.job(y)
		b.job(model.Job{ID: "z", Release: 3 * model.Second})
		b.task("x", model.Task{ID: "x.m1", Kind: model.Map, InputBytes: model.Some(model.Bytes(20))})
		b.task("x", model.Task{ID: "x.m2", Kind: model.Map, Processing: model.Some(4 * model.Second),
			ShuffleDelay: model.Second})
		b.mapTask("z", "z.m1", 1)
		for id, v := range []model.Bytes{30, 10, 0} {
			b.part("x", fmt.Sprintf("p%d", id+1), v)
		}
		b.key("y", "a", 5)
		b.key("y", "b", 3)
	})
}

// row is a row of a schedule by names, or the slot's number; times are seconds.
type row struct {
	task, slot string
	start, end float64
}

// labRows schedules everything of lab; labPhases its reduce phases alone.
var (
	labRows = []row{{"x.m1", "A/m1", 0, 3}, {"x.m2", "B/m1", 0, 2}, {"z.m1", "A/m1", 3, 4},
		{"x/p1", "B/r1", 4, 6}, {"x/p2", "A/r1", 4, 6}, {"x/p3", "A/r1", 6, 7}, {"y/p1", "C", 2, 12},
		{"y/p2", "B/r2", 2, 3.5}}
	labPhases = []row{{"x/p1", "B/r1", 0, 2}, {"x/p2", "A/r1", 0, 2}, {"x/p3", "A/r1", 2, 3}, {"y/p1", "C", 3, 13},
		{"y/p2", "B/r2", 3, 4.5}}
)

func (in *Instance) scheduled(t tester, rows []row) *model.Schedule {
	t.Helper()
	s := &model.Schedule{}
	for _, r := range rows {
		task, ok := in.FindTask(r.task)
		slot, there := in.Machine(r.slot)
		if number, err := strconv.Atoi(r.slot); err == nil {
			slot, there = int32(number), true
		}
		if !ok || !there {
			t.Fatalf("no task %q or slot %q", r.task, r.slot)
		}
		s.Entries = append(s.Entries, model.Entry{Task: task, Machine: slot, Start: model.TimeOf(r.start),
			End: model.TimeOf(r.end)})
	}
	return s
}
