package engine

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/explain"
)

// TestExplanationsAreTrue asks about all tasks and jobs of small random instances of every problem: what is said of
// starts and of other places agrees with the checker and the objective.
func TestExplanationsAreTrue(t *testing.T) {
	for _, p := range Problems() {
		judged := judge{T: t, problem: p.Name}
		for k := range tier.Draws(8, 80) {
			w, err := p.Small.Generate(rand.New(rand.NewPCG(11, uint64(k))), k)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range p.Small.Variants {
				judged.run(p, w, set, k)
			}
		}
		if judged.bound == 0 || judged.moved == 0 || judged.chained+judged.tasks == 0 {
			t.Errorf("%s: %d bound starts, %d moves", p.Name, judged.bound, judged.moved)
		}
	}
}

// judge counts what was judged of one problem.
type judge struct {
	*testing.T
	problem                      string
	tasks, bound, moved, chained int
}

// run solves an instance and asks about all of its rows.
func (t *judge) run(p Problem, w *model.Workload, set map[string]string, k int) {
	stated := map[string]any{}
	for name, value := range set {
		stated[name] = value
	}
	params, err := StatedParams(p.Params, stated)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Open(p, w, params)
	if err != nil {
		t.Fatal(err)
	}
	var constructing []solver.Algorithm
	for _, a := range p.Algorithms {
		if !a.BoundOnly && o.Run.Excludes(a.Name).Why == "" {
			constructing = append(constructing, a)
		}
	}
	a := constructing[k%len(constructing)]
	v, err := o.Solve(t.Context(), a, solver.Options{Iterations: 10, Threads: 1, Watch: &solver.Watch{}})
	if err != nil || v.Schedule == nil {
		return
	}
	ask := func(task model.TaskIndex, job model.JobIndex) *explain.Explanation {
		e, err := o.Run.Explain(t.Context(), explain.Question{Workload: w, Schedule: v.Schedule, Task: task, Job: job,
			Alternatives: 3, Algorithm: a.Name})
		if err != nil {
			t.Fatalf("%s: %v", t.problem, err)
		}
		return e
	}
	view := o.Run.View()
	for i, e := range v.Schedule.Entries {
		id, job, _ := view.TaskName(e.Task)
		j := model.JobIndex(slices.IndexFunc(w.Jobs, func(x model.Job) bool { return x.ID == job }))
		x := ask(e.Task, j)
		t.tasks++
		if !strings.Contains(x.Subject, id) || len(x.When) == 0 && len(x.Where) == 0 {
			t.Fatalf("%s: %s: %+v", t.problem, id, x)
		}
		if slices.ContainsFunc(v.Schedule.Entries, func(o model.Entry) bool { return o.Task == e.Task && o != e }) {
			continue // in pieces
		}
		t.start(view, v.Schedule, i, x)
		t.places(view, v.Schedule, i, x)
	}
	for j := range w.Jobs {
		if x := ask(model.None, model.JobIndex(j)); len(x.When) > 1 {
			t.chained++
		}
	}
}

// start: a row that nothing holds can start earlier, as early as said; any other cannot start a microsecond earlier.
func (t *judge) start(view model.View, s *model.Schedule, i int, x *explain.Explanation) {
	e := s.Entries[i]
	if len(x.When) == 0 || e.End == e.Start || x.When[0].Kind == explain.Place {
		return
	}
	until, err := model.ParseSignedTime(string(x.When[0].Until))
	if err != nil {
		t.Fatal(err)
	}
	idle, links := x.When[0].Kind == explain.Idle, strings.Contains(x.When[0].Text, "links are free")
	if !idle && until != e.Start {
		t.Fatalf("%s: row %+v: %+v", t.problem, e, x.When)
	}
	by := model.Time(1)
	if idle {
		by = e.Start - until
	}
	t.bound++
	after := &model.Schedule{Entries: slices.Clone(s.Entries)}
	after.Entries[i].Start, after.Entries[i].End = e.Start-by, e.End-by
	if broken := view.Check(after); idle != (len(broken) == 0) && !links {
		t.Fatalf("%s: row %+v: %+v, and %v", t.problem, e, x.When, broken)
	}
}

// places: alternatives come with the cheapest first, and cost what the changed schedule costs, if nothing else moves.
func (t *judge) places(view model.View, s *model.Schedule, i int, x *explain.Explanation) {
	now, last := view.Evaluate(s), new(big.Rat)
	for k, a := range x.Alternatives {
		change, _ := a.Change.Rat()
		value, _ := a.Objective.Rat()
		if k > 0 && change.Cmp(last) < 0 || !near(new(big.Rat).Sub(value, change), now.Value) {
			t.Fatalf("%s: %+v, now %s", t.problem, x.Alternatives, now.Value)
		}
		last = change
		t.moved++
		start, err := model.ParseSignedTime(string(a.Start))
		if err != nil {
			t.Fatal(err)
		}
		end, err := model.ParseSignedTime(string(a.End))
		if err != nil {
			t.Fatal(err)
		}
		m, _ := view.Machine(a.Machine)
		after := &model.Schedule{Entries: slices.Clone(s.Entries)}
		after.Entries[i] = model.Entry{Task: s.Entries[i].Task, Machine: m, Start: start, End: end}
		if !strings.Contains(a.Note, "nothing else moves") || view.Description().Unit("start") == model.UnitNone {
			continue // it is no time, or other rows changed
		}
		if broken := view.Check(after); len(broken) > 0 || !near(view.Evaluate(after).Value, value) {
			t.Fatalf("%s: %+v of row %d: %v", t.problem, a, i, broken)
		}
	}
}

// near allows for what printing rounds off.
func near(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(big.NewRat(1, 1_000_000)) < 0
}
