//go:build campaign

package campaign

// How many cases a problem gets, and of how many instances the results of one are corrupted.
const (
	mutationsEach = 2500
	numbersEach   = 400
	everyBase     = 1
)

// Whether everything is compared for determinism, how many solves one process makes, and how many models it gives to
// lp_solve.
const (
	determinismAll = true
	leakSolves     = 10_000
	leakModels     = 100_000
)

// On how many instances the rules of a problem are broken, in schedules of how many algorithms each; how often each
// rule is broken, and how many changes are made at random.
const (
	ruleInstances  = 40
	ruleAlgorithms = 3
	ruleEach       = 100
	ruleRandom     = 2000
)
