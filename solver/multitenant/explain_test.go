package multitenant

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
