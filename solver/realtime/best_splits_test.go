package realtime

import (
	"context"
	"math/rand/v2"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// TestBestSplits: where partitions may be split, best is never behind skewtune, and its schedules pass the checker.
func TestBestSplits(t *testing.T) {
	ahead := 0
	for k := 2; k < 120; k += 2 {
		w, err := instances.SmallRealtime(rand.New(rand.NewPCG(7, uint64(k))), k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Delta: 0.3, SketchSeed: 1,
			Resplit: model.Some(model.Time(k) * model.Second / 100)})
		if err != nil {
			continue // no job has partitions
		}
		r := &run{in: in, p: solver.Params{estimatesParam: "true", neighboursParam: int64(256)}}
		opt := solver.Options{Iterations: 20, Seed: 1, Threads: 1}
		last := map[string]model.Time{}
		for _, name := range []string{"best", "skewtune"} {
			out, err := r.Solve(context.Background(), name, opt)
			if err != nil {
				t.Fatal(err)
			}
			if found := in.Check(out.Schedule); len(found) > 0 {
				t.Fatalf("instance %d, %s: %v", k, name, found)
			}
			last[name] = in.Ends(out.Schedule).Last
		}
		if last["best"] > last["skewtune"] {
			t.Errorf("instance %d: best %s, skewtune %s", k, last["best"], last["skewtune"])
		}
		if last["best"] < last["skewtune"] {
			ahead++
		}
	}
	if ahead == 0 {
		t.Error("best was never ahead of skewtune")
	}
}
