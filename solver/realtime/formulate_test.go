package realtime

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// TestPhaseProgram: the program has the optimum of brute force, with several sets and with too few reducers. Several
// jobs are an error.
func TestPhaseProgram(t *testing.T) {
	for seed := range uint64(40) {
		in := phaseInstance(t, phaseTiny(rand.New(rand.NewPCG(seed, 6))))
		r := phaseRun(in)
		var text strings.Builder
		err := r.formulate(&text, "lp")
		if in.Jobs > 1 {
			if err == nil || !strings.Contains(err.Error(), "--job") {
				t.Errorf("two jobs: %v", err)
			}
			continue
		}
		if err != nil || !strings.Contains(text.String(), "makespan") {
			t.Fatalf("%v\n%s", err, text.String())
		}
		if got, want := programOptimum(t, r.program(0)), phaseOptimum(in); math.Abs(got-want.Seconds()) > 1e-6 {
			t.Errorf("seed %d: %v s, brute force %s", seed, got, want)
		}
		text.Reset()
		if err := r.formulate(&text, "mps"); err != nil || !strings.Contains(text.String(), "ENDATA") {
			t.Errorf("mps: %v", err)
		}
	}
	huge := phaseRun(phaseInstance(t, phaseSpec{speeds: make1(3000), base: [][]model.Time{make([]model.Time, 3000)}}))
	if err := huge.formulate(&strings.Builder{}, "lp"); err == nil {
		t.Error("a program of 6 million columns is written")
	}
}

// programOptimum solves a mixed-integer program.
func programOptimum(t *testing.T, m *lp.Model) float64 {
	t.Helper()
	s, err := lpsolve.NewSolver(m)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sol, err := s.Solve(context.Background())
	if err != nil || sol.Status != lp.Optimal {
		t.Fatalf("%v, %v", sol, err)
	}
	return sol.Objective
}
