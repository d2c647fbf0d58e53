package campaign

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		path, target, _ := strings.Cut(strings.TrimSpace(string(line)), ":func ")
		list = append(list, "fuzz "+strings.TrimPrefix(path[:strings.LastIndex(path, "/")], "./")+" "+target)
	}
	return list
}

func TestGapsAreTold(t *testing.T) {
	rules := "schedules: 100 changed to break one rule (100 K601 a row missing; 49 K602 a row twice), 3 of them no other"
	list := few([]Row{{"mutations rules hta", "make mutations", 149, 0, rules}, {"faults kills", "make faults", 399, 0, ""}})
	if len(list) != 2 || !strings.Contains(list[0], "K602") || !strings.Contains(list[1], "399") {
		t.Errorf("%q", list)
	}
	list = gaps(all, targets(t))
	for _, name := range []string{"numbers cluster", "mutations rules msjo", "fuzz io/trace/spark FuzzImport",
		"leaks sanitizer", "mutations rules hta: nothing breaks K601 a row missing"} {
		if !slices.ContainsFunc(list, func(gap string) bool { return strings.Contains(gap, name) }) {
			t.Errorf("nothing about %s: %q", name, list)
		}
	}
}
