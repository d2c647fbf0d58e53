package campaign

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"mrsched/io/engine"
	"mrsched/model/tier"
	"mrsched/solver"
)

// alone is the environment variable of a process that runs one part of a campaign.
const alone = "CAMPAIGN_ALONE"

// inProcesses runs the parts of a campaign as subtests, each in a process of its own and as many at a time as there are
// processors: --threads counts for a whole process. The small version runs them in this process.
func inProcesses(t *testing.T, names []string, part func(t *testing.T, name string)) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if !tier.Nightly || os.Getenv(alone) != "" {
				part(t, name)
				return
			}
			t.Parallel()
			c := exec.Command(os.Args[0], "-test.v", "-test.timeout=0", "-test.run=^"+t.Name()[:len(t.Name())-len(name)-1]+"$/^"+
				name+"$")
			c.Env = append(os.Environ(), alone+"=yes")
			if directory != "" {
				c.Env = append(c.Env, Directory+"="+directory)
			}
			text, err := c.CombinedOutput()
			t.Logf("%s", text)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// problems are the names of all problems.
func problems() (names []string) {
	for _, p := range entries() {
		names = append(names, p.Name)
	}
	return names
}

// entries are all problems.
func entries() (list []*solver.Problem) {
	for _, p := range engine.Problems() {
		list = append(list, p.Problem)
	}
	return list
}

// TestMain runs nothing with -short: every campaign takes longer than a moment.
func TestMain(m *testing.M) {
	flag.Parse()
	if !testing.Short() {
		os.Exit(m.Run())
	}
}

// How many cases a problem gets.
var (
	mutationsEach = tier.Draws(30, 1500)
	numbersEach   = tier.Draws(7, 260)
)

// leakSolves is how many solves one process makes.
var leakSolves = tier.Draws(150, 10_000)

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
