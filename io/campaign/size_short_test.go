//go:build !campaign

package campaign

// How many cases a problem gets: enough that nothing rots.
const (
	mutationsEach = 60
	numbersEach   = 10
)

// Whether everything is compared for determinism, how many solves one process makes, and how many models it gives to lp_solve.
const (
	determinismAll = false
	leakSolves     = 150
	leakModels     = 500
)
