package msjo

import (
	"context"
	"math"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// TestRelaxed has two machines and two chains of 10 s. In every schedule both jobs end after 10 s at the earliest. One
// schedule attains this, and so does the LP, under either objective.
func TestRelaxed(t *testing.T) {
	p := Problem()
	for _, objective := range []string{"twjct", "twtct"} {
		params := solver.Params{"objective": objective, "formulation": "collapsed", "separation": "peaks", "lp": "lpsolve",
			"bound": "lp", "inequality": "schulz"}
		w := &model.Workload{Machines: model.Some(int64(2)),
			Jobs: []model.Job{{ID: "a", Weight: model.UnitWeight}, {ID: "b", Weight: 2 * model.UnitWeight}},
			Tasks: []model.Task{
				{ID: "a1", Job: 0, Kind: model.Map, Block: model.None, Processing: model.Some(4 * model.Second)},
				{ID: "a2", Job: 0, Kind: model.Reduce, Block: model.None, Processing: model.Some(6 * model.Second)},
				{ID: "b1", Job: 1, Kind: model.Map, Block: model.None, Processing: model.Some(10 * model.Second)},
			}}
		r, err := p.Open(w, params)
		if err != nil {
			t.Fatal(err)
		}
		relaxed, err := p.Relaxed(r, context.Background(), solver.Options{Iterations: 1000, Seed: 1,
			Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(relaxed.Completion) != 2 || relaxed.Method == "" {
			t.Fatalf("%s: %+v", objective, relaxed)
		}
		for j, c := range relaxed.Completion {
			if math.Abs(c-10) > 1e-6 {
				t.Errorf("%s: job %d ends at %v, want 10", objective, j, c)
			}
		}
	}
}
