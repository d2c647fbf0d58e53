package lp

import (
	"context"
	"errors"
	"fmt"
)

// Why a method can fail whatever its arguments: the solver is closed, or memory is short.
var (
	ErrClosed = errors.New("lp: solver is closed")
	ErrMemory = errors.New("lp: out of memory")
)

// Status is what a solve found out about the model.
type Status uint8

// The outcomes of a solve. X is present with Optimal and Suboptimal; with Timeout, Aborted and NumericalFailure it
// holds the best feasible point found, or is nil.
const (
	NotSolved        Status = iota // no solve has finished
	Optimal                        // proven optimal within the backend's tolerances
	Suboptimal                     // feasible; the backend stopped early of its own accord
	Infeasible                     // no point satisfies the rows and bounds
	Unbounded                      // the objective improves without limit
	Timeout                        // the context's deadline passed, or the backend's own limit
	Aborted                        // the context was cancelled
	NumericalFailure               // no answer that survives checking, after retries
)

var statusName = [...]string{"not solved", "optimal", "suboptimal", "infeasible", "unbounded", "timeout", "aborted",
	"numerical failure"}

// String returns the status in words.
func (s Status) String() string {
	if int(s) < len(statusName) {
		return statusName[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Solution is the outcome of one solve. Its slices belong to the caller.
type Solution struct {
	Status      Status
	Objective   float64   // c·X + offset; meaningful only if X is present
	X           []float64 // by column; nil if there is no point
	Dual        []float64 // by row; nil for a MIP and without an optimum. Signs: see the package comment
	ReducedCost []float64 // by column; nil with Dual
	Iterations  int64     // simplex iterations of this solve, over all nodes and retries
}

// Solver is a model inside a backend: solve, change, solve again from where the last solve ended. It is used by one
// goroutine at a time; different solvers are independent of each other.
type Solver interface {
	// Model returns the model as the next Solve sees it. It is read-only and changes with AddRow, DeleteRows and SetCost.
	Model() *Model
	// Solve optimises. A context that ends stops it soon, with Timeout (deadline) or Aborted (cancelled).
	Solve(ctx context.Context) (*Solution, error)
	// AddRow appends a row, as Model.AddRow does.
	AddRow(name string, entries []Entry, rel Relation, rhs float64) (Row, error)
	// DeleteRows removes rows and renumbers the others, as Model.DeleteRows does.
	DeleteRows(rows []Row) error
	// SetCost replaces an objective coefficient.
	SetCost(c Col, cost float64) error
	// Close frees the solver. Later calls of Close do nothing, later calls of the others return ErrClosed.
	Close() error
}

// Backend builds a solver for a copy of the model.
type Backend func(*Model) (Solver, error)
