package solver

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"mrsched/model"
	"mrsched/solver/lp"
)

// DefaultIterations is the default number of iterations of a search.
const DefaultIterations = 1000

// Options are the settings that every problem understands.
type Options struct {
	Iterations int    // limit of searches; at least 1
	Seed       uint64 // of every random choice
	Threads    int    // at most this many goroutines; results do not depend on it
	// Watch, if set, observes the progress of the run.
	Watch *Watch
}

// Report says how much of the running phase is done.
func (o Options) Report(done, total int) { o.Watch.Progress(done, total) }

// Names of the phases that most runs have.
const (
	PhaseBound  = "bound"
	PhaseStart  = "first schedules"
	PhaseSearch = "search"
)

// BoundShare is the share of a time limit that all bounds together may take.
const BoundShare = 0.5

// Phase begins a phase of a run; end ends it. Under a time limit the phase's context ends after the given share of the
// remaining time, so that the later phases have the rest. Results of a phase whose context ended must not be kept for
// later runs, because a longer limit would give better ones.
func (o Options) Phase(ctx context.Context, name string, share float64) (phase context.Context, end func()) {
	o.Watch.enter(name)
	until, limited := ctx.Deadline()
	cancel := func() {}
	if phase = ctx; limited && share < 1 {
		phase, cancel = context.WithTimeout(ctx, time.Duration(share*float64(time.Until(until))))
	}
	return phase, func() {
		cut := errors.Is(phase.Err(), context.DeadlineExceeded)
		cancel()
		o.Watch.leave(cut)
	}
}

// CutShort notes whether a limit cut the bounds short: then a feasible schedule has StatusLimit.
func (o *Outcome) CutShort(cut bool) {
	if cut && o.Status == model.StatusFeasible {
		o.Status = model.StatusLimit
	}
}

// Algorithm describes one algorithm of a problem.
type Algorithm struct {
	Name    string
	Summary string
	// Default marks the algorithm that solve runs by default.
	Default bool
	// BoundOnly algorithms make no schedule.
	BoundOnly bool
	// Search marks algorithms that improve a schedule until a limit; Start does not run them.
	Search bool
	// Exhaustive algorithms prove optimality by a complete search, not by their bound.
	Exhaustive bool
	// Replans marks algorithms that keep what a model.Replan demands.
	Replans bool
	// SizeLimit is the largest number of tasks for which `-a all` includes the algorithm; 0 is no limit.
	SizeLimit int
	// Params names the parameters on which the algorithm depends.
	Params []string
}

// Bound is a lower bound with its certificate, a value that encoding/json can write.
type Bound struct {
	Method      string
	Certificate any
	// Theorem says that the algorithm's guarantee is proven against this relaxation.
	Theorem bool
}

// Value is what the certificate states.
func (b Bound) Value() *big.Rat { return b.Certificate.(interface{ Proven() *big.Rat }).Proven() }

// Tell reports bounds to the Watch.
func (o Options) Tell(bounds ...Bound) {
	for _, b := range bounds {
		v, _ := b.Value().Float64()
		o.Watch.Bound(v, b.Method)
	}
}

// Outcome is the result of an algorithm.
type Outcome struct {
	Algorithm string
	Status    model.Status
	Schedule  *model.Schedule // nil: none
	Bounds    []Bound
	// Why says why Status is limit although no limit ended the run, such as "no search: …"; empty: a limit did.
	Why string
	// Facts is a struct of the problem's own facts about the run, or nil. result.json has them under metrics.run.
	Facts any
}

// BackendError is a failure of the LP or flow solver.
type BackendError struct{ Err error }

func (e *BackendError) Error() string { return fmt.Sprintf("solver backend: %v", e.Err) }

// Unwrap gives the cause.
func (e *BackendError) Unwrap() error { return e.Err }

// Numerical returns the failure of the LP or flow solver in err, after which another method may take its place; nil if
// there is none, or if memory was short: then the result would depend on the machine.
func Numerical(err error) *BackendError {
	var failed *BackendError
	if errors.As(err, &failed) && !errors.Is(err, lp.ErrMemory) {
		return failed
	}
	return nil
}
