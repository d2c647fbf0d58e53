package campaign

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
)

// begun is the environment variable with the time at which make reliability began, in seconds since 1970, and the
// revision that it ran on.
const begun = "CAMPAIGN_BEGIN"

// manner says how the campaigns ran: in one piece on a revision, as make reliability says, or each by itself.
func manner(t *testing.T) string {
	t.Helper()
	text := os.Getenv(begun)
	if text == "" {
		return "The campaigns ran one by one."
	}
	seconds, revision, _ := strings.Cut(text, " ")
	begin, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q, expected seconds and a revision", begun, text)
	}
	return fmt.Sprintf("`make reliability CAMPAIGN_SCALE=%s` ran in one piece on revision %s, in %d minutes.",
		cmp.Or(os.Getenv("CAMPAIGN_SCALE"), "1"), cmp.Or(revision, "unknown (no git)"),
		int(time.Since(time.Unix(begin, 0)).Minutes()+0.5))
}

// TestReliabilityDocument compares the sums of the table of evidence with its rows, and demands that its commands are
// make targets and that no defect is left. With a directory of evidence, as from make evidence, it writes the table
// instead.
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
		rows, err := ReadRows(directory)
		noError(t, err)
		table, err := Table(rows)
		noError(t, err)
		for _, gap := range gaps(rows, targets(t)) {
			t.Error(gap)
		}
		text = fmt.Sprintf("On %s, %s on %s/%s with %d processors. %s\n\n%s", time.Now().Format(time.DateOnly),
			runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), manner(t), table)
		noError(t, os.WriteFile(name, []byte(before+begin+text+end+after), 0o644))
		return
	}
	head, table, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasPrefix(head, "On ") {
		t.Fatalf("the evidence begins with %q", head)
	}
	rows, err := ParseTable(table)
	noError(t, err)
	again, err := Table(rows)
	if more := diff.Diff(strings.Split(table, "\n"), strings.Split(again, "\n")); err != nil || more != "" {
		t.Errorf("this is not the table of its rows: %v\n%s", err, more)
	}
	for _, gap := range few(rows) {
		t.Error(gap)
	}
	make := read("../../../Makefile")
	for _, r := range rows {
		target := strings.TrimPrefix(r.Command, "make ")
		if !strings.Contains(make, "\n"+target+": ") {
			t.Errorf("%s: %q is no target", r.Name, r.Command)
		}
		if r.Tried <= 0 || r.Found != 0 {
			t.Errorf("%s: %d tried, %d defects", r.Name, r.Tried, r.Found)
		}
	}
}

// The evidence is of at least so many kills, and so many schedules that break each rule.
const (
	leastKills = 400
	leastRules = 50
)

// ruleCount matches how often a rule was broken, in a row of rules.
var ruleCount = regexp.MustCompile(`[(;] ?(\d+) (K\d{3} [^;)]*)`)

// few names what was tried too seldom.
func few(rows []Row) (list []string) {
	kills := 0
	for _, r := range rows {
		if r.Command == "make faults" && strings.Contains(r.Name, "kill") {
			kills += r.Tried
		}
		if !strings.HasPrefix(r.Name, "mutations rules") {
			continue
		}
		for _, m := range ruleCount.FindAllStringSubmatch(r.Text, -1) {
			if n, err := strconv.Atoi(m[1]); err != nil || n < leastRules {
				list = append(list, fmt.Sprintf("%s: %s was broken %s times; expected at least %d", r.Name, m[2], m[1],
					leastRules))
			}
		}
	}
	if kills < leastKills {
		list = append(list, fmt.Sprintf("%d processes were killed; expected at least %d", kills, leastKills))
	}
	return list
}

// gaps names the campaigns, problems, rules and fuzz targets that the rows say too little of.
func gaps(rows []Row, targets []string) []string {
	list := few(rows)
	want := targets
	for _, p := range problems() {
		want = append(want, "numbers "+p, "mutations "+p, "mutations rules "+p)
	}
	want = append(want, "numbers import spark", "race", "leaks", "leaks lp_solve", "leaks sanitizer", "determinism")
	for _, name := range want {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Name == name }) {
			list = append(list, "no evidence of "+name)
		}
	}
	for _, p := range allRules() {
		k := slices.IndexFunc(rows, func(r Row) bool { return r.Name == "mutations rules "+p.problem })
		for _, x := range p.rules {
			if name := fmt.Sprintf(" %s %s", x.code, x.name); k >= 0 && !strings.Contains(rows[k].Text, name) {
				list = append(list, rows[k].Name+": nothing breaks"+name)
			}
		}
	}
	return list
}

// targets are the names of the rows of all fuzz targets.
func targets(t *testing.T) (list []string) {
	t.Helper()
	find := exec.Command("grep", "-ro", "--include=*_test.go", "^func Fuzz[A-Za-z0-9_]*", ".")
	find.Dir = "../../.."
	text, err := find.Output()
	noError(t, err)
	for line := range bytes.Lines(text) {
		path, target, _ := strings.Cut(strings.TrimSpace(string(line)), ":func ")
		list = append(list, "fuzz "+strings.TrimPrefix(path[:strings.LastIndex(path, "/")], "./")+" "+target)
	}
	return list
}
