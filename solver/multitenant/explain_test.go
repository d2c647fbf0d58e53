package multitenant

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// example opens a shipped example with default parameters.
func example(t *testing.T, name string) *run {
	t.Helper()
	w, err := workload.Read("../../instances/examples/"+name+".json", nil, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := solver.Params{}
	for _, q := range Problem().Params {
		p[q.Name] = q.Default
		if q.Kind == solver.FloatParam {
			if p[q.Name], err = strconv.ParseFloat(q.Default, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

// asked is a question about a task, or a job, of a run.
func asked(r *run, s *model.Schedule, id string, k int) solver.Question {
	q := solver.Question{Schedule: s, Task: model.None, Alternatives: k}
	if task, ok := r.in.FindTask(id); ok {
		q.Task, q.Job = task, model.JobIndex(r.in.JobOf(int32(task)))
	}
	for j := range int32(r.in.Jobs) {
		if r.in.JobID(j) == id {
			q.Job = model.JobIndex(j)
		}
	}
	return q
}

func explained(t rapid.TB, r *run, q solver.Question) *solver.Explanation {
	t.Helper()
	e, err := r.Explain(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExplainFig7 by hand: a map computes 10 + 5·10⁹/(5·10⁷) s. Under fair join.m5 runs in rack A, although its block
// lies on b1 in rack B, whose five slots have other maps until 110. There it would end at 220, or at 110 if one of
// these came after it. All links between nodes carry 5·10⁸ bytes a second, and each job fetches 10¹¹, each reduce a
// tenth of it.
func TestExplainFig7(t *testing.T) {
	r := example(t, "fig7")
	out, _ := r.play(t, "fair")
	e := explained(t, r, asked(r, out.Schedule, "join.m5", 3))
	if e.Where[0].Text != "it is remote: it reads 5000000000 bytes from b1 in rack B; its block lies on b1" {
		t.Errorf("%+v", e.Where[0])
	}
	if w := e.Where[1]; w.Kind != solver.ReasonMachine || w.Until != "110" || w.Job != "join" ||
		!strings.HasPrefix(w.Text, "b1, which holds its block, has no slot for it before 110: there it would end at 220, "+
			"not 772.5") {
		t.Errorf("%+v", w)
	}
	if e.When[0].Kind != solver.ReasonRelease || e.When[1].Kind != solver.ReasonData || !strings.Contains(e.When[1].Text,
		"the uplink of rack B, outwards") {
		t.Errorf("%+v", e.When)
	}
	if a := e.Alternatives; len(a) != 3 || a[0].Machine != "b1/m1" || a[0].Start != "0" || a[0].End != "110" ||
		a[0].Change != "0" || a[0].Note != "rack B, node-local; 5000000000 bytes fewer cross racks; 1 other task ends later" {
		t.Errorf("%+v", a)
	}
	e = explained(t, r, asked(r, out.Schedule, "index.r1", 0))
	if p := e.Prices; len(p) != 3 || p[0].Value != "200" || p[1].Value != "0" || p[2].Value != "20" ||
		len(e.Alternatives) != 0 {
		t.Errorf("%+v", p)
	}
	if w := e.When; w[0].Kind != solver.ReasonIdle || w[1].Kind != solver.ReasonRelease ||
		w[2].Kind != solver.ReasonBarrier || w[2].Task != "index.m3" {
		t.Errorf("%+v", w)
	}
	// Ten maps of join occupy the slots of rack B, which holds a tenth of index's data. So shufflewatcher reads it from A:
	// 5·10⁹ bytes at 6.25·10⁷ a second, then 110 s.
	out, _ = r.play(t, "shufflewatcher")
	e = explained(t, r, asked(r, out.Schedule, "index.m10", 1))
	if e.Subject != "map index.m10 of job index, user ann, is on a2/m5 in rack A from 0 to 190" ||
		e.Alternatives[0].Machine != "b2/m1" || e.Alternatives[0].End != "110" || !strings.Contains(e.Where[1].Text,
		"there it would end at 220, not 190") {
		t.Errorf("%+v", e)
	}
	e = explained(t, r, asked(r, out.Schedule, "join", 2))
	if !strings.HasPrefix(e.Subject,
		"job join of user ann, 10 maps and 10 reduces, arrives at 0 and runs from 0 to 620; ") || len(e.Alternatives) != 2 ||
		e.Alternatives[0].Task == "" {
		t.Errorf("%+v", e)
	}
}

// TestPlacesAreValid: a task in a free place violates nothing but link limits, and places are ranked by the resulting
// makespan. Reported places violate nothing and are exactly evaluated.
func TestPlacesAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), anyDemands(rt)).open(t, nil)
		out, _ := r.play(t, rapid.SampledFrom([]string{"fair", "delay", "shufflewatcher"}).Draw(rt, "policy"))
		s := out.Schedule
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
						rt.Fatalf("%+v: %v", p, v)
					}
				}
				if got := r.in.Evaluate(after).Value; got.Cmp(big.NewRat(int64(p.makespan), int64(model.Second))) != 0 {
					rt.Fatalf("%+v ends at %s", p, got)
				}
			}
			last := new(big.Rat)
			for i, a := range explained(rt, r, q).Alternatives {
				change, _ := a.Change.Rat()
				value, _ := a.Objective.Rat()
				if i > 0 && change.Cmp(last) < 0 || change.Sub(value, change).Cmp(now) != 0 {
					rt.Fatalf("%+v", a)
				}
				last, _ = a.Change.Rat()
			}
		}
	})
}

// TestBindingBinds: a task reported as idle can start earlier on its slot with all else unchanged, links aside. Any
// other task cannot.
func TestBindingBinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), anyDemands(rt)).open(t, nil)
		out, _ := r.play(t, rapid.SampledFrom([]string{"fair", "delay", "shufflewatcher"}).Draw(rt, "policy"))
		entries := out.Schedule.Entries
		for i := range entries {
			task := int32(entries[i].Task)
			x := newExplainer(r.in, solver.Question{Schedule: out.Schedule, Task: entries[i].Task})
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
				if at < earliest && !slices.ContainsFunc(r.in.Check(after), func(v model.Violation) bool {
					return v.Code !=
						model.CodeLink
				}) {
					earliest = at
				}
			}
			if idle := first.Kind == solver.ReasonIdle; idle != (earliest < entries[i].Start) {
				rt.Fatalf("%+v: %+v; it could start at %s", entries[i], first, earliest)
			}
		}
	})
}

// TestJobsPayTheBound: the payments of all jobs at the certificate's prices, plus the unusable capacity, add up to the
// bound.
func TestJobsPayTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := anyCluster(rt, rapid.IntRange(1, 3).Draw(rt, "racks"), anyDemands(rt)).open(t, nil)
		bounds, err := r.prove(context.Background(), solver.Options{Threads: 1})
		if err != nil {
			rt.Fatal(err)
		}
		o := newOracle(r.in, 1)
		for _, b := range bounds {
			c := b.Certificate.(*multitenant.Certificate)
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
			value, _ := new(big.Rat).SetString(c.Value)
			// links may be used 20 µs longer, and jobs pay whole units
			if v, _ := value.Float64(); math.Abs(sum-v) > 1e-3+1e-4*v {
				rt.Fatalf("%s: jobs pay %g of %g", c.Method, sum, v)
			}
		}
	})
}

func TestRackText(t *testing.T) {
	for name, want := range map[string]string{"A": "rack A", "rack1": "rack1", "Rack-7": "Rack-7", "r1": "rack r1",
		"": "rack "} {
		if got := rackText(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
