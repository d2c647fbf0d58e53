package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/model/tier"
)

// lines counts the rows of a sweep of one shard; none if there is no file yet.
func rowLines(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "rows-1-of-1.jsonl"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

// TestSweepSurvivesKills ends a sweep with SIGKILL repeatedly, each time after a few more rows. Every finished row must
// stay unchanged, and the merged tables must equal those of an undisturbed sweep.
func TestSweepSurvivesKills(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	spec := sweepSpec(t, dir)
	calm, killed := filepath.Join(dir, "calm"), filepath.Join(dir, "killed")
	run(t, engine.ExitDone, "sweep", spec, "-o", calm, "-q")
	want := merged(t, calm)
	total := rowLines(calm)
	rows := filepath.Join(killed, "rows-1-of-1.jsonl")
	rng := rand.New(rand.NewPCG(8, 4))
	kills, kept := 0, ""
	for rowLines(killed) < total*3/4 {
		p := start(t, "sweep", spec, "-o", killed, "-q")
		p.begin(t)
		goal := rowLines(killed) + total/8
		for end := time.Now().Add(time.Minute); rowLines(killed) < goal && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
		_ = p.Process.Kill() // it may have ended
		if p.exit(t) == -1 {
			kills++
		}
		text := readText(t, rows)
		if whole := text[:strings.LastIndex(text, "\n")+1]; !strings.HasPrefix(whole, kept) {
			t.Fatal("rows that were finished are not there any more")
		} else {
			kept = whole
		}
	}
	if kills < 3 {
		t.Errorf("only %d kills", kills)
	}
	run(t, engine.ExitDone, "sweep", spec, "-o", killed, "-q")
	if n := rowLines(killed); n != total {
		t.Errorf("%d rows, want %d: a finished run was done again", n, total)
	}
	if merged(t, killed) != want {
		t.Error("the tables differ from those of an undisturbed sweep")
	}
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

// TestSolveSurvivesKill ends a solve with SIGKILL during its search, and while it may be writing. An earlier result
// stays complete, and no partial result appears.
func TestSolveSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	instance, out := filepath.Join(dir, "w.json"), filepath.Join(dir, "r")
	run(t, engine.ExitDone, "generate", "msjo", "--jobs", "8", "--machines", "5", "-o", instance)
	run(t, engine.ExitDone, "solve", instance, "-a", "mars", "-o", out, "-q")
	before := resultFiles(t, out)
	p := start(t, "solve", instance, "-a", "best", "--iterations", "100000000", "-o", out, "--force", "-q")
	p.begin(t)
	busy(t, p.Process.Pid, 50)
	p.signal(t, syscall.SIGKILL)
	p.exit(t)
	if after := resultFiles(t, out); after != before {
		t.Error("the earlier result changed")
	}
	rng := rand.New(rand.NewPCG(8, 5))
	for range 12 {
		p := start(t, "solve", instance, "-a", "mars", "-o", out, "--force", "-q")
		p.begin(t)
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		_ = p.Process.Kill() // it may have ended
		p.exit(t)
		if after := resultFiles(t, out); after != before {
			t.Fatal("the result is not whole")
		}
	}
}

// resultFiles returns the contents of a result directory that check accepts.
func resultFiles(t *testing.T, dir string) string {
	t.Helper()
	return readText(t, filepath.Join(dir, "result.json")) + readText(t, filepath.Join(dir, "schedule.csv")) +
		readText(t, filepath.Join(dir, "certificate.json"))
}
