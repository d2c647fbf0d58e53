package msjo

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
	"mrsched/solver"
)

// TestPricesOfLP compares the statements about prices with the LP of the changed instance: its bound falls by no more,
// and rises by no less.
func TestPricesOfLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 8, false)
		c, relaxed := relax(t, in, false, generationOptions{warm: true})
		cert, err := certify(in, "cls-lp", relaxed.price)
		if err != nil {
			t.Fatal(err)
		}
		value := proven(t, c, relaxed)
		u := int32(rapid.IntRange(0, in.Tasks-1).Draw(t, "task"))
		p := &pricing{c: *cert, in: in, u: u, j: in.Job[u], value: value}
		bound := func(in *msjo.Instance) float64 {
			c, r := relax(t, in, false, generationOptions{warm: true})
			return float(proven(t, c, r))
		}
		check := func(what string, said *big.Rat, is float64) {
			if said == nil {
				t.Fatalf("%s: nothing is proven", what)
			}
			if v := float(said); v > is*(1+lpTolerance)+lpTolerance {
				t.Fatalf("%s: the certificate proves %g, the LP is %g", what, v, is)
			}
		}
		length := in.Least[u]
		for _, changed := range []model.Time{max(0, length-model.Second), min(2*length, length+model.Second)} {
			times := slices.Clone(in.Least)
			times[u] = changed
			check("length "+changed.String(), p.lasting(changed), bound(in.Lasting(times)))
		}
		for _, weight := range []model.Weight{in.Weight[p.j] + model.UnitWeight, in.Weight[p.j] / 2} {
			other := *in
			other.Weight = slices.Clone(in.Weight)
			other.Weight[p.j] = weight
			check("weight "+weight.String(), p.weighing(weight), bound(&other))
		}
	})
}

// TestPricesOfTime: one job alone gives the same change of the bound as all jobs.
func TestPricesOfTime(t *testing.T) {
	tier.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 8, false)
		f, b := flowed(t, in, 20, 1)
		bound := b.bound
		switch rapid.IntRange(0, 4).Draw(t, "bound") {
		case 1, 2:
			bound = f.bound
		case 3:
			_, c := cased(t, in, 20)
			bound = c.bound
		}
		if bound == nil {
			return
		}
		cert := bound.Certificate.(*msjo.Certificate)
		text, err := json.Marshal(cert)
		if err != nil {
			t.Fatal(err)
		}
		u := int32(rapid.IntRange(0, in.Tasks-1).Draw(t, "task"))
		e := explained(t, in, solved(t, in, "stf", solver.Params{}).Schedule, u, in.Job[u])
		e.q.Certificate = text
		p, err := e.pricing(in.Job[u], u)
		if err != nil {
			t.Fatal(err)
		}
		times := slices.Clone(in.Least)
		times[u] = max(0, times[u]-model.Second)
		whole := &pricing{c: *cert, in: in, u: u, j: in.Job[u]}
		before, after := reread(t, in, cert), whole.lasting(times[u])
		is := float(before) - float(after)
		if said := float(p.value) - float(p.lasting(times[u])); said-is > 1e-4*(1+is) || is-said > 1e-4*(1+is) {
			t.Fatalf("by itself the job's bound falls by %g, all together by %g", said, is)
		}
		if err := e.taskPrices(context.Background(), u); err != nil {
			t.Fatal(err)
		}
		if err := e.jobPrices(context.Background(), in.Job[u]); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPricesOfTasks: the stated values for TWTCT are bounds, so no schedule of the changed instance costs less.
func TestPricesOfTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 6, false)
		out := solved(t, in, "tmars", underTasks())
		in = in.Under(msjo.TaskObjective)
		u := int32(rapid.IntRange(0, in.Tasks-1).Draw(t, "task"))
		e := explained(t, in, out.Schedule, u, in.Job[u])
		text, err := json.Marshal(out.Bounds[0].Certificate)
		if err != nil {
			t.Fatal(err)
		}
		e.q.Certificate = text
		p, err := e.pricing(in.Job[u], u)
		if err != nil {
			t.Fatal(err)
		}
		weight := model.Weight(rapid.IntRange(0, 8).Draw(t, "weight")) * model.UnitWeight / 2
		other := *in
		other.TaskWeight = slices.Clone(in.TaskWeight)
		for v := range in.Workload().Tasks {
			if in.Job[v] == p.j && !in.Workload().Tasks[v].Weight.Known {
				other.TaskWeight[v] = weight
			}
		}
		if v := p.weighing(weight); v != nil && v.Cmp(other.TaskSum(out.Schedule)) > 0 {
			t.Fatalf("weight %s: %s is proven, %s is reached", weight, v, other.TaskSum(out.Schedule))
		}
		shorter := in.Least[u] / 2
		s := explained(t, in, out.Schedule, u, in.Job[u]).x.Changed([]model.Entry{{Task: model.TaskIndex(u),
			Machine: e.x.Entry[u].Machine, Start: e.x.Entry[u].Start, End: e.x.Entry[u].Start + shorter}})
		if v := p.lasting(shorter); v != nil && v.Cmp(in.TaskSum(s)) > 0 {
			t.Fatalf("%s s in place of %s: %s is proven, %s is reached", shorter, in.Least[u], v, in.TaskSum(s))
		}
		if err := e.taskPrices(context.Background(), u); err != nil {
			t.Fatal(err)
		}
		if err := e.jobPrices(context.Background(), p.j); err != nil {
			t.Fatal(err)
		}
	})
}

// behind has tasks of a job x of weight 9, which runs from 0 to 5, and of a job j on the same machine.
func behind(t *testing.T, job model.Job, tasks ...model.Task) *msjo.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("behind", "msjo", model.Some(int64(1)), nil)
	b.Job(model.Job{ID: "x", Weight: 9 * model.UnitWeight}, model.Locus{})
	job.ID, job.Weight = "j", model.UnitWeight
	b.Job(job, model.Locus{})
	b.Task(model.Task{ID: "x1", Kind: model.Map, Processing: model.Some(5 * model.Second)}, "x", "", model.Locus{})
	for _, u := range tasks {
		b.Task(u, "j", "", model.Locus{})
	}
	w, err := b.Build()
	return instance(t, w, err)
}

// TestChainOfTasksOfNoTime by hand: the reduce u comes before the map v in the workload, and both have length 0 at 5,
// after x1. The chain is u, v, x1; v does not wait for u on the machine.
func TestChainOfTasksOfNoTime(t *testing.T) {
	none := model.Some(model.Time(0))
	in := behind(t, model.Job{Release: 2 * model.Second}, model.Task{ID: "u", Kind: model.Reduce, Processing: none},
		model.Task{ID: "v", Kind: model.Map, Processing: none})
	at := 5 * model.Second
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: at}, {Task: 1, Start: at, End: at},
		{Task: 2, Start: at, End: at}}}
	e := explained(t, in, s, model.None, 1)
	var tasks []int32
	for _, l := range e.chain(1) {
		tasks = append(tasks, l.task)
	}
	if !slices.Equal(tasks, []int32{1, 2, 0}) {
		t.Errorf("chain %v", tasks)
	}
}

// TestReleaseOfTheTaskItself by hand: j is released at 6 and its task at 8, so an earlier start needs an earlier
// release of the task, down to 6.
func TestReleaseOfTheTaskItself(t *testing.T) {
	in := behind(t, model.Job{Release: 6 * model.Second}, model.Task{ID: "v", Kind: model.Map,
		Release:    model.Some(8 * model.Second),
		Processing: model.Some(model.Second)})
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: 5 * model.Second},
		{Task: 1, Start: 8 * model.Second, End: 9 * model.Second}}}
	e := explained(t, in, s, 1, 1)
	e.changes(1, e.holds(1))
	want := "if v were released earlier, it could start earlier too, at 6 s at best: its job is released then"
	if e.out.Changes[0] != want {
		t.Errorf("%q", e.out.Changes)
	}
}
