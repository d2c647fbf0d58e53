package msjo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// alone makes a job of maps and reduces with a delay after each map.
func alone(t *testing.T, machines int64, maps, reduces []model.Time, delay model.Time) *msjo.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("alone", "msjo", model.Some(machines), nil)
	b.Job(model.Job{ID: "j", Release: 3, Weight: model.UnitWeight}, model.Locus{})
	for i, p := range append(append([]model.Time{}, maps...), reduces...) {
		task := model.Task{ID: fmt.Sprint("t", i), Kind: model.Map, Processing: model.Some(p), ShuffleDelay: delay}
		if i >= len(maps) {
			task.Kind, task.ShuffleDelay = model.Reduce, 0
		}
		b.Task(task, "j", "", model.Locus{})
	}
	w, err := b.Build()
	return instance(t, w, err)
}

// leastMakespan tries all assignments.
func leastMakespan(times, load []model.Time) model.Time {
	if len(times) == 0 {
		most := model.Time(0)
		for _, l := range load {
			most = max(most, l)
		}
		return most
	}
	best := model.MaxTime
	for k := range load {
		load[k] += times[0]
		best = min(best, leastMakespan(times[1:], load))
		load[k] -= times[0]
	}
	return best
}

// TestPacked compares waves of a job with the optimum.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	draw := func(n int) (list []model.Time) {
		for range n {
			list = append(list, model.Time(r.IntN(20)))
		}
		return list
	}
	for range 60 {
		machines := int64(1 + r.IntN(3))
		maps, reduces, delay := draw(1+r.IntN(7)), draw(r.IntN(6)), model.Time(r.IntN(5))
		in := alone(t, machines, maps, reduces, delay)
		best := 3 + leastMakespan(maps, make([]model.Time, machines))
		if len(reduces) > 0 {
			best += delay + leastMakespan(reduces, make([]model.Time, machines))
		}
		s, err := (&run{in: in, backend: backend}).packed(context.Background(), solver.Options{Iterations: 200, Seed: 1}, nil)
		if err != nil || s == nil {
			t.Fatal("no schedule", err)
		}
		if v := in.Check(s); len(v) > 0 {
			t.Fatal(v)
		}
		end := model.Time(0)
		for _, e := range s.Entries {
			end = max(end, e.End)
		}
		if end != best {
			t.Fatalf("%v, %v on %d machines, delay %d: %d, best %d", maps, reduces, machines, delay, end, best)
		}
	}
}

// TestPackedNeedsWaves: packed does not change other instances.
func TestPackedNeedsWaves(t *testing.T) {
	in := alone(t, 2, []model.Time{3, 4}, []model.Time{5}, 1)
	if n := len((&run{in: in}).waves()); n != 2 {
		t.Fatalf("%d waves", n)
	}
	if (&run{in: in.Under(msjo.TaskObjective)}).waves() != nil {
		t.Fatal("waves under the task objective")
	}
	other := marsInstance(t, 2, 1)
	if (&run{in: other}).waves() != nil {
		t.Fatal("waves of two jobs")
	}
}
