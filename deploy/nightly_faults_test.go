package deploy

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNightlyDeathTakesAll: if the process that solves all instances dies, each other instance is solved separately.
// Their codes count, too.
func TestNightlyDeathTakesAll(t *testing.T) {
	n := newNight(t, "")
	code, out := n.run("KILLED=yes", "ALONE=5")
	says := strings.Contains(out, "mrsched solve died: ") && strings.Contains(out,
		"fatal error: out of memory\nF104 b.json:1:1: the end\n")
	if code != 137 || !says || strings.Contains(out, "main.main") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if table := n.table(n.kept()[0]); table != "result,check,change\na,ok,new\nb,ok,new\n" {
		t.Errorf("nightly.csv:\n%s", table)
	}
}

// TestNightlyStops sends a signal to a night. One that comes before or during the check leaves results in the table
// unchecked, and a process that does not end, because it waits for a file, is killed after some time.
func TestNightlyStops(t *testing.T) {
	for _, c := range []struct{ settings, env, says, row string }{
		{"", "SLOW=", "results: 1, of which 0 fail the check", "a,unchecked,\nb,none,\n"},
		{"", "SLOW_CHECK=", "", "a,unchecked,\n"},
		{"grace=1\n", "DEAF=yes SLOW=", "", ""},
	} {
		n := newNight(t, c.settings)
		cmd, out := n.command(strings.Fields(c.env + n.path("solving"))...)
		begin := time.Now()
		n.stop(cmd)
		if cmd.ProcessState.ExitCode() != 130 || time.Since(begin) > 30*time.Second || len(n.kept()) != 1 ||
			!strings.Contains(out.String(), c.says) || !strings.Contains(n.table(n.kept()[0]), c.row) {
			t.Errorf("%s: stopped: %v\n%s", c.env, cmd.ProcessState, out)
		}
	}
}

// stop starts a night, sends it SIGTERM when the stub reports that it works, and waits for its end.
func (n night) stop(cmd *exec.Cmd) {
	n.t.Helper()
	n.begin(cmd)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		n.t.Fatal(err)
	}
	_ = cmd.Wait() // its code is checked
}

// begin starts a night, and waits until the stub works.
func (n night) begin(cmd *exec.Cmd) {
	n.t.Helper()
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	until(n.t, "solve has not begun", func() bool { text, _ := os.ReadFile(n.path("solving")); return len(text) > 0 })
}

// TestNightlyUnwritten: a table that cannot be written is reported, and the night fails.
func TestNightlyUnwritten(t *testing.T) {
	n := newNight(t, "")
	if code, out := n.run("UNWRITABLE=yes"); code != 1 || strings.Count(out, "is the disk full?") != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
}
