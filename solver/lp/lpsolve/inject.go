package lpsolve

import "sync/atomic"

// Injection makes lp_solve fail, so that tests can see how the program reacts. Its functions may be called from several
// goroutines.
type Injection struct {
	// Solve replaces lp_solve's verdict on its n-th call since Inject, from 1.
	Solve func(n int64, verdict SolutionType) SolutionType
	// Point changes a solution and its duals (nil: none) in place, as an error in lp_solve would.
	Point func(x, dual []float64)
	// Refuse reports whether lp_solve has no memory for the n-th problem since Inject, from 1.
	Refuse func(n int64) bool
}

// injection counts what an Injection has seen.
type injection struct {
	Injection
	solves, problems atomic.Int64
}

// injected is nil except in tests.
var injected atomic.Pointer[injection]

// Inject makes lp_solve fail until restore is called. Only tests may call it, one at a time.
func Inject(in Injection) (restore func()) {
	injected.Store(&injection{Injection: in})
	return func() { injected.Store(nil) }
}

// verdict is the verdict that the injection substitutes.
func (in *injection) verdict(code int) int {
	if in == nil || in.Solve == nil {
		return code
	}
	return int(in.Solve(in.solves.Add(1), SolutionType(code)))
}

// spoil changes a solution.
func (in *injection) spoil(x, dual []float64) {
	if in != nil && in.Point != nil {
		in.Point(x, dual)
	}
}

// refuses says whether a problem gets no memory.
func (in *injection) refuses() bool {
	return in != nil && in.Refuse != nil && in.Refuse(in.problems.Add(1))
}

// live counts the problems inside lp_solve.
var live atomic.Int64

// Live, for tests, returns how many problems this process holds inside lp_solve: made by NewSolver and not yet
// closed. Each is memory outside the Go heap.
func Live() int64 { return live.Load() }
