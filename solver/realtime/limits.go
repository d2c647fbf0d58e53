package realtime

import (
	"context"
	"iter"
	"time"

	"mrsched/solver"
)

// maxIterations keeps work below 2⁶³.
const maxIterations = 1 << 40

// rounds divides the iterations of a search into rounds. The first has the default number, each further one as many as
// all before it. So a search with more iterations, or more time, repeats what one with fewer does and goes on.
func rounds(iterations int) iter.Seq2[int, int] {
	return func(yield func(round, n int) bool) {
		iterations = min(iterations, maxIterations)
		for round, done := 0, 0; done < iterations; round++ {
			n := min(max(done, solver.DefaultIterations), iterations-done)
			if !yield(round, n) {
				return
			}
			done += n
		}
	}
}

// knownTotal is the number of iterations for the progress line; 0, unknown, if only a time limit ends the search.
func knownTotal(iterations int) int {
	if iterations >= maxIterations {
		return 0
	}
	return iterations
}

// oneOf gives the first of n pieces of work an equal part of the time that is left.
func oneOf(ctx context.Context, n int) (part context.Context, end context.CancelFunc) {
	until, limited := ctx.Deadline()
	if !limited || n <= 1 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(until)/time.Duration(n))
}
