package realtime

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/solver"
)

// TestSolveBare: the schedule equals that of Solve, without bounds; inputs that Solve rejects are rejected.
func TestSolveBare(t *testing.T) {
	for k := range 40 {
		w, err := instances.SmallRealtime(rand.New(rand.NewPCG(7, uint64(k))), k)
		if err != nil {
			t.Fatal(err)
		}
		opt := solver.Options{Iterations: 10, Seed: 1, Threads: 1}
		for _, name := range []string{"dp", "llf", "best"} {
			a, b := simRun(t, w, simParams(nil)), simRun(t, w, simParams(nil))
			full, err := a.Solve(context.Background(), name, opt)
			bare, err2 := b.SolveBare(context.Background(), name, opt)
			if (err == nil) != (err2 == nil) {
				t.Fatalf("%d, %s: %v and %v", k, name, err, err2)
			}
			if err == nil && (len(bare.Bounds) > 0 || len(full.Bounds) == 0 || bare.Algorithm != name ||
				name == "llf" && a.in.Evaluate(full.Schedule).Value.Cmp(b.in.Evaluate(bare.Schedule).Value) != 0) {
				t.Errorf("%d, %s: %d bounds with Solve, %d without", k, name, len(full.Bounds), len(bare.Bounds))
			}
		}
	}
}

// TestLooks: each evaluation names every worker with tasks of the job, and the flags are those of Overloaded.
func TestLooks(t *testing.T) {
	seen, watching := 0, simParams(map[string]any{lofParam: 1.5})
	for k := 1; k < 200; k += 2 {
		w, err := instances.SmallRealtime(rand.New(rand.NewPCG(8, uint64(k))), k)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Looks(context.Background(), w, watching)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(list)
		for _, look := range list {
			laxities, over := make([]model.Time, len(look.Workers)), 0
			for i, s := range look.Workers {
				laxities[i] = s.Laxity
				if s.Overloaded {
					over++
				}
			}
			if got := len(Overloaded(laxities, 1.5)); got != over {
				t.Errorf("%d: %d flags, %d of Overloaded", k, over, got)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d evaluations in 100 instances", seen)
	}
	w, err := instances.SmallRealtime(rand.New(rand.NewPCG(8, 0)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Looks(context.Background(), w, simParams(map[string]any{"goal": "partitions"})); err == nil {
		t.Error("goal partitions has laxities")
	}
}

// TestOverloaded: only outliers below the median are flagged.
func TestOverloaded(t *testing.T) {
	list := []model.Time{-900}
	for i := range model.Time(20) {
		list = append(list, 1000+10*i)
	}
	list = append(list, 9000)
	if got := Overloaded(list, 1.5); !slices.Equal(got, []int32{0}) {
		t.Errorf("flagged %v", got)
	}
	if got := Overloaded(list, 0); got != nil {
		t.Errorf("threshold 0 flagged %v", got)
	}
	if got := Overloaded(nil, 1.5); got != nil {
		t.Errorf("flagged %v of no values", got)
	}
	if got := Overloaded(slices.Repeat([]model.Time{3}, 30), 0.5); got != nil {
		t.Errorf("flagged %v of equal laxities", got)
	}
	// The median of 0 and 10 is 5: with factors 1, only 0 is flagged by a threshold of ½.
	if got := Overloaded([]model.Time{10, 0}, 0.5); !slices.Equal(got, []int32{1}) {
		t.Errorf("flagged %v", got)
	}
}
