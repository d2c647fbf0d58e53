package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/io/engine"
)

// sh runs a shell line in which "$@" is mrsched with arguments.
func sh(t *testing.T, line string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := &process{Cmd: exec.Command("sh", append([]string{"-c", line, "sh", "mrsched"}, args...)...)}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	if err := p.Start(); err != nil {
		t.Skip(err)
	}
	return p.exit(t), p.stdout.String(), p.stderr.String()
}

// TestOutputLost: a failed write to standard output is an error, even for a print whose error is not checked. With
// --exit-code of diff, where 1 means different, it has code 70.
func TestOutputLost(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	r := filepath.Join(t.TempDir(), "r")
	run(t, engine.ExitDone, "solve", root+"/instances/examples/fig1.json", "-a", "mars", "-o", r)
	for line, want := range map[string]int{"experiment": 1, "version": 1, "generate msjo": 1, "solve --help": 1, "man": 1,
		"diff --all R R": 1, "diff --exit-code R R": 70} {
		code, _, stderr := sh(t, `exec "$@" >/dev/full`, strings.Fields(strings.ReplaceAll(line, "R", r))...)
		if code != want || !strings.Contains(stderr, "no space left on device") {
			t.Errorf("%s: exit %d, want %d: %s", line, code, want, stderr)
		}
	}
}

// TestValidateInterrupted: a signal ends validate before its last instance. An earlier version made all instances.
func TestValidateInterrupted(t *testing.T) {
	p := start(t, "validate", "msjo", "--instances", "1000000", "--threads", "2")
	p.begin(t)
	busy(t, p.Process.Pid, 30)
	sent := time.Now()
	p.signal(t, syscall.SIGTERM)
	if code := p.exit(t); code != engine.ExitInterrupted || p.stdout.Len() > 0 {
		t.Errorf("exit %d after %s\n%s", code, time.Since(sent), p.stderr.String())
	}
}

// TestRefusedBeforeWork: a target that cannot be written is an error before any algorithm runs.
func TestRefusedBeforeWork(t *testing.T) {
	dir := t.TempDir()
	instance := filepath.Join(dir, "w.json")
	run(t, engine.ExitDone, "generate", "msjo", "--jobs", "20", "-o", instance)
	if err := os.Symlink(filepath.Join(dir, "nothing"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	long := []string{"--iterations", "1000000000", "--force"}
	for _, target := range []string{strings.Repeat("n", 256), "w.json/r", "link"} {
		run(t, engine.ExitUsage, append([]string{"solve", instance, "-o", filepath.Join(dir, target)}, long...)...)
	}
	run(t, engine.ExitUsage, "experiment", "mars-fig7", "-o", filepath.Join(dir, "link"), "--force")
	if err := engine.HasPlace("/proc/self/nothing"); err == nil && os.Geteuid() != 0 {
		t.Error("a read-only directory is accepted")
	}
}
