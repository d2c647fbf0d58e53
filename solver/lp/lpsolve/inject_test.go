package lpsolve

import (
	"context"
	"math"
	"testing"

	"mrsched/solver/lp"
)

// diet is an LP with the optimum 7 at (3, 2): minimise x + 2y subject to x + y ≥ 5, y ≥ 2.
func diet() *lp.Model {
	m := lp.NewModel("diet")
	x, y := m.AddCol("x", 1, 0, 10), m.AddCol("y", 2, 0, 10)
	m.AddRow("", []lp.Entry{{Col: x, Coef: 1}, {Col: y, Coef: 1}}, lp.GE, 5)
	m.AddRow("", []lp.Entry{{Col: y, Coef: 1}}, lp.GE, 2)
	return m
}

// contradictory has no feasible point: x + y ≥ 5 and x + y ≤ 4.
func contradictory() *lp.Model {
	m := diet()
	m.AddRow("", []lp.Entry{{Col: 0, Coef: 1}, {Col: 1, Coef: 1}}, lp.LE, 4)
	return m
}

// TestInjectedVerdicts: whatever status lp_solve returns, once or always, the adapter's answer is right or states that
// there is none.
func TestInjectedVerdicts(t *testing.T) {
	verdicts := []SolutionType{Optimal, Suboptimal, Infeasible, Unbounded, Degenerate, NumFailure, UserAbort,
		Timeout, Presolved,
		ProcFail, ProcBreak, FeasFound, NoFeasFound, AccuracyError, NoMemory, NotRun, 77}
	for _, v := range verdicts {
		for _, times := range []int64{1, math.MaxInt64} {
			for _, m := range []*lp.Model{diet(), contradictory()} {
				restore := Inject(Injection{Solve: func(n int64, verdict SolutionType) SolutionType {
					if n <= times {
						return v
					}
					return verdict
				}})
				s, err := NewSolver(m)
				must(t, err)
				sol, err := s.Solve(context.Background())
				restore()
				must(t, s.Close())
				feasible := m.NumRows() == 2
				switch {
				case err != nil:
					if v != NoMemory && v != NotRun {
						t.Errorf("%v: %v", v, err)
					}
				case sol.Status == lp.Optimal:
					if !feasible || math.Abs(sol.Objective-7) > 1e-9 {
						t.Errorf("%v, %d times: optimal, %v at %v, feasible: %v", v, times, sol.Objective, sol.X, feasible)
					}
				case sol.Status == lp.Infeasible:
					if feasible {
						t.Errorf("%v, %d times: infeasible", v, times)
					}
				case sol.Status == lp.Timeout || sol.Status == lp.Aborted:
					t.Errorf("%v, %d times: %v, without a stop", v, times, sol.Status)
				case sol.Status == lp.Unbounded && v != Unbounded:
					t.Errorf("%v, %d times: unbounded", v, times)
				}
			}
		}
	}
}

// TestInfeasibleWithoutProof: lp_solve's status alone makes no model infeasible; branch and bound would cut off
// unsearched nodes.
func TestInfeasibleWithoutProof(t *testing.T) {
	defer Inject(Injection{Solve: func(int64, SolutionType) SolutionType { return Infeasible }})()
	s, err := NewSolver(diet())
	must(t, err)
	defer s.Close()
	sol, err := s.Solve(context.Background())
	must(t, err)
	if sol.Status != lp.NumericalFailure {
		t.Error(sol.Status)
	}
}

// TestStopUnasked: a time-out without a deadline, as after a jump of the clock, does not count as a time-out.
func TestStopUnasked(t *testing.T) {
	for _, v := range []SolutionType{Timeout, UserAbort} {
		restore := Inject(Injection{Solve: func(n int64, verdict SolutionType) SolutionType {
			if n == 1 {
				return v
			}
			return verdict
		}})
		s, err := NewSolver(diet())
		must(t, err)
		sol, err := s.Solve(context.Background())
		must(t, err)
		if sol.Status != lp.Optimal {
			t.Errorf("%v once: %v", v, sol.Status)
		}
		restore()
		must(t, s.Close())
	}
}

// TestInjectedPoints: a wrong solution is never returned.
func TestInjectedPoints(t *testing.T) {
	for name, spoil := range map[string]func(x, dual []float64){
		"infeasible": func(x, _ []float64) { x[0] -= 1 },
		"not optimal": func(x, _ []float64) {
			for j := range x {
				x[j] = 10
			}
		},
		"wrong duals": func(_, dual []float64) {
			for i := range dual {
				dual[i] *= 1.01
			}
		},
		"no number": func(x, _ []float64) { x[1] = math.NaN() },
		"infinite":  func(x, _ []float64) { x[1] = math.Inf(1) },
	} {
		restore := Inject(Injection{Point: spoil})
		s, err := NewSolver(diet())
		must(t, err)
		sol, err := s.Solve(context.Background())
		restore()
		must(t, err)
		must(t, s.Close())
		if sol.Status != lp.NumericalFailure {
			t.Errorf("%s: %v at %v", name, sol.Status, sol.X)
		}
	}
}

// TestInjectedMemory: if lp_solve cannot build a problem, the adapter returns an error.
func TestInjectedMemory(t *testing.T) {
	defer Inject(Injection{Refuse: func(int64) bool { return true }})()
	if s, err := NewSolver(diet()); err == nil || s != nil {
		t.Error(err)
	}
}
