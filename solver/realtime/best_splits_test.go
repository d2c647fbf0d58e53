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

// TestBestSplits: if partitions may be split, best is never worse than skewtune, and its schedules pass the checker.
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
		r := newRun(in, solver.Bind[params](solver.Params{estimatesParam: "true", neighboursParam: int64(256)}))
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

func BenchmarkBestPartitions(b *testing.B) {
	for name, s := range map[string]phaseSpec{"1000x23": skewed(1, 1000, 23, 0), "45x23of82": skewed(1, 45, 82, 23),
		"100000x1000": skewed(1, 100_000, 1000, 0)} {
		in := phaseInstance(b, s)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := phaseRun(in).Solve(context.Background(), "best", solver.Options{Iterations: 1000, Seed: 1,
					Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
