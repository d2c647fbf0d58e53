package solver

import "context"

// Relaxer is a Run with a relaxation that says when each job would end.
type Relaxer interface {
	// Relaxed solves the relaxation behind a lower bound, or takes the solution from an earlier call. Errors mean that it
	// could not be solved; what ctx or opt cut short is the point reached by then.
	Relaxed(ctx context.Context, opt Options) (*Relaxed, error)
}

// Relaxed is a solved relaxation.
type Relaxed struct {
	Method     string    // of the bound that it proves
	Completion []float64 // by job, in the workload's order; seconds
}
