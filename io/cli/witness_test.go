package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
)

// TestForgedTruth: the answer about a formula follows from the schedule, so check reports a different answer even under
// right digests.
func TestForgedTruth(t *testing.T) {
	forgeries{
		{"satisfiable", func(facts map[string]any) { facts["satisfiable"] = false }},
		{"truth_assignment", func(facts map[string]any) { facts["truth_assignment"].(map[string]any)["x99"] = true }},
		{"no answer", func(facts map[string]any) { delete(facts, "truth_assignment") }},
	}.refused(t, []string{"hta", "--preset", "3sat", "--cnf", filepath.Join(root, "instances/examples/phi.cnf")}, "exact")
}

// TestForgedCrossing: the same holds for the bound on bytes that cross racks.
func TestForgedCrossing(t *testing.T) {
	forgeries{
		{"more", func(facts map[string]any) { facts["cross_rack_bytes_bound"] = 10_000_000_001 }},
		{"none", func(facts map[string]any) { delete(facts, "cross_rack_bytes_bound") }},
	}.refused(t, []string{"multitenant", "--preset", "fig7"}, "shufflewatcher")
}

// forgeries change the facts of a run.
type forgeries []struct {
	name  string
	forge func(facts map[string]any)
}

// refused solves a generated instance and requires that check reports each forgery of the result, under right digests,
// in one line.
func (f forgeries) refused(t *testing.T, generate []string, algorithm string) {
	t.Helper()
	dir := t.TempDir()
	w, r := filepath.Join(dir, "w.json"), filepath.Join(dir, "r")
	run := func(out io.Writer, args ...string) int {
		return Main(append([]string{"mrsched"}, args...), nil, out, os.Stderr)
	}
	if run(io.Discard, append(append([]string{"generate"}, generate...), "-o", w)...) != engine.ExitDone ||
		run(io.Discard, "solve", w, "-a", algorithm, "-o", r, "-q") != engine.ExitDone ||
		run(io.Discard, "check", w, r) != engine.ExitDone {
		t.Fatal("the honest result does not pass")
	}
	for _, x := range f {
		b, found, err := result.Read(r)
		if err != nil || len(found) > 0 {
			t.Fatal(err, found)
		}
		x.forge(b.Result.Metrics["run"].(map[string]any))
		if b.Result.Digest, err = result.Digest(b.Result); err != nil {
			t.Fatal(err)
		}
		forged := filepath.Join(dir, x.name)
		if err := b.WriteDir(forged, false); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(&out, "check", w, forged); code != engine.ExitViolation || strings.Count(out.String(), "\n") != 1 ||
			!strings.Contains(out.String(), "K615: run.") {
			t.Errorf("%s: exit %d, %s", x.name, code, out.String())
		}
	}
}
