package lpsolve

import "testing"

// crashing is an LP on which lp_solve's primal phase 1 crashes, and on which Devex pricing fails. It is a master
// problem of multitenant's bound, reduced to the rows, columns and digits that the crash needs. At the optimum columns
// 5 and 6 sum to 1 and allow column 0 the same: 6.74534·x₅ = 1.12422·x₆. They allow column 1 almost the same, too.
func crashing(t *testing.T) *LP {
	l := newLP(t, 0, 8)
	must(t, l.SetTuning(solverTuning()))
	must(t, l.SetObjFn([]float64{-16, -16, -16, 0, 0, -2, -2, -2}))
	must(t, l.AddConstraints([]Constraint{
		{[]Entry{{3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}}, EQ, 1},
		{[]Entry{{0, 4}, {5, -6.74534}}, LE, 0},
		{[]Entry{{1, 2}, {5, -0.298137}}, LE, 0},
		{[]Entry{{2, 2}}, LE, 0},
		{[]Entry{{0, 2}, {3, -1}, {6, -0.56211}}, LE, 0},
		{[]Entry{{1, 8}, {6, -0.1987582}}, LE, 0},
		{[]Entry{{2, 8}, {4, -4}}, LE, 0},
		{[]Entry{{0, 4}, {4, -0.4}, {6, -1.12422}}, LE, 0},
		{[]Entry{{2, 8}, {4, -0.2}, {7, -3}}, LE, 0},
	}))
	return l
}

// TestRetries: every retry finds the optimum and leaves the problem inside lp_solve unchanged.
func TestRetries(t *testing.T) {
	for failures := range int64(numRetries + 1) {
		l := crashing(t)
		restore := Inject(Injection{Solve: func(n int64, verdict SolutionType) SolutionType {
			if n <= failures {
				return NumFailure
			}
			return verdict
		}})
		solve(t, l, Optimal)
		restore()
		wantObjective(t, l, -6.195197338)
		must(t, l.AddConstraintSparse([]Entry{{0, 1}, {1, 1}}, LE, 1))
		if n := l.NumRows(); n != 10 {
			t.Fatalf("after %d failures: %d rows, want 10", failures, n)
		}
	}
}
