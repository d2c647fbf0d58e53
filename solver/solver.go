// Package solver is the interface between the driver and the algorithms of the problems.
//
// A problem's package (solver/msjo, …) exports one Problem value. The driver opens a workload with it, asks for
// algorithms by name and gets Outcomes: a schedule, and optionally bounds with their certificates. Numbers inside an
// Outcome are never reported: the driver recomputes objective, metrics and bound through the problem's model.View.
package solver

import (
	"context"
	"fmt"
	"io"
	"time"

	"mrsched/model"
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
	if !limited || share >= 1 {
		return ctx, o.Watch.leave
	}
	phase, cancel := context.WithTimeout(ctx, time.Duration(share*float64(time.Until(until))))
	return phase, func() { cancel(); o.Watch.leave() }
}

// CutShort notes whether a limit cut the bounds short: then a feasible schedule has StatusLimit.
func (o *Outcome) CutShort(cut bool) {
	if cut && o.Status == model.StatusFeasible {
		o.Status = model.StatusLimit
	}
}

// ParamKind is the type of a problem's own parameter.
type ParamKind int

// The kinds of parameters.
const (
	StringParam ParamKind = iota
	IntParam
	FloatParam
	BoolParam
)

// Param is a setting of one problem: a flag of the commands and a key of a result's `parameters`.
type Param struct {
	Name    string
	Kind    ParamKind
	Default string
	Usage   string
	Choices []string // of a StringParam; empty: any text
	Minimum float64  // of an IntParam or FloatParam
	Maximum float64
	// View says that the parameter changes the instance itself, so `check` needs it too.
	View bool
}

// Params are parameter values by name, already checked against their Param.
type Params map[string]any

// Int is the value of an IntParam.
func (p Params) Int(name string) int64 { v, _ := p[name].(int64); return v }

// Float is the value of a FloatParam.
func (p Params) Float(name string) float64 { v, _ := p[name].(float64); return v }

// Bool is the value of a BoolParam.
func (p Params) Bool(name string) bool { v, _ := p[name].(bool); return v }

// Text is the value of a StringParam.
func (p Params) Text(name string) string { v, _ := p[name].(string); return v }

// Algorithm describes one algorithm of a problem.
type Algorithm struct {
	Name    string
	Summary string
	Source  string
	// Default marks the algorithm that solve runs by default.
	Default bool
	// BoundOnly algorithms make no schedule.
	BoundOnly bool
	// Search marks algorithms that improve a schedule until a limit; Start does not run them.
	Search bool
	// Exhaustive algorithms prove optimality by a complete search, not by their bound.
	Exhaustive bool
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

// Outcome is the result of an algorithm.
type Outcome struct {
	Algorithm string
	Status    model.Status
	Schedule  *model.Schedule // nil: none
	Bounds    []Bound
	// Found are facts about the run, for the result's metrics under "run".
	Found map[string]any
}

// Run is one opened instance. Its methods may be called one after another, not concurrently.
type Run interface {
	View() model.View
	// Solve runs an algorithm until it ends or ctx does. After ctx ends it returns the best outcome so far with
	// StatusLimit. An error means that the run could not be carried out.
	Solve(ctx context.Context, algorithm string, opt Options) (*Outcome, error)
	// Guarantee is what is promised for an algorithm on this instance, without a verdict. It is nil if nothing is
	// promised, or if a limit cut short what the promise depends on.
	Guarantee(algorithm string, limited bool) *model.Guarantee
	// Formulate writes the model in a solver's format.
	Formulate(ctx context.Context, w io.Writer, format string) error
}

// Excluder is a Run on which an algorithm may need more than a small number of tasks.
type Excluder interface {
	// Excludes says why an algorithm cannot run on the instance, so that "all" leaves it out; empty if it can.
	Excludes(algorithm string) string
}

// Chooser is a Run whose parameters decide which of its problem's algorithms it has.
type Chooser interface {
	// Offers says whether the run has an algorithm; "all" leaves out the others.
	Offers(algorithm string) bool
}

// Prover is a Run that can check the claims of exhaustive algorithms.
type Prover interface {
	// Optimal says whether an exhaustive search of at most nodes, counted as FoundNodes, shows that nothing is cheaper
	// than a schedule that breaks no constraint. An error means that ctx ended.
	Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error)
}

// Witness is a Run with facts that follow from the schedule, so that `check` can derive them again.
type Witness interface {
	// Witness names those facts and derives them from a schedule that breaks no constraint; optimal says whether it is
	// proven optimal.
	Witness(ctx context.Context, s *model.Schedule, optimal bool) (names []string, facts map[string]any, err error)
}

// FoundNodes is the key of an exhaustive search's size in Outcome.Found.
const FoundNodes = "nodes"

// Problem describes one problem to the driver.
type Problem struct {
	Name       string
	Title      string
	Source     string
	Algorithms []Algorithm
	Params     []Param
	Columns    []Column // that the problem uses
	Results    *model.Description
	Formats    []string // of Formulate
	// Formulation says in one line what Formulate writes.
	Formulation string
	// ModelParams names the parameters on which Formulate depends, besides those that change the instance.
	ModelParams []string
	// Uses, if set, names the parameters on which an algorithm and its bounds depend when all have the given values;
	// without an algorithm, those on which the written model depends. They are among Algorithm.Params or ModelParams. If
	// Uses is nil, it is all of those for any values.
	Uses func(algorithm string, p Params) []string
	// Open builds the instance; errors are *model.InputError.
	Open func(w *model.Workload, p Params) (Run, error)
}

// Algorithm finds an algorithm by name.
func (p *Problem) Algorithm(name string) (Algorithm, bool) {
	for _, a := range p.Algorithms {
		if a.Name == name {
			return a, true
		}
	}
	return Algorithm{}, false
}

// BackendError is a failure of the LP or flow solver.
type BackendError struct{ Err error }

func (e *BackendError) Error() string { return fmt.Sprintf("solver backend: %v", e.Err) }

// Unwrap gives the cause.
func (e *BackendError) Unwrap() error { return e.Err }
