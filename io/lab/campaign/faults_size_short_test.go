//go:build !campaign

package campaign

// How much TestFaults does: something of everything.
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
