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
	says := strings.Contains(out, "fatal error: out of memory\n\nF104 b.json:1:1: the end\n")
	if code != 137 || !says || strings.Contains(out, "main.main") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, name := range []string{"a", "b"} {
		n.file(n.kept()[0] + "/results/" + name + "/result.json")
	}
}

// TestNightlyStops sends a signal to a night, before or during the check. A process that does not end, because it waits
// for a file, is killed after some time. What was not checked does not become the last good result.
func TestNightlyStops(t *testing.T) {
	for _, c := range []struct{ settings, env string }{
		{"", "SLOW="}, {"", "SLOW_CHECK="}, {"grace=1\n", "DEAF=yes SLOW="},
	} {
		n := newNight(t, c.settings)
		cmd, out := n.command(strings.Fields(c.env + n.path("solving"))...)
		begin := time.Now()
		n.stop(cmd)
		if cmd.ProcessState.ExitCode() != 130 || time.Since(begin) > 30*time.Second || len(n.kept()) != 1 ||
			!strings.Contains(out.String(), "interrupted: ") || exists(n.path("nights/last/results/a")) {
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

// exists says whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestNightlyUnwritten: a report that cannot be written makes the night fail.
func TestNightlyUnwritten(t *testing.T) {
	n := newNight(t, "")
	if code, out := n.run("UNWRITABLE=yes"); code != 1 || strings.Count(out, "is the disk full?") != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
}
