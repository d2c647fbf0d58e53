//go:build nightly

package campaign

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/model/tier"
)

// TestRace runs the tests of all packages under the race detector. The environment variable RACE_PACKAGES selects some
// of them.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	// By default the detector waits a second at every exit of a program, and tests of io/cli start thousands.
	passed := underTool(t, "-race", strings.Fields(cmp.Or(os.Getenv("RACE_PACKAGES"), "./...")),
		"GORACE=atexit_sleep_ms=100 log_path="+filepath.Join(dir, "race"))
	paths, err := filepath.Glob(filepath.Join(dir, "race.*"))
	noError(t, err)
	for _, path := range paths { // programs that tests start may hide what they print
		report, err := os.ReadFile(path)
		noError(t, err)
		t.Errorf("%s", report)
	}
	Record(t, Row{"race", passed, len(paths)})
}

// TestLeaksSanitizer runs the tests of the solvers, except the commands', under the address sanitizer. It ends the
// process with an error if C code touches foreign memory or leaks.
func TestLeaksSanitizer(t *testing.T) {
	Record(t, Row{"leaks sanitizer", underTool(t, "-asan", []string{"./solver/..."}), 0})
}

// underTool runs the tests of packages, two at a time, with a flag of go test, and returns how many packages passed.
// Properties draw few cases, of one seed: these differ in data, not in concurrency or allocation. Tests that would take
// many minutes under a tool skip themselves: they repeat one run with other settings, call mrsched by the hundred, or
// read a file of 100 MB (tier.Repeats).
func underTool(t *testing.T, flag string, packages []string, env ...string) (passed int) {
	t.Helper()
	if directory == "" {
		t.Skip("make reliability runs all tests under this tool")
	}
	c := exec.Command("go", append([]string{"test", flag, "-count=1", "-timeout", "6h", "-p", "2"}, packages...)...)
	c.Dir, c.Env = "../../..", append(append(os.Environ(), tier.Tool+"=yes", "RAPID_CHECKS=10", "RAPID_SEED=1"), env...)
	text, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	return strings.Count("\n"+string(text), "\nok ")
}
