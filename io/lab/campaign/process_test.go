package campaign

import (
	"os"
	"os/exec"
	"testing"

	"mrsched/model/tier"
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
