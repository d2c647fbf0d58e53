package realtime

import (
	"errors"
	"testing"

	"mrsched/model"
)

// TestTimes is computed by hand. Job x has an overhead of 1 s, maps work off 10 bytes a second and reducers 5; A has
// speed 1, B 2 and C 3. Without a rate, overhead or bytes the rest of the law holds.
func TestTimes(t *testing.T) {
	in := opened(t, Options{}, func(b *model.Builder) {
		root(b)
		node(b, "A", 0, 1, 1)
		node(b, "none", 9, 0, 0) // has no slots
		node(b, "B", 2, 1, 2)
		node(b, "C", 3, 0, 1)
		b.Job(model.Job{ID: "x", Weight: model.UnitWeight, Deadline: model.Some(model.Second), Reduces: model.Some(int64(2)),
			TaskOverhead: model.Some(model.Second), MapRate: model.Some(10.0), ReduceRate: model.Some(5.0)}, model.Locus{})
		b.Job(model.Job{ID: "y", Weight: model.UnitWeight, TaskOverhead: model.Some(model.Second)}, model.Locus{})
		b.Task(model.Task{ID: "m1", Kind: model.Map, InputBytes: model.Some(model.Bytes(20))}, "x", "", model.Locus{})
		b.Task(model.Task{ID: "m2", Kind: model.Map, InputBytes: model.Some(model.Bytes(20)),
			Processing: model.Some(4 * model.Second)}, "x", "", model.Locus{})
		b.Task(model.Task{ID: "m3", Kind: model.Map}, "y", "", model.Locus{})
		b.Task(model.Task{ID: "r", Kind: model.Reduce, InputBytes: model.Some(model.Bytes(0))}, "y", "", model.Locus{})
		b.Part(model.Part{Partition: "p1", Bytes: 30}, "x", model.Locus{})
		b.Part(model.Part{Partition: "p2"}, "x", model.Locus{})
		for task, times := range map[string]map[string]model.Time{"p2": {"C": 0, "A": 9 * model.Second},
			"m1": {"B": 5 * model.Second}} {
			for worker, v := range times {
				b.GivenTime(model.GivenTime{Task: task, Time: v}, "x", worker, model.Locus{})
			}
		}
		b.GivenTime(model.GivenTime{Task: "p2", Time: 99}, "x", "none", model.Locus{})
	})
	s := func(micro int64) model.Time { return model.Time(micro) }
	for _, c := range []struct {
		task        string
		a, b, c     model.Time
		least, most model.Time // maps have no slot on C
		given       bool
	}{
		{"m1", s(3_000_000), s(5_000_000), s(1_000_000), s(3_000_000), s(5_000_000), true}, // 1 + 20/10
		{"m2", s(4_000_000), s(2_000_000), s(1_333_333), s(2_000_000), s(4_000_000), false},
		{"m3", s(1_000_000), s(500_000), s(333_333), s(500_000), s(1_000_000), false},
		{"x/p1", s(7_000_000), s(3_500_000), s(2_333_333), s(2_333_333), s(7_000_000), false}, // 1 + 30/5
		{"x/p2", s(9_000_000), s(500_000), 0, 0, s(9_000_000), true},
		{"r", s(1_000_000), s(500_000), s(333_333), s(333_333), s(1_000_000), false},
	} {
		i, ok := in.FindTask(c.task)
		if !ok {
			t.Fatal(c.task)
		}
		task := int32(i)
		if a, b, cc := in.Time(task, 0), in.Time(task, 1), in.Time(task, 2); a != c.a || b != c.b || cc != c.c {
			t.Errorf("%s takes %s, %s, %s; want %s, %s, %s", c.task, a, b, cc, c.a, c.b, c.c)
		}
		if l, m := in.Least(task), in.Most(task); l != c.least || m != c.most || in.Given(task) != c.given {
			t.Errorf("%s: least %s, most %s, given %t", c.task, l, m, in.Given(task))
		}
	}
}

// TestTimesInstead: rows of the table times suffice without other data, but are then needed for all workers.
func TestTimesInstead(t *testing.T) {
	build := func(workers ...string) error {
		b := model.NewBuilder()
		root(b)
		node(b, "A", 1, 0, 1)
		node(b, "B", 1, 0, 2)
		node(b, "M", 1, 1, 0)
		b.Job(model.Job{ID: "x", Weight: model.UnitWeight, Reduces: model.Some(int64(1))}, model.Locus{})
		for _, w := range workers {
			b.GivenTime(model.GivenTime{Task: "p1", Time: model.Second}, "x", w, model.Locus{})
		}
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(w, Options{})
		return err
	}
	if err := build("A", "B"); err != nil {
		t.Error(err)
	}
	for _, some := range [][]string{nil, {"A"}, {"A", "M"}} {
		if build(some...) == nil {
			t.Errorf("times on %v suffice", some)
		}
	}
}

// TestTimeNotStatedElsewhere: a partition of 10¹² bytes at a byte a second takes 10¹⁵ s on a worker of speed 1/1000
// without a stated time, although one is stated for another worker. This exceeds the limit.
func TestTimeNotStatedElsewhere(t *testing.T) {
	for speed, fits := range map[float64]bool{0.001: false, 10: true} {
		b := model.NewBuilder()
		root(b)
		node(b, "A", speed, 1, 1)
		node(b, "B", 1000, 1, 1)
		b.Job(job("x", 2, 0), model.Locus{})
		b.Part(model.Part{Partition: "p", Bytes: 1e12}, "x", model.Locus{})
		b.GivenTime(model.GivenTime{Task: "p", Time: model.Second}, "x", "B", model.Locus{})
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(w, Options{})
		var input *model.InputError
		if fits != (err == nil) || !fits && (!errors.As(err, &input) || input.Findings[0].Code != model.CodeTotalTime) {
			t.Errorf("speed %g: %v", speed, err)
		}
	}
}
