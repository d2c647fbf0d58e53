package campaign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"mrsched/model/tier"
)

// Directory is the environment variable that names the directory of the evidence.
const Directory = "MRSCHED_CAMPAIGN_DIR"

// directory is the value of the variable Directory. The program under attack refuses unknown variables MRSCHED_…, so
// this one leaves the environment before any test runs.
var directory = func() string {
	dir := os.Getenv(Directory)
	if err := os.Unsetenv(Directory); err != nil {
		panic(err) // the name is a constant that every system accepts
	}
	return dir
}()

// Row is the evidence of a part of a campaign.
type Row struct {
	Name  string `json:"name"`  // begins with the make target, as in "mutations msjo"; each name is one file
	Tried int    `json:"tried"` // cases
	Found int    `json:"found"` // defects among them
}

// Record writes a row as NAME.json, with dashes for all but letters and digits, into the directory that the environment
// variable Directory names, which must exist.
func Record(t testing.TB, r Row) {
	t.Helper()
	t.Logf("%s: %d tried, %d found", r.Name, r.Tried, r.Found)
	if directory == "" {
		return
	}
	text, err := json.Marshal(r)
	noError(t, err)
	name := regexp.MustCompile("[^a-zA-Z0-9]").ReplaceAllString(r.Name, "-")
	noError(t, os.WriteFile(filepath.Join(directory, name+".json"), append(text, '\n'), 0o600))
}

// totals are the lines of the table of evidence. Each is the sum of the rows whose names it matches and no earlier one.
var totals = []struct{ what, name, defects string }{
	{"inputs that fuzzing gave to readers and checkers", "fuzz", "panics, hangs, wrong answers"},
	{"processes killed with kill -9", "faults kill", "results lost or half written"},
	{"other faults: disks, paths, signals, limits, streams, lp_solve", "faults",
		"results lost, half written or silently wrong, wrong exit codes"},
	{"runs on instances with extreme numbers", "numbers", "bounds that are not true, crashes"},
	{"schedules changed to break a rule, or at random", "mutations rules", "on which check and a second opinion disagree"},
	{"corrupted results given to check", "mutations", "neither detected nor harmless"},
	{"packages tested under the race detector", "race", "races"},
	{"solves, and packages tested under the address sanitizer", "leaks", "leaks"},
	{"runs compared byte for byte", "determinism", "differences"},
}

// evidence is the table of the rows in the directory, as Markdown.
func evidence(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "*.json"))
	noError(t, err)
	left := leastTried(t)
	sums := make([]Row, len(totals))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		noError(t, err)
		var r Row
		noError(t, json.Unmarshal(text, &r))
		if r.Tried < left[r.Name] {
			t.Errorf("%s: %d cases; expected at least %d", r.Name, r.Tried, left[r.Name])
		}
		delete(left, r.Name)
		for i, x := range totals {
			if strings.HasPrefix(r.Name, x.name) {
				sums[i] = Row{x.name, sums[i].Tried + r.Tried, sums[i].Found + r.Found}
				break
			}
		}
	}
	for name := range left {
		t.Errorf("no evidence of %s", name)
	}
	var b strings.Builder
	b.WriteString("| what was tried | how often | defects left | command |\n|---|--:|---|---|\n")
	for i, x := range totals {
		command, _, _ := strings.Cut(x.name, " ")
		fmt.Fprintf(&b, "| %s | %d | %d %s | `make %s` |\n", x.what, sums[i].Tried, sums[i].Found, x.defects, command)
	}
	return b.String()
}

// leastTried are the rows that the evidence must have, and the least number of cases of each: fewer with a
// CAMPAIGN_SCALE below 1, which the page states.
func leastTried(t *testing.T) map[string]int {
	t.Helper()
	want := map[string]int{"numbers spark": 1, "race": 1, "leaks": 1, "leaks sanitizer": 1, "determinism": 1,
		"faults kills": min(400, tier.Draws(1, 400))}
	for _, p := range problems() {
		want["numbers "+p], want["mutations "+p] = 1, 1
		want["mutations rules "+p] = min(50, tier.Draws(1, 50)) * len(rulesOf(t, p))
	}
	find := exec.Command("grep", "-ro", "--include=*_test.go", "^func Fuzz[A-Za-z0-9_]*", ".")
	find.Dir = "../../.."
	text, err := find.Output()
	noError(t, err)
	for line := range bytes.Lines(text) {
		path, target, _ := strings.Cut(strings.TrimSpace(string(line)), ":func ")
		want["fuzz "+strings.TrimPrefix(filepath.Dir(path), "./")+" "+target] = 1
	}
	return want
}

// TestReliabilityDocument demands that the table of evidence has the right lines, whose commands are make targets, and
// that no defect is left. With a directory of evidence, as from make evidence, it writes the table first.
func TestReliabilityDocument(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		noError(t, err)
		return string(text)
	}
	const name, begin, end = "../../../docs/reliability.md", "<!-- begin: evidence -->\n", "<!-- end: evidence -->"
	before, text, ok := strings.Cut(read(name), begin)
	text, after, closed := strings.Cut(text, end)
	if !ok || !closed {
		t.Fatalf("%s has no %s%s", name, begin, end)
	}
	if directory != "" {
		text = fmt.Sprintf("On %s, %s on %s/%s with %d processors, revision %s, `CAMPAIGN_SCALE=%s`.\n\n%s",
			time.Now().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
			os.Getenv("CAMPAIGN_REVISION"), cmp.Or(os.Getenv("CAMPAIGN_SCALE"), "1"), evidence(t))
		noError(t, os.WriteFile(name, []byte(before+begin+text+end+after), 0o644))
	}
	targets := read("../../../Makefile")
	for _, x := range totals {
		command, _, _ := strings.Cut(x.name, " ")
		line := fmt.Sprintf(`(?m)^\| %s \| [1-9]\d* \| 0 %s \| .make %s. \|$`, x.what, x.defects, command)
		if !regexp.MustCompile(line).MatchString(text) || !strings.Contains(targets, "\n"+command+": ") {
			t.Errorf("no evidence of %s, or a defect is left, or no target %s", x.what, command)
		}
	}
}
