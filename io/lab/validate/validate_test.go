package validate

import (
	"context"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// liar falsifies the results of a run.
type liar struct {
	solver.Run
	factor  model.Number
	failing bool
}

func (l liar) Guarantee(algorithm string, limited bool) *model.Guarantee {
	g := l.Run.Guarantee(algorithm, limited)
	if g != nil && l.factor != "" {
		g.Factor = l.factor
	}
	return g
}

func (l liar) Solve(ctx context.Context, algorithm string, opt solver.Options) (*solver.Outcome, error) {
	out, err := l.Run.Solve(ctx, algorithm, opt)
	if err == nil && l.failing && algorithm == "mars" {
		out.Schedule.Entries[0].Start++ // the task's end stays: its duration is wrong
	}
	return out, err
}

// lying is a validation of 20 instances by msjo's algorithms mars and exact, whose runs pass through wrap.
func lying(t *testing.T, wrap func(solver.Run) solver.Run) (*Validation, []*trial) {
	t.Helper()
	return validating(t, wrap, nil, "mars", "exact")
}

// validating is a validation of 20 instances by some of msjo's algorithms, of which pairs are never worse.
func validating(t *testing.T, wrap func(solver.Run) solver.Run, neverWorse [][2]string,
	algorithms ...string) (*Validation, []*trial) {
	t.Helper()
	p, err := engine.FindProblem("msjo", nil)
	must(t, err)
	lied := *p.Problem
	lied.Small.NeverWorse = neverWorse
	lied.Algorithms = nil
	for _, name := range algorithms {
		a, ok := p.Algorithm(name)
		if !ok {
			t.Fatal("no algorithm ", name)
		}
		lied.Algorithms = append(lied.Algorithms, a)
	}
	honest := p.Open
	lied.Open = func(w *model.Workload, params solver.Params) (solver.Run, error) {
		run, err := honest(w, params)
		return wrap(run), err
	}
	p.Problem = &lied
	params, err := engine.StatedParams(p.Params, nil)
	must(t, err)
	v := &Validation{Problem: p, seed: 5, variants: []variant{{map[string]string{}, params}},
		options: solver.Options{Iterations: 50, Seed: 5, Threads: 1}}
	trials, err := v.Run(context.Background(), 20, 2, func(int, int) {})
	must(t, err)
	return v, trials
}

// TestValidateTrue: the real algorithms have no violation, and exact is always optimal.
func TestValidateTrue(t *testing.T) {
	v, trials := lying(t, func(r solver.Run) solver.Run { return r })
	r := v.Report(trials)
	if len(r.Violations) > 0 || r.Unsolved > 0 || r.Instances != 20 {
		t.Fatalf("%+v", r)
	}
	total := 0
	for _, row := range r.Algorithms {
		if row.Name == "exact" && (row.Optimal != 20 || row.Worst != "1" || row.Guarantee != "") {
			t.Errorf("exact: %+v", row)
		}
		if row.Name == "mars" {
			total += row.Instances
			if row.Guarantee != "3" && row.Guarantee != "4" {
				t.Errorf("mars: %+v", row)
			}
		}
	}
	if total != 20 || len(r.Bounds) == 0 {
		t.Errorf("%d instances of mars, bounds %+v", total, r.Bounds)
	}
}

// TestValidateWithoutExact: if no algorithm proves optima, outcomes are compared with the least cost found, which is
// optimal if it equals a bound; and an algorithm is reported if it is worse than one that it should never be worse
// than.
func TestValidateWithoutExact(t *testing.T) {
	honest := func(r solver.Run) solver.Run { return r }
	v, trials := validating(t, honest, [][2]string{{"mars-list", "mars-list"}}, "mars", "mars-list")
	r := v.Report(trials)
	if r.Optimum != "unknown" || len(r.Violations) > 0 || r.Instances != 20 || r.Unsolved == 20 {
		t.Fatalf("%+v", r)
	}
	best, optimal := 0, 0
	for _, x := range trials {
		least := 0
		for _, s := range x.samples {
			if s.bound {
				continue
			}
			if s.ratio != nil && s.ratio.Cmp(big.NewRat(1, 1)) < 0 {
				t.Errorf("instance %d: %s has ratio %s", x.k, s.name, s.ratio)
			}
			if s.ratio == nil || s.ratio.Cmp(big.NewRat(1, 1)) == 0 {
				least++
			}
			if s.equal {
				optimal++
			}
		}
		best += min(least, 1)
	}
	if best != 20 || optimal == 0 || optimal == 40 {
		t.Errorf("%d instances with a best schedule, %d optimal schedules", best, optimal)
	}
	v, trials = validating(t, honest, [][2]string{{"mars", "mars-list"}}, "mars", "mars-list")
	r = v.Report(trials)
	if len(r.Violations) == 0 || r.Algorithms[0].Violations+r.Algorithms[1].Violations == 0 {
		t.Fatal("mars is never worse than mars-list")
	}
	for _, b := range r.Violations {
		if b.Algorithm != "mars" || !strings.Contains(b.What, "exceeds that of mars-list") {
			t.Errorf("%+v", b)
		}
	}
}

// TestValidateFalseGuarantee: a false factor is found, and the instances that show it are written out.
func TestValidateFalseGuarantee(t *testing.T) {
	v, trials := lying(t, func(r solver.Run) solver.Run { return liar{Run: r, factor: "1"} })
	r := v.Report(trials)
	if len(r.Violations) == 0 {
		t.Fatal("not detected")
	}
	broken := 0
	for _, row := range r.Algorithms {
		broken += row.Violations
	}
	if broken != len(r.Violations) {
		t.Errorf("rows count %d violations, there are %d", broken, len(r.Violations))
	}
	dir := t.TempDir()
	must(t, v.Keep(r, dir, trials))
	for _, b := range r.Violations {
		if b.Algorithm != "mars" || !strings.Contains(b.What, "1") || filepath.Dir(b.File) != dir {
			t.Errorf("%+v", b)
		}
		w, err := workload.Read(b.File, nil, workload.Options{})
		must(t, err)
		if workload.Digest(w) != workload.Digest(trials[b.Instance-1].workload) {
			t.Errorf("%s holds another instance", b.File)
		}
	}
}

// TestValidateImpossibleSchedule: a schedule that breaks a constraint is a violation, not the end of the run.
func TestValidateImpossibleSchedule(t *testing.T) {
	v, trials := lying(t, func(r solver.Run) solver.Run { return liar{Run: r, failing: true} })
	r := v.Report(trials)
	if len(r.Violations) != 20 {
		t.Fatalf("%d violations, want 20", len(r.Violations))
	}
	for _, b := range r.Violations {
		if b.Algorithm != "mars" || !strings.Contains(b.What, string(model.CodeDuration)) {
			t.Errorf("%+v", b)
		}
	}
}

// must fails a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
