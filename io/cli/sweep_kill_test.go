package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mrsched/io/engine"
)

// lines counts the rows of a sweep of one shard; none if there is no file yet.
func rowLines(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "rows-1-of-1.jsonl"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

// TestSweepInterrupted: a signal ends a sweep soon, with exit code 130. Two processes of one shard exclude each other.
// The same command continues the sweep.
func TestSweepInterrupted(t *testing.T) {
	dir := t.TempDir()
	spec, out := filepath.Join(dir, "spec.json"), filepath.Join(dir, "out")
	text := `{"format":"mrsched-sweep/1","iterations":100000,"instances":[{"generate":"msjo","preset":"fig1"},{"generate":"msjo","parameters":{"jobs":60}}],"algorithms":["mars","best"]}`
	writeText(t, spec, text)
	p := start(t, "sweep", spec, "-o", out, "--threads", "2")
	p.begin(t)
	await(t, "a row", func() bool { return rowLines(out) > 0 })
	second := start(t, "sweep", spec, "-o", out)
	second.begin(t)
	if code := second.exit(t); code != engine.ExitUsage || !strings.Contains(second.stderr.String(),
		"rows-1-of-1.jsonl is in use: another process works on this shard") {
		t.Errorf("second process: exit %d, %s", code, second.stderr.String())
	}
	p.signal(t, syscall.SIGTERM)
	if code := p.exit(t); code != engine.ExitInterrupted || !strings.Contains(p.stderr.String(),
		"the same command continues") ||
		p.stdout.Len() > 0 {
		t.Errorf("exit %d, %s%s", code, p.stdout.String(), p.stderr.String())
	}
	if n := rowLines(out); n < 1 || n > 3 {
		t.Errorf("%d rows", n)
	}
	if rows := readText(t, filepath.Join(out, "rows-1-of-1.jsonl")); strings.Contains(rows, `"limit"`) {
		t.Errorf("a run that was cut short has a row: %s", rows)
	}
}
