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
)

// raceChecks is how many random cases a property gets under the race detector, which makes everything some ten times slower: cases
// of a property differ in their data, not in what runs side by side.
const raceChecks = "20"

// TestRace runs the tests of all packages, one package after another, under the race detector. The environment variable
// RACE_PACKAGES names others, for a piece at a time.
func TestRace(t *testing.T) {
	pattern := cmp.Or(os.Getenv("RACE_PACKAGES"), "./...")
	list := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}} {{.TestImports}} {{.XTestImports}}"}, strings.Fields(pattern)...)...)
	list.Dir = filepath.Join("..", "..")
	text, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dir := t.TempDir()
	var all outcomes
	packages := 0
	for line := range strings.Lines(string(text)) {
		name, imports, _ := strings.Cut(line, " ")
		args := []string{"test", "-race", "-json", "-count=1", "-timeout", "60m", name}
		if strings.Contains(imports, "pgregory.net/rapid") {
			args = append(args, "-rapid.checks="+raceChecks)
		}
		c := exec.Command("go", args...)
		var stdout, stderr bytes.Buffer
		c.Dir, c.Stdout, c.Stderr = list.Dir, &stdout, &stderr
		c.Env = append(os.Environ(), "GORACE=log_path="+filepath.Join(dir, "race"))
		begin := time.Now()
		err := c.Run()
		packages++
		n := all.passed
		if bad := all.count(stdout.Bytes()); bad != nil {
			t.Errorf("%s: %v", name, bad)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, lastLines(stdout.String()+stderr.String()))
		}
		t.Logf("%s: %d tests passed in %s", name, all.passed-n, time.Since(begin).Round(time.Second))
	}
	found, reports, err := races(dir)
	if err != nil || found > 0 {
		t.Errorf("%d races, %v\n%s", found, err, reports)
	}
	row := Row{Name: "race", Command: "make race", Tried: all.passed + all.failed, Found: found,
		Text: fmt.Sprintf("tests, those inside others too, of %d packages under the race detector, properties with %s random cases each: %d passed, %d failed, %d skipped for what this machine lacks", packages, raceChecks, all.passed, all.failed, all.skipped)}
	if pattern != "./..." {
		row.Name, row.Command = row.Name+" "+pattern, "make race RACE_PACKAGES="+pattern
	}
	for _, why := range all.why {
		t.Log(why)
	}
	Record(t, row)
}

// lastLines is the end of a text that may be very long.
func lastLines(text string) string { return text[max(0, len(text)-4000):] }
