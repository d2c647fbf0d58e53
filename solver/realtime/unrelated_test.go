package realtime

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/model/tier"
	"mrsched/solver/unrelated"
)

// askTrees asks for the optimum of the first job's first set, where trees find an assignment, and for less, which they
// refute. The checker accepts their proofs, but neither the refutation of the optimum nor mutated ones. It counts the
// cases of the proof.
func askTrees(t *testing.T, r *run, want model.Time) int {
	t.Helper()
	set := r.in.Sets[0]
	p := r.phase(set)
	ask := func(limit model.Time, nodes int) *unrelated.Answer {
		a, err := p.Decide(context.Background(), unrelated.Question{Limit: limit, Nodes: nodes, Work: math.MaxInt64})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(want, math.MaxInt); a.Verdict != unrelated.Feasible || p.Makespan(a.Assignment) != want ||
		p.Used(a.Assignment) > p.Most {
		t.Fatalf("%v at the optimum %s", a, want)
	}
	if want == 0 {
		return 0
	}
	a := ask(want-1, math.MaxInt)
	if a.Verdict != unrelated.Refuted || a.Proof == nil {
		t.Fatalf("%v below the optimum %s", a, want)
	}
	proof := proofOf(*a.Proof)
	if err := r.in.Refute(set, want-1, &proof); err != nil {
		t.Fatal(err)
	}
	if r.in.Refute(set, want, &proof) == nil {
		t.Fatal("a proof refutes the optimum")
	}
	for k, m := range mutated(&proof) {
		if r.in.Refute(set, want-1, &m) == nil {
			t.Fatalf("mutation %d proves, too", k)
		}
	}
	if again := ask(want-1, a.Nodes-1); a.Nodes > 1 && again.Verdict != unrelated.Undecided {
		t.Fatalf("with a node less: %v", again)
	}
	return casesOf(&proof)
}

// casesOf counts the cases of a proof.
func casesOf(p *realtime.Proof) int {
	if p.Cases == nil {
		return 0
	}
	return 1 + casesOf(&p.Cases.On) + casesOf(&p.Cases.Off)
}

// mutated are proofs that differ from one in one place of its first leaf and do not refute the same limit.
func mutated(p *realtime.Proof) []realtime.Proof {
	list := []realtime.Proof{{Slots: []int64{1}, Partitions: []int64{1}, Cases: p.Cases}, {Slots: []int64{-1}},
		{Partitions: []int64{math.MaxInt64}}}
	if p.Cases == nil {
		return list
	}
	for _, change := range []func(was, c *realtime.Cases){
		func(_, c *realtime.Cases) { c.Partition = 1 << 20 },
		func(_, c *realtime.Cases) { c.Slot = -1 },
		func(was, c *realtime.Cases) { c.On = realtime.Proof{Cases: was} },
		func(was, c *realtime.Cases) { c.Off = realtime.Proof{Cases: was} },
	} {
		c := *p.Cases
		change(p.Cases, &c)
		list = append(list, realtime.Proof{Cases: &c})
	}
	return list
}

// TestTree: trees answer questions about small instances, and about larger ones that need cases.
func TestTree(t *testing.T) {
	tier.Slow(t)
	for seed := range uint64(tier.Draws(100, 300)) {
		r := phaseTiny(rand.New(rand.NewPCG(seed, 2))).run(t, inPhases)
		askTrees(t, r, phaseBrute(r.in, r.in.Sets[0]))
	}
	seeds, cases := []uint64{0, 1, 4}[:tier.Draws(2, 3)], 0
	for _, seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 8))
		x, j := spec{unit: 1}, job{reducers: 4}
		for w := range 8 { // some workers have slots of a class, which cases distinguish
			x.workers = append(x.workers, worker{1, 0, 1 + int64(w%2)*int64(1-seed%2)})
		}
		for range 20 {
			var times []float64
			for range x.workers {
				times = append(times, float64(1+random.IntN(1e3)))
			}
			j.parts, j.given = append(j.parts, 1), append(j.given, times)
		}
		x.jobs = []job{j}
		r := x.run(t, inPhases)
		out, cost, _ := bounded(t, r, "exact")
		if out.Status != model.StatusOptimal {
			t.Fatalf("%d: %s", seed, out.Status)
		}
		cases += askTrees(t, r, model.Time(cost))
	}
	if cases < 4 {
		t.Errorf("only %d cases were needed", cases)
	}
}
