package solve

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

func example(name string) string {
	return filepath.Join("..", "..", "instances", "examples", name+".json")
}

// unseen collects the ends of runs.
type unseen struct{ ends *[]Ending }

func (u unseen) Ended(e Ending) {
	if u.ends != nil {
		*u.ends = append(*u.ends, e)
	}
}
func (unseen) End() {}

// options are those of a call without flags.
func options(t *testing.T, algorithm string) Options {
	t.Helper()
	return Options{Algorithm: algorithm, Threads: 1, Iterations: 50, Seed: 1, Quiet: true, Stdout: show.Output{Writer: io.Discard},
		Stderr: io.Discard,
		ReadWorkload: func(path string) (*model.Workload, error) {
			return workload.Read(path, nil, workload.Options{})
		},
		ReadParams: func(list []solver.Param) (solver.Params, error) { return engine.StatedParams(list, nil) },
		Refuse:     func(*Job) error { return nil },
		Follow:     func(*Job, string, *solver.Watch) Follower { return unseen{} }}
}

func open(t *testing.T, o Options, name string) *Job {
	t.Helper()
	j, err := Open(o, example(name))
	must(t, err)
	return j
}

// TestProduce writes a result that can be read again and states its settings.
func TestProduce(t *testing.T) {
	o := options(t, "stf")
	o.Out = filepath.Join(t.TempDir(), "r")
	o.TimeLimit = time.Minute
	var ends []Ending
	o.Follow = func(*Job, string, *solver.Watch) Follower { return unseen{&ends} }
	j := open(t, o, "fig1")
	must(t, j.TargetsFree())
	b := produced(t, j)
	if r := b.Result; r.Objective == nil || r.LowerBound == nil || r.Algorithm != "stf" ||
		r.Parameters["time_limit"] != model.Number("60") {
		t.Errorf("%+v", r)
	}
	again, _, err := result.Read(o.Out)
	if err != nil || again.Result.Objective.Value != b.Result.Objective.Value {
		t.Errorf("%v, %+v", err, again)
	}
	if len(ends) != 1 || model.ExactNumber(ends[0].Objective) != b.Result.Objective.Value ||
		model.LowerNumber(ends[0].Bound) != b.Result.LowerBound.Value || ends[0].Why != WhyComplete {
		t.Errorf("%+v", ends)
	}
	if err := j.TargetsFree(); err == nil {
		t.Error("it may not be replaced without --force")
	}
	if j.Force = true; j.TargetsFree() != nil {
		t.Error("a result may be replaced with --force")
	}
}

// TestTargets: the permitted targets depend on the number of results.
func TestTargets(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, result.ResultFile), []byte("{}"), 0o600))
	for _, x := range []struct {
		algorithms, out string
		refused         bool
	}{{"mars", "", false}, {"mars", "-", false}, {"mars", "r.json", false}, {"mars,best", "r.json", true},
		{"mars,best", filepath.Join(dir, "new"), false}, {"mars,best", dir, true},
		{"mars", filepath.Join(dir, result.ResultFile, "x"), true}} {
		o := options(t, x.algorithms)
		o.Out, o.Force = x.out, true
		if err := open(t, o, "fig1").TargetsFree(); (err != nil) != x.refused {
			t.Errorf("%s, -o %s: %v", x.algorithms, x.out, err)
		}
	}
}

// TestOpenRefuses: wrong names are findings; if the instance does not fit, it is their file.
func TestOpenRefuses(t *testing.T) {
	if _, err := Open(options(t, "marz"), example("fig1")); err == nil ||
		!strings.Contains(err.Error(), `did you mean "mars"?`) {
		t.Error(err)
	}
	o := options(t, "")
	o.ProblemName = "hta"
	if _, err := Open(o, example("fig1")); err == nil || !strings.Contains(err.Error(), "fig1.json") {
		t.Error(err)
	}
}

// TestStrict: columns that the problem ignores are a note; with --strict they are findings.
func TestStrict(t *testing.T) {
	var notes bytes.Buffer
	o := options(t, "")
	o.ProblemName, o.Quiet, o.Several, o.Stderr = "multitenant", false, true, &notes
	open(t, o, "deadlines")
	if text := notes.String(); !strings.Contains(text, "note: "+example("deadlines")+": multitenant does not use ") {
		t.Errorf("%s", text)
	}
	o.Strict = true
	if _, err := Open(o, example("deadlines")); err == nil ||
		!strings.Contains(err.Error(), string(model.CodeUnusedColumn)) {
		t.Error(err)
	}
}

// TestCompare judges all algorithms of an instance against the strongest bound, and writes the tables.
func TestCompare(t *testing.T) {
	var table bytes.Buffer
	o := options(t, "all")
	o.Folders, o.Out, o.Stdout = true, filepath.Join(t.TempDir(), "r"), show.Output{Writer: &table}
	j := open(t, o, "fig1")
	rows, doc, err := j.Do(context.Background(), func(*result.Bundle) error { return nil }, Stops)
	must(t, err)
	for _, row := range doc.Rows {
		if row.Status != model.StatusSkipped && row.LowerBound != doc.LowerBound.Value {
			t.Errorf("%s is judged against %s, not %s", row.Algorithm, row.LowerBound, doc.LowerBound.Value)
		}
	}
	if len(doc.Rows) != len(j.Problem.Algorithms) {
		t.Errorf("%d rows of %d algorithms", len(doc.Rows), len(j.Problem.Algorithms))
	}
	must(t, rows.Print(Exact{}))
	for _, name := range []string{result.ComparisonFile, result.ComparisonTable, doc.Rows[0].Algorithm} {
		if !engine.Exists(filepath.Join(o.Out, name)) {
			t.Errorf("no %s", name)
		}
	}
	if text := table.String(); !strings.HasPrefix(text, "msjo: 2 jobs, ") || !strings.Contains(text, "LOWER BOUND") {
		t.Errorf("%s", text)
	}
	j.Out = ""
	slices.Reverse(j.Algorithms)
	_, again, err := j.Do(context.Background(), func(*result.Bundle) error { return nil }, Stops)
	if must(t, err); again.BoundFrom != doc.BoundFrom {
		t.Error("the bound depends on the order of -a")
	}
}

// must fails a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// produced is the result of a job's first algorithm.
func produced(t testing.TB, j *Job) (b *result.Bundle) {
	t.Helper()
	j.Algorithms = j.Algorithms[:1]
	_, _, err := j.Do(context.Background(), func(x *result.Bundle) error {
		b = x
		return nil
	}, Stops)
	must(t, err)
	return b
}
