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

// The outcomes of a solve. Only with Optimal there is a point.
const (
	NotSolved        Status = iota // no solve has finished
	Optimal                        // proven optimal within the backend's tolerances
	Infeasible                     // no point satisfies the rows and bounds
	Unbounded                      // the objective improves without limit
	Timeout                        // the context's deadline passed
	Aborted                        // the context was cancelled
	NumericalFailure               // no answer that survives checking, after retries
)

var statusName = [...]string{"not solved", "optimal", "infeasible", "unbounded", "timeout", "aborted",
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
	Status    Status
	Objective float64   // c·X + offset; meaningful only if X is present
	X         []float64 // by column; nil without an optimum
	Dual      []float64 // by row; likewise. Signs: see the package comment
}

// Solver is a model inside a backend: solve, change, solve again from where the last solve ended. It is used by one
// goroutine at a time; different solvers are independent of each other.
type Solver interface {
	// Model returns the model as the next Solve sees it. It is read-only and changes with AddRow and DeleteRows.
	Model() *Model
	// Solve optimises as if no column had to be integer. A context that ends stops it soon, with Timeout (deadline) or
	// Aborted (cancelled).
	Solve(ctx context.Context) (*Solution, error)
	// AddRow appends a row, as Model.AddRow does.
	AddRow(name string, entries []Entry, rel Relation, rhs float64) (Row, error)
	// DeleteRows removes rows and renumbers the others, as Model.DeleteRows does.
	DeleteRows(rows []Row) error
	// Close frees the solver. Later calls of Close do nothing, later calls of the others return ErrClosed.
	Close() error
}

// Backend builds a solver, which takes the model over: it changes through the solver only.
type Backend func(*Model) (Solver, error)
