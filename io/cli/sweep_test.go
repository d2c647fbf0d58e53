package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/model/tier"
)

// sweepSpec writes a spec with LPs, searches and mixed-integer programs.
func sweepSpec(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "spec.json")
	text := `{"format":"mrsched-sweep/1","iterations":20,"instances":[
		{"generate":"msjo","parameters":{"jobs":[1,3],"machines":5},"seeds":{"from":1,"to":1}},
		{"generate":"hta","parameters":{"tasks":40,"servers":9,"zipf":[0,1.1]},"seeds":{"from":1,"to":2}},
		{"generate":"multitenant","preset":"fig7"},{"generate":"realtime","preset":"deadlines"},{"generate":"reduceplace","preset":"tree"}],
		"algorithms":["mars","best","tmars","mares","flow","flow-lp","shufflewatcher","llf","lookahead","clairvoyant"]}`
	writeText(t, path, text)
	return path
}

// run calls the program in this process, and returns its standard output.
func run(t *testing.T, want int, args ...string) string {
	t.Helper()
	stdout, _ := runBoth(t, want, args...)
	return stdout
}

// runBoth calls the program in this process, and returns what it prints.
func runBoth(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	if code := Main(append([]string{"mrsched"}, args...), nil, &out, &messages); code != want {
		t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, out.String(), messages.String())
	}
	return out.String(), messages.String()
}

// merged returns the merged tables of a sweep's directory.
func merged(t *testing.T, dir string) string {
	t.Helper()
	run(t, engine.ExitDone, "sweep", "merge", dir)
	return readText(t, filepath.Join(dir, sweepTable)) + readText(t, filepath.Join(dir, summaryTable))
}

// TestSweepThreads: a sweep on one core, on four, and in three shards gives the same bytes. Under the race detector
// this also tests concurrent runs of one instance, and of lp_solve.
func TestSweepThreads(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	spec := sweepSpec(t, dir)
	one, four, shards := filepath.Join(dir, "1"), filepath.Join(dir, "4"), filepath.Join(dir, "shards")
	run(t, engine.ExitDone, "sweep", spec, "-o", one, "--threads", "1", "-q")
	run(t, engine.ExitDone, "sweep", spec, "-o", four, "--threads", "4", "-q")
	want := merged(t, one)
	if got := merged(t, four); got != want {
		t.Error("4 threads give other tables than 1")
	}
	if strings.Contains(want, ",error,") || strings.Count(want, "\n") < 150 {
		t.Errorf("rows:\n%s", want)
	}
	for i := range 3 {
		run(t, engine.ExitDone, "sweep", spec, "-o", shards, "--shard", fmt.Sprintf("%d/3", i+1), "-q")
	}
	if got := merged(t, shards); got != want {
		t.Error("3 shards give other tables than 1")
	}
}
