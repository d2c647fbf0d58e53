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

// TestNightlyStopForgetsResults: a signal comes before the results are checked. They are still in the table, marked as
// unchecked.
func TestNightlyStopForgetsResults(t *testing.T) {
	n := newNight(t, "")
	cmd, out := n.command("SLOW=" + n.path("solving"))
	n.stop(cmd)
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(out.String(), "results: 1, of which 0 fail the check") {
		t.Errorf("stopped: %v\n%s", cmd.ProcessState, out)
	}
	if table := n.table(n.kept()[0]); !strings.Contains(table, "a,unchecked,\nb,none,\n") {
		t.Errorf("nightly.csv:\n%s", table)
	}
}

// TestNightlyStopFailsCheck: a signal that ends check gives no verdict on the result.
func TestNightlyStopFailsCheck(t *testing.T) {
	n := newNight(t, "")
	cmd, out := n.command("SLOW_CHECK=" + n.path("solving"))
	n.stop(cmd)
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(n.table(n.kept()[0]), "a,unchecked,\n") {
		t.Errorf("stopped: %v\n%s", cmd.ProcessState, out)
	}
}

// TestNightlyHangs: a process that does not end after a signal, because it waits for a file, is killed after some time.
func TestNightlyHangs(t *testing.T) {
	n := newNight(t, "grace=1\n")
	cmd, out := n.command("SLOW="+n.path("solving"), "DEAF=yes")
	begin := time.Now()
	n.stop(cmd)
	if cmd.ProcessState.ExitCode() != 130 || time.Since(begin) > 30*time.Second || len(n.kept()) != 1 {
		t.Errorf("stopped: %v\n%s", cmd.ProcessState, out)
	}
}

// stop sends a night SIGTERM when the stub reports that it works, and waits for its end.
func (n night) stop(cmd *exec.Cmd) {
	n.t.Helper()
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	until(n.t, "solve has not begun", func() bool { text, _ := os.ReadFile(n.path("solving")); return len(text) > 0 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		n.t.Fatal(err)
	}
	_ = cmd.Wait() // its code is checked
}

// TestNightlyUnwritten: a table that cannot be written is reported, and the night fails.
func TestNightlyUnwritten(t *testing.T) {
	n := newNight(t, "")
	if code, out := n.run("UNWRITABLE=yes"); code != 1 || strings.Count(out, "is the disk full?") != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
}
