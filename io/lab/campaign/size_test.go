package campaign

import "mrsched/model/tier"

// How many cases a problem gets.
var (
	mutationsEach = tier.Draws(30, 1500)
	numbersEach   = tier.Draws(5, 200)
)

// How many solves one process makes, and how many models lp_solve gets.
var (
	leakSolves = tier.Draws(150, 10_000)
	leakModels = tier.Draws(500, 100_000)
)

// Of how many instances the results are corrupted, and the rules broken; how often each rule is broken, and how many
// changes are judged whatever they break.
var (
	mutationInstances = atNight(2, 12)
	ruleInstances     = atNight(8, 40)
	ruleEach          = tier.Draws(2, 100)
	ruleRandom        = tier.Draws(40, 2000)
)

// How much TestFaults does.
var (
	killsEach    = atNight(0, tier.Draws(0, 32)) // landed kills of every command; by day only of solve, 5
	sweepKills   = tier.Draws(1, 60)             // of sweeps
	fullSizes    = tier.Draws(2, 14)             // sizes of a disk, for every command
	signalsEach  = tier.Draws(1, 5)              // moments of an interruption, for every command
	faultSeconds = atNight(0, 10)                // the longest time limit
	memorySizes  = tier.Draws(1, 10)             // limits of memory, for every command
	largeFaults  = atNight(0.1, 1)               // size of the large instances
)

func atNight[T any](day, night T) T {
	if tier.Nightly {
		return night
	}
	return day
}
