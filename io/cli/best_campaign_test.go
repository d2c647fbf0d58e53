//go:build campaign

package cli

// Numbers of random instances per problem and objective: on how many best competes with the others, without and under a
// time limit; how many are solved with algorithms in other orders, and after algorithms that were cut short.
const (
	bestEach        = 200
	bestLimitedEach = 200
	orderedEach     = 20
	cutEach         = 50
)
