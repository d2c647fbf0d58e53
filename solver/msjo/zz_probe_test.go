package msjo

import (
	"context"
	"testing"
	"time"

	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

func TestProbe(t *testing.T) {
	for _, jobs := range []int64{10, 20, 50} {
		in := marsInstance(t, jobs, 1)
		for _, f := range []string{"schulz", "published", "mares"} {
			at := time.Now()
			v := in
			if f != "mares" {
				v = in.Under(msjo.TaskObjective)
			}
			c := newCollapsed(v)
			fo := byCompletion{c: c, published: f == "published"}
			if f == "mares" {
				fo.machine = make([]int32, in.Tasks)
				for u := range fo.machine {
					fo.machine[u] = int32(u % in.Machines)
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
			r, err := c.generate(ctx, lpsolve.NewSolver, fo, generationOptions{}, solver.Options{Iterations: unlimited})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if r == nil {
				t.Log("nil")
				continue
			}
			t.Logf("%d jobs %d tasks %s: %.3f rounds %d rows %d complete %v %v", jobs, in.Tasks, f, r.value, r.rounds, r.rows, r.complete, time.Since(at))
		}
	}
}
