//go:build nightly

package campaign

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/tier"
)

// toolChecks is how many random cases a property gets under a tool that makes everything up to ten times slower, and
// toolSeed the seed of all of them. The cases of a property differ in data, not in concurrency or allocation. Some
// tests count what their cases show; so few of another seed might show nothing. make test draws others every time.
// Tests that would take many minutes under a tool skip themselves: they repeat one run with other settings, call
// mrsched by the hundred, or read a file of 100 MB (tier.Repeats).
const toolChecks, toolSeed = 10, "1"

// root is the module's directory.
const root = "../../.."

// TestRace runs the tests of all packages under the race detector. The environment variable
// RACE_PACKAGES selects some of them.
func TestRace(t *testing.T) {
	onlyAsCampaign(t)
	pattern := cmp.Or(os.Getenv("RACE_PACKAGES"), "./...")
	dir := t.TempDir()
	packages := packagesOf(t, strings.Fields(pattern), func(string) bool { return true })
	// By default the detector waits a second at every exit of a program, and tests of io/cli start thousands.
	all := underTool(t, "-race", packages, "GORACE=atexit_sleep_ms=100 log_path="+filepath.Join(dir, "race"))
	found, reports, err := races(dir)
	if err != nil || found > 0 {
		t.Errorf("%d races, %v\n%s", found, err, reports)
	}
	row := Row{Name: "race", Command: "make race", Tried: all.passed + all.failed, Found: found,
		Text: fmt.Sprintf("tests, those inside others too, of %s under the race detector: %s",
			model.Counted(len(packages), "package"), all)}
	if pattern != "./..." {
		row.Name = row.Name + " " + pattern
	}
	Record(t, row)
}

// TestLeaksSanitizer runs the tests of all packages that use lp_solve, except the commands', under the address
// sanitizer. It ends the process with an error if C code touches foreign memory or leaks.
func TestLeaksSanitizer(t *testing.T) {
	onlyAsCampaign(t)
	packages := packagesOf(t, []string{"./solver/..."}, func(deps string) bool {
		return strings.Contains(deps,
			"mrsched/solver/lp/lpsolve ")
	})
	if len(packages) < 3 {
		t.Fatalf("only %q use lp_solve", packages)
	}
	all := underTool(t, "-asan", packages)
	Record(t, Row{Name: "leaks sanitizer", Command: "make leaks", Tried: all.passed + all.failed, Found: all.failed,
		Text: fmt.Sprintf("tests, those inside others too, of the %d packages that solve with lp_solve, with all of C's "+
			"memory under the address sanitizer: %s", len(packages), all)})
}

// onlyAsCampaign skips a test that runs all others again, unless make asks for its evidence.
func onlyAsCampaign(t *testing.T) {
	t.Helper()
	if directory == "" {
		t.Skip("make reliability runs all tests under this tool")
	}
}

// packagesOf lists the packages of a pattern that satisfy wanted: path and dependencies, each followed by a blank, and
// what the tests import.
func packagesOf(t *testing.T, pattern []string, wanted func(deps string) bool) (list []string) {
	t.Helper()
	format := `{{.ImportPath}} {{join .Deps " "}} {{join .TestImports ","}},{{join .XTestImports ","}}`
	c := exec.Command("go", append([]string{"list", "-f", format}, pattern...)...)
	c.Dir = root
	text, err := c.Output()
	noError(t, err)
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(line string) bool {
		return !wanted(line)
	})
}

// underTool runs the tests of packages, two at a time, with a flag of go test; failures are errors of t.
func underTool(t *testing.T, flag string, packages []string, env ...string) *outcomes {
	t.Helper()
	all, list := &outcomes{}, []func(){}
	longest := func(line string) bool { return strings.HasPrefix(line, "mrsched/io/cli ") }
	if k := slices.IndexFunc(packages, longest); k > 0 {
		packages[0], packages[k] = packages[k], packages[0]
	}
	for _, line := range packages {
		name, _, _ := strings.Cut(line, " ")
		args := []string{"test", flag, "-json", "-count=1", "-timeout", "6h", name}
		if strings.Contains(line, "pgregory.net/rapid") { // which knows these flags
			args = append(args, fmt.Sprint("-rapid.checks=", toolChecks), "-rapid.seed="+toolSeed)
		}
		list = append(list, func() {
			c := exec.Command("go", args...)
			var stdout, stderr bytes.Buffer
			c.Dir, c.Stdout, c.Stderr = root, &stdout, &stderr
			c.Env = append(append(os.Environ(), tier.Tool+"=yes"), env...)
			begin := time.Now()
			err := c.Run()
			all.Lock()
			defer all.Unlock()
			n := all.passed
			if bad := all.count(stdout.Bytes()); bad != nil {
				t.Errorf("%s: %v", name, bad)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, stderr.String())
			}
			t.Logf("%s: %d tests passed in %s", name, all.passed-n, time.Since(begin).Round(time.Second))
		})
	}
	side(list)
	for _, why := range all.why {
		t.Log(why)
	}
	return all
}

// String says what happened, and how far random cases were reduced.
func (o *outcomes) String() string {
	return fmt.Sprintf(
		"%d passed, %d failed, %d skipped for what this machine lacks or for their length; properties with %d random "+
			"cases each", o.passed, o.failed, o.skipped, toolChecks)
}
