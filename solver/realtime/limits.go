package realtime

import (
	"context"
	"iter"
	"time"

	"mrsched/solver"
)

// maxIterations keeps work below 2⁶³.
const maxIterations = 1 << 40

// rounds divides the iterations of a search into rounds: the default number first, then in each round as many as in all
// rounds before. A search that gets more iterations, or more time, so repeats what one with fewer does and goes on.
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

// knownTotal is the number of iterations as the progress of a search states it: 0, unknown, if a time limit alone ends
// it.
func knownTotal(iterations int) int {
	if iterations >= maxIterations {
		return 0
	}
	return iterations
}

// oneOf gives the first of n parts of a work an equal part of the time that is left; end ends it.
func oneOf(ctx context.Context, n int) (part context.Context, end context.CancelFunc) {
	until, limited := ctx.Deadline()
	if !limited || n <= 1 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(until)/time.Duration(n))
}
