package sizing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestTimeLimit: without a deadline, sizes without remaining time are not solved, and the summary names them.
func TestTimeLimit(t *testing.T) {
	for _, p := range engine.Problems() {
		if !p.Sizable {
			continue
		}
		o := options(t, p, 0)
		o.Low, o.High, o.TimeLimit = 1000, 9000, time.Millisecond
		a, err := Find(t.Context(), o)
		if err != nil {
			t.Fatal(p.Name, err)
		}
		n := len(a.Rows)
		if n == 0 || n > o.High-o.Low {
			t.Errorf("%s: %d sizes in a millisecond", p.Name, n)
		}
		want := fmt.Sprintf("no time was left for: %d to 9000", 1000+n)
		if got := a.Summary(o); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", p.Name, got, want)
		}
	}
}

// options are those of a small random instance of a problem.
func options(t *testing.T, p engine.Problem, k int) Options {
	t.Helper()
	w, err := p.Small.Generate(rand.New(rand.NewPCG(3, uint64(k))), k)
	if err != nil {
		t.Fatal(err)
	}
	algorithms, _, err := p.SelectAlgorithms("", len(w.Tasks))
	if err != nil {
		t.Fatal(err)
	}
	params, err := engine.StatedParams(p.Params, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Problem: p, Workload: w, Params: params, Algorithm: algorithms[0], Low: 1, High: 5, Like: model.None,
		Threads: 1, Iterations: 20, Follow: func(int, time.Duration, *solver.Watch) func() { return func() {} }}
}

// TestSizes solves random instances: no cost and no bound rises with the size, no bound exceeds the cost of its size or
// of a smaller one, and check accepts every result.
func TestSizes(t *testing.T) {
	tier.Slow(t)
	instances, sizes := 0, 0
	for _, p := range engine.Problems() {
		if !p.Sizable {
			continue
		}
		for k := range 60 {
			o := options(t, p, k)
			a, err := Find(t.Context(), o)
			var input *model.InputError
			if errors.As(err, &input) && input.Findings[0].Code != model.CodeNoTime {
				continue // a row needs a leaving node, or fixed tasks overlap
			}
			if err != nil {
				t.Fatal(p.Name, k, err)
			}
			instances++
			for i, r := range a.Rows {
				if r.Result == nil {
					continue
				}
				sizes++
				if r.Bound == nil || r.cost.Cmp(r.Bound) < 0 {
					t.Fatalf("%s %d, size %d: cost %v, bound %v", p.Name, k, r.Machines, r.cost, r.Bound)
				}
				if i > 0 && a.Rows[i-1].Result != nil && (r.cost.Cmp(a.Rows[i-1].cost) > 0 || r.Bound.Cmp(a.Rows[i-1].Bound) > 0) {
					t.Fatalf("%s %d, size %d: cost or bound rises", p.Name, k, r.Machines)
				}
				w := o.Workload
				if !Alike(p) {
					w = r.instance
				}
				path := filepath.Join(t.TempDir(), r.resultFile())
				if err := disk.WriteFile(path, false, r.bundle.WriteLine); err != nil {
					t.Fatal(err)
				}
				accepted(t, w, path)
			}
		}
	}
	if instances < 60 || sizes < 200 {
		t.Errorf("only %d instances and %d sizes were tried", instances, sizes)
	}
}

// accepted fails unless check accepts a result.
func accepted(t *testing.T, w *model.Workload, path string) {
	t.Helper()
	b, found, err := artifact.ResultAt(path, path)
	if err == nil && len(found) == 0 {
		found, err = engine.Recheck(t.Context(), w, b, engine.DefaultMaxSearch)
	}
	if err != nil || len(found) > 0 {
		t.Fatal(path, found, err)
	}
}

// TestDeadline: the answer with a deadline agrees with sizes solved without one.
func TestDeadline(t *testing.T) {
	for _, p := range engine.Problems() {
		if !p.Sizable || Alike(p) {
			continue
		}
		asked := 0
		for k := range 60 {
			o := options(t, p, k)
			o.Params["objective"] = "makespan"
			all, err := Find(t.Context(), o)
			if err != nil || all.Rows[len(all.Rows)/2].cost == nil {
				continue
			}
			asked++
			middle, _ := all.Rows[len(all.Rows)/2].cost.Float64()
			o.Deadline = model.Some(model.Time(middle*float64(model.Second) + 0.5))
			a, err := Find(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if a.Least == 0 || a.Least > 3 || a.Most >= a.Least {
				t.Fatalf("instance %d: least %d, most %d, although 3 reach it", k, a.Least, a.Most)
			}
			for _, r := range a.Rows {
				if r.Machines <= a.Most != (r.Verdict == Impossible) || r.Machines >= a.Least != (r.Verdict == Reached) {
					t.Fatalf("instance %d, size %d: %s with least %d and most %d", k, r.Machines, r.Verdict, a.Least, a.Most)
				}
			}
			o.Deadline = model.Some(model.Time(1))
			if a, err = Find(t.Context(), o); err != nil || a.Least != 0 || a.Most != o.High {
				t.Fatalf("instance %d: a deadline of 1 µs: least %d, most %d, %v", k, a.Least, a.Most, err)
			}
		}
		if asked < 20 {
			t.Errorf("only %d instances were asked", asked)
		}
	}
}

// TestInterrupted keeps the known answer when the context ends.
func TestInterrupted(t *testing.T) {
	o := options(t, engine.Problem{Problem: engine.Problems()[0].Problem}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	o.Follow = func(machines int, _ time.Duration, _ *solver.Watch) func() {
		if machines == 3 {
			cancel()
		}
		return func() {}
	}
	a, err := Find(ctx, o)
	if err != nil || len(a.Rows) != 3 {
		t.Fatal(len(a.Rows), err)
	}
}

// TestWrite reads back what Write makes.
func TestWrite(t *testing.T) {
	for _, p := range engine.Problems() {
		if !p.Sizable || Alike(p) {
			continue
		}
		o := options(t, p, 2)
		a, err := Find(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "sizes")
		for _, force := range []bool{false, true} {
			if err := errors.Join(Replaceable(dir), a.Write(dir, force, o)); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range a.Rows {
			if r.Result == nil {
				continue
			}
			w, err := workload.Read(filepath.Join(dir, r.instanceFile()), nil, workload.Options{})
			if err != nil {
				t.Fatal(err)
			}
			accepted(t, w, filepath.Join(dir, r.resultFile()))
		}
		if err := os.Remove(filepath.Join(dir, TableFile)); err != nil {
			t.Fatal(err)
		}
		if Replaceable(dir) == nil {
			t.Error("a directory without its table may be replaced")
		}
	}
}
