//go:build campaign

package campaign

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mrsched/model"
)

// toolChecks is how many random cases a property gets under a tool that makes everything up to ten times slower. The
// cases of a property differ in their data, not in concurrency or allocation.
const toolChecks = "20"

// TestRace runs the tests of all packages one after another under the race detector. The environment variable
// RACE_PACKAGES selects some of them.
func TestRace(t *testing.T) {
	pattern := cmp.Or(os.Getenv("RACE_PACKAGES"), "./...")
	dir := t.TempDir()
	packages := packagesOf(t, strings.Fields(pattern), func(string) bool { return true })
	all := underTool(t, "-race", packages, "GORACE=log_path="+filepath.Join(dir, "race"))
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

// packagesOf lists the packages of a pattern whose path and dependencies, each followed by a blank, satisfy wanted.
func packagesOf(t *testing.T, pattern []string, wanted func(deps string) bool) (names []string) {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-f", `{{.ImportPath}} {{join .Deps " "}} `}, pattern...)...)
	list.Dir = filepath.Join("..", "..")
	text, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		if wanted(line) {
			names = append(names, name)
		}
	}
	return names
}

// underTool runs the tests of packages one after another with a flag of go test; failures are errors of t.
func underTool(t *testing.T, flag string, packages []string, env ...string) *outcomes {
	t.Helper()
	all := &outcomes{}
	for _, name := range packages {
		args := []string{"test", flag, "-json", "-count=1", "-timeout", "60m", name}
		if usesRapid(t, name) {
			args = append(args, "-rapid.checks="+toolChecks)
		}
		c := exec.Command("go", args...)
		var stdout, stderr bytes.Buffer
		c.Dir, c.Stdout, c.Stderr = filepath.Join("..", ".."), &stdout, &stderr
		c.Env = append(os.Environ(), env...)
		begin := time.Now()
		err := c.Run()
		n := all.passed
		if bad := all.count(stdout.Bytes()); bad != nil {
			t.Errorf("%s: %v", name, bad)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, stderr.String())
		}
		t.Logf("%s: %d tests passed in %s", name, all.passed-n, time.Since(begin).Round(time.Second))
	}
	for _, why := range all.why {
		t.Log(why)
	}
	return all
}

// usesRapid says whether a package's tests import rapid and so know its flags.
func usesRapid(t *testing.T, name string) bool {
	t.Helper()
	list := exec.Command("go", "list", "-f", "{{.TestImports}} {{.XTestImports}}", name)
	list.Dir = filepath.Join("..", "..")
	text, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Contains(string(text), "pgregory.net/rapid")
}

// String says what happened, and how far random cases were reduced.
func (o *outcomes) String() string {
	return fmt.Sprintf(
		"%d passed, %d failed, %d skipped for what this machine lacks; properties with %s random cases each", o.passed,
		o.failed, o.skipped, toolChecks)
}
