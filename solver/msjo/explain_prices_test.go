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
	"mrsched/solver"
)

// TestPricesOfLP compares the statements about prices with the LP of the changed instance: its bound falls by no more,
// and rises by no less.
func TestPricesOfLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 8, false)
		c, relaxed := relax(t, in, false, generationOptions{warm: true})
		cert, err := certify(in, "cls-lp", relaxed.terms)
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
		length := in.Processing[u]
		for _, changed := range []model.Time{max(0, length-model.Second), min(2*length, length+model.Second)} {
			times := slices.Clone(in.Processing)
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
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 8, false)
		cert := priced(t, in, 20)
		b, which := &flowBound{}, rapid.IntRange(0, 4).Draw(t, "bound")
		switch which {
		case 0:
			_, b = cased(t, in, 20)
		case 1, 2:
			b, _ = flowed(t, in, 20, 1)
		}
		if b.bound != nil {
			cert = b.bound.Certificate.(*msjo.Certificate)
		}
		if cert == nil || cert.Kind == "" {
			t.Skip("no prices")
		}
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
		times := slices.Clone(in.Processing)
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
		r, err := open(in.Workload(), solver.Params{"objective": "twtct"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Solve(context.Background(), "tmars", options())
		if err != nil {
			t.Fatal(err)
		}
		in = in.Under(msjo.TaskObjective)
		u := int32(rapid.IntRange(0, in.Tasks-1).Draw(t, "task"))
		e := explained(t, in, out.Schedule, u, in.Job[u])
		if e.q.Certificate, err = json.Marshal(out.Bounds[0].Certificate); err != nil {
			t.Fatal(err)
		}
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
		shorter := in.Processing[u] / 2
		s := explained(t, in, out.Schedule, u, in.Job[u]).x.Changed([]model.Entry{{Task: model.TaskIndex(u),
			Machine: e.x.Entry[u].Machine, Start: e.x.Entry[u].Start, End: e.x.Entry[u].Start + shorter}})
		if v := p.lasting(shorter); v != nil && v.Cmp(in.TaskSum(s)) > 0 {
			t.Fatalf("%s s in place of %s: %s is proven, %s is reached", shorter, in.Processing[u], v, in.TaskSum(s))
		}
		if err := e.taskPrices(context.Background(), u); err != nil {
			t.Fatal(err)
		}
		if err := e.jobPrices(context.Background(), p.j); err != nil {
			t.Fatal(err)
		}
	})
}
