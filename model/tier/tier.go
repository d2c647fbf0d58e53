package tier

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Draws is the number of random cases of a test: commit, or night with -tags nightly, where the environment variable
// CAMPAIGN_SCALE multiplies it, but never fewer than commit.
func Draws(commit, night int) int {
	if Nightly {
		return max(commit, int(float64(night)*scale))
	}
	return commit
}

// Slow skips a test with -short: it takes longer than a moment.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes longer than a moment")
	}
}

// Tool is the environment variable that says that tests run under a tool, such as the race detector, that makes
// everything up to ten times slower.
const Tool = "UNDER_TOOL"

// Repeats skips a test with -short and under a tool: it runs code that others run too, by the hundred.
func Repeats(t testing.TB) {
	t.Helper()
	Slow(t)
	if os.Getenv(Tool) != "" {
		t.Skip("runs what others run too, by the hundred")
	}
}

// Rapid makes properties of a test package draw so many cases instead of 100, but not under a tool, where RAPID_CHECKS
// says how many. An init function calls it.
func Rapid(commit int) {
	if f := flag.Lookup("rapid.checks"); !Nightly && f != nil && os.Getenv(Tool) == "" {
		_ = f.Value.Set(strconv.Itoa(commit))
	}
}
