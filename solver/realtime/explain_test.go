package realtime

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// TestMovesArePossible judges all moves of the rows of drawn schedules of either goal: the checker accepts a schedule
// after a move unless partitions are split, and phases cost what moves are chosen by.
func TestMovesArePossible(t *testing.T) {
	moves := 0
	rapid.Check(t, func(t *rapid.T) {
		x := spec{workers: drawWorkers(t, 3, 1)}
		x.jobs = drawJobs(t, 6, 3, 3, 25, len(x.workers))
		set, names := solver.Params{lofParam: 1.5}, []string{"best", "llf", "fifo", "fair"}
		reduces := slices.ContainsFunc(x.jobs, func(j job) bool { return len(j.reduces)+len(j.keys) > 0 })
		if reduces && rapid.Bool().Draw(t, "phases") {
			set["goal"], names = "partitions", []string{"hash", "lb", "dp"}
		}
		r := x.run(t, set)
		s := solved(t, r, rapid.SampledFrom(names).Draw(t, "algorithm")).Schedule
		now := r.in.Evaluate(s).Value
		for row, entry := range s.Entries {
			x := r.explainer(context.Background(), explain.Question{Workload: r.in.Workload(), Schedule: s, Task: entry.Task})
			if _, err := x.Answer(x.ctx, x); err != nil {
				t.Fatal(err)
			}
			for _, m := range x.Moves(int32(row)) {
				moves++
				after := &model.Schedule{Entries: slices.Clone(s.Entries)}
				for i, e := range m.Entries {
					after.Entries[i] = e
				}
				change, _ := new(big.Rat).Sub(r.in.Evaluate(after).Value, now).Float64()
				if bad := r.in.Check(after); len(bad) > 0 || r.goal.serial && math.Abs(change-m.About) > 1e-6 {
					t.Fatalf("%+v changes the objective by %g: %v", m, change, bad)
				}
			}
		}
	})
	if moves == 0 {
		t.Error("nothing can be moved")
	}
}
