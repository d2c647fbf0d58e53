//go:build campaign

package campaign

// How many cases a problem gets, and how many instances have their results corrupted.
const (
	mutationsEach = 2500
	numbersEach   = 400
	everyBase     = 1
)

// Whether determinism compares everything, how many solves one process makes, and how many models lp_solve gets.
const (
	determinismAll = true
	leakSolves     = 10_000
	leakModels     = 100_000
)

// On how many instances, and with how many algorithms each, the rules of a problem are broken; how often each rule is
// broken, and how many random changes are made.
const (
	ruleInstances  = 40
	ruleAlgorithms = 3
	ruleEach       = 100
	ruleRandom     = 2000
)
