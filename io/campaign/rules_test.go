package campaign

import (
	"bytes"
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

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
)

// rule is one rule that schedules of a problem must keep.
type rule struct {
	name string
	code model.Code // of its violations
	// damage changes a valid schedule so that it breaks the rule; false: this one offers no way to.
	damage func(c *corrupted) bool
}

// corrupted is a valid schedule on its way to be corrupted.
type corrupted struct {
	*rand.Rand
	b    *ruleBase
	rows []entry
	// objective replaces the objective of the schedule, if it is set.
	objective string
}

// ruleBase is a valid result.
type ruleBase struct {
	instance string // its file
	bundle   *result.Bundle
	w        *model.Workload
	view     model.View
	problem  naiveProblem
	proof    *model.Certified
	rows     []entry
}

// TestMutationsByRule breaks each rule of each problem by a targeted change of a valid schedule, and computes the digests and all
// that follows from the schedule again, so that nothing but the rule is broken. It demands that check names the rule, and
// that the naive evaluation does.
func TestMutationsByRule(t *testing.T) {
	for _, p := range allRules() {
		t.Run(p.problem, func(t *testing.T) {
			x := &ruleTest{T: t, rulesOf: p, file: filepath.Join(t.TempDir(), "result.json"), count: map[string]int{}}
			x.bases()
			for k, rule := range p.rules {
				x.broken(k, rule)
			}
			x.random()
			x.report()
		})
	}
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

// miss is a defect.
func (x *ruleTest) miss(b *ruleBase, rule, format string, args ...any) {
	x.missed++
	if x.missed > 20 {
		return
	}
	text, err := os.ReadFile(x.file)
	if err != nil {
		x.Fatal(err)
	}
	workload, err := os.ReadFile(b.instance)
	if err != nil {
		x.Fatal(err)
	}
	at := files{"workload.json": workload, "result.json": text}.keep(x.T, fmt.Sprintf("rules/%s-%d", x.problem, x.missed))
	x.Errorf("%s, %s: %s\nkept in %s", rule, b.bundle.Result.Algorithm, fmt.Sprintf(format, args...), at)
}

// bases solves the instances.
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
			a := x.algorithms[(k+i)%len(x.algorithms)]
			at := filepath.Join(dir, fmt.Sprintf("%d-%s", k, a))
			o := run(quiet(slices.Concat([]string{"solve", w, "-a", a, "-o", at}, x.flags[k%len(x.flags)])...)...)
			if o.code != exitDone {
				x.Logf("instance %d, %s: exit %d %s %s", k, a, o.code, o.broken, strings.TrimSpace(o.stderr))
				continue
			}
			x.add(w, at)
		}
	}
	if len(x.base) < ruleInstances {
		x.Fatalf("%d valid results of %d instances", len(x.base), ruleInstances)
	}
}

// add reads a valid result, which also the naive evaluation has to find valid.
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
	if b.bundle.Certificate != nil {
		p, err := b.view.Certify(b.bundle.Certificate)
		if err != nil {
			x.Fatal(err)
		}
		b.proof = &p
	}
	for _, r := range n.rows[1:] {
		from, _ := model.ParseTime(r[startColumn])
		until, _ := model.ParseTime(r[endColumn])
		b.rows = append(b.rows, entry{r[taskColumn], r[jobColumn], r[kindColumn], r[machineColumn], int64(from), int64(until), nil})
	}
	x.base = append(x.base, b)
	c := &corrupted{b: b, rows: slices.Clone(b.rows)}
	codes, v := x.judge(c)
	if len(codes) > 0 || v.err() != nil {
		x.miss(b, "valid result", "check says %v, the naive evaluation %v", codes, v.broken)
	}
}

// judge forges a result with the changed schedule and says what check and the naive evaluation think of it.
func (x *ruleTest) judge(c *corrupted) (codes []model.Code, v *verdict) {
	text, rows := x.forge(c)
	if err := os.WriteFile(x.file, text, 0o600); err != nil {
		x.Fatal(err)
	}
	o := run("check", c.b.instance, x.file, "--json")
	var line struct{ Violations []struct{ Code model.Code } }
	if err := json.Unmarshal([]byte(o.stdout), &line); err != nil || o.broken != "" || (o.code == exitDone) != (len(line.Violations) == 0) {
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

// forge makes a result of the changed schedule, in which all that follows from the schedule is right, as one JSON document; and
// the rows of its schedule.
func (x *ruleTest) forge(c *corrupted) (text []byte, rows [][]string) {
	list := x.cells(c)
	seq := result.Rows(func(yield func([]result.Row) bool) { yield(list) })
	s, _ := result.Schedule(c.b.w, c.b.view, seq)
	r := x.derived(c, s, c.b.proof)
	certificate := c.b.bundle.Certificate
	if r == nil || c.objective != "" { // it costs less than the bound, or is said to; then nothing is said of a bound
		r, certificate = x.derived(c, s, nil), nil
	}
	var stated any
	if certificate != nil {
		stated = certificate
	}
	if c.objective != "" {
		r.Objective.Value = model.Number(c.objective)
	}
	b := result.New(r, c.b.w, c.b.view, s, stated)
	b.Rows = seq
	var out bytes.Buffer
	if err := b.WriteLine(&out); err != nil {
		x.Fatal(err)
	}
	for _, r := range list {
		line := []string{r.Task, r.Job, r.Kind, r.Machine, r.Start.String(), r.End.String()}
		for _, cell := range r.Columns {
			line = append(line, cell.Text)
		}
		rows = append(rows, line)
	}
	return out.Bytes(), rows
}

// derived is result.json of a schedule; nil: the schedule costs less than the proof says is possible.
func (x *ruleTest) derived(c *corrupted, s *model.Schedule, proof *model.Certified) *model.Result {
	is := c.b.bundle.Result
	r := &model.Result{Problem: is.Problem, Algorithm: is.Algorithm, Status: is.Status, Instance: is.Instance, Parameters: is.Parameters, Seed: is.Seed, Metrics: map[string]any{}}
	for _, name := range []string{result.MetricBounds, result.MetricRun} {
		if v, ok := is.Metrics[name]; ok && (name == result.MetricRun || proof != nil) {
			r.Metrics[name] = v
		}
	}
	if err := result.Derive(r, c.b.view, s, proof, result.Promise{}, false); err != nil {
		if proof == nil {
			x.Fatal(err)
		}
		return nil
	}
	return r
}

// cells are the rows with the problem's own columns, which are derived where the change states none.
func (x *ruleTest) cells(c *corrupted) (list []result.Row) {
	own, _ := c.b.view.(model.RowColumns)
	for _, e := range c.rows {
		r := result.Row{Task: e.task, Job: e.job, Kind: e.kind, Machine: e.machine, Start: model.Time(e.from), End: model.Time(e.until)}
		if own != nil {
			texts := e.own
			if texts == nil {
				texts = x.derivedCells(c.b, own, &e)
			}
			for k, name := range own.Columns() {
				r.Columns = append(r.Columns, result.Cell{Name: name, Text: texts[k]})
			}
		}
		list = append(list, r)
	}
	return list
}

// derivedCells are the cells of a row; empty of one that names no task or no machine.
func (x *ruleTest) derivedCells(b *ruleBase, own model.RowColumns, e *entry) []string {
	m, ok := b.view.Machine(e.machine)
	u, ok2 := model.TaskIndex(0), false
	if names, is := b.view.(model.TaskNamer); is {
		u, ok2 = names.FindTask(e.task)
	} else {
		k := slices.IndexFunc(b.w.Tasks, func(t model.Task) bool { return t.ID == e.task })
		u, ok2 = model.TaskIndex(k), k >= 0
	}
	if !ok || !ok2 {
		return make([]string, len(own.Columns()))
	}
	return own.Cells(model.Entry{Task: u, Machine: m, Start: model.Time(e.from), End: model.Time(e.until)})
}

// broken breaks one rule as often as it has to.
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
		_, naive := v.broken[rule.code]
		if !naive || !slices.Contains(codes, rule.code) {
			x.miss(c.b, name, "check says %v, the naive evaluation %v", codes, v.broken)
		}
		if slices.ContainsFunc(codes, func(code model.Code) bool {
			return code >= model.CodeOtherInstance && code < model.CodeSequence && code != rule.code
		}) {
			x.miss(c.b, name, "not only rules of the schedule are broken: %v", codes)
		}
		if len(codes) == 1 {
			x.alone++
		}
	}
}

// pick changes some valid schedule, if possible so that no other rule is broken.
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

// key tells changes apart.
func (c *corrupted) key() string {
	return fmt.Sprint(c.b.instance, c.b.bundle.Result.Digest, c.rows, c.objective)
}

// random changes schedules at random; check and the naive evaluation must agree on whether they are valid.
func (x *ruleTest) random() {
	r := rand.New(rand.NewPCG(7, 7))
	for range ruleRandom {
		b := pick(r, x.base...)
		c := &corrupted{Rand: r, b: b, rows: slices.Clone(b.rows)}
		c.anything()
		codes, v := x.judge(c)
		x.tried++
		if (len(codes) == 0) != (len(v.broken) == 0) {
			x.miss(b, "random", "check says %v, the naive evaluation %v", codes, v.broken)
		}
		if len(codes) > 0 {
			x.refused++
		}
	}
}

// report writes the row of evidence.
func (x *ruleTest) report() {
	Record(x.T, Row{Name: "mutations rules " + x.problem, Command: "make mutations", Tried: x.tried, Found: x.missed,
		Text: fmt.Sprintf("changed schedules of %d results with all that follows computed again, judged alike by check and by naive evaluation: %s; %d of these break that rule alone; %d changed at random, of which %d are refused",
			len(x.base), counts(x.count), x.alone, ruleRandom, x.refused)})
	for _, name := range slices.Sorted(maps.Keys(x.count)) {
		x.Logf("%6d %s", x.count[name], name)
	}
}
