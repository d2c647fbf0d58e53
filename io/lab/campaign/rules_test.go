package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// rule is a code of violations of schedules.
type rule struct {
	code model.Code
	name string
}

// rulesOf are the rules of a problem.
type rulesOf struct {
	problem string
	rules   []rule
}

// ruleNames say how rules are broken.
var ruleNames = map[model.Code]string{model.CodeTaskMissing: "a row missing", model.CodeTaskTwice: "a row twice",
	model.CodeMachineUnknown: "an unknown machine", model.CodeDuration: "another duration",
	model.CodeBeforeRelease: "before the release", model.CodePrecedence: "before what it waits for",
	model.CodeOverlap: "two tasks at a time", model.CodeTaskUnknown: "an unknown task",
	model.CodeRowContradicts: "another job, kind, order or own column", model.CodeObjective: "another objective",
	model.CodeSequence: "a gap, or another order", model.CodeHolding: "a slot held for another time",
	model.CodeSlotKind: "a slot of the other kind", model.CodeReducers: "more slots than reducers",
	model.CodePartitioner: "partitions of two partitioners", model.CodePieces: "pieces that are not all",
	model.CodeLink: "over links that are too narrow", model.CodeMemory: "more memory than the node has",
	model.CodeCores: "more cores than the node has", model.CodeResource: "more of a resource than the node has",
	model.CodePlace: "where it may not run", model.CodeAway: "while its node is away",
	model.CodeFixedMoved: "a fixed task moved", model.CodeFrozen: "not what an earlier plan froze"}

// allRules are the rules that the package of a problem can report, and those that it shares with all.
func allRules() (all []rulesOf) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	codes := map[string]model.Code{} // by the name of the constant
	for _, m := range regexp.MustCompile(`(Code\w+) +Code = "(K\d+)"`).FindAllStringSubmatch(
		read("../../../model/schedule.go"), -1) {
		codes[m[1]] = model.Code(m[2])
	}
	for _, p := range problems() {
		is := map[model.Code]bool{model.CodeTaskUnknown: true, model.CodeRowContradicts: true, model.CodeObjective: true,
			model.CodeMachineUnknown: true, model.CodeFrozen: p == "cluster", model.CodeOverlap: p != "cluster" && p != "hta"}
		paths, err := filepath.Glob("../../../model/" + p + "/*.go")
		if err != nil {
			panic(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, m := range regexp.MustCompile(`model\.(Code\w+)`).FindAllStringSubmatch(read(path), -1) {
				is[codes[m[1]]] = true
			}
		}
		var list []rule
		for _, code := range slices.Sorted(maps.Keys(is)) {
			if code != "" && is[code] { // not of a finding in the input
				list = append(list, rule{code, ruleNames[code]})
			}
		}
		all = append(all, rulesOf{p, list})
	}
	return all
}

// TestMutationsByRule changes the schedules of valid results at random, until each rule of each problem is broken often
// enough, by a microsecond if that is all it takes. Digests are computed again. check and the naive evaluation must
// agree on all of them.
func TestMutationsByRule(t *testing.T) {
	inProcesses(t, problems(), func(t *testing.T, problem string) {
		all := allRules()
		p := all[slices.IndexFunc(all, func(p rulesOf) bool { return p.problem == problem })]
		x := &ruleTest{T: t, rulesOf: p, dir: filepath.Join(t.TempDir(), "r"), count: map[model.Code]int{}}
		for _, b := range bases(t, problem, ruleInstances) {
			x.add(b)
		}
		r := rand.New(rand.NewPCG(uint64(len(problem)), 29))
		for k := 0; x.lacks(k) != ""; k++ {
			if k > 5000*ruleEach+ruleRandom {
				t.Fatalf("%s is broken too seldom: %v", x.lacks(k), x.count)
			}
			x.one(r, k)
		}
		x.report()
	})
}

// ruleTest breaks the rules of one problem.
type ruleTest struct {
	*testing.T
	rulesOf
	dir                           string // of the result that is checked
	bases                         []*ruleBase
	count                         map[model.Code]int // changed schedules by rule
	tried, missed, alone, refused int
}

// ruleBase is a valid result as the naive evaluation sees it.
type ruleBase struct {
	base
	problem  naiveProblem
	rows     []entry
	machines []string
	known    map[string]bool // tasks
}

func (x *ruleTest) add(b base) {
	n, err := newNaive(x.problem, &b, b.files)
	if err != nil {
		x.Fatal(err)
	}
	if len(n.rows) < 2 {
		return
	}
	is := &ruleBase{base: b, problem: n.problemOf(), known: map[string]bool{}}
	for i := range n.view.Size() {
		is.machines = append(is.machines, n.view.MachineName(int32(i)))
	}
	for _, t := range is.problem.tasks() {
		is.known[t.id] = true
	}
	is.rows = judge(is.problem, n.rows[1:]).rows
	for i := range is.rows {
		is.rows[i].own = nil
	}
	x.bases = append(x.bases, is)
}

// lacks is a rule that was broken too seldom after so many changes; empty if there is none.
func (x *ruleTest) lacks(changes int) model.Code {
	for _, r := range x.rules {
		if x.count[r.code] < ruleEach {
			return r.code
		}
	}
	if changes < ruleRandom {
		return "nothing"
	}
	return ""
}

// one changes a schedule, and judges it if it is one of the first or breaks a rule that lacks.
func (x *ruleTest) one(r *rand.Rand, k int) {
	b := pick(r, x.bases...)
	c := &changed{Rand: r, b: b, rows: slices.Clone(b.rows)}
	c.change()
	v := c.verdict()
	codes := slices.Sorted(maps.Keys(v.broken))
	lacking := slices.DeleteFunc(slices.Clone(codes), func(code model.Code) bool { return x.count[code] >= ruleEach })
	if len(lacking) == 0 && k >= ruleRandom || len(codes) > 1 && k%3 > 0 {
		return
	}
	found := x.check(c)
	x.tried++
	for _, code := range codes {
		x.count[code]++
	}
	if len(codes) == 1 {
		x.alone++
	}
	if len(codes) > 0 {
		x.refused++
	}
	if !slices.Equal(first(codes), first(found)) {
		x.miss(c, "check says %v, the naive evaluation %v", found, v.broken)
	}
}

// check returns what check finds wrong with a changed schedule, apart from claims that follow from the schedule.
func (x *ruleTest) check(c *changed) (codes []model.Code) {
	all := maps.Clone(c.b.files)
	rows := append(table(all["schedule.csv"])[:1], c.text()...)
	all["schedule.csv"] = tableText(rows)
	all.reseal()
	all.write(x.T, x.dir)
	o := run("check", c.b.instance, x.dir, "--json")
	var line struct{ Violations []struct{ Code model.Code } }
	if err := json.Unmarshal([]byte(o.stdout), &line); err != nil || o.broken != "" || o.code != exitViolation &&
		(o.code != exitDone || len(line.Violations) > 0) {
		x.Fatalf("check: exit %d %s %s %s %v", o.code, o.broken, o.stdout, o.stderr, err)
	}
	claims, rest := map[model.Code]bool{}, map[model.Code]bool{}
	for _, v := range line.Violations {
		if aboutClaims(v.Code) {
			claims[v.Code] = true
		} else {
			rest[v.Code] = true
		}
	}
	if len(rest) == 0 && claims[model.CodeObjective] {
		return []model.Code{model.CodeObjective}
	}
	return slices.Sorted(maps.Keys(rest))
}

// first are the violations that check reports: where rows are missing, twice or of several partitioners, it does not
// judge their times and places.
func first(codes []model.Code) []model.Code {
	rows := []model.Code{model.CodeTaskMissing, model.CodeTaskTwice, model.CodePartitioner, model.CodeTaskUnknown,
		model.CodeMachineUnknown, model.CodeRowContradicts}
	if !slices.ContainsFunc(codes, func(code model.Code) bool { return slices.Contains(rows[:3], code) }) {
		return codes
	}
	return slices.DeleteFunc(slices.Clone(codes), func(code model.Code) bool { return !slices.Contains(rows, code) })
}

// aboutClaims says whether a code concerns the claims of a result rather than its schedule.
func aboutClaims(code model.Code) bool {
	return code >= model.CodeOtherInstance && code <= model.CodeResultMalformed || code == model.CodeTable
}

func (x *ruleTest) miss(c *changed, format string, args ...any) {
	x.Helper()
	if x.missed++; x.missed > 20 {
		return
	}
	kept := readFiles(x.T, x.dir)
	var err error
	if kept["workload.json"], err = os.ReadFile(c.b.instance); err != nil {
		x.Fatal(err)
	}
	at := kept.keep(x.T, fmt.Sprintf("rules/%s-%d", x.problem, x.missed))
	x.Errorf("%s of %s: %s\nkept in %s", c.b.algorithm, filepath.Base(c.b.instance), fmt.Sprintf(format, args...), at)
}

func (x *ruleTest) report() {
	count := map[string]int{}
	for _, r := range x.rules {
		count[fmt.Sprintf("%s %s", r.code, r.name)] = x.count[r.code]
	}
	Record(x.T, Row{Name: "mutations rules " + x.problem, Command: "make mutations", Tried: x.tried, Found: x.missed,
		Text: fmt.Sprintf("schedules of %d valid results, changed at random until each rule was broken often (%s); check "+
			"and the naive evaluation refuse the same %d, %d of them for one rule", len(x.bases), counts(count), x.refused,
			x.alone)})
}
