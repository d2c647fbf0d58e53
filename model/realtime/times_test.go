package realtime

import (
	"testing"

	"mrsched/model"
)

// TestTimes is computed by hand. Job x has an overhead of 1 s, maps work off 10 bytes a second and reducers 5; A has
// speed 1, B 2 and C 3. Without a rate, overhead or bytes the rest of the law holds.
func TestTimes(t *testing.T) {
	in := opened(t, Options{}, func(b *input) {
		b.node("A", 0, 1, 1)
		b.node("none", 9, 0, 0) // has no slots
		b.node("B", 2, 1, 2)
		b.node("C", 3, 0, 1)
		b.job(model.Job{ID: "x", Deadline: model.Some(model.Second), Reduces: model.Some(int64(2)),
			TaskOverhead: model.Some(model.Second), MapRate: model.Some(10.0), ReduceRate: model.Some(5.0)})
		b.job(model.Job{ID: "y", TaskOverhead: model.Some(model.Second)})
		b.task("x", model.Task{ID: "m1", Kind: model.Map, InputBytes: model.Some(model.Bytes(20))})
		b.task("x", model.Task{ID: "m2", Kind: model.Map, InputBytes: model.Some(model.Bytes(20)),
			Processing: model.Some(4 * model.Second)})
		b.mapTask("y", "m3", -1)
		b.reduceTask("y", "r", 0)
		b.part("x", "p1", 30)
		b.part("x", "p2", 0)
		b.given("x", "p2", "C", 0)
		b.given("x", "p2", "A", 9)
		b.given("x", "m1", "B", 5)
		b.given("x", "p2", "none", 99)
	})
	for _, c := range []struct {
		task        string
		a, b, c     model.Time
		least, most model.Time // maps have no slot on C
		given       bool
	}{
		{"m1", 3_000_000, 5_000_000, 1_000_000, 3_000_000, 5_000_000, true}, // 1 + 20/10
		{"m2", 4_000_000, 2_000_000, 1_333_333, 2_000_000, 4_000_000, false},
		{"m3", 1_000_000, 500_000, 333_333, 500_000, 1_000_000, false},
		{"x/p1", 7_000_000, 3_500_000, 2_333_333, 2_333_333, 7_000_000, false}, // 1 + 30/5
		{"x/p2", 9_000_000, 500_000, 0, 0, 9_000_000, true},
		{"r", 1_000_000, 500_000, 333_333, 333_333, 1_000_000, false},
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
