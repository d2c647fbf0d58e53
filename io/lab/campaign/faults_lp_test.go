package campaign

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/model/tier"
	"mrsched/solver/lp/lpsolve"
)

// userOfLPs is a run that uses lp_solve.
type userOfLPs struct {
	file string
	args []string
}

// usersOfLPs are all kinds of use: bounds, exhaustive searches, roundings.
func usersOfLPs() []userOfLPs {
	return []userOfLPs{
		{file: "msjo.json", args: []string{"-a", "mars"}},
		{file: "msjo.json", args: []string{"-a", "coge", "--formulation", "published"}},
		{file: "msjo.json", args: []string{"-a", "best", "--bound", "all"}},
		{file: "msjo.json", args: []string{"-a", "mares"}},
		{file: "msjo.json", args: []string{"-a", "so-mars"}},
		{file: "msjo.json", args: []string{"-a", "tmars", "--objective", "twtct"}},
		{file: "msjo.json", args: []string{"-a", "tmars", "--objective", "twtct", "--lp", "lpsolve"}},
		{file: "small-hta.json", args: []string{"-a", "flow-lp"}},
		{file: "small-hta.json", args: []string{"-a", "exact"}},
		{file: "tree.json", args: []string{"-a", "exact"}},
		{file: "deadlines.json", args: []string{"-a", "best"}},
		{file: "realtime.json", args: []string{"-a", "best", "--goal", "partitions"}},
		{file: "realtime.json", args: []string{"-a", "lst", "--goal", "partitions"}},
		{file: "realtime.json", args: []string{"-a", "exact", "--goal", "partitions"}},
		{file: "tenant.json", args: []string{"-a", "best"}},
		{file: "tenant.json", args: []string{"-a", "fair"}},
	}
}

// injections are the ways in which lp_solve fails.
func injections() map[string]lpsolve.Injection {
	list := map[string]lpsolve.Injection{
		"no memory for problems": {Refuse: func(int64) bool { return true }},
		"no memory after two":    {Refuse: func(n int64) bool { return n > 2 }},
		"wrong duals": {Point: func(_, dual []float64) {
			for i := range dual {
				dual[i] = dual[i]*1.5 + 1
			}
		}},
		"wrong points": {Point: func(x, _ []float64) {
			for j := range x {
				x[j] = x[j]*1.5 + 1
			}
		}},
		"no points": {Point: func(x, _ []float64) { clear(x) }},
	}
	for _, v := range []lpsolve.SolutionType{lpsolve.NumFailure, lpsolve.Timeout, lpsolve.UserAbort, lpsolve.Suboptimal,
		lpsolve.Infeasible, lpsolve.Unbounded, lpsolve.NoMemory,
		lpsolve.Degenerate, lpsolve.AccuracyError, lpsolve.Optimal} {
		list[fmt.Sprintf("always %v", v)] = lpsolve.Injection{Solve: func(int64,
			lpsolve.SolutionType) lpsolve.SolutionType {
			return v
		}}
		list[fmt.Sprintf("every third %v", v)] = lpsolve.Injection{Solve: func(n int64,
			verdict lpsolve.SolutionType) lpsolve.SolutionType {
			if n%3 == 0 {
				return v
			}
			return verdict
		}}
		list[fmt.Sprintf("%v from the second on", v)] = lpsolve.Injection{Solve: func(n int64,
			verdict lpsolve.SolutionType) lpsolve.SolutionType {
			if n > 1 {
				return v
			}
			return verdict
		}}
	}
	return list
}

// lpResult is the part of a result that is compared.
type lpResult struct {
	Status    string
	Objective *struct{ Value json.Number }
	Bound     *struct{ Value json.Number } `json:"lower_bound"`
}

// faultsLP makes lp_solve fail under everything that uses it. Runs end with exit code 5, or with a result that passes
// check, which derives the bound again from its certificate, and that claims no more than an undisturbed run.
func faultsLP(t *testing.T, g *ground, n *tally) {
	must(t, "generate", "hta", "--tasks", "40", "--servers", "8", "--zipf", "1.1", "-o", g.in("w", "small-hta.json"), "-q")
	must(t, "generate", "reduceplace", "--preset", "tree", "-o", g.in("w", "tree.json"), "-q")
	must(t, "generate", "realtime", "--preset", "deadlines", "-o", g.in("w", "deadlines.json"), "-q")
	all := injections()
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, u := range usersOfLPs() {
		calm := g.solved(t, u)
		if calm == nil {
			t.Fatalf("%v does not run", u)
		}
		for k, name := range names {
			if !tier.Nightly && (i+k)%17 != 0 {
				continue
			}
			restore := lpsolve.Inject(all[name])
			dir := g.folder(t)
			o := run(append(quiet("solve", g.in("w", u.file), "-o", filepath.Join(dir, "r")), u.args...)...)
			restore()
			n.tried.Add(1)
			g.lpJudged(t, n, fmt.Sprintf("%s %v, %s", u.file, u.args, name), u, filepath.Join(dir, "r"), o, calm)
		}
	}
	onlyTestsInject(t)
}

// solved is the result of an undisturbed run; nil if that fails.
func (g *ground) solved(t *testing.T, u userOfLPs) *lpResult {
	t.Helper()
	dir := g.folder(t)
	if o := must(t, append(quiet("solve", g.in("w", u.file), "-o", filepath.Join(dir, "r")),
		u.args...)...); o.code != exitDone {
		return nil
	}
	return readLPResult(t, filepath.Join(dir, "r"))
}

func readLPResult(t *testing.T, dir string) *lpResult {
	t.Helper()
	var r lpResult
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

// lpJudged judges a run in which lp_solve failed.
func (g *ground) lpJudged(t *testing.T, n *tally, what string, u userOfLPs, dir string, o outcome, calm *lpResult) {
	t.Helper()
	switch {
	case o.broken != "":
		n.fault("%s: %s", what, o.broken)
	case o.code == exitBackend:
		n.note("runs that said that the LP solver failed")
		if _, err := os.Stat(dir); err == nil || o.stderr == "" {
			n.fault("%s: exit %d, %v, %q", what, o.code, err, o.stderr)
		}
	case o.code != exitDone:
		n.fault("%s: exit %d\n%s", what, o.code, o.stderr)
	default:
		r := readLPResult(t, dir)
		if c := run("check", g.in("w", u.file), dir); c.code != exitDone {
			n.fault("%s: check: exit %d\n%s%s", what, c.code, c.stdout, c.stderr)
		}
		n.note("results with status " + r.Status + ", which pass check")
		if r.Status == "optimal" && calm.Status == "optimal" && r.Objective.Value != calm.Objective.Value {
			n.fault("%s: optimal at %s, in truth at %s", what, r.Objective.Value, calm.Objective.Value)
		}
		if r.Bound == nil || calm.Objective == nil {
			return
		}
		bound, err := r.Bound.Value.Float64()
		cost, err2 := calm.Objective.Value.Float64()
		if err != nil || err2 != nil || bound > cost*(1+1e-12) {
			n.fault("%s: a bound of %v, above a schedule's cost %v", what, bound, cost)
		}
	}
}

// onlyTestsInject demands that only tests make lp_solve fail.
func onlyTestsInject(t *testing.T) {
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "lpsolve.Inject") {
			t.Errorf("%s makes lp_solve fail, and is no test", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
