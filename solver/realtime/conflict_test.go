package realtime

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/solver"
)

// TestConflictByHand: small sets of jobs on one slot of each kind.
func TestConflictByHand(t *testing.T) {
	for name, c := range map[string]struct {
		jobs []job
		want []string
	}{
		// 4 + 3 > 6, and 4 + 2 = 6; j3 need not be late.
		"two of three": {[]job{mapsBy(4, 4), mapsBy(6, 3), mapsBy(6, 2)}, []string{"j1", "j2"}},
		// Any two fit.
		"all three":  {[]job{mapsBy(5, 2), mapsBy(5, 2), mapsBy(5, 2)}, []string{"j1", "j2", "j3"}},
		"one alone":  {[]job{mapsBy(9, 1), mapsBy(4, 2).reducing(3)}, []string{"j2"}},
		"later ones": {[]job{mapsBy(5, 2), mapsBy(4, 3).at(10), mapsBy(4, 3).at(11)}, []string{"j2", "j3"}},
		"none":       {[]job{mapsBy(0, 6), mapsBy(6, 6)}, nil},
	} {
		r := spec{0, []worker{{1, 1, 1}}, c.jobs}.run(t, nil)
		got, err := r.Conflict(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		if got != nil {
			for _, m := range got.Members {
				ids = append(ids, m.ID)
			}
			if !got.Minimal || got.Proof == "" || got.Infeasible {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, want %v", name, ids, c.want)
		}
	}
}

// TestConflictsAreTrue: in the best schedule for the jobs of a conflict alone, one of them is late. There is a conflict
// whenever the bound proves that a job must be late.
func TestConflictsAreTrue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := spec{workers: drawWorkers(rt, 3, 1)}
		x.jobs = drawJobs(rt, 6, 2, 2, 25, len(x.workers))
		r := x.run(rt, nil)
		c, err := r.Conflict(context.Background())
		if err != nil {
			rt.Fatal(err)
		}
		if err := r.prove(context.Background(), solver.Options{Threads: 1}, 1); err != nil {
			rt.Fatal(err)
		}
		if bound := r.lateBound(); bound > 0 != (c != nil) && bound > 0 {
			rt.Fatalf("bound %d, %+v", bound, c)
		}
		if c == nil {
			return
		}
		var jobs []int32
		for _, m := range c.Members {
			jobs = append(jobs, int32(slices.IndexFunc(r.in.Workload().Jobs, func(j model.Job) bool { return j.ID == m.ID })))
		}
		if _, missed, _ := bounded(rt, newRun(r.only(jobs), r.p), "exact"); missed == 0 {
			rt.Fatalf("all of %v can be on time: %+v", jobs, c)
		}
	})
}
