package campaign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp/lpsolve"
)

// fileOf is the name of the instance of a problem, without .json.
func fileOf(problem string) string {
	return cmp.Or(map[string]string{"reduceplace": "placement", "multitenant": "tenant"}[problem], problem)
}

// faultsTimeLimits runs every algorithm on a small and a large instance under time limits from 1 ms on.
func faultsTimeLimits(t *testing.T, g *ground, n *tally) {
	if _, err := os.Stat(g.in("w", "long-msjo.json")); err != nil {
		g.longRuns(t) // makes the large instances
	}
	var jobs []func()
	for _, p := range entries() {
		for i, a := range p.Algorithms {
			for _, prefix := range []string{"", "long-"} {
				for _, limit := range g.limits(a, prefix != "") {
					if !tier.Nightly && (i%4 != 0 || limit > time.Millisecond || prefix != "") {
						continue
					}
					jobs = append(jobs, func() { g.underLimit(t, n, prefix+fileOf(p.Name)+".json", a, limit) })
				}
			}
		}
	}
	side(jobs)
}

// limits are the time limits for an algorithm.
func (g *ground) limits(a solver.Algorithm, large bool) []time.Duration {
	list := []time.Duration{time.Millisecond, 30 * time.Millisecond}
	if large {
		list = append(list, 500*time.Millisecond)
	}
	if large && a.Default {
		list = append(list, time.Duration(faultSeconds)*time.Second)
	}
	return list
}

func (g *ground) underLimit(t *testing.T, n *tally, file string, a solver.Algorithm, limit time.Duration) {
	dir := g.folder(t)
	instance, out := g.in("w", file), filepath.Join(dir, "r")
	fail := n.tried.Add(1)%3 == 0
	args := []string{"solve", instance, "-a", a.Name, "--time-limit", limit.String(), "--threads", "1", "-o", out,
		"-q"}
	if fail {
		args = append(args, "--fail-on-limit")
	}
	e := g.run(nil, args...)
	what := fmt.Sprintf("%s of %s under %s", a.Name, file, limit)
	if e.code == exitUsage { // the algorithm is none for this instance; it says so
		return
	}
	c := g.limitedResult(n, what, instance, out, e, fail)
	took := min(e.wall, e.cpu) - min(c.wall, c.cpu) // check reads and verifies, too
	if e.hung || took > limit+faultGrace {
		n.fault("%s: it takes %s besides reading and verification\n%v", what, took, e)
	}
}

// limitedResult judges what a run under a limit wrote, and returns the check of it.
func (g *ground) limitedResult(n *tally, what, instance, out string, e *ended, fail bool) *ended {
	var r struct{ Status string }
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		n.fault("%s: %v\n%v", what, err, e)
	}
	want := exitDone
	if fail && r.Status == "limit" {
		want = exitLimit
	}
	if e.code != want {
		n.fault("%s: status %s, want exit %d\n%v", what, r.Status, want, e)
	}
	c := g.run(nil, "check", instance, out)
	if c.code != exitDone {
		n.fault("%s: check: %v", what, c)
	}
	return c
}

// faultsMemory limits memory: the program succeeds, or ends with a message and a nonzero exit code, and nothing is
// lost. A process without memory cannot clean up; the next one does.
func faultsMemory(t *testing.T, g *ground, n *tally) {
	const least, most = 1_050_000, 1_900_000 // KiB of addresses: Go's own needs, and enough for all
	var jobs []func()
	for _, m := range g.someCalls() {
		for k := range memorySizes {
			jobs = append(jobs, func() {
				size := least + (most-least)*k/memorySizes
				dir := g.folder(t)
				m.put(t, dir, m.old)
				what := fmt.Sprintf("%s with %d KiB", m.command, size)
				e := g.attempt(t, n, m, dir, m.old, limited("-v "+strconv.Itoa(size)), what)
				if e.code != exitDone && e.stderr == "" {
					n.fault("%s: no message\n%v", what, e)
				}
				if e := g.run(nil, m.line(m.command, m.target(dir))...); e.code != exitDone || len(strays(t, dir)) > 0 {
					n.fault("%s: afterwards: %v %v", what, strays(t, dir), e)
				}
			})
		}
		jobs = append(jobs, func() {
			dir := g.folder(t)
			e := g.attempt(t, n, m, dir, state{}, []string{"env", "GOMEMLIMIT=8MiB"}, "with GOMEMLIMIT")
			n.refused(e, m.command, exitDone, "")
		})
	}
	side(jobs)
}

// usersOfLPs are runs that use lp_solve in all ways: bounds, exhaustive searches, roundings.
var usersOfLPs = []string{
	"msjo.json -a mars", "msjo.json -a coge --formulation published", "msjo.json -a best --bound all",
	"msjo.json -a mares", "msjo.json -a so-mars", "msjo.json -a tmars --objective twtct",
	"msjo.json -a tmars --objective twtct --lp lpsolve", "small-hta.json -a exact",
	"tree.json -a exact", "deadlines.json -a best", "realtime.json -a best --goal partitions",
	"realtime.json -a lst --goal partitions", "realtime.json -a exact --goal partitions", "tenant.json -a best",
	"tenant.json -a fair",
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
	when := map[string]func(n int64) bool{
		"always":             func(int64) bool { return true },
		"every third":        func(n int64) bool { return n%3 == 0 },
		"from the second on": func(n int64) bool { return n > 1 },
	}
	for _, v := range []lpsolve.SolutionType{lpsolve.NumFailure, lpsolve.Timeout, lpsolve.UserAbort, lpsolve.Suboptimal,
		lpsolve.Infeasible, lpsolve.Unbounded, lpsolve.NoMemory, lpsolve.Degenerate, lpsolve.AccuracyError,
		lpsolve.Optimal} {
		for name, now := range when {
			fails := func(n int64, verdict lpsolve.SolutionType) lpsolve.SolutionType {
				if now(n) {
					return v
				}
				return verdict
			}
			list[fmt.Sprintf("%s %v", name, v)] = lpsolve.Injection{Solve: fails}
		}
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
	for i, line := range usersOfLPs {
		args := strings.Fields(line)
		instance := g.in("w", args[0])
		solve := func() (outcome, string) {
			dir := filepath.Join(g.folder(t), "r")
			return run(append(quiet("solve", instance, "-o", dir), args[1:]...)...), dir
		}
		o, dir := solve()
		if o.code != exitDone {
			t.Fatalf("%s: exit %d\n%s", line, o.code, o.stderr)
		}
		calm := readLPResult(t, dir)
		for k, name := range slices.Sorted(maps.Keys(all)) {
			if !tier.Nightly && (i+k)%17 != 0 {
				continue
			}
			restore := lpsolve.Inject(all[name])
			o, dir := solve()
			restore()
			n.tried.Add(1)
			lpJudged(t, n, line+", "+name, instance, dir, o, calm)
		}
	}
	find := exec.Command("grep", "-rl", "--include=*.go", "--exclude=*_test.go", "lpsolve\\.Inject", "../../..")
	text, err := find.Output()
	if len(text) > 0 {
		t.Errorf("%v: these make lp_solve fail, and are no tests: %s", err, text)
	}
}

func readLPResult(t *testing.T, dir string) *lpResult {
	t.Helper()
	var r lpResult
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	noError(t, err)
	return &r
}

// lpJudged judges a run in which lp_solve failed.
func lpJudged(t *testing.T, n *tally, what, instance, dir string, o outcome, calm *lpResult) {
	t.Helper()
	switch {
	case o.broken != "":
		n.fault("%s: %s", what, o.broken)
	case o.code == exitBackend:
		if _, err := os.Stat(dir); err == nil || o.stderr == "" {
			n.fault("%s: exit %d, %v, %q", what, o.code, err, o.stderr)
		}
	case o.code != exitDone:
		n.fault("%s: exit %d\n%s", what, o.code, o.stderr)
	default:
		r := readLPResult(t, dir)
		if c := run("check", instance, dir); c.code != exitDone {
			n.fault("%s: check: exit %d\n%s%s", what, c.code, c.stdout, c.stderr)
		}
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
