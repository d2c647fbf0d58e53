//go:build campaign

package cli

// How many random instances of each problem and objective have best compared with the others, without and under a time
// limit; how many are solved with their algorithms in other orders, and after algorithms that were cut short.
const (
	bestEach        = 200
	bestLimitedEach = 200
	orderedEach     = 20
	cutEach         = 50
)
