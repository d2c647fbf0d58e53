package model

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDurationOf: percentiles by hand, and against their definition in floating point.
func TestDurationOf(t *testing.T) {
	list := []Time{40, 10, 20, 90}
	for rule, want := range map[string]Time{"p50": 30, "p90": 75, "mean": 40, "max": 90, "last": 90} {
		if got := DurationOf(rule, list); got != want {
			t.Errorf("%s: %d, want %d", rule, got, want)
		}
	}
	if !slices.Equal(list, []Time{40, 10, 20, 90}) {
		t.Error("the times are sorted")
	}
	largest := []Time{0, MaxHorizon, MaxHorizon}
	if got := DurationOf("p90", largest); got != MaxHorizon || DurationOf("mean", largest) != MaxHorizon/3*2+1 {
		t.Error(got, DurationOf("mean", largest))
	}
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		list := make([]Time, 1+r.IntN(12))
		for k := range list {
			list[k] = Time(r.IntN(1000))
		}
		sorted := slices.Sorted(slices.Values(list))
		for rule, q := range map[string]float64{"p50": 0.5, "p90": 0.9} {
			place := q * float64(len(list)-1)
			low := int(place + 1e-9)
			want := float64(sorted[low])
			if low+1 < len(list) {
				want += (place - float64(low)) * float64(sorted[low+1]-sorted[low])
			}
			if got := float64(DurationOf(rule, list)); got < want-0.51 || got > want+0.51 {
				t.Fatalf("%s of %v: %v, want %v", rule, list, got, want)
			}
		}
	}
}

// TestRunRules: what rows of runs may state.
func TestRunRules(t *testing.T) {
	build := func(r TaskRun) error {
		b := NewBuilder()
		b.Job(Job{ID: "a"}, Locus{})
		b.Task(Task{ID: "t"}, "a", "", Locus{})
		r.Task, r.Run = "t", "x"
		b.TaskRun(r, Locus{})
		b.TaskRun(TaskRun{Task: "gone", Run: "x", State: Running, Try: 2}, Locus{})
		_, err := b.Build()
		return err
	}
	for code, r := range map[Code]TaskRun{
		"":            {Start: Some(Time(-5)), End: Some(Time(-5))},
		CodeMissing:   {End: Some(Time(2))},
		CodeInterval:  {Start: Some(Time(3)), End: Some(Time(2))},
		CodeDuplicate: {Task: "gone", Duration: Some(Time(1))},
	} {
		if code == CodeDuplicate {
			b := NewBuilder()
			b.Job(Job{ID: "a"}, Locus{})
			b.Task(Task{ID: "t"}, "a", "", Locus{})
			b.TaskRun(r, Locus{})
			b.TaskRun(r, Locus{})
			if _, err := b.Build(); err == nil || !strings.HasPrefix(err.Error(), string(code)) {
				t.Error(err)
			}
			continue
		}
		err := build(r)
		if (err == nil) != (code == "") || err != nil && !strings.HasPrefix(err.Error(), string(code)) {
			t.Errorf("%s: %v", code, err)
		}
	}
	if err := build(TaskRun{Start: Some(Time(1))}); err == nil {
		t.Error("a successful run without an end")
	}
}

// TestJobCycles: rows of delays between jobs close circles with dependencies, and with the wait of reduces for maps.
// Jobs whose tasks wait for each other are no circle.
func TestJobCycles(t *testing.T) {
	for _, c := range []struct {
		delays  [][2]string
		depends bool // b waits for a
		reduce  bool // a2 is a reduce
		circle  string
	}{
		{delays: [][2]string{{"a1", "b1"}, {"b2", "a2"}}},
		{delays: [][2]string{{"a1", "b1"}, {"b2", "a2"}}, reduce: true},
		{delays: [][2]string{{"a2", "b1"}, {"b1", "a1"}}, reduce: true, circle: "a2 → b1 → a2"},
		{delays: [][2]string{{"a1", "a2"}, {"a2", "b1"}, {"b1", "a1"}}, circle: "a1 → a2 → b1 → a1"},
		{delays: [][2]string{{"a1", "b1"}}, depends: true},
		{delays: [][2]string{{"b1", "a1"}}, depends: true, circle: "a → b1 → a"},
	} {
		b := NewBuilder()
		for _, j := range []string{"a", "b"} {
			b.Job(Job{ID: j}, Locus{})
			for _, u := range []string{"1", "2"} {
				task := Task{ID: j + u}
				if j+u == "a2" && c.reduce {
					task.Kind = Reduce
				}
				b.Task(task, j, "", Locus{})
			}
		}
		if c.depends {
			b.Dependency("b", "a", 0, Locus{})
		}
		for _, d := range c.delays {
			b.Delay(d[0], d[1], 0, Locus{})
		}
		_, err := b.Build()
		if c.circle == "" && err != nil || c.circle != "" && (err == nil || !strings.Contains(err.Error(), c.circle)) {
			t.Errorf("%v: %v", c.delays, err)
		}
	}
}
