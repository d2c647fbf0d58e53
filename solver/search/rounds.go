package search

import (
	"iter"

	"mrsched/solver"
)

// maxIterations keeps work below 2⁶³.
const maxIterations = 1 << 40

// Doubling divides the iterations of a search into rounds. The first has the default number, each further one as many
// as all before it. So a search with more iterations, or more time, repeats what one with fewer does and continues.
func Doubling(iterations int) iter.Seq2[int, int] {
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

// Known is the number of iterations for the progress line; 0, unknown, if only a time limit ends the search.
func Known(iterations int) int {
	if iterations >= maxIterations {
		return 0
	}
	return iterations
}
