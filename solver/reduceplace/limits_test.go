package reduceplace

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// TestManyAtOnce: if thousands of jobs run at a time, only some of them are watched.
func TestManyAtOnce(t *testing.T) {
	r := poisson(t, 5_000, 5_000, 5_000, 1, 1e6, 1)
	f := newFuture(r)
	perJob(t, r, inRanks{f})
	if n := len(f.stays) + len(f.spare); n > maxStays || n == 0 {
		t.Errorf("%d jobs were watched at a time, want at most %d", n, maxStays)
	}
}

// TestLawsOutOfRange: impossible values of data are rejected instead of overflowing.
func TestLawsOutOfRange(t *testing.T) {
	r := poisson(t, 10, 4, 2, 1, 0.5, 1)
	for _, c := range [][2]string{{"uniform", "0,4e307"}, {"exponential", "4e307"}, {"discrete", "4e307:1,1:1"}} {
		r.p.law, r.p.lawValues = c[0], c[1]
		if _, err := r.law(); err == nil {
			t.Errorf("%s %s is accepted", c[0], c[1])
		}
	}
}

// TestHorizonFitsMemory: a horizon whose thresholds exceed memory is rejected.
func TestHorizonFitsMemory(t *testing.T) {
	r := poisson(t, 10, 200, 10, 1, 0.5, 1)
	r.p.horizon = 1_000_000
	if _, err := newThreshold(context.Background(), r); err == nil {
		t.Error("a million stages of 200 ranks are accepted")
	}
	r.p.horizon = 100
	if _, err := newThreshold(context.Background(), r); err != nil {
		t.Error(err)
	}
}

// TestExactShortOfMemory: where lp_solve has no memory, exact ends with an error.
func TestExactShortOfMemory(t *testing.T) {
	defer lpsolve.Inject(lpsolve.Injection{Solve: func(int64, lpsolve.SolutionType) lpsolve.SolutionType {
		return lpsolve.NoMemory
	}})()
	failed := 0
	for k := range uint64(20) {
		switch out, err := runOf(tiny(t, k)).Solve(context.Background(), "exact", solver.Options{Iterations: 100}); {
		case errors.Is(err, lp.ErrMemory):
			failed++
		case err != nil || out.Status != model.StatusOptimal:
			t.Errorf("%d: %v, %v", k, out, err)
		}
	}
	if failed == 0 {
		t.Error("none needs lp_solve")
	}
}

// TestExactSurvivesNumbers: for costs that the LP solver cannot handle, exact returns the clairvoyant placement with
// status limit.
func TestExactSurvivesNumbers(t *testing.T) {
	b := model.NewBuilder()
	b.Job(model.Job{ID: "a", Weight: model.UnitWeight, Reduces: model.Some(int64(1)),
		IntermediateBytes: model.Some(model.Bytes(4611686018427387907)), MapWork: model.Some(model.Second)}, model.Locus{})
	b.Job(model.Job{ID: "b", Weight: model.UnitWeight, Release: model.Second, Reduces: model.Some(int64(2)),
		IntermediateBytes: model.Some(model.Bytes(1)), MapWork: model.Some(4 * model.Second)}, model.Locus{})
	for id, cost := range map[string]model.Cost{"s": 0, "t": 3, "u": 8796093 * model.UnitCost} {
		b.ReduceSlot(model.ReduceSlot{ID: id, Cost: cost}, model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := open(w, solver.Params{"window": int64(100)})
	if err != nil {
		t.Fatal(err)
	}
	out, err := opened.Solve(context.Background(), "exact", solver.Options{Iterations: 10, Seed: 1, Threads: 1})
	if err != nil || out.Schedule == nil {
		t.Fatal(out, err)
	}
	if v := opened.View().Check(out.Schedule); len(v) > 0 {
		t.Error(v)
	}
}

// TestExactLeavesLargePrograms: exact does not solve a program that lp_solve would take longer to read than any time
// limit.
func TestExactLeavesLargePrograms(t *testing.T) {
	r := runOf(queue(t, 300, 1000, 0.9))
	f, err := solveClairvoyant(context.Background(), r, solver.Options{Iterations: 10, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree := &lp.Tree{Limit: 100}
	_, complete, why, err := r.cheaper(context.Background(), tree, f.slot, func([]int32) {})
	if err != nil || complete || !strings.HasPrefix(why, "no search: ") || tree.Nodes > 0 || tree.Solver != nil {
		t.Errorf("%v, complete %v, %q, %d nodes", err, complete, why, tree.Nodes)
	}
	a := newAssignment(r.in, tiersOf(r.in, true), 1, false)
	if rows, cols := a.model.NumRows(), a.model.NumCols(); float64(rows)*float64(cols) <= exactCells {
		t.Errorf("%d rows and %d columns are not many", rows, cols)
	}
}
