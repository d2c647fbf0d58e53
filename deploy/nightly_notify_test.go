package deploy

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestNightlyWarnings: the report repeats what lint warns of in each instance, and warnings alone are no problem.
func TestNightlyWarnings(t *testing.T) {
	n := newNight(t, "")
	code, out := n.run("LINTED=" + n.path("instances/a.json"))
	out = strings.ReplaceAll(out, " \n", " ") // lines are folded
	want := "warnings of mrsched lint, see warnings.txt:\nS420 " + n.path("instances/a.json") +
		":2:1: the processing_time 197000 of task \"m\" is 961 times the median\n"
	if code != 0 || !strings.Contains(out, want) || strings.Contains(out, "F104") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out := n.run(); code != 0 || strings.Contains(out, "warnings") {
		t.Errorf("without warnings: exit %d\n%s", code, out)
	}
}

// TestNightlyLate: jobs that end after their deadlines are in the first line and in a list, the latest first.
func TestNightlyLate(t *testing.T) {
	n := newNight(t, "")
	code, out := n.run(`LATE=job,class,tardiness,late\nbilling,,63.5,1\n"a, ""b""",x,7200,1\nreporting,,0,0\n`)
	if code != 0 || !strings.Contains(out, "; 2 late; 1 worse\n") || !strings.Contains(out, "jobs that end after their "+
		"deadlines, see late.txt:\na: job \"a, \"\"b\"\"\" is 2:00:00 late\na: job billing is 0:01:04 late\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out := n.run(`LATE=job,deadline\na,5\n`); code != 0 || strings.Contains(out, "late") {
		t.Errorf("a table without tardiness: exit %d\n%s", code, out)
	}
	n = newNight(t, "FAIL_ON_LATE=yes")
	if code, out := n.run(`LATE=job,late_by\na,5\n`); code != 8 || !strings.HasPrefix(out, "jobs are late: ") {
		t.Errorf("FAIL_ON_LATE with a late job: exit %d\n%s", code, out)
	}
	if code, out := n.run(`LATE=job,late_by\na,0\n`); code != 0 {
		t.Errorf("FAIL_ON_LATE without one: exit %d\n%s", code, out)
	}
}

// TestNightlyNotify runs the hook where it should, with the report.
func TestNightlyNotify(t *testing.T) {
	for _, c := range []struct {
		when, env string
		want      bool
	}{
		{"problem", "SOLVE=0", false}, {"problem", "DIFF=1", false}, {"problem", "SOLVE=3", true},
		{"problem", "LATE=job,tardiness\\na,1\\n", false}, {"late", "LATE=job,tardiness\\na,1\\n", true},
		{"late", "LATE=job,tardiness\\na,0\\n", false}, {"late", "SOLVE=3", true},
		{"change", "SOLVE=0", false}, {"change", "DIFF=1", true}, {"change", "CHECK=4", true},
		{"always", "SOLVE=0", true},
	} {
		n := newNight(t, "")
		n.run()
		conf, err := os.ReadFile(n.path("conf"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, n.path("conf"),
			fmt.Sprintf("%sNOTIFY='(echo \"$NIGHTLY_CODE $NIGHTLY_SUBJECT\"; cat) >%s'\nNOTIFY_WHEN=%s\n", conf, n.path("mail"),
				c.when), 0o600)
		code, out := n.run(c.env)
		mail, err := os.ReadFile(n.path("mail"))
		if got := err == nil; got != c.want {
			t.Errorf("%s, %s: notified: %v\n%s", c.when, c.env, got, out)
		}
		if c.want && (!strings.HasPrefix(string(mail), fmt.Sprintf("%d mrsched ", code)) ||
			!strings.Contains(string(mail), "2 instances")) {
			t.Errorf("%s, %s: the mail is\n%s", c.when, c.env, mail)
		}
	}
	n := newNight(t, "NOTIFY=false\nNOTIFY_WHEN=always")
	if code, out := n.run(); code != 1 || !strings.Contains(out, "NOTIFY failed") {
		t.Errorf("the hook failed: exit %d\n%s", code, out)
	}
}
