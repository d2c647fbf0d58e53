package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/model/tier"
)

// mortalRuns is the environment variable of the program mrsched-mortal. It holds the ids, separated by commas, of the
// runs during which the program dies.
const mortalRuns = "MORTAL_RUNS"

// mortal is mrsched, but it ends by SIGKILL as soon as all runs in MORTAL_RUNS are active in its sweep, like after a
// crash in C code or without memory. Such runs must take long.
func mortal() {
	ids := strings.Split(os.Getenv(mortalRuns), ",")
	dir := os.Args[slices.Index(os.Args, "-o")+1]
	log := filepath.Join(dir, "rows-1-of-1.jsonl")
	before, _ := os.ReadFile(log) // what earlier processes began
	go func() {
		for ; ; time.Sleep(time.Millisecond) {
			text, _ := os.ReadFile(log)
			now := strings.TrimPrefix(string(text), string(before))
			if !slices.ContainsFunc(ids, func(id string) bool { return !strings.Contains(now, `"`+id+`","status":"begun"`) }) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}
	}()
	Exit(Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// crashSpec is a sweep of four short runs and two endless ones, with the ids of the latter.
func crashSpec(t *testing.T, dir string) (spec, a, b string) {
	t.Helper()
	spec = filepath.Join(dir, "spec.json")
	text := `{"format":"mrsched-sweep/1","instances":[{"generate":"msjo","preset":"dag"},{"generate":"msjo","parameters":{"jobs":4,"machines":5}}],
		"algorithms":["best"],"iterations":[10,400,1000000000]}`
	writeText(t, spec, text)
	for line := range strings.Lines(run(t, engine.ExitDone, "sweep", spec, "--dry-run")) {
		id, _, _ := strings.Cut(line, " ")
		switch {
		case strings.Contains(line, "dag") && strings.Contains(line, "iterations=1000000000"):
			a = id
		case strings.Contains(line, "mars") && strings.Contains(line, "iterations=1000000000"):
			b = id
		}
	}
	return spec, a, b
}

// rowLines counts the rows of a sweep of one shard, and the runs that have begun and have neither a row nor a release.
func rowLines(t *testing.T, dir string) (rows, open int) {
	t.Helper()
	under := map[string]bool{}
	for line := range strings.Lines(readText(t, filepath.Join(dir, "rows-1-of-1.jsonl"))) {
		id, _, _ := strings.Cut(strings.TrimPrefix(line, `{"id":"`), `"`)
		switch begun := strings.Contains(line, `"status":"begun"`); {
		case begun:
			under[id] = true
		default:
			delete(under, id)
			if !strings.Contains(line, `"status":"released"`) {
				rows++
			}
		}
	}
	return rows, len(under)
}

// dies runs a sweep that dies during some runs.
func dies(t *testing.T, spec, out string, ids ...string) {
	t.Helper()
	t.Setenv(mortalRuns, strings.Join(ids, ","))
	p := start(t, "sweep", spec, "-o", out, "--threads", "2")
	p.Cmd = exec.Command("mrsched-mortal", p.Args[1:]...)
	p.Stderr = &p.stderr
	p.begin(t)
	if code := p.exit(t); code != -1 {
		t.Fatalf("exit %d, %s", code, p.stderr.String())
	}
}

// underWay waits until a sweep of one shard has begun its two endless runs.
func underWay(t *testing.T, out string, pid int) {
	t.Helper()
	await(t, "two runs under way", func() bool {
		if _, err := os.Stat(filepath.Join(out, "rows-1-of-1.jsonl")); err != nil {
			return false
		}
		rows, open := rowLines(t, out)
		return rows == 4 && open == 2
	})
	busy(t, pid, 5)
}

// noneLeft requires that no run of a sweep counts as under way.
func noneLeft(t *testing.T, out string) {
	t.Helper()
	if _, open := rowLines(t, out); open > 0 {
		t.Errorf("%d runs under way", open)
	}
}

// TestSweepCrashes: runs active at a death are retried after all others, alone, those with the fewest deaths first.
// After their third death they become errors, and no run is left.
func TestSweepCrashes(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	spec, a, b := crashSpec(t, dir)
	out := filepath.Join(dir, "out")
	dies(t, spec, out, a, b)
	dies(t, spec, out, a) // the first one, alone
	dies(t, spec, out, b) // it has fewer deaths
	if n, _ := rowLines(t, out); n != 4 {
		t.Errorf("%d rows of runs without errors, want 4", n)
	}
	dies(t, spec, out, a)
	dies(t, spec, out, b) // a is an error by now
	if n, _ := rowLines(t, out); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
	p := start(t, "sweep", spec, "-o", out)
	p.begin(t)
	if code := p.exit(t); code != engine.ExitDone || p.stdout.String() != "6 runs, 2 errors\n" {
		t.Fatalf("exit %d, %s%s", code, p.stdout.String(), p.stderr.String())
	}
	for _, want := range []string{"note: given up, because the process ended too often: 1 run\n",
		"error: " + a + ": dag, best iterations=1000000000 seed=1: the process ended 3 times while this run was solved\n"} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s, want %s", p.stderr.String(), want)
		}
	}
	noneLeft(t, out)
	run(t, engine.ExitDone, "sweep", "merge", out)
	if tables := readText(t, filepath.Join(out, sweepTable)); strings.Count(tables, ",error,") != 2 ||
		strings.Count(tables, "the process ended 3 times") != 2 {
		t.Errorf("tables:\n%s", tables)
	}
}

// TestSweepCrashForgiven: neither a signal that requests the end nor an end with an error counts as a death. After a
// signal only whole runs have rows. While a process works on a shard, it excludes others.
func TestSweepCrashForgiven(t *testing.T) {
	dir := t.TempDir()
	spec, _, _ := crashSpec(t, dir)
	out := filepath.Join(dir, "out")
	for range 3 {
		p := start(t, "sweep", spec, "-o", out, "--threads", "2")
		p.begin(t)
		underWay(t, out, p.Process.Pid)
		if _, text := runBoth(t, engine.ExitUsage, "sweep", spec, "-o", out); !strings.Contains(text,
			"rows-1-of-1.jsonl is in use: another process works on this shard") {
			t.Errorf("second process: %s", text)
		}
		p.signal(t, syscall.SIGTERM)
		if code := p.exit(t); code != engine.ExitInterrupted || p.stdout.Len() > 0 ||
			!strings.Contains(p.stderr.String(), "the same command continues") ||
			strings.Contains(p.stderr.String(), "an earlier process") {
			t.Fatalf("exit %d, %s%s", code, p.stdout.String(), p.stderr.String())
		}
	}
	if rows := readText(t, filepath.Join(out, "rows-1-of-1.jsonl")); strings.Contains(rows, `"limit"`) {
		t.Errorf("rows:\n%s", rows)
	}
	noneLeft(t, out)
	p := start(t, "sweep", spec, "-o", out, "--threads", "2")
	p.begin(t)
	underWay(t, out, p.Process.Pid)
	if err := os.Rename(filepath.Join(out, "rows-1-of-1.jsonl"), filepath.Join(out, "rows-moved")); err != nil {
		t.Fatal(err)
	}
	_ = p.Process.Signal(syscall.SIGINT)
	p.exit(t)
}
