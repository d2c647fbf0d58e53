//go:build campaign

package campaign

// How much TestFaults does.
const (
	faultsAll    = true
	killsEach    = 32  // landed kills of every command
	sweepKills   = 60  // of sweeps
	fullSizes    = 14  // sizes of a disk, for every command
	signalsEach  = 5   // moments of an interruption, for every command
	faultSeconds = 10  // the longest time limit
	memorySizes  = 10  // limits of memory, for every command
	largeFaults  = 1.0 // size of the large instances
)
