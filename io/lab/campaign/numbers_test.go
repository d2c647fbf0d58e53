package campaign

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// problemFlags are flags to solve instances with, in turn.
var problemFlags = map[string][][]string{
	"msjo": {{}, {"--bound", "all"}, {"--objective", "twtct"}, {"--bound", "lp", "--lp", "first-order"},
		{"--formulation", "published"}, {"--objective", "twtct", "--inequality", "published"}},
	"hta":         {{}, {"--tie", "worst"}},
	"reduceplace": {{}},
	"realtime":    {{}, {"--goal", "partitions"}, {"--resplit-cost", "0.000001"}, {"--deadline-factor", "1000000"}},
	"multitenant": {{}},
	"cluster": {{}, {"--objective", "tardiness"}, {"--objective", "late"}, {"--objective", "makespan"},
		{"--objective", "flowtime"}},
}

// slow is the time after which an instance is mentioned.
const slow = 10 * time.Second

// apart are algorithms that `all` leaves out on some instances.
var apart = map[string][]string{"reduceplace": {"stationary"}}

// finding matches a line that says what is wrong with the input.
var finding = regexp.MustCompile(`(?m)^([FVRST]\d{3})[: ]`)

// TestNumbers solves tiny instances with extreme numbers with every algorithm. Each run must end with a verified result
// whose bound no schedule beats, or refuse the input with a code.
func TestNumbers(t *testing.T) {
	inProcesses(t, append(problems(), "spark"), func(t *testing.T, name string) {
		n := &numbers{t: t, problem: name, dir: t.TempDir(), second: newSecond(t), ends: map[string]int{}}
		one := n.one
		if name == "spark" {
			n.problem, one = "cluster", n.spark
		}
		for k := range numbersEach {
			n.tried++
			one(k)
		}
		t.Logf("runs: %v; %d optima by brute force; the second checker judged %d results", n.ends, n.brute, n.second.seen)
		Record(t, Row{"numbers " + name, n.tried, n.missed})
	})
}

// numbers counts how the runs of one problem end.
type numbers struct {
	t                    *testing.T
	problem, dir         string
	second               *second
	tried, brute, missed int
	ends                 map[string]int
}

func (n *numbers) miss(w, format string, args ...any) {
	n.t.Helper()
	n.missed++
	text, err := os.ReadFile(w)
	noError(n.t, err)
	n.t.Errorf("%s\n%s\nkept in %s", fmt.Sprintf(format, args...), text, files{"w.json": text}.keep(n.t,
		fmt.Sprintf("extreme/%s-%d", n.problem, n.missed)))
}

// regimeOf is that of the k-th instance; few instances are of different kinds.
func regimeOf(k int) int { return 5 * k % len(regimes) }

func (n *numbers) one(k int) {
	g := regimes[regimeOf(k)]
	text := extremes(n.t, n.problem, rand.New(rand.NewPCG(uint64(k), 1e12)), g).compact()
	w := filepath.Join(n.dir, fmt.Sprintf("w%d.json", k))
	noError(n.t, os.WriteFile(w, text, 0o600))
	flags := pick(rand.New(rand.NewPCG(uint64(k), 5)), problemFlags[n.problem]...)
	dir := strings.TrimSuffix(w, ".json")
	if n.solve(w, dir, append([]string{"compare", "-a", "all"}, flags...)) {
		n.inspect(w, dir)
		n.plan(k, w, dir, flags)
	}
	p, err := engine.FindProblem(n.problem, nil)
	noError(n.t, err)
	if slices.ContainsFunc(p.Algorithms, func(a solver.Algorithm) bool { return a.Exhaustive }) &&
		!slices.Contains(flags, "--tie") { // exact does not depend on ties
		n.exact(w, flags)
	}
	for _, name := range apart[n.problem] {
		n.solve(w, dir+"-"+name, append([]string{"solve", "-a", name}, flags...))
	}
	noError(n.t, os.RemoveAll(dir))
}

// solve runs a command on an instance and says whether it left results, which check has verified.
func (n *numbers) solve(w, dir string, command []string) bool {
	n.t.Helper()
	if !n.ended(w, dir, command) {
		return false
	}
	n.verified(w, command, w, dir)
	return true
}

// verified demands that check accepts a result.
func (n *numbers) verified(w string, command []string, instance, result string) {
	n.t.Helper()
	if c := run("check", instance, result); c.code != exitDone {
		n.miss(w, "%q: check says: exit %d %s %s %s", command, c.code, c.broken, c.stdout, c.stderr)
	}
}

// ended runs a command on an instance and says whether it left results.
func (n *numbers) ended(w, dir string, command []string) bool {
	n.t.Helper()
	begin := time.Now()
	defer func() {
		if d := time.Since(begin); d > slow {
			n.t.Logf("%s took %s", filepath.Base(dir), d.Round(time.Second))
		}
	}()
	o := run(slices.Concat(command, []string{w, "-o", dir, "-q", "--iterations", "20", "--threads", "1"})...)
	return n.served(w, command, o)
}

// served counts how a command ended, and says whether it did its work.
func (n *numbers) served(w string, command []string, o outcome) bool {
	n.t.Helper()
	switch {
	case o.broken != "":
		n.miss(w, "%q: %s", command, o.broken)
	case o.code == exitUsage && finding.MatchString(o.stderr):
		n.ends["refused with "+finding.FindStringSubmatch(o.stderr)[1]]++
	case o.code == exitBackend:
		n.ends["the LP solver failed, exit 5"]++
	case o.code != exitDone:
		n.miss(w, "%q: exit %d: %s", command, o.code, o.stderr)
	default:
		n.ends[cmp.Or(map[string]string{"import": "imported", "size": "sized"}[command[0]], "solved")]++
		return true
	}
	return false
}

// solved is what a result states.
type solved struct {
	algorithm, status, dir string
	objective, bound       *big.Rat
	bundle                 *result.Bundle
}

func (n *numbers) results(dir string) []solved {
	entries, err := os.ReadDir(dir)
	noError(n.t, err)
	var list []solved
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		at := filepath.Join(dir, e.Name())
		b, found, err := result.Read(at)
		if err != nil || len(found) > 0 {
			n.t.Fatal(err, found)
		}
		s := solved{algorithm: b.Result.Algorithm, status: string(b.Result.Status), dir: at, bundle: b}
		if b.Result.Objective != nil {
			s.objective, _ = b.Result.Objective.Value.Rat()
		}
		if b.Result.LowerBound != nil {
			s.bound, _ = b.Result.LowerBound.Value.Rat()
		}
		list = append(list, s)
	}
	return list
}

// optimum is the least cost, as results print it, of the instance of a result, by brute force; nil: it is not known.
func (n *numbers) optimum(w string, s *solved) *big.Rat {
	n.t.Helper()
	work, err := workload.Read(w, nil, workload.Options{})
	noError(n.t, err)
	best := optimum(viewOf(n.t, n.problem, &base{instance: w, dir: s.dir}), work)
	if best != nil {
		n.brute++
		best, _ = model.ExactNumber(best).Rat()
	}
	return best
}

// inspect compares the results of an instance with each other and with brute force: no bound is above the cost of a
// schedule, no schedule costs less than an optimum, and the second checker accepts all of them.
func (n *numbers) inspect(w, dir string) {
	n.t.Helper()
	all := n.results(dir)
	var least *big.Rat
	for _, s := range all {
		if s.objective != nil && (least == nil || s.objective.Cmp(least) < 0) {
			least = s.objective
		}
	}
	best := n.optimum(w, &all[0])
	for _, s := range all {
		switch {
		case best != nil && s.bound != nil && s.bound.Cmp(best) > 0:
			n.miss(w, "%s: bound %s above the optimum %s", s.algorithm, s.bound.FloatString(6), best.FloatString(6))
		case best != nil && least != nil && least.Cmp(best) < 0:
			n.miss(w, "a schedule costs %s, less than the optimum %s", least.FloatString(6), best.FloatString(6))
		case best != nil && s.status == string(model.StatusOptimal) && s.objective.Cmp(best) != 0:
			n.miss(w, "%s: optimal at %s; the optimum is %s", s.algorithm, s.objective.FloatString(6), best.FloatString(6))
		case least == nil:
		case s.bound != nil && s.bound.Cmp(least) > 0:
			n.miss(w, "%s: bound %s above the cost %s of a schedule", s.algorithm, s.bound.FloatString(6), least.FloatString(6))
		case s.status == string(model.StatusOptimal) && s.objective.Cmp(least) != 0:
			n.miss(w, "%s: optimal at %s, but a schedule costs %s", s.algorithm, s.objective.FloatString(6),
				least.FloatString(6))
		}
		size := 0
		for _, text := range readFiles(n.t, s.dir) {
			size += len(text)
		}
		if s.algorithm != "exact" && (s.bundle.Result.Instance.Machines > 10_000 || size > 100_000) {
			continue // which takes Python seconds
		}
		if found := n.second.judge(w, s.dir); len(found) > 0 {
			n.miss(w, "%s: the second checker says: %v", s.algorithm, found)
		}
	}
}
