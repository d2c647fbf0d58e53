//go:build !campaign

package campaign

// As in size_campaign_test.go, with just enough cases to keep the code working.
const (
	mutationsEach = 30
	numbersEach   = 5
	everyBase     = 7
)

const (
	determinismAll = false
	leakSolves     = 150
	leakModels     = 500
)

const (
	ruleInstances  = 8
	ruleAlgorithms = 2
	ruleEach       = 2
	ruleRandom     = 15
)

const (
	faultsAll    = false
	killsEach    = 0 // but of solve 5
	sweepKills   = 1
	fullSizes    = 2
	signalsEach  = 1
	faultSeconds = 0
	memorySizes  = 1
	largeFaults  = 0.1
)
