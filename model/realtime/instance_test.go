package realtime

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// opened is the instance of the rows that a function adds.
func opened(t interface {
	Helper()
	Fatal(args ...any)
}, o Options, rows func(b *model.Builder)) *Instance {
	t.Helper()
	b := model.NewBuilder()
	rows(b)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// machines are n workers of speed 1 with a slot of each kind.
func machines(b *model.Builder, n int64) {
	b.Scalars("test", "realtime", model.Some(n), nil)
}

// node adds a worker under the root, which the first call adds.
func node(b *model.Builder, id string, speed float64, maps, reduces int64) {
	n := model.Node{ID: id, Kind: model.HostNode, MapSlots: maps, ReduceSlots: reduces}
	if speed > 0 {
		n.Speed = model.Some(speed)
	}
	b.Node(n, "root", model.Locus{})
}

func root(b *model.Builder) { b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{}) }

// job has reducers that work off a byte a second, and partitions of its keys unless 0.
func job(id string, reduces, partitions int64) model.Job {
	j := model.Job{ID: id, Weight: model.UnitWeight, Reduces: model.Some(reduces), ReduceRate: model.Some(1.0)}
	if partitions > 0 {
		j.Partitions = model.Some(partitions)
	}
	return j
}

// TestData: the ways of stating a job's data, and degenerate ones.
func TestData(t *testing.T) {
	part := func(b *model.Builder, job, id string, bytes model.Bytes) {
		b.Part(model.Part{Map: "any", Partition: id, Bytes: bytes}, job, model.Locus{})
	}
	for _, c := range []struct {
		name     string
		rows     func(b *model.Builder)
		reducers int32
		bytes    []model.Bytes
		ids      []string
	}{
		{"partitions in the order in which they appear, several rows each", func(b *model.Builder) {
			b.Job(job("j", 2, 0), model.Locus{})
			part(b, "j", "x", 3)
			part(b, "j", "a", 4)
			part(b, "j", "x", 5)
		}, 2, []model.Bytes{8, 4}, []string{"j/x", "j/a"}},
		{"fewer partitions than reducers, without data", func(b *model.Builder) {
			b.Job(job("j", 5, 0), model.Locus{})
			part(b, "j", "x", 0)
		}, 5, []model.Bytes{0}, []string{"j/x"}},
		{"reduce tasks say how many reducers there are", func(b *model.Builder) {
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight, ReduceRate: model.Some(1.0)}, model.Locus{})
			b.Task(model.Task{ID: "r1", Kind: model.Reduce, InputBytes: model.Some(model.Bytes(9))}, "j", "", model.Locus{})
			b.Task(model.Task{ID: "r2", Kind: model.Reduce}, "j", "", model.Locus{})
		}, 2, []model.Bytes{9, 0}, []string{"r1", "r2"}},
		{"intermediate bytes evenly", func(b *model.Builder) {
			j := job("j", 3, 0)
			j.IntermediateBytes = model.Some(model.Bytes(7))
			b.Job(j, model.Locus{})
		}, 3, []model.Bytes{3, 2, 2}, []string{"j/p1", "j/p2", "j/p3"}},
		{"no data known", func(b *model.Builder) { b.Job(job("j", 2, 0), model.Locus{}) }, 2, []model.Bytes{0, 0},
			[]string{"j/p1", "j/p2"}},
		{"maps only", func(b *model.Builder) {
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight, MapRate: model.Some(1.0), Deadline: model.Some(model.Second)},
				model.Locus{})
			b.Task(model.Task{ID: "m", Kind: model.Map}, "j", "", model.Locus{})
		}, 0, nil, nil},
	} {
		in := opened(t, Options{Delta: 0.5}, func(b *model.Builder) {
			machines(b, 2)
			c.rows(b)
		})
		s := in.SetsOf(0)[0]
		if got := in.Bytes[s.First : s.First+s.Count]; in.Reducers[0] != c.reducers || !slices.Equal(got, c.bytes) {
			t.Errorf("%s: %d reducers, %v bytes", c.name, in.Reducers[0], got)
		}
		for k, want := range c.ids {
			id, job, kind := in.TaskName(model.TaskIndex(int(s.First) + k))
			if back, ok := in.FindTask(id); id != want || job != "j" || kind != model.Reduce || !ok ||
				int(back) != int(s.First)+k {
				t.Errorf("%s: partition %d is %s of %s, found as %d", c.name, k, id, job, back)
			}
		}
		if in.Goal == Partitions {
			if n := in.Scheduled(); n != len(c.bytes) {
				t.Errorf("%s: %d tasks are scheduled", c.name, n)
			}
		}
	}
}

// TestFindTask: unknown names.
func TestFindTask(t *testing.T) {
	in := opened(t, Options{Delta: 0.05}, func(b *model.Builder) {
		machines(b, 1)
		b.Job(job("j", 2, 2), model.Locus{})
		b.KeyData(model.KeyData{Key: "k", Bytes: 1}, "j", model.Locus{})
		b.Job(job("k", 2, 2), model.Locus{})
		b.Part(model.Part{Partition: "x"}, "k", model.Locus{})
	})
	for task := range in.TaskCount() {
		id, _, _ := in.TaskName(model.TaskIndex(task))
		if back, ok := in.FindTask(id); !ok || int(back) != task {
			t.Errorf("%s is task %d, not %d", id, back, task)
		}
	}
	for _, id := range []string{"", "j", "j/", "j/p", "j/p0", "j/p3", "j/p01", "j/+p1", "j/p+1", "j/h0.p1", "j/h4.p1",
		"j/h01.p1", "j/h1p1", "j/h1.", "i/p1", "k/p1", "k/y", "/p1", "j/p99999999999"} {
		if task, ok := in.FindTask(id); ok {
			t.Errorf("%q is task %d", id, task)
		}
	}
}

// TestGoals: deadlines if a job has one or gets one. x has a map of 3 s and a partition of 4 s at speed 1, so that a
// factor of 1.5 makes it due 10.5 s after its release.
func TestGoals(t *testing.T) {
	rows := func(deadline model.Optional[model.Time]) func(b *model.Builder) {
		return func(b *model.Builder) {
			machines(b, 1)
			j := job("x", 2, 0)
			j.Release, j.Deadline = 2*model.Second, deadline
			b.Job(j, model.Locus{})
			b.Task(model.Task{ID: "m", Kind: model.Map, Processing: model.Some(3 * model.Second)}, "x", "", model.Locus{})
			b.Part(model.Part{Partition: "p", Bytes: 4}, "x", model.Locus{})
			b.Part(model.Part{Partition: "q", Bytes: 1}, "x", model.Locus{})
		}
	}
	five := model.Some(5 * model.Second)
	for _, c := range []struct {
		deadline model.Optional[model.Time]
		o        Options
		goal     Goal
		due      model.Time
		placed   int
	}{
		{model.Optional[model.Time]{}, Options{}, Partitions, NoDeadline, 2},
		{five, Options{}, Deadlines, 7 * model.Second, 3},
		{five, Options{Goal: Partitions}, Partitions, NoDeadline, 2},
		{model.Optional[model.Time]{}, Options{Goal: Deadlines}, Deadlines, NoDeadline, 3},
		{model.Optional[model.Time]{}, Options{DeadlineFactor: 1.5}, Deadlines, 2*model.Second + 10_500_000, 3},
		{five, Options{DeadlineFactor: 1.5}, Deadlines, 7 * model.Second, 3},
		{model.Some(model.MaxTime), Options{}, Deadlines, 2*model.Second + model.MaxTime, 3},
	} {
		in := opened(t, c.o, rows(c.deadline))
		if in.Goal != c.goal || in.Due[0] != c.due || in.Scheduled() != c.placed || len(in.LeftOut()) != 3-c.placed {
			t.Errorf("%+v: goal %s, due %d, %d tasks, left out %v", c, in.Goal, in.Due[0], in.Scheduled(), in.LeftOut())
		}
	}
}

// TestFindings: invalid instances, with one fault each.
func TestFindings(t *testing.T) {
	const big = math.MaxInt64
	reduceTask := func(b *model.Builder, id, job string, bytes model.Bytes) {
		b.Task(model.Task{ID: id, Kind: model.Reduce, InputBytes: model.Some(bytes)}, job, "", model.Locus{})
	}
	mapTask := func(b *model.Builder, id string, p model.Optional[model.Time]) {
		b.Task(model.Task{ID: id, Kind: model.Map, Processing: p}, "j", "", model.Locus{})
	}
	slow := model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(1)),
		TaskOverhead: model.Some(model.Time(1) << 58)}
	for _, c := range []struct {
		name string
		o    Options
		rows func(b *model.Builder)
		want model.Code
	}{
		{"no machines", Options{}, func(b *model.Builder) { b.Job(job("j", 1, 0), model.Locus{}) }, model.CodeNoMachines},
		{"no map slots", Options{Goal: Deadlines}, func(b *model.Builder) {
			root(b)
			node(b, "w", 1, 0, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			mapTask(b, "m", model.Some(model.Second))
		}, model.CodeFewSlots},
		{"no reduce slots", Options{}, func(b *model.Builder) {
			root(b)
			node(b, "w", 1, 1, 0)
			b.Job(job("j", 1, 0), model.Locus{})
		}, model.CodeFewSlots},
		{"no partitions", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
			mapTask(b, "m", model.Some(model.Second))
		}, model.CodeEmpty},
		{"reduces and as many tasks do not agree", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 2, 0), model.Locus{})
			reduceTask(b, "r", "j", 1)
		}, model.CodeJobData},
		{"partitions and keys", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Part(model.Part{Partition: "p"}, "j", model.Locus{})
			b.KeyData(model.KeyData{Key: "k"}, "j", model.Locus{})
		}, model.CodeJobData},
		{"reduce tasks and keys", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			reduceTask(b, "r", "j", 1)
			b.KeyData(model.KeyData{Key: "k"}, "j", model.Locus{})
		}, model.CodeJobData},
		{"partitions without reducers", Options{Goal: Deadlines}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight, ReduceRate: model.Some(1.0)}, model.Locus{})
			mapTask(b, "m", model.Some(model.Second))
			b.Part(model.Part{Partition: "p"}, "j", model.Locus{})
		}, model.CodeJobData},
		{"a partition's rows overflow", Options{Untimed: true}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Part(model.Part{Partition: "p", Bytes: big}, "j", model.Locus{})
			b.Part(model.Part{Partition: "p", Bytes: 1}, "j", model.Locus{})
		}, model.CodeOverflow},
		{"a job's partitions overflow", Options{Untimed: true}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Part(model.Part{Partition: "p", Bytes: big}, "j", model.Locus{})
			b.Part(model.Part{Partition: "q", Bytes: 1}, "j", model.Locus{})
		}, model.CodeOverflow},
		{"a job's reduce tasks overflow", Options{Untimed: true}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 2, 0), model.Locus{})
			reduceTask(b, "r", "j", big)
			reduceTask(b, "s", "j", 1)
		}, model.CodeOverflow},
		{"a job's keys overflow", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 1), model.Locus{})
			b.KeyData(model.KeyData{Key: "k", Bytes: big}, "j", model.Locus{})
			b.KeyData(model.KeyData{Key: "l", Bytes: 1}, "j", model.Locus{})
		}, model.CodeOverflow},
		{"too many partitions", Options{Partitions: 3e7, Delta: 0.0004}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 1), model.Locus{})
			b.KeyData(model.KeyData{Key: "k", Bytes: 1}, "j", model.Locus{})
		}, model.CodeOverflow},
		{"too many reduces", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1e9, 0), model.Locus{})
		}, model.CodeJobData},
		{"a partition takes too long", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Part(model.Part{Partition: "p", Bytes: big}, "j", model.Locus{})
		}, model.CodeOverflow},
		{"nothing says what a partition takes", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(1)),
				TaskOverhead: model.Some(model.Second)}, model.Locus{})
			b.Part(model.Part{Partition: "p", Bytes: 1}, "j", model.Locus{})
		}, model.CodeNoTime},
		{"nothing says what a map takes", Options{Goal: Deadlines}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			mapTask(b, "m", model.Optional[model.Time]{})
			b.Part(model.Part{Partition: "p", Bytes: 1}, "j", model.Locus{})
		}, model.CodeNoTime}, // the rate is that of reduces
		{"maps need no time for the reduce phase", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			mapTask(b, "m", model.Optional[model.Time]{})
		}, ""},
		{"nor slots", Options{Goal: Partitions}, func(b *model.Builder) {
			root(b)
			node(b, "w", 1, 0, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			mapTask(b, "m", model.Optional[model.Time]{})
		}, ""},
		{"times add up to more than the horizon", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(slow, model.Locus{})
			for k := range 5 {
				b.Part(model.Part{Partition: fmt.Sprint(k)}, "j", model.Locus{})
			}
		}, model.CodeTotalTime},
		{"the cost of splits is more than the horizon", Options{Resplit: model.Some(model.MaxHorizon)},
			func(b *model.Builder) {
				machines(b, 1)
				b.Job(job("j", 1, 0), model.Locus{})
			}, model.CodeTotalTime},
		{"a map and a partition of one name", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			mapTask(b, "j/p", model.Some(model.Second))
			b.Part(model.Part{Partition: "p"}, "j", model.Locus{})
		}, model.CodeDuplicate},
		{"a map and a generated partition of one name", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			mapTask(b, "j/p1", model.Some(model.Second))
		}, model.CodeDuplicate},
		{"partitions of two jobs of one name", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Job(job("j/k", 1, 0), model.Locus{})
			b.Part(model.Part{Partition: "k/p"}, "j", model.Locus{})
			b.Part(model.Part{Partition: "p"}, "j/k", model.Locus{})
		}, model.CodeDuplicate},
		{"a stated and a generated partition of one name", Options{}, func(b *model.Builder) {
			machines(b, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Job(job("j/k", 1, 0), model.Locus{})
			b.Part(model.Part{Partition: "k/p1"}, "j", model.Locus{})
		}, model.CodeDuplicate},
		{"times of an unknown partition", Options{}, func(b *model.Builder) {
			root(b)
			node(b, "w", 1, 1, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.GivenTime(model.GivenTime{Task: "p2"}, "j", "w", model.Locus{})
		}, model.CodeUnknownTask},
		{"times of another job's partition", Options{}, func(b *model.Builder) {
			root(b)
			node(b, "w", 1, 1, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.Job(job("k", 1, 0), model.Locus{})
			b.GivenTime(model.GivenTime{Task: "k/p1"}, "j", "w", model.Locus{})
		}, model.CodeUnknownTask},
		{"a time twice", Options{}, func(b *model.Builder) {
			root(b)
			node(b, "w", 1, 1, 1)
			b.Job(job("j", 1, 0), model.Locus{})
			b.GivenTime(model.GivenTime{Task: "p1"}, "j", "w", model.Locus{})
			b.GivenTime(model.GivenTime{Task: "j/p1"}, "j", "w", model.Locus{})
		}, model.CodeDuplicate},
	} {
		b := model.NewBuilder()
		c.rows(b)
		w, err := b.Build()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, err = New(w, c.o)
		var input *model.InputError
		switch {
		case c.want == "" && err == nil:
		case !errors.As(err, &input):
			t.Errorf("%s: %v", c.name, err)
		case len(input.Findings) != 1 || input.Findings[0].Code != c.want:
			t.Errorf("%s: %s, want one %s", c.name, strings.ReplaceAll(err.Error(), "\n", " | "), c.want)
		}
	}
}
