package multitenant

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

func explained(t rapid.TB, r *run, q solver.Question) *solver.Explanation {
	t.Helper()
	e, err := r.Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExplainFig7 by hand: a map computes 10 + 5·10⁹/(5·10⁷) s. Under fair join.m5 runs in rack A, although its block
// lies on b1 in rack B, whose five slots have other maps until 110. There it would end at 110 if one of these came
// after it. All links between nodes carry 5·10⁸ bytes a second, and each job fetches 10¹¹, each reduce a tenth of it.
// Ten maps of join occupy the slots of rack B, which holds a tenth of index's data. So shufflewatcher reads it from A:
// 5·10⁹ bytes at 6.25·10⁷ a second, then 110 s.
func TestExplainFig7(t *testing.T) {
	w, err := workload.Read("../../instances/examples/fig7.json", nil, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := opened(t, w, nil)
	for _, c := range []struct {
		policy, id string
		count      int
		want       string
	}{
		{"fair", "join.m5", 3, "data machine 110 join; release 0 join data 662.500001; b1/m1 0-110 0, b2/m1 0-190 0, " +
			"a2/m1 0-190 0; 200 0 10"},
		{"fair", "index.r1", 0, "data index; idle 0 release 0 index barrier 772.500001 index data 1120.000001; ; 200 0 20"},
		{"shufflewatcher", "index.m10", 1, "data machine 110 join; release 0 index; b2/m1 0-110 0; 200 0 10"},
	} {
		task, _ := r.in.FindTask(c.id)
		e := explained(t, r, solver.Question{Schedule: r.play(t, c.policy).Schedule, Task: task,
			Job: model.JobIndex(r.in.JobOf(int32(task))), Alternatives: c.count})
		var alternatives, prices []string
		for _, a := range e.Alternatives {
			alternatives = append(alternatives, fmt.Sprintf("%s %s-%s %s", a.Machine, a.Start, a.End, a.Change))
		}
		for _, p := range e.Prices {
			prices = append(prices, string(p.Value))
		}
		if got := fmt.Sprintf("%s; %s; %s; %s", told(e.Where), told(e.When), strings.Join(alternatives, ", "),
			strings.Join(prices, " ")); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.id, got, c.want)
		}
	}
}

// told are reasons without their texts.
func told(list []solver.Reason) string {
	var words []string
	for _, x := range list {
		words = append(words, strings.Fields(fmt.Sprint(x.Kind, " ", x.Until, " ", x.Job))...)
	}
	return strings.Join(words, " ")
}

// TestAnyCluster judges what is told about schedules of random clusters.
func TestAnyCluster(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), anyDemands(rt)).open(rt, nil)
		s := r.play(rt, rapid.SampledFrom([]string{"fair", "delay", "shufflewatcher"}).Draw(rt, "policy")).Schedule
		placesAreValid(rt, r, s)
		bindingBinds(rt, r, s.Entries)
		jobsPayTheBound(rt, r)
	})
}

// placesAreValid: a task in a free place violates nothing but link limits, and places are ranked by the resulting
// makespan. Reported places violate nothing and are exactly evaluated.
func placesAreValid(t *rapid.T, r *run, s *model.Schedule) {
	now := r.in.Evaluate(s).Value
	for j := range int32(r.in.Jobs) {
		q := solver.Question{Schedule: s, Task: model.None, Job: model.JobIndex(j), Alternatives: 3}
		x := newExplainer(r.in, q)
		if x.task == model.None {
			continue
		}
		for _, p := range x.places() {
			after := x.after(&p)
			for _, v := range r.in.Check(after) {
				if v.Code != model.CodeLink && !(x.crowds(&p) && (v.Code == model.CodeMemory || v.Code == model.CodeCores)) {
					t.Fatalf("%+v: %v", p, v)
				}
			}
			if got := r.in.Evaluate(after).Value; got.Cmp(big.NewRat(int64(p.makespan), int64(model.Second))) != 0 {
				t.Fatalf("%+v ends at %s", p, got)
			}
		}
		last := new(big.Rat)
		for i, a := range explained(t, r, q).Alternatives {
			change, _ := a.Change.Rat()
			value, _ := a.Objective.Rat()
			if i > 0 && change.Cmp(last) < 0 || change.Sub(value, change).Cmp(now) != 0 {
				t.Fatalf("%+v", a)
			}
			last, _ = a.Change.Rat()
		}
	}
}

// bindingBinds: a task reported as idle can start earlier on its slot with all else unchanged, links aside. Any other
// task cannot.
func bindingBinds(t *rapid.T, r *run, entries []model.Entry) {
	other := func(v model.Violation) bool { return v.Code != model.CodeLink }
	for i := range entries {
		task := int32(entries[i].Task)
		x := newExplainer(r.in, solver.Question{Schedule: &model.Schedule{Entries: entries}, Task: entries[i].Task})
		first := x.binding(task)[0]
		starts := []model.Time{r.in.Release(task)}
		for k := range entries {
			starts = append(starts, entries[k].End)
		}
		earliest := entries[i].Start
		for _, at := range starts {
			after := &model.Schedule{Entries: slices.Clone(entries)}
			e := &after.Entries[i]
			if r.in.IsMap(task) {
				e.End += at - e.Start
			}
			e.Start = at
			if at < earliest && !slices.ContainsFunc(r.in.Check(after), other) {
				earliest = at
			}
		}
		if idle := first.Kind == solver.ReasonIdle; idle != (earliest < entries[i].Start) {
			t.Fatalf("%+v: %+v; it could start at %s", entries[i], first, earliest)
		}
	}
}

// jobsPayTheBound: the payments of all jobs at the certificate's prices, plus the unusable capacity, add up to the
// bound.
func jobsPayTheBound(t *rapid.T, r *run) {
	bounds, err := r.prove(context.Background(), solver.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	o := newOracle(r.in, 1)
	for k, exact := range certified(t, r.in, bounds) {
		c := bounds[k].Certificate.(*multitenant.Certificate)
		if c.Prices == nil {
			continue
		}
		price, sum := o.normal(c.Prices), 0.0
		for j, paid := range o.pays(price) {
			if r.in.Arrival[j] >= c.Prices.From {
				sum += paid
			}
		}
		for k, idle := range o.idle(o.x.Window(c.Prices.From)) {
			sum += price[k] * o.capacity[k] * idle
		}
		// links may be used 20 µs longer, and jobs pay whole units
		if v, _ := exact.Float64(); math.Abs(sum-v) > 1e-3+1e-4*v {
			t.Fatalf("%s: jobs pay %g of %g", c.Method, sum, v)
		}
	}
}

func TestRackText(t *testing.T) {
	for name, want := range map[string]string{"A": "rack A", "rack1": "rack1", "Rack-7": "Rack-7", "r1": "rack r1",
		"": "rack "} {
		if got := rackText(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
