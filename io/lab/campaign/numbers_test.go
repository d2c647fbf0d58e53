package campaign

import (
	"bytes"
	"cmp"
	"encoding/json"
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

	"mrsched/io/result"
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
	"cluster":     {{}, {"--objective", "tardiness"}, {"--objective", "late"}, {"--objective", "makespan"}},
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
		n := &numbers{t: t, problem: name, name: name, dir: t.TempDir(), ends: map[string]int{}}
		if name == "spark" {
			n.problem, n.name = "cluster", "import spark"
			n.spark()
			return
		}
		for k := range numbersEach {
			n.one(k)
		}
		n.report()
	})
}

// numbers counts how the runs of one problem end.
type numbers struct {
	t                                  *testing.T
	problem, name, dir                 string
	tried, runs, missed, brute, scaled int
	followed, strayed                  int // costs compared of algorithms that follow an LP, and those of them that differ
	unproven                           int // results without a bound
	searched                           int // results that are optimal by their search alone
	sizes, again                       int // results of size, and of solve --from
	ends                               map[string]int
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

func (n *numbers) of() *solver.Problem {
	return entries()[slices.IndexFunc(entries(), func(p *solver.Problem) bool { return p.Name == n.problem })]
}

func (n *numbers) one(k int) {
	g := regimes[regimeOf(k)]
	text := extremes(n.t, n.problem, rand.New(rand.NewPCG(uint64(k), 1e12)), g).compact()
	w := filepath.Join(n.dir, fmt.Sprintf("w%d.json", k))
	noError(n.t, os.WriteFile(w, text, 0o600))
	n.tried++
	flags := pick(rand.New(rand.NewPCG(uint64(k), 5)), problemFlags[n.problem]...)
	dir := strings.TrimSuffix(w, ".json")
	if n.solve(w, dir, append([]string{"compare", "-a", "all"}, flags...)) {
		n.inspect(w, dir)
		n.plan(k, w, dir, flags)
	}
	if f := scales(n.problem, k); f > 0 {
		n.scale(k, f, dir, flags)
	}
	exhaustive := slices.ContainsFunc(n.of().Algorithms, func(a solver.Algorithm) bool { return a.Exhaustive })
	if exhaustive && !slices.Contains(flags, "--tie") { // exact does not depend on ties
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
	n.runs++
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

// unmarshal reads JSON and keeps the text of numbers.
func unmarshal(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// solved is what a result states.
type solved struct {
	algorithm, status, method string
	objective, bound          *big.Rat
	bundle                    *result.Bundle
}

func (n *numbers) results(dir string) []solved {
	entries, err := os.ReadDir(dir)
	noError(n.t, err)
	var list []solved
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		b, found, err := result.Read(filepath.Join(dir, e.Name()))
		if err != nil || len(found) > 0 {
			n.t.Fatal(err, found)
		}
		s := solved{algorithm: b.Result.Algorithm, status: string(b.Result.Status), bundle: b}
		if b.Result.Objective != nil {
			s.objective, _ = b.Result.Objective.Value.Rat()
		}
		if b.Result.LowerBound != nil {
			s.method = b.Result.LowerBound.Method
			s.bound, _ = b.Result.LowerBound.Value.Rat()
		}
		list = append(list, s)
	}
	return list
}

// inspect compares the results of an instance with each other and with brute force.
func (n *numbers) inspect(w, dir string) {
	all := n.results(dir)
	var least *big.Rat
	for _, s := range all {
		if s.objective != nil && (least == nil || s.objective.Cmp(least) < 0) {
			least = s.objective
		}
	}
	optimum := n.optimum(w, &all[0])
	if optimum != nil {
		n.brute++
		optimum, _ = model.ExactNumber(optimum).Rat() // as objectives are printed
	}
	for _, s := range all {
		switch {
		case s.bound == nil:
			n.unproven++
		case least != nil && s.bound.Cmp(least) > 0:
			n.miss(w, "%s: bound %s above the cost %s of a schedule", s.algorithm, s.bound.FloatString(6), least.FloatString(6))
		case optimum != nil && s.bound.Cmp(optimum) > 0:
			n.miss(w, "%s: bound %s (%s) above the optimum %s", s.algorithm, s.bound.FloatString(6), s.method,
				optimum.FloatString(6))
		}
		if optimum == nil || s.objective == nil {
			continue
		}
		if s.objective.Cmp(optimum) < 0 {
			n.miss(w, "%s: costs %s, less than the optimum %s", s.algorithm, s.objective.FloatString(6), optimum.FloatString(6))
		}
		if s.status == string(model.StatusOptimal) && s.objective.Cmp(optimum) != 0 {
			n.miss(w, "%s: optimal at %s; the optimum is %s", s.algorithm, s.objective.FloatString(6), optimum.FloatString(6))
		}
	}
}

func (n *numbers) report() {
	more := ""
	if n.followed > 0 {
		more = fmt.Sprintf("; of %d costs of algorithms that follow an LP, %d are not the same multiple",
			n.followed, n.strayed)
	}
	if n.sizes > 0 {
		more += fmt.Sprintf("; %d results of size, %d of solve --from", n.sizes, n.again)
	}
	Record(n.t, Row{Name: "numbers " + n.name, Command: "make numbers", Tried: n.tried, Found: n.missed,
		Text: fmt.Sprintf("tiny instances with extreme numbers; runs: %s; %d optima by brute force, %d results without a "+
			"bound, %d optima by search alone, %d costs exact multiples with multiplied times%s", counts(n.ends), n.brute,
			n.unproven, n.searched, n.scaled, more)})
}
