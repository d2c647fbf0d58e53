package lpsolve

import (
	"context"
	"math"
	"testing"

	"mrsched/solver/lp"
)

// diet is an LP with the optimum 7 at (3, 2): minimise x + 2y subject to x + y ≥ 5, y ≥ 2.
func diet() *lp.Model {
	return build(false, [][3]float64{{1, 0, 10}, {2, 0, 10}},
		[]row{{[]float64{1, 1}, lp.GE, 5}, {[]float64{0, 1}, lp.GE, 2}})
}

// contradictory has no feasible point: x + y ≥ 5 and x + y ≤ 4.
func contradictory() *lp.Model {
	m := diet()
	m.AddRow("", entries([]float64{1, 1}), lp.LE, 4)
	return m
}

// TestInjectedVerdicts: whatever status lp_solve returns, once or always, the adapter's answer is right or states that
// there is none. Only if lp_solve says twice, with other pivot rules, that a model is infeasible or unbounded, it is
// believed. A single time-out without a deadline, as after a jump of the clock, does not count.
func TestInjectedVerdicts(t *testing.T) {
	verdicts := []SolutionType{Optimal, Suboptimal, Infeasible, Unbounded, Degenerate, NumFailure, UserAbort,
		Timeout, AccuracyError, NoMemory, NotRun, 77}
	for _, v := range verdicts {
		for _, times := range []int64{1, math.MaxInt64} {
			for _, m := range []*lp.Model{diet(), contradictory()} {
				restore := Inject(Injection{Solve: func(n int64, verdict SolutionType) SolutionType {
					if n <= times {
						return v
					}
					return verdict
				}})
				sol, err := opened(t, m).Solve(context.Background())
				restore()
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
					if feasible && times == 1 {
						t.Errorf("%v, %d times: infeasible", v, times)
					}
				case sol.Status == lp.Timeout || sol.Status == lp.Aborted:
					t.Errorf("%v, %d times: %v, without a stop", v, times, sol.Status)
				case sol.Status == lp.Unbounded && v != Unbounded:
					t.Errorf("%v, %d times: unbounded", v, times)
				case feasible && times == 1 && (v == Timeout || v == UserAbort || v == Infeasible):
					t.Errorf("%v once: %v", v, sol.Status)
				}
			}
		}
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
		sol := mustSolve(t, opened(t, diet()))
		restore()
		if sol.Status != lp.NumericalFailure {
			t.Errorf("%s: %v at %v", name, sol.Status, sol.X)
		}
	}
}

// TestPivots: lp_solve's primal phase 1 crashes on this LP, and Devex pricing ends in a point that violates an
// equality. It is a master problem of multitenant's bound, reduced to the rows, columns and digits that the crash
// needs. At the optimum columns 5 and 6 sum to 1 and allow column 0 the same: 6.74534·x₅ = 1.12422·x₆. They allow
// column 1 almost the same, too.
func TestPivots(t *testing.T) {
	m := build(false, nonneg(-16, -16, -16, 0, 0, -2, -2, -2), []row{
		{[]float64{0, 0, 0, 1, 1, 1, 1, 1}, lp.EQ, 1},
		{[]float64{4, 0, 0, 0, 0, -6.74534}, lp.LE, 0},
		{[]float64{0, 2, 0, 0, 0, -0.298137}, lp.LE, 0},
		{[]float64{0, 0, 2}, lp.LE, 0},
		{[]float64{2, 0, 0, -1, 0, 0, -0.56211}, lp.LE, 0},
		{[]float64{0, 8, 0, 0, 0, 0, -0.1987582}, lp.LE, 0},
		{[]float64{0, 0, 8, 0, -4}, lp.LE, 0},
		{[]float64{4, 0, 0, 0, -0.4, 0, -1.12422}, lp.LE, 0},
		{[]float64{0, 0, 8, 0, -0.2, 0, 0, -3}, lp.LE, 0},
	})
	for failures := range int64(2) {
		s := opened(t, m)
		restore := Inject(Injection{Solve: func(n int64, verdict SolutionType) SolutionType {
			if n <= failures {
				return NumFailure
			}
			return verdict
		}})
		judge(t, s, lp.Optimal, -6.195197338)
		restore()
		_, err := s.AddRow("", entries([]float64{1, 1}), lp.LE, 1)
		must(t, err)
		judge(t, s, lp.Optimal, -6.195197338)
	}
}
