//go:build !campaign

package campaign

// How many cases a problem gets, enough that nothing rots, and of how many instances the results of one are corrupted.
const (
	mutationsEach = 40
	numbersEach   = 5
	everyBase     = 7
)

// Whether everything is compared for determinism, how many solves one process makes, and how many models it gives to
// lp_solve.
const (
	determinismAll = false
	leakSolves     = 150
	leakModels     = 500
)

// On how many instances the rules of a problem are broken, in schedules of how many algorithms each; how often each
// rule is broken, and how many changes are made at random.
const (
	ruleInstances  = 8
	ruleAlgorithms = 2
	ruleEach       = 2
	ruleRandom     = 15
)
