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

// TestData: the ways of stating a job's data, and degenerate ones.
func TestData(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     func(b *input)
		reducers int32
		bytes    []model.Bytes
		ids      []string
	}{
		{"partitions in the order in which they appear, several rows each", func(b *input) {
			b.job(reducing("j", 2, 0))
			b.part("j", "x", 3)
			b.part("j", "a", 4)
			b.part("j", "x", 5)
		}, 2, []model.Bytes{8, 4}, []string{"j/x", "j/a"}},
		{"fewer partitions than reducers, without data", func(b *input) {
			b.job(reducing("j", 5, 0))
			b.part("j", "x", 0)
		}, 5, []model.Bytes{0}, []string{"j/x"}},
		{"reduce tasks say how many reducers there are", func(b *input) {
			b.job(model.Job{ID: "j", ReduceRate: model.Some(1.0)})
			b.reduceTask("j", "r1", 9)
			b.task("j", model.Task{ID: "r2", Kind: model.Reduce})
		}, 2, []model.Bytes{9, 0}, []string{"r1", "r2"}},
		{"intermediate bytes evenly", func(b *input) {
			j := reducing("j", 3, 0)
			j.IntermediateBytes = model.Some(model.Bytes(7))
			b.job(j)
		}, 3, []model.Bytes{3, 2, 2}, []string{"j/p1", "j/p2", "j/p3"}},
		{"no data known", func(b *input) { b.job(reducing("j", 2, 0)) }, 2, []model.Bytes{0, 0},
			[]string{"j/p1", "j/p2"}},
		{"maps only", func(b *input) {
			b.job(model.Job{ID: "j", MapRate: model.Some(1.0), Deadline: model.Some(model.Second)})
			b.mapTask("j", "m", -1)
		}, 0, nil, nil},
	} {
		in := opened(t, Options{Delta: 0.5}, func(b *input) {
			b.machines(2)
			c.rows(b)
		})
		s := in.SetsOf(0)[0]
		if got := in.Bytes[s.First : s.First+s.Count]; in.Reducers[0] != c.reducers || !slices.Equal(got, c.bytes) {
			t.Errorf("%s: %d reducers, %v bytes", c.name, in.Reducers[0], got)
		}
		for k, want := range c.ids {
			if id, job, kind := in.TaskName(model.TaskIndex(int(s.First) + k)); id != want || job != "j" ||
				kind != model.Reduce {
				t.Errorf("%s: partition %d is %s of %s", c.name, k, id, job)
			}
		}
		if n := in.Scheduled(); in.Goal == Partitions && n != len(c.bytes) {
			t.Errorf("%s: %d tasks are scheduled", c.name, n)
		}
	}
}

// TestFindTask finds every name, and no other.
func TestFindTask(t *testing.T) {
	in := opened(t, Options{Delta: 0.05}, func(b *input) {
		b.machines(1)
		b.job(reducing("j", 2, 2))
		b.key("j", "k", 1)
		b.job(reducing("k", 2, 2))
		b.part("k", "x", 0)
	})
	for task := range in.TaskCount() {
		id, _, _ := in.TaskName(model.TaskIndex(task))
		if back, ok := in.FindTask(id); !ok || int(back) != task {
			t.Errorf("%s is task %d, not %d", id, back, task)
		}
	}
	for task, want := range map[model.TaskIndex]string{0: "j/p1", 1: "j/p2", 2: "j/h1.p1", 7: "j/h3.p2", 8: "k/x"} {
		if id, _, _ := in.TaskName(task); id != want {
			t.Errorf("task %d is called %s, want %s", task, id, want)
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
	five, none := model.Some(5*model.Second), model.Optional[model.Time]{}
	for _, c := range []struct {
		deadline model.Optional[model.Time]
		o        Options
		goal     Goal
		due      model.Time
		placed   int
	}{
		{none, Options{}, Partitions, NoDeadline, 2},
		{five, Options{}, Deadlines, 7 * model.Second, 3},
		{five, Options{Goal: Partitions}, Partitions, NoDeadline, 2},
		{none, Options{Goal: Deadlines}, Deadlines, NoDeadline, 3},
		{none, Options{DeadlineFactor: 1.5}, Deadlines, 2*model.Second + 10_500_000, 3},
		{five, Options{DeadlineFactor: 1.5}, Deadlines, 7 * model.Second, 3},
		{model.Some(model.MaxTime), Options{}, Deadlines, 2*model.Second + model.MaxTime, 3},
	} {
		in := opened(t, c.o, func(b *input) {
			b.machines(1)
			j := reducing("x", 2, 0)
			j.Release, j.Deadline = 2*model.Second, c.deadline
			b.job(j)
			b.mapTask("x", "m", 3)
			b.part("x", "p", 4)
			b.part("x", "q", 1)
		})
		if in.Goal != c.goal || in.Due[0] != c.due || in.Scheduled() != c.placed || len(in.LeftOut()) != 3-c.placed {
			t.Errorf("%+v: goal %s, due %d, %d tasks, left out %v", c, in.Goal, in.Due[0], in.Scheduled(), in.LeftOut())
		}
	}
}

// on1 has a machine and a job j, with the given number of reduces unless 0, and what a function adds.
func on1(reduces int64, more func(b *input)) func(b *input) {
	return func(b *input) {
		b.machines(1)
		if reduces > 0 {
			b.job(reducing("j", reduces, 0))
		}
		more(b)
	}
}

// onNodes has a job j of one reduce and workers a, b, … of speed 1 with numbers of map and reduce slots.
func onNodes(slots [][2]int64, more func(b *input)) func(b *input) {
	return func(b *input) {
		for k, n := range slots {
			b.node(string(rune('a'+k)), 1, n[0], n[1])
		}
		b.job(reducing("j", 1, 0))
		more(b)
	}
}

// TestFindings: invalid instances, with one fault each.
func TestFindings(t *testing.T) {
	const big = math.MaxInt64
	nothing := func(*input) {}
	untimed := func(b *input) { b.mapTask("j", "m", -1) }
	for name, c := range map[string]struct {
		o    Options
		rows func(b *input)
		want model.Code
	}{
		"no machines":   {Options{}, onNodes(nil, nothing), model.CodeNoMachines},
		"no map slots":  {Options{Goal: Deadlines}, onNodes([][2]int64{{0, 1}}, untimed), model.CodeFewSlots},
		"nor map times": {Options{Goal: Partitions}, onNodes([][2]int64{{0, 1}}, untimed), ""}, // phases need neither
		"no reduce slots": {Options{}, onNodes([][2]int64{{1, 0}}, nothing),
			model.CodeFewSlots},
		"no partitions": {Options{}, on1(0, func(b *input) {
			b.job(model.Job{ID: "j"})
			b.mapTask("j", "m", 1)
		}), model.CodeEmpty},
		"reduces and as many tasks do not agree": {Options{}, on1(2, func(b *input) { b.reduceTask("j", "r", 1) }),
			model.CodeJobData},
		"partitions and keys": {Options{}, on1(1, func(b *input) {
			b.part("j", "p", 0)
			b.key("j", "k", 0)
		}), model.CodeJobData},
		"reduce tasks and keys": {Options{}, on1(1, func(b *input) {
			b.reduceTask("j", "r", 1)
			b.key("j", "k", 0)
		}), model.CodeJobData},
		"partitions without reducers": {Options{Goal: Deadlines}, on1(0, func(b *input) {
			b.job(model.Job{ID: "j", ReduceRate: model.Some(1.0)})
			b.mapTask("j", "m", 1)
			b.part("j", "p", 0)
		}), model.CodeJobData},
		"a partition's rows overflow": {Options{Untimed: true}, on1(1, func(b *input) {
			b.part("j", "p", big)
			b.part("j", "p", 1)
		}), model.CodeOverflow},
		"a job's partitions overflow": {Options{Untimed: true}, on1(1, func(b *input) {
			b.part("j", "p", big)
			b.part("j", "q", 1)
		}), model.CodeOverflow},
		"a job's reduce tasks overflow": {Options{Untimed: true}, on1(2, func(b *input) {
			b.reduceTask("j", "r", big)
			b.reduceTask("j", "s", 1)
		}), model.CodeOverflow},
		"a job's keys overflow": {Options{}, on1(1, func(b *input) {
			b.key("j", "k", big)
			b.key("j", "l", 1)
		}), model.CodeOverflow},
		"too many partitions": {Options{Partitions: 3e7, Delta: 0.0004}, on1(1, func(b *input) { b.key("j", "k", 1) }),
			model.CodeOverflow},
		"too many reduces":           {Options{}, on1(1e9, nothing), model.CodeJobData},
		"a partition takes too long": {Options{}, on1(1, func(b *input) { b.part("j", "p", big) }), model.CodeOverflow},
		"nothing says what a partition takes": {Options{}, on1(0, func(b *input) {
			b.job(model.Job{ID: "j", Reduces: model.Some(int64(1)), TaskOverhead: model.Some(model.Second)})
			b.part("j", "p", 1)
		}), model.CodeNoTime},
		"the rate is that of reduces": {Options{Goal: Deadlines}, on1(1, untimed), model.CodeNoTime},
		"times add up to more than the horizon": {Options{}, on1(0, func(b *input) {
			b.job(model.Job{ID: "j", Reduces: model.Some(int64(1)), TaskOverhead: model.Some(model.Time(1) << 58)})
			for k := range 5 {
				b.part("j", fmt.Sprint(k), 0)
			}
		}), model.CodeTotalTime},
		"the cost of splits is more than the horizon": {Options{Resplit: model.Some(model.MaxHorizon)}, on1(1, nothing),
			model.CodeTotalTime},
		"a map and a partition of one name": {Options{}, on1(1, func(b *input) {
			b.mapTask("j", "j/p", 1)
			b.part("j", "p", 0)
		}), model.CodeDuplicate},
		"a map and a generated partition of one name": {Options{}, on1(1, func(b *input) { b.mapTask("j", "j/p1", 1) }),
			model.CodeDuplicate},
		"partitions of two jobs of one name": {Options{}, on1(1, func(b *input) {
			b.job(reducing("j/k", 1, 0))
			b.part("j", "k/p", 0)
			b.part("j/k", "p", 0)
		}), model.CodeDuplicate},
		"a stated and a generated partition of one name": {Options{}, on1(1, func(b *input) {
			b.job(reducing("j/k", 1, 0))
			b.part("j", "k/p1", 0)
		}), model.CodeDuplicate},
		"times of an unknown partition": {Options{}, onNodes([][2]int64{{1, 1}}, func(b *input) {
			b.given("j", "p2", "a", 0)
		}), model.CodeUnknownTask},
		"times of another job's partition": {Options{}, onNodes([][2]int64{{1, 1}}, func(b *input) {
			b.job(reducing("k", 1, 0))
			b.given("j", "k/p1", "a", 0)
		}), model.CodeUnknownTask},
		"a time twice": {Options{}, onNodes([][2]int64{{1, 1}}, func(b *input) {
			b.given("j", "p1", "a", 0)
			b.given("j", "j/p1", "a", 0)
		}), model.CodeDuplicate},
	} {
		_, err := build(t, c.o, c.rows)
		if got := codeOf(t, err); got != c.want {
			t.Errorf("%s: %s, want one %s: %v", name, got, c.want, err)
		}
	}
}

// codeOf is the code of an error's only finding.
func codeOf(t *testing.T, err error) model.Code {
	t.Helper()
	var input *model.InputError
	if err == nil {
		return ""
	}
	if !errors.As(err, &input) || len(input.Findings) != 1 {
		t.Fatalf("not one finding: %s", strings.ReplaceAll(err.Error(), "\n", " | "))
	}
	return input.Findings[0].Code
}

// TestTimesInstead: rows of the table times suffice without other data, but are then needed for all workers that have a
// slot. A partition of 10¹² bytes at a byte a second takes 10¹⁵ s on a worker of speed 1/1000 without a stated time,
// although one is stated for another worker. This exceeds the limit.
func TestTimesInstead(t *testing.T) {
	for workers, want := range map[string]model.Code{"ab": "", "": model.CodeNoTime, "a": model.CodeNoTime,
		"am": model.CodeNoTime} {
		_, err := build(t, Options{}, func(b *input) {
			b.node("a", 1, 0, 1)
			b.node("b", 1, 0, 2)
			b.node("m", 1, 1, 0)
			b.job(model.Job{ID: "x", Reduces: model.Some(int64(1))})
			for _, w := range workers {
				b.given("x", "p1", string(w), 1)
			}
		})
		if got := codeOf(t, err); got != want {
			t.Errorf("times on %q: %s, want %s", workers, got, want)
		}
	}
	for speed, want := range map[float64]model.Code{0.001: model.CodeTotalTime, 10: ""} {
		_, err := build(t, Options{}, func(b *input) {
			b.node("a", speed, 1, 1)
			b.node("b", 1000, 1, 1)
			b.job(reducing("x", 2, 0))
			b.part("x", "p", 1e12)
			b.given("x", "p", "b", 1)
		})
		if got := codeOf(t, err); got != want {
			t.Errorf("speed %g: %s, want %s", speed, got, want)
		}
	}
}
