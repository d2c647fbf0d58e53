package campaign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/io/result"
	"mrsched/model"
)

// rulesOf are the codes that the package of a problem can report, and those that it shares with all.
func rulesOf(t *testing.T, problem string) []model.Code {
	t.Helper()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		noError(t, err)
		return string(text)
	}
	codes := map[string]model.Code{} // by the name of the constant
	for _, m := range regexp.MustCompile(`(Code\w+) +Code = "(K\d+)"`).FindAllStringSubmatch(
		read("../../../model/schedule.go"), -1) {
		codes[m[1]] = model.Code(m[2])
	}
	is := map[model.Code]bool{model.CodeTaskUnknown: true, model.CodeRowContradicts: true, model.CodeObjective: true,
		model.CodeMachineUnknown: true}
	if problem == "cluster" {
		is[model.CodeFrozen] = true
	} else if problem != "hta" {
		is[model.CodeOverlap] = true
	}
	paths, err := filepath.Glob("../../../model/" + cmp.Or(map[string]string{"cluster": "shop"}[problem], problem) + "/*.go")
	noError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`model\.(Code\w+)`).FindAllStringSubmatch(read(path), -1) {
			is[codes[m[1]]] = true
		}
	}
	delete(is, "") // of a finding in the input
	return slices.Sorted(maps.Keys(is))
}

// TestMutationsByRule changes the schedules of valid results at random, until each rule of each problem is broken often
// enough, by a microsecond if that is all it takes. Digests are computed again. check and the second checker must agree
// on all of them.
func TestMutationsByRule(t *testing.T) {
	inProcesses(t, problems(), func(t *testing.T, problem string) {
		x := &ruleTest{T: t, second: newSecond(t), problem: problem, dir: filepath.Join(t.TempDir(), "r"),
			rules: append(rulesOf(t, problem), ""), count: map[model.Code]int{}}
		for _, b := range bases(t, problem, ruleInstances) {
			x.add(b)
		}
		r := rand.New(rand.NewPCG(uint64(len(problem)), 29))
		for k := 0; k < ruleRandom || slices.ContainsFunc(x.rules, x.lacks); k++ {
			if k > 5000*ruleEach+ruleRandom {
				t.Fatalf("some rules are broken too seldom: %v", x.count)
			}
			x.one(r, k)
		}
		t.Logf("changed schedules by rule, of %d results: %v", len(x.bases), x.count)
		Record(t, Row{"mutations rules " + problem, x.tried, x.missed})
	})
}

// ruleTest breaks the rules of one problem.
type ruleTest struct {
	*testing.T
	second        *second
	problem, dir  string // the latter of the result that is checked
	rules         []model.Code
	bases         []*ruleBase
	count         map[model.Code]int // changed schedules by rule; "" for those that break none
	tried, missed int
}

// ruleBase is a valid result and its instance.
type ruleBase struct {
	base
	view     model.View
	stated   string // its objective
	rows     []entry
	machines []string
	tasks    []string
	length   map[[2]string]int64 // by task and machine, where some result of the instance has it there
}

func (x *ruleTest) add(b base) {
	rows := table(b.files[result.ScheduleFile])
	if len(rows) < 2 {
		return
	}
	is := &ruleBase{base: b, view: viewOf(x.T, x.problem, &b), length: map[[2]string]int64{},
		stated: b.files.document().get("objective", "value").text}
	if n := len(x.bases); n > 0 && x.bases[n-1].group == b.group {
		is.length = x.bases[n-1].length
	}
	for i := range is.view.Size() {
		is.machines = append(is.machines, is.view.MachineName(int32(i)))
	}
	for i := range is.view.TaskCount() {
		id, _, _ := is.view.TaskName(model.TaskIndex(i))
		is.tasks = append(is.tasks, id)
	}
	for _, r := range rows[1:] {
		from, err := model.ParseSignedTime(r[startColumn])
		until, err2 := model.ParseSignedTime(r[endColumn])
		noError(x.T, errors.Join(err, err2))
		e := entry{task: r[taskColumn], job: r[jobColumn], kind: r[kindColumn], machine: r[machineColumn],
			from: int64(from), until: int64(until)}
		is.rows = append(is.rows, e)
		is.length[[2]string{e.task, e.machine}] = e.until - e.from
	}
	x.bases = append(x.bases, is)
}

// lacks says whether a rule was broken too seldom. Schedules that break none are judged more often.
func (x *ruleTest) lacks(code model.Code) bool {
	return x.count[code] < ruleEach || code == "" && x.count[code] < 10*ruleEach
}

// one changes a schedule, and judges it if it is one of the first or breaks a rule that lacks.
func (x *ruleTest) one(r *rand.Rand, k int) {
	b := pick(r, x.bases...)
	c := &changed{Rand: r, b: b, rows: slices.Clone(b.rows)}
	c.change()
	codes := c.codes()
	if k >= ruleRandom && !slices.ContainsFunc(codes, x.lacks) && (len(codes) > 0 || !x.lacks("")) ||
		len(codes) > 1 && k%3 > 0 {
		return
	}
	all := maps.Clone(b.files)
	all[result.ScheduleFile] = tableText(append(table(all[result.ScheduleFile])[:1], c.text()...))
	all.reseal()
	all.write(x.T, x.dir)
	o := run("check", b.instance, x.dir, "--json")
	var line struct{ Violations []model.Violation }
	if err := json.Unmarshal([]byte(o.stdout), &line); err != nil || o.broken != "" || o.code != exitViolation &&
		(o.code != exitDone || len(line.Violations) > 0) {
		x.Fatalf("check: exit %d %s %s %s %v", o.code, o.broken, o.stdout, o.stderr, err)
	}
	found := x.second.judge(b.instance, x.dir)
	x.tried++
	broken, theirs := aboutSchedule(found), aboutSchedule(line.Violations)
	for _, code := range broken {
		x.count[code]++
	}
	if len(broken) == 0 {
		x.count[""]++
	}
	if slices.Equal(broken, theirs) {
		return
	}
	if x.missed++; x.missed <= 20 {
		at := all.keep(x.T, fmt.Sprintf("rules/%s-%d", x.problem, x.missed))
		x.Errorf("%s of %s: check says %v, the second checker %v\nkept in %s", b.algorithm, b.instance, line.Violations,
			found, at)
	}
}

// aboutSchedule are the codes of violations, apart from claims that follow from the schedule. A valid schedule may have
// another objective than the result states.
func aboutSchedule(found []model.Violation) []model.Code {
	claims, rest := map[model.Code]bool{}, map[model.Code]bool{}
	for _, v := range found {
		if v.Code >= model.CodeOtherInstance && v.Code <= model.CodeResultMalformed || v.Code == model.CodeTable {
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
