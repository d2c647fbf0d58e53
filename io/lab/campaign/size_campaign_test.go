//go:build campaign

package campaign

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
)

// scale multiplies the number of random cases. It is the environment variable CAMPAIGN_SCALE, which make sets: 1 takes
// two to three hours on two processors. Below 1 the campaigns try less than their evidence demands; that is for
// trying them.
var scale = func() float64 {
	x, err := strconv.ParseFloat(cmp.Or(os.Getenv("CAMPAIGN_SCALE"), "1"), 64)
	if err != nil || x <= 0 {
		panic(fmt.Sprintf("CAMPAIGN_SCALE is %q; expected a number above 0, such as 0.1 or 8", os.Getenv("CAMPAIGN_SCALE")))
	}
	return x
}()

// scaled is a number of cases at this scale, at least one.
func scaled(n int) int { return max(1, int(float64(n)*scale)) }

// How many cases a problem gets, and how many instances have their results corrupted.
var (
	mutationsEach = scaled(1500)
	numbersEach   = scaled(200)
	everyBase     = 1
)

// Whether determinism compares everything, how many solves one process makes, and how many models lp_solve gets.
var (
	determinismAll = true
	leakSolves     = scaled(10_000)
	leakModels     = scaled(100_000)
)

// On how many instances, and with how many algorithms each, the rules of a problem are broken; how often each rule is
// broken, and how many random changes are made.
var (
	ruleInstances  = 40
	ruleAlgorithms = 3
	ruleEach       = scaled(100)
	ruleRandom     = scaled(2000)
)

// How much TestFaults does.
var (
	faultsAll    = true
	killsEach    = scaled(32) // landed kills of every command
	sweepKills   = scaled(60) // of sweeps
	fullSizes    = scaled(14) // sizes of a disk, for every command
	signalsEach  = scaled(5)  // moments of an interruption, for every command
	faultSeconds = 10         // the longest time limit
	memorySizes  = scaled(10) // limits of memory, for every command
	largeFaults  = 1.0        // size of the large instances
)
