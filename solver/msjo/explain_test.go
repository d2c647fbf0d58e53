package msjo

import (
	"cmp"
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	reader "mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/list"
)

// explained opens a question about a schedule of an instance; task may be model.None.
func explained(t fataler, in *msjo.Instance, s *model.Schedule, task, job int32) *explainer {
	t.Helper()
	r := opened(t, in, solver.Params{"objective": string(in.Objective)})
	return &explainer{r: r, in: in, w: in.Workload(), x: graph(in).NewShifts(s), done: in.Completions(s),
		q: solver.Question{Schedule: s, Task: model.TaskIndex(task), Job: model.JobIndex(job), Alternatives: 3}}
}

// fig1 is the first example of the paper.
func fig1(t *testing.T) *msjo.Instance {
	t.Helper()
	list := instances.Examples()
	k := slices.IndexFunc(list, func(p instances.Preset) bool { return p.Name == "fig1" })
	w, err := reader.ReadBytes(list[k].Document, "fig1.json", reader.Options{})
	return instance(t, w, err)
}

// ask calls Explain through the interface, about a task's id or a job's.
func ask(t *testing.T, in *msjo.Instance, out *solver.Outcome, id string) *solver.Explanation {
	t.Helper()
	cert, err := json.Marshal(out.Bounds[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	w := in.Workload()
	q := solver.Question{Schedule: out.Schedule, Alternatives: 2, Algorithm: out.Algorithm, Certificate: cert,
		Task: model.None}
	if u := slices.IndexFunc(w.Tasks, func(x model.Task) bool { return x.ID == id }); u >= 0 {
		q.Task, q.Job = model.TaskIndex(u), w.Tasks[u].Job
	} else {
		q.Job = model.JobIndex(slices.IndexFunc(w.Jobs, func(j model.Job) bool { return j.ID == id }))
	}
	x, err := opened(t, in, nil).Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestExplainFig1 by hand. MarS runs (README.md)
//
//	m1  2.m1 0–75, 1.m3 75–150, 1.r1 150–250     m2  1.m1 0–75, 1.m4 75–150, 1.r2 150–250     m3  1.m2 0–75, 2.r1 75–175
//
// at 250 + 175 = 425. 1.r1 waits until 150 for 1.m3 and 1.m4, and on m1 for 1.m3. 2.r1 on m1 from 75 pushes 1.m3 to
// 175–250, so both reduces of job 1 start at 250: 350 + 175 = 525. On m2 it pushes 1.m4.
func TestExplainFig1(t *testing.T) {
	in := fig1(t)
	out := solved(t, in, "mars", solver.Params{})
	x := ask(t, in, out, "1.r1")
	if len(x.When) < 3 || x.When[0].Kind != solver.ReasonBarrier || x.When[0].Until != "150" || x.When[0].Task != "1.m3" ||
		x.When[1].Kind != solver.ReasonMachine || x.When[1].Until != "150" || x.When[1].Task != "1.m3" {
		t.Errorf("1.r1 waits for %+v", x.When)
	}
	x = ask(t, in, out, "2.r1")
	if x.When[0].Kind != solver.ReasonBarrier || x.When[0].Task != "2.m1" || x.When[1].Kind != solver.ReasonMachine ||
		x.When[1].Task != "1.m2" {
		t.Errorf("2.r1 waits for %+v", x.When)
	}
	for k, machine := range []string{"m1", "m2"} {
		if a := x.Alternatives[k]; a.Machine != machine || a.Start != "75" || a.End != "175" || a.Objective != "525" ||
			a.Change != "100" {
			t.Errorf("2.r1: alternative %+v", a)
		}
	}
	x = ask(t, in, out, "1")
	var chain []string
	for _, r := range x.When {
		chain = append(chain, r.Task+" "+r.Kind+" "+string(r.Until))
	}
	if want := []string{"1.r1 barrier 150", "1.m3 machine 75", "2.m1 release 0"}; !slices.Equal(chain, want) {
		t.Errorf("chain of job 1: %v, want %v", chain, want)
	}
	if !strings.Contains(x.Changes[0], "takes 250 s: 175 s of tasks of job 1, 75 s of other jobs' tasks, 0 s of delays") {
		t.Errorf("chain of job 1: %q", x.Changes[0])
	}
}

// drawn is a schedule of a small instance by some algorithm, sometimes with needless waiting added.
func drawn(t *rapid.T) (*msjo.Instance, *model.Schedule) {
	in := small(t, 8, false)
	name := rapid.SampledFrom([]string{"huwf", "stf", "htwf", "wspt-list"}).Draw(t, "algorithm")
	s := solved(t, in, name, solver.Params{}).Schedule
	if rapid.Bool().Draw(t, "task objective") {
		in = in.Under(msjo.TaskObjective)
	}
	if late := model.Time(rapid.IntRange(0, 2).Draw(t, "late")) * model.Second / 2; late > 0 {
		x := graph(in).NewShifts(s)
		u := int32(rapid.IntRange(0, in.Tasks-1).Draw(t, "delayed"))
		to := at(x, u)
		to.Start += late
		moved, _ := x.Move(u, to, in.Least[u], nil)
		s = x.Changed(moved)
	}
	if v := in.Check(s); len(v) > 0 {
		t.Fatal(v)
	}
	return in, s
}

// at is the place where a task is.
func at(x *list.Shifts, u int32) list.Place {
	e := x.Entry[u]
	return list.Place{Machine: e.Machine, Behind: int32(slices.Index(x.On(e.Machine), u)), Start: e.Start}
}

// TestExplained judges what is said about drawn schedules: bindings, chains, moves, alternatives and slack.
func TestExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, s := drawn(t)
		for u := range int32(in.Tasks) {
			bindingHolds(t, in, s, u)
			slackHolds(t, in, s, u)
		}
		for j := range int32(in.Jobs) {
			chainHolds(t, in, s, j)
		}
		u := int32(rapid.IntRange(0, in.Tasks-1).Draw(t, "task"))
		alternativesHold(t, in, s, u, u)
		var own []int32
		for _, v := range in.JobSteps(int(in.Job[u])) {
			if int(v) < in.Tasks {
				own = append(own, v)
			}
		}
		alternativesHold(t, in, s, model.None, own...)
	})
}

// ruleOf is the rule behind a reason.
var ruleOf = map[string]model.Code{solver.ReasonRelease: model.CodeBeforeRelease,
	solver.ReasonBarrier: model.CodePrecedence, solver.ReasonMachine: model.CodeOverlap}

// bindingHolds: a task that starts a microsecond earlier breaks exactly the constraints reported as binding. A task
// without a binding constraint may start when the next hold ends.
func bindingHolds(t *rapid.T, in *msjo.Instance, s *model.Schedule, u int32) {
	e := explained(t, in, s, u, in.Job[u])
	holds := e.holds(u)
	x := e.x.Entry[u]
	early := x.Start - 1
	if holds[0].kind == solver.ReasonIdle {
		early = holds[1].until
	}
	var want []model.Code
	for _, h := range holds {
		if h.until == x.Start && h.kind != solver.ReasonIdle && holds[0].kind != solver.ReasonIdle {
			want = append(want, ruleOf[h.kind])
		}
	}
	x.Start, x.End = early, early+in.Least[u]
	var got []model.Code
	for _, v := range in.Check(e.x.Changed([]model.Entry{x})) {
		got = append(got, v.Code)
	}
	for _, c := range got {
		if !slices.Contains(want, c) && early >= 0 { // no task starts before 0
			t.Fatalf("task %d from %s: breaks %v, bound by %v", u, early, got, want)
		}
	}
	for _, c := range want {
		if !slices.Contains(got, c) && in.Least[u] > 0 { // tasks of length 0 do not overlap
			t.Fatalf("task %d from %s: breaks %v, bound by %v", u, early, got, want)
		}
	}
}

// chainHolds: links join, each starts when its hold ends, and the last is released then or could start earlier.
func chainHolds(t *rapid.T, in *msjo.Instance, s *model.Schedule, j int32) {
	e := explained(t, in, s, model.None, j)
	chain := e.chain(j)
	if end := e.x.Entry[chain[0].task].End; end != e.done[j] {
		t.Fatalf("the chain of job %d ends at %s, the job at %s", j, end, e.done[j])
	}
	for k, l := range chain {
		if start := e.x.Entry[l.task].Start; l.hold.until != start {
			t.Fatalf("job %d: link %d starts at %s, its hold ends at %s", j, k, start, l.hold.until)
		}
		last := k == len(chain)-1
		switch l.hold.kind {
		case solver.ReasonRelease, solver.ReasonIdle:
			if !last {
				t.Fatalf("job %d: the chain goes on behind %s", j, l.hold.kind)
			}
		default:
			if last || l.hold.by != chain[k+1].task || e.x.Entry[l.hold.by].End > l.hold.until {
				t.Fatalf("job %d: link %d waits for task %d", j, k, l.hold.by)
			}
		}
	}
}

// alternativesHold: every place that alternatives of some tasks may take gives a valid schedule, has the stated cost,
// and pushes no task further than a constraint demands. The alternatives are places, and of one task the first is the
// cheapest.
func alternativesHold(t *rapid.T, in *msjo.Instance, s *model.Schedule, task int32, own ...int32) {
	e := explained(t, in, s, task, in.Job[own[0]])
	e.q.Alternatives = 50
	var all []*big.Rat
	places := map[solver.Alternative]bool{}
	for _, u := range own {
		for m := range int32(in.Nodes) {
			for _, p := range e.x.Places(u, m, in.Least[u]) {
				moved, ok := e.x.Move(u, p, in.Least[u], nil)
				if !ok && p.Start >= e.x.Entry[u].End {
					continue // behind a successor
				}
				if !ok {
					t.Fatalf("task %d at %+v is not possible", u, p)
				}
				cost, change := moveHolds(t, in, s, e, moved)
				all = append(all, cost)
				places[solver.Alternative{Task: e.id(u), Machine: in.MachineName(m),
					Start: model.Number(p.Start.String()), Objective: model.ExactNumber(cost), Change: model.ExactNumber(change)}] = true
			}
		}
	}
	if err := e.alternatives(context.Background(), own); err != nil {
		t.Fatal(err)
	}
	list := e.out.Alternatives
	if task != model.None && (len(all) == 0 != (len(list) == 0) ||
		len(all) > 0 && list[0].Objective != model.ExactNumber(slices.MinFunc(all, (*big.Rat).Cmp))) {
		t.Fatalf("the best alternatives are %+v of %v", list, all)
	}
	for _, a := range list {
		x := solver.Alternative{Task: cmp.Or(a.Task, e.id(own[0])), Machine: a.Machine, Start: a.Start,
			Objective: a.Objective, Change: a.Change}
		if !places[x] {
			t.Fatalf("no place of tasks %v has the cost of %+v: %v", own, a, places)
		}
	}
}

// moveHolds returns the cost of a schedule with moved tasks, and how much more that is than now.
func moveHolds(t *rapid.T, in *msjo.Instance, s *model.Schedule, e *explainer, moved []model.Entry) (cost,
	change *big.Rat) {
	changed := e.x.Changed(moved)
	if v := in.Check(changed); len(v) > 0 {
		t.Fatalf("%+v: %v", moved, v)
	}
	change = new(big.Rat).SetFrac(e.change(moved), big.NewInt(int64(model.UnitWeight)*int64(model.Second)))
	cost = in.Evaluate(changed).Value
	if want := new(big.Rat).Add(in.Evaluate(s).Value, change); cost.Cmp(want) != 0 {
		t.Fatalf("%+v costs %s, said %s", moved, cost, want)
	}
	after := explained(t, in, changed, model.None, 0)
	for _, x := range moved[1:] {
		before := e.x.Entry[x.Task].Start
		// tasks at one moment have no order
		idle := after.holds(int32(x.Task))[0].kind == solver.ReasonIdle && x.End > x.Start
		if x.Start <= before || idle {
			t.Fatalf("%+v pushes task %d from %s to %s", moved[0], x.Task, before, x.Start)
		}
	}
	return cost, change
}

// slackHolds: a task that starts later by its slack makes no job later; one microsecond more makes some job later.
func slackHolds(t *rapid.T, in *msjo.Instance, s *model.Schedule, u int32) {
	e := explained(t, in, s, u, in.Job[u])
	slack := e.x.Slack(u, func(v int32) model.Time { return e.done[in.Job[v]] - e.x.Entry[v].End })
	for _, more := range []model.Time{0, 1} {
		to := at(e.x, u)
		to.Start += slack + more
		moved, _ := e.x.Move(u, to, in.Least[u], nil)
		if later := !slices.Equal(in.Completions(e.x.Changed(moved)), e.done); later != (more == 1) {
			t.Fatalf("task %d, %s later: completions change: %v", u, slack+more, later)
		}
	}
}
