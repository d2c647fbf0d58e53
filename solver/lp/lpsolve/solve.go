package lpsolve

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"mrsched/solver/lp"
)

// SolutionType is lp_solve's verdict on a solve.
type SolutionType int

// The verdicts, with lp_solve's codes. NotRun precedes the first solve.
const (
	NotRun        SolutionType = -1
	Optimal       SolutionType = 0
	Suboptimal    SolutionType = 1
	Infeasible    SolutionType = 2
	Unbounded     SolutionType = 3
	Degenerate    SolutionType = 4
	NumFailure    SolutionType = 5
	UserAbort     SolutionType = 6 // the context was cancelled
	Timeout       SolutionType = 7 // the context's deadline passed
	AccuracyError SolutionType = 25
)

// NoMemory is lp_solve's verdict when it could not allocate what it needs; Solve answers it with an error.
const NoMemory SolutionType = -2

// result is what a solve left.
type result struct {
	kind    SolutionType
	x, dual []float64 // of an optimum
}

// run calls lp_solve once, from the last basis if there is one, and fetches what it found. The error tells why nothing
// was solved.
func (l *problem) run(ctx context.Context) (r result, err error) {
	code := l.call(ctx)
	l.solved, l.warm = true, true
	r = result{kind: SolutionType(code)}
	switch {
	case r.kind == NoMemory:
		return r, lp.ErrMemory
	case r.kind < 0:
		return r, fmt.Errorf("lpsolve: solve returned %d", code)
	case r.kind == UserAbort || r.kind == Timeout:
		if r.kind = NumFailure; ctx.Err() != nil { // else it was not told to stop
			r.kind = stopped(ctx.Err())
		}
	case r.kind == Optimal:
		r.kind = l.fetch(&r)
	}
	if r.kind != Optimal { // its basis is no better a start than the default one, and may be broken
		l.defaultBasis()
	}
	return r, nil
}

// stopped returns the verdict for a context that ended with err.
func stopped(err error) SolutionType {
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	return UserAbort
}

// The limit on the polls of the stop flag, hence roughly on the iterations: lp_solve can cycle forever. It is far
// beyond what a solve that ends needs (2 to 3 iterations per row or column are usual); reaching it counts as
// numerical failure.
const (
	minPolls     = 20_000
	pollsPerLine = 100
)

// call runs the solver with the stop flag tied to the context.
func (l *problem) call(ctx context.Context) int {
	p := l.p
	C.mrs_stop(p, 0)
	raised := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		C.mrs_stop(p, 1)
		close(raised)
	})
	var exhausted C.int
	c := C.mrs_solve(p, C.int64_t(minPolls+pollsPerLine*(l.rows+l.cols)), &exhausted)
	if !cancel() {
		<-raised // else the flag could be raised in the next solve, or in freed memory
	}
	if exhausted != 0 && c != C.int(Optimal) {
		c = C.int(NumFailure)
	}
	return injected.Load().verdict(int(c))
}

// fetch copies an optimum out. Where a column without coefficients makes a problem unbounded, lp_solve may call it
// optimal, with an objective of 1e30.
func (l *problem) fetch(r *result) SolutionType {
	switch v := float64(C.mrs_objective(l.p)); {
	case v <= -lp.Infinite:
		return Unbounded
	case math.Abs(v) >= lp.Infinite:
		return NumFailure
	}
	x, dual := make([]float64, l.cols), make([]float64, l.rows)
	if C.mrs_fetch(l.p, (*C.double)(unsafe.SliceData(x)), (*C.double)(unsafe.SliceData(dual))) == 0 {
		return NumFailure
	}
	injected.Load().spoil(x, dual)
	r.x, r.dual = x, dual
	return Optimal
}
