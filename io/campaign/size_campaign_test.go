//go:build campaign

package campaign

// How many cases a problem gets.
const (
	mutationsEach = 2500
	numbersEach   = 400
)

// Whether everything is compared for determinism, how many solves one process makes, and how many models it gives to lp_solve.
const (
	determinismAll = true
	leakSolves     = 10_000
	leakModels     = 100_000
)
