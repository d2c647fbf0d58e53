package msjo

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
)

// TestRandomTwoSidedTasks: for any prices, multipliers and sets, the bound of a certificate under the task objective
// does not exceed the optimum, also after rounding.
func TestRandomTwoSidedTasks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 19))
	tried, groups, ends := tier.Draws(250, 2500), 0, 0
	for k := range tried {
		w, err := instances.SmallMSJO(r, 6, k%2 == 0)
		in := instance(t, w, err).Under(msjo.TaskObjective)
		opt := optimum(t, in)
		for range 12 {
			cert := randomTwoSidedTasks(r, in)
			if err := in.Sign(cert); err != nil {
				t.Fatal(err)
			}
			groups += len(cert.Before) + len(cert.After)
			ends += len(cert.Ends)
			if v := in.RoundUp(reread(t, in, cert)); v.Cmp(opt) > 0 {
				t.Fatalf("instance %d: bound %s above optimum %s: %+v", k, v.RatString(), opt.RatString(), cert)
			}
		}
	}
	if groups < tried || ends < tried {
		t.Errorf("%d instances with %d groups and %d bounds of nodes", tried, groups, ends)
	}
}

// randomTwoSidedTasks draws a certificate that its nodes can pay. From the last node on, each passes on parts of the
// weight that it has received.
func randomTwoSidedTasks(r *rand.Rand, in *msjo.Instance) *msjo.Certificate {
	cert := &msjo.Certificate{Claim: model.Claim{Method: "two-sided", Kind: msjo.KindTwoSidedTasks}, Denominator: 1 << 20,
		Arcs: make([]int64, len(in.SuccNode)), TwoSidedTasks: &msjo.TwoSidedTasks{Place: make([]int64, in.Tasks)},
		Ends: randomEnds(r, in)}
	rest, path := make([]int64, in.Nodes), make([]model.Time, in.Nodes)
	for u := range rest {
		rest[u] = int64(in.TaskWeight[u]) << 20
	}
	take := func(u int32, unit int64) (number int64) { // a random part of what u has, in units
		if unit == 0 || r.IntN(2) == 0 {
			return 0
		}
		number = int64(float64(rest[u]) * []float64{0.1, 0.5, 1}[r.IntN(3)] / float64(unit))
		number = min(number, rest[u]/unit)
		rest[u] -= number * unit
		return number
	}
	after := map[int32]*msjo.PricedGroup{}
	for _, t := range slices.Backward(in.Topo) {
		if t < int32(in.Tasks) {
			cert.Place[t] = take(t, int64(in.Processing[t]))
		}
		in.PathsTo(t, path)
		before := msjo.PricedGroup{Node: t}
		for u := range int32(in.Nodes) {
			if in.Job[u] != in.Job[t] || u == t || path[u] < 0 {
				continue
			}
			if u < int32(in.Tasks) {
				if q := take(t, int64(in.Processing[u])); q > 0 {
					before.Tasks, before.Prices = append(before.Tasks, u), append(before.Prices, q)
					rest[u] += q * int64(in.Processing[u])
				}
			}
			if t < int32(in.Tasks) {
				if q := take(t, int64(in.Processing[t])); q > 0 {
					if after[u] == nil {
						after[u] = &msjo.PricedGroup{Node: u}
					}
					after[u].Tasks, after[u].Prices = append(after[u].Tasks, t), append(after[u].Prices, q)
					rest[u] += q * int64(in.Processing[t])
				}
			}
			for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
				if in.SuccNode[k] == t {
					cert.Arcs[k] = take(t, int64(model.UnitWeight))
					rest[u] += cert.Arcs[k] * int64(model.UnitWeight)
				}
			}
		}
		if len(before.Tasks) > 0 {
			cert.Before = append(cert.Before, before)
		}
	}
	for u := range int32(in.Nodes) {
		if g := after[u]; g != nil {
			cert.After = append(cert.After, rising(g))
		}
	}
	return cert
}

// rising returns a group with its tasks sorted.
func rising(g *msjo.PricedGroup) msjo.PricedGroup {
	order := upTo(len(g.Tasks))
	slices.SortFunc(order, func(a, b int32) int { return int(g.Tasks[a] - g.Tasks[b]) })
	out := msjo.PricedGroup{Node: g.Node}
	for _, i := range order {
		out.Tasks, out.Prices = append(out.Tasks, g.Tasks[i]), append(out.Prices, g.Prices[i])
	}
	return out
}

// randomEnds draws a bound for some nodes.
func randomEnds(r *rand.Rand, in *msjo.Instance) (list []msjo.NodeBound) {
	path := make([]model.Time, in.Nodes)
	for u := range int32(in.Nodes) {
		nodes := in.JobNodes(int(in.Job[u]))
		in.PathsTo(u, path)
		a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		if path[b] < 0 {
			continue
		}
		set := randomSet(r, in.Head[a], path[b], in.Processing[nodes[r.IntN(len(nodes))]])
		if _, _, err := in.Windows(append(list, msjo.NodeBound{Node: u, AloneSet: set}), nil); err == nil {
			list = append(list, msjo.NodeBound{Node: u, AloneSet: set})
		}
	}
	return list
}

// randomSet draws a kind of bound for the tasks between two thresholds.
func randomSet(r *rand.Rand, head, tail, length model.Time) msjo.AloneSet {
	set := msjo.AloneSet{Head: head, Tail: tail}
	switch r.IntN(3) {
	case 1:
		set.Count = 1 + r.IntN(2)
	case 2:
		within := length*model.Time(1+r.IntN(4)) - model.Time(r.IntN(2))
		set.Packing = &msjo.Packing{Within: within, Cut: within * model.Time(r.IntN(3)) / 5, Steps: r.IntN(4)}
	}
	return set
}

// TestTwoSidedTasks: the bound does not exceed the optimum, and is at least that of the LP and that of tasks alone.
func TestTwoSidedTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 7, false).Under(msjo.TaskObjective)
		r := &run{in: in, backend: backend, p: params{}}
		relax, err := r.taskRelaxation(t.Context(), options())
		if err != nil {
			t.Fatal(err)
		}
		alone, err := r.tasksAlone(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		both, err := r.twoSidedTasks(t.Context(), relax, options())
		if err != nil {
			t.Fatal(err)
		}
		value := reread(t, in, both.Certificate.(*msjo.Certificate))
		if opt := optimum(t, in); in.RoundUp(value).Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", value.RatString(), opt.RatString())
		}
		if lp := reread(t, in, relax.bound.Certificate.(*msjo.Certificate)); value.Cmp(lp) < 0 {
			t.Fatalf("two-sided %s, LP %s", value.RatString(), lp.RatString())
		}
		if v := reread(t, in, alone.Certificate.(*msjo.Certificate)); float(value) < float(v)*(1-1e-9) {
			t.Fatalf("two-sided %.9f, alone %.9f", float(value), float(v))
		}
	})
}

// TestTwoSidedTasksByHand: on two machines, four maps of 2 s, then four reduces of 1 s, each of weight 1. By place the
// maps have a mean midpoint of 2 s and end 1 s later: 12, as in the schedule that ends them at 2, 2, 4 and 4. The work
// before the barrier puts it at 4 s. After it the reduces have a mean midpoint 1 s later and end at 5.5 s: 22.
func TestTwoSidedTasksByHand(t *testing.T) {
	in := handmade(t, 2, job{weight: 1, maps: []float64{2, 2, 2, 2}, reduces: []float64{1, 1, 1, 1}}).
		Under(msjo.TaskObjective)
	barrier := int32(in.Tasks)
	cert := &msjo.Certificate{Claim: model.Claim{Method: "two-sided", Kind: msjo.KindTwoSidedTasks}, Denominator: 2,
		Arcs: make([]int64, len(in.SuccNode)), Ends: []msjo.NodeBound{{Node: barrier}},
		TwoSidedTasks: &msjo.TwoSidedTasks{Place: []int64{1, 1, 1, 1, 0, 0, 0, 0},
			After: []msjo.PricedGroup{{Node: barrier, Tasks: []int32{4, 5, 6, 7}, Prices: []int64{2, 2, 2, 2}}}}}
	if err := in.Sign(cert); err != nil {
		t.Fatal(err)
	}
	if v := reread(t, in, cert); v.Cmp(big.NewRat(12+22, 1)) != 0 {
		t.Errorf("%s, want 34", v.RatString())
	}
}
