package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

type rule struct {
	name string
	code model.Code // of its violations
	// damage changes a valid schedule so that it breaks the rule; false if this schedule, or the draw, does not allow it.
	damage func(c *corrupted) bool
}

// corrupted is a valid schedule that is being corrupted.
type corrupted struct {
	*rand.Rand
	b    *ruleBase
	rows []entry // own: nil, or cells in place of those that follow from the row
	// objective is stated in place of the schedule's, unless it is empty.
	objective string
}

type ruleBase struct {
	instance string // its file
	bundle   *result.Bundle
	w        *model.Workload
	view     model.View
	run      solver.Run // of problems whose results state facts that follow from the schedule
	problem  naiveProblem
	proof    *model.Certified
	rows     []entry
}

// TestMutationsByRule breaks each rule of each problem by targeted changes of valid schedules. Everything that follows
// from the schedule is computed again, so only the schedule is wrong. check and the naive evaluation must both name the
// rule. On schedules that are changed at random, both must agree.
func TestMutationsByRule(t *testing.T) {
	inProcesses(t, problems(), func(t *testing.T, problem string) {
		all := allRules()
		p := all[slices.IndexFunc(all, func(p rulesOf) bool { return p.problem == problem })]
		x := &ruleTest{T: t, rulesOf: p, file: filepath.Join(t.TempDir(), "result.json"), count: map[string]int{}}
		x.bases()
		for k, rule := range p.rules {
			x.broken(k, rule)
		}
		x.random()
		x.report()
	})
}

// ruleTest breaks the rules of one problem.
type ruleTest struct {
	*testing.T
	rulesOf
	file           string // of the result that is checked
	base           []*ruleBase
	count          map[string]int // corruptions by rule
	tried, missed  int
	alone, refused int // corruptions that break no other rule; random changes that are refused
}

func (x *ruleTest) miss(b *ruleBase, rule, format string, args ...any) {
	x.Helper()
	if x.missed++; x.missed > 20 {
		return
	}
	kept := files{}
	for name, path := range map[string]string{"workload.json": b.instance, "result.json": x.file} {
		text, err := os.ReadFile(path)
		if err != nil {
			x.Fatal(err)
		}
		kept[name] = text
	}
	at := kept.keep(x.T, fmt.Sprintf("rules/%s-%d", x.problem, x.missed))
	x.Errorf("%s, %s: %s\nkept in %s", rule, b.bundle.Result.Algorithm, fmt.Sprintf(format, args...), at)
}

func (x *ruleTest) bases() {
	dir := x.TempDir()
	for k := range ruleInstances {
		d := &document{Format: "mrsched-workload/1", Problem: x.problem}
		x.make(maker{rand.New(rand.NewPCG(uint64(k), 605))}, d, k)
		text, err := json.Marshal(d)
		if err != nil {
			x.Fatal(err)
		}
		w := filepath.Join(dir, fmt.Sprintf("w%d.json", k))
		if err := os.WriteFile(w, text, 0o600); err != nil {
			x.Fatal(err)
		}
		for i := range ruleAlgorithms {
			a := x.algorithms[0]
			if i > 0 {
				a = x.algorithms[1+(k+i)%(len(x.algorithms)-1)]
			}
			x.solve(w, filepath.Join(dir, fmt.Sprintf("%d-%s", k, a)), append([]string{"-a", a}, x.flags[k%len(x.flags)]...))
		}
		if x.again {
			earlier := filepath.Join(dir, fmt.Sprintf("%d-%s", k, x.algorithms[0]))
			x.solve(w, filepath.Join(dir, fmt.Sprintf("%d-again", k)), append([]string{"--from", earlier, "--freeze-until",
				fmt.Sprintf("%d.5", k%7)}, x.flags[k%len(x.flags)]...))
		}
	}
	if len(x.base) < ruleInstances {
		x.Fatalf("%d valid results of %d instances", len(x.base), ruleInstances)
	}
}

// solve adds a result of an instance, unless the algorithm cannot solve it.
func (x *ruleTest) solve(w, at string, flags []string) {
	o := run(quiet(append([]string{"solve", w, "-o", at}, flags...)...)...)
	switch {
	case o.code == exitDone:
		x.add(w, at)
	case o.code != exitUsage || !strings.Contains(o.stderr, string(model.CodeParameter)):
		text, _ := os.ReadFile(w) // it has just been written
		x.Fatalf("%q on\n%s\nexit %d %s %s", flags, text, o.code, o.broken, o.stderr)
	}
}

// add reads a valid result; the naive evaluation must find it valid too.
func (x *ruleTest) add(instance, dir string) {
	b := &ruleBase{instance: instance}
	var found []model.Violation
	var err error
	if b.bundle, found, err = result.Read(dir); err != nil || len(found) > 0 {
		x.Fatal(err, found)
	}
	if b.w, err = workload.Read(instance, nil, workload.Options{}); err != nil {
		x.Fatal(err)
	}
	n, err := newNaive(x.problem, &base{instance: instance}, readFiles(x.T, dir))
	if err != nil {
		x.Fatal(err)
	}
	b.view, b.problem = n.view, n.problemOf()
	if d := descriptor(x.problem); d.Witness != nil {
		var err error
		if b.run, err = d.Open(b.w, n.params); err != nil {
			x.Fatal(err)
		}
	}
	if keep, err := engine.StatedReplan(b.bundle); err != nil {
		x.Fatal(err)
	} else if keep != nil {
		x.keep(b, n.params, keep)
	}
	if b.bundle.Certificate != nil {
		p, err := b.view.Certify(b.bundle.Certificate)
		if err != nil {
			x.Fatal(err)
		}
		b.proof = &p
	}
	for _, r := range n.rows[1:] {
		from, err1 := model.ParseSignedTime(r[startColumn])
		until, err2 := model.ParseSignedTime(r[endColumn])
		if err1 != nil || err2 != nil {
			x.Fatal(err1, err2)
		}
		b.rows = append(b.rows, entry{r[taskColumn], r[jobColumn], r[kindColumn], r[machineColumn],
			int64(from), int64(until), nil})
	}
	x.base = append(x.base, b)
	codes, v := x.judge(&corrupted{b: b, rows: slices.Clone(b.rows)})
	stated, _ := b.bundle.Result.Objective.Value.Rat()
	if len(codes) > 0 || v.err() != nil || stated.Cmp(printed(v.cost)) != 0 {
		x.miss(b, "valid result", "check says %v, the naive evaluation %v, objective %v", codes, v.broken, v.cost)
	}
}

// keep makes both evaluations keep what an earlier plan has begun.
func (x *ruleTest) keep(b *ruleBase, p solver.Params, keep *model.Replan) {
	run, err := descriptor(x.problem).Open(b.w, p)
	if err != nil {
		x.Fatal(err)
	}
	o := engine.Opened{Problem: engine.Problem{Problem: descriptor(x.problem)}, Run: run}
	if err := o.Keep(keep); err != nil {
		x.Fatal(err)
	}
	b.view = o.Run.View()
	b.problem.(*naiveCluster).keep(keep)
}

// judge returns what check and the naive evaluation find wrong with a changed schedule.
func (x *ruleTest) judge(c *corrupted) (codes []model.Code, v *verdict) {
	text, rows := x.forge(c)
	if err := os.WriteFile(x.file, text, 0o600); err != nil {
		x.Fatal(err)
	}
	o := run("check", c.b.instance, x.file, "--json")
	var line struct{ Violations []struct{ Code model.Code } }
	err := json.Unmarshal([]byte(o.stdout), &line)
	want := exitDone
	if len(line.Violations) > 0 {
		want = exitViolation
	}
	if err != nil || o.broken != "" || o.code != want {
		x.Fatalf("check: exit %d %s %s %s %v", o.code, o.broken, o.stdout, o.stderr, err)
	}
	for _, found := range line.Violations {
		if !slices.Contains(codes, found.Code) {
			codes = append(codes, found.Code)
		}
	}
	v = judge(c.b.problem, rows)
	if stated, ok := new(big.Rat).SetString(c.objective); ok && v.cost != nil && stated.Cmp(printed(v.cost)) != 0 {
		v.breaks(model.CodeObjective, "it costs %s", v.cost.RatString())
	}
	return codes, v
}

// broken breaks one rule as often as required.
func (x *ruleTest) broken(number int, rule rule) {
	r := rand.New(rand.NewPCG(uint64(number), 29))
	name := fmt.Sprintf("%s %s", rule.code, rule.name)
	seen := map[string]bool{}
	for tries := 0; x.count[name] < ruleEach; tries++ {
		if tries > 400*ruleEach {
			x.missed++
			x.Errorf("%s: only %d schedules", name, x.count[name])
			return
		}
		c, ok := x.pick(r, rule)
		if !ok || seen[c.key()] {
			continue
		}
		seen[c.key()] = true
		codes, v := x.judge(c)
		x.tried++
		x.count[name]++
		if _, naive := v.broken[rule.code]; !naive || !slices.Contains(codes, rule.code) {
			x.miss(c.b, name, "check says %v, the naive evaluation %v", codes, v.broken)
		}
		if slices.ContainsFunc(codes, func(code model.Code) bool { return aboutClaims(code) && code != rule.code }) {
			x.miss(c.b, name, "not only the schedule is wrong: %v", codes)
		}
		if len(codes) == 1 {
			x.alone++
		}
	}
}

// aboutClaims says whether a code concerns the claims of a result rather than its schedule.
func aboutClaims(code model.Code) bool {
	return code >= model.CodeOtherInstance && code <= model.CodeResultMalformed || code == model.CodeTable
}

// pick changes some valid schedule, preferably so that no other rule is broken.
func (x *ruleTest) pick(r *rand.Rand, rule rule) (last *corrupted, ok bool) {
	for range 12 {
		b := pick(r, x.base...)
		c := &corrupted{Rand: r, b: b, rows: slices.Clone(b.rows)}
		if !rule.damage(c) {
			continue
		}
		last, ok = c, true
		_, rows := x.forge(c)
		if v := judge(b.problem, rows); len(v.broken) == 0 || len(v.broken) == 1 && v.broken[rule.code] != nil {
			return c, true
		}
	}
	return last, ok
}

// key distinguishes corrupted schedules.
func (c *corrupted) key() string {
	return fmt.Sprint(c.b.instance, c.b.bundle.Result.Digest, c.rows, c.objective)
}

// random changes schedules at random; check and the naive evaluation must agree whether they are valid.
func (x *ruleTest) random() {
	r := rand.New(rand.NewPCG(7, 7))
	for range ruleRandom {
		b := pick(r, x.base...)
		c := &corrupted{Rand: r, b: b, rows: slices.Clone(b.rows)}
		c.anything()
		codes, v := x.judge(c)
		x.tried++
		if (len(codes) == 0) != (len(v.broken) == 0) {
			x.miss(b, "changed at random", "check says %v, the naive evaluation %v", codes, v.broken)
		}
		if len(codes) > 0 {
			x.refused++
		}
	}
}

func (x *ruleTest) report() {
	all := 0
	for _, n := range x.count {
		all += n
	}
	Record(x.T, Row{Name: "mutations rules " + x.problem, Command: "make mutations", Tried: x.tried, Found: x.missed,
		Text: fmt.Sprintf("schedules of %d valid results: %d changed to break one rule (%s), %d of them no other; "+
			"%d changed at random, of which check and the naive evaluation refuse the same %d",
			len(x.base), all, counts(x.count), x.alone, ruleRandom, x.refused)})
	for _, name := range slices.Sorted(maps.Keys(x.count)) {
		x.Logf("%6d %s", x.count[name], name)
	}
}
