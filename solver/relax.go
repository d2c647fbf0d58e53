package solver

import "context"

// Relaxer is a Run with a relaxation in which each job has a completion time.
type Relaxer interface {
	// Relaxed solves the relaxation behind a lower bound, or returns the solution of an earlier call. If ctx or opt cut it
	// short, the solution is the one reached by then. An error means that it could not be solved.
	Relaxed(ctx context.Context, opt Options) (*Relaxed, error)
}

// Relaxed is a solved relaxation.
type Relaxed struct {
	Method     string    // of the bound that it proves
	Completion []float64 // by job, in the workload's order; seconds
}
