package multitenant

import (
	"context"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// TestFallsHold judges what certificates prove without a job: no more than when the others end in some schedule.
func TestFallsHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), anyDemands(rt)).open(rt, nil)
		out, err := r.Solve(context.Background(), "fair", solver.Options{Threads: 1})
		if err != nil {
			rt.Fatal(err)
		}
		for j := range int32(r.in.Jobs) {
			last := model.Time(0)
			for _, e := range out.Schedule.Entries {
				if r.in.JobOf(int32(e.Task)) != j {
					last = max(last, e.End)
				}
			}
			for _, b := range out.Bounds {
				v := r.in.ProvenWithout(b.Certificate.(*multitenant.Certificate), j)
				if v.Cmp(big.NewRat(int64(last), int64(model.Second))) > 0 {
					rt.Fatalf("%s proves %s without job %d, whose others end at %s", b.Method, v, j, last)
				}
			}
		}
	})
}
