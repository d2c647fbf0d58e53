package lpsolve

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mrsched/solver/lp"
)

// SolutionType is lp_solve's verdict on a solve.
type SolutionType int

// The verdicts, with lp_solve's codes. NotRun precedes the first solve.
const (
	NotRun        SolutionType = -1
	Optimal       SolutionType = 0
	Suboptimal    SolutionType = 1 // stopped with an integer solution in hand
	Infeasible    SolutionType = 2
	Unbounded     SolutionType = 3
	Degenerate    SolutionType = 4
	NumFailure    SolutionType = 5
	UserAbort     SolutionType = 6 // the context was cancelled
	Timeout       SolutionType = 7 // the context's deadline passed
	Presolved     SolutionType = 9
	ProcFail      SolutionType = 10
	ProcBreak     SolutionType = 11
	FeasFound     SolutionType = 12
	NoFeasFound   SolutionType = 13
	AccuracyError SolutionType = 25
)

// The codes that mean that nothing was solved.
const (
	codeNoMemory = -2
	codeNotRun   = -1
)

var solutionTypeName = map[SolutionType]string{
	NotRun: "not run", Optimal: "optimal", Suboptimal: "suboptimal", Infeasible: "infeasible", Unbounded: "unbounded",
	Degenerate: "degenerate", NumFailure: "numerical failure", UserAbort: "aborted", Timeout: "timeout",
	Presolved: "presolved", ProcFail: "branch and bound failed", ProcBreak: "branch and bound stopped",
	FeasFound: "feasible", NoFeasFound: "no feasible solution found", AccuracyError: "accuracy error",
}

// String returns the verdict in words.
func (s SolutionType) String() string {
	if name, ok := solutionTypeName[s]; ok {
		return name
	}
	return fmt.Sprintf("SolutionType(%d)", int(s))
}

// trouble reports verdicts that are caused by the arithmetic rather than the problem.
func (s SolutionType) trouble() bool {
	switch s {
	case Degenerate, NumFailure, ProcFail, AccuracyError:
		return true
	}
	return false
}

// result is a copy of what the last solve left, so that it outlives changes of the problem's memory.
type result struct {
	kind       SolutionType
	objective  float64
	x          []float64
	dual       []float64
	reduced    []float64
	iterations int64
}

func (r *result) reset() { *r = result{kind: NotRun, objective: math.NaN()} }

// Solve optimises, starting from the last basis if there is one. After numerical trouble it solves again from the
// default basis, first without scaling and, if the trouble stays, with other pivot rules. It solves once more,
// without scaling, when a problem is infeasible or unbounded after a warm start, or infeasible with scaling. The
// error tells why nothing was solved: closed, or no memory.
func (l *LP) Solve(ctx context.Context) (SolutionType, error) {
	if err := l.open(); err != nil {
		return NotRun, err
	}
	defer l.mu.Unlock()
	return l.solve(ctx, !l.warm)
}

func (l *LP) solve(ctx context.Context, cold bool) (SolutionType, error) {
	kind, err := l.run(ctx)
	iterations := l.result.iterations
	for attempt := 0; attempt < numRetries && err == nil && ctx.Err() == nil; attempt++ {
		if !kind.trouble() && (attempt > 0 || !l.doubtful(kind, cold)) {
			break
		}
		l.defaultBasis()
		l.pushTuning(l.retryTuning(attempt))
		kind, err = l.run(ctx)
		l.pushTuning(l.tuning)
		iterations += l.result.iterations
	}
	l.result.iterations = iterations
	return kind, err
}

// doubtful reports verdicts without a witness whose circumstances are known to produce wrong ones: a warm start, and
// for infeasibility lp_solve's scaling, which next to a tiny cost can make a tight problem infeasible.
func (l *LP) doubtful(kind SolutionType, cold bool) bool {
	switch kind {
	case Infeasible, NoFeasFound:
		return len(l.noInt) == 0 && (!cold || l.tuning.Scaling != ScaleNone)
	case Unbounded:
		return !cold
	}
	return false
}

// numRetries is the number of different settings of retryTuning.
const numRetries = 3

// retryTuning returns the settings of a retry: without scaling, then with other scaling and pivot rules. Wrong pivots
// are what most trouble comes from. The first index is tried last: it fails least often, but takes the most
// iterations.
func (l *LP) retryTuning(attempt int) Tuning {
	t := l.tuning
	if attempt == 0 {
		t.Scaling = ScaleNone
		t.MaxPivots = 50
		return t
	}
	t.Scaling = ScaleMean | ScaleIntegers
	t.MaxPivots = 20
	t.Pivoting = PriceDevex | PriceAdaptive | PriceLoopLeft
	if attempt > 1 {
		t.Pivoting = PriceFirstIndex | PriceAdaptive
	}
	return t
}

// run calls lp_solve once and fetches what it found.
func (l *LP) run(ctx context.Context) (SolutionType, error) {
	l.result.reset()
	if err := ctx.Err(); err != nil {
		l.result.kind = stopped(err)
		return l.result.kind, nil
	}
	if len(l.noInt) > 0 {
		l.result.kind = Infeasible
		return Infeasible, nil
	}
	if C.mrs_nonzeros(l.p) == 0 {
		return l.solveTrivial(), nil
	}
	code, iterations := l.call(ctx)
	l.solved, l.warm = true, true
	l.result.iterations = iterations
	switch {
	case code == codeNoMemory:
		return NotRun, lp.ErrMemory
	case code == codeNotRun || code < codeNoMemory:
		return NotRun, fmt.Errorf("lpsolve: solve returned %d", code)
	case (code == int(UserAbort) || code == int(Timeout)) && ctx.Err() != nil:
		l.result.kind = stopped(ctx.Err())
	case code == int(UserAbort) || code == int(Timeout): // it was not told to stop
		l.result.kind = NumFailure
	default:
		l.result.kind = SolutionType(code)
	}
	err := l.fetch()
	l.unmaskInfinity()
	if l.result.kind != Optimal && l.result.kind != Suboptimal {
		// The basis of a failed solve is no better a start than the default one, and may be broken.
		l.defaultBasis()
	}
	return l.result.kind, err
}

// stopped returns the verdict for a context that ended with err.
func stopped(err error) SolutionType {
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	return UserAbort
}

// The limit on the polls of the stop flag, hence roughly on the iterations, of an LP: lp_solve can cycle forever. It is
// far beyond what a solve that ends needs (2 to 3 iterations per row or column are usual); reaching it counts as
// numerical failure.
const (
	minPolls     = 20_000
	pollsPerLine = 100
)

// call runs the solver with the stop flag tied to the context.
func (l *LP) call(ctx context.Context) (code int, iterations int64) {
	p := l.p
	C.mrs_stop(p, 0)
	raised := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		C.mrs_stop(p, 1)
		close(raised)
	})
	polls := C.int64_t(0)
	if l.ints == 0 {
		polls = C.int64_t(minPolls + pollsPerLine*(l.rows+l.cols))
	}
	var n C.int64_t
	var exhausted C.int
	c := C.mrs_solve(p, polls, &n, &exhausted)
	if !cancel() {
		<-raised // else the flag could be raised in the next solve, or in freed memory
	}
	if exhausted != 0 && c != C.int(Optimal) {
		c = C.int(NumFailure)
	}
	return injected.Load().verdict(int(c)), int64(n)
}

// fetch copies the solution out, if the verdict promises one.
func (l *LP) fetch() error {
	r := &l.result
	switch r.kind {
	case Optimal:
	case Suboptimal, UserAbort, Timeout, ProcBreak, FeasFound:
		// Without integer columns this is a point of some phase, not necessarily a feasible one.
		if l.ints == 0 || C.mrs_solution_count(l.p) == 0 {
			return nil
		}
	default:
		return nil
	}
	x := make([]float64, l.cols)
	var obj C.double
	if C.mrs_fetch(l.p, &obj, (*C.double)(&x[0])) == 0 {
		return errors.New("lpsolve: get_ptr_variables failed")
	}
	r.objective, r.x = float64(obj), x
	if r.kind != Optimal || l.ints > 0 {
		return nil
	}
	dual := make([]float64, l.rows)
	var reduced []float64
	if !l.dualsOnly {
		reduced = make([]float64, l.cols)
	}
	if C.mrs_fetch_duals(l.p, (*C.double)(&x[0]), (*C.double)(ptr(dual)), (*C.double)(ptr(reduced))) != 0 {
		r.dual, r.reduced = dual, reduced
	}
	injected.Load().spoil(r.x, r.dual)
	return nil
}

// unmaskInfinity corrects optima of unbounded problems. Where a column without coefficients is the cause, lp_solve
// calls the problem optimal, with an objective of 1e30 or, if the finite bound is not 0, with the column at that bound.
func (l *LP) unmaskInfinity() {
	r := &l.result
	var kind SolutionType
	switch {
	case r.x == nil:
		return
	case math.Abs(r.objective) >= lp.Infinite && (r.objective > 0) == l.maximize:
		kind = Unbounded
	case math.Abs(r.objective) >= lp.Infinite:
		kind = NumFailure
	case r.reduced != nil && C.mrs_improves(l.p, (*C.double)(&r.reduced[0])) != 0:
		kind = NumFailure
	default:
		return
	}
	iterations := r.iterations
	r.reset()
	r.kind, r.iterations = kind, iterations
}

// Objective returns the objective of the last solve, NaN without a solution.
func (l *LP) Objective() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.result.objective
}
