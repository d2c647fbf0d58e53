package realtime

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/unrelated"
)

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
	for _, change := range []func(*realtime.Cases){
		func(c *realtime.Cases) { c.Partition = -1 },
		func(c *realtime.Cases) { c.Partition = 1 << 20 },
		func(c *realtime.Cases) { c.Slot = -1 },
		func(c *realtime.Cases) { c.Slot = 1 << 20 },
		func(c *realtime.Cases) {
			c.On = realtime.Proof{Cases: &realtime.Cases{Partition: c.Partition, Slot: c.Slot, On: c.On, Off: c.Off}}
		},
		func(c *realtime.Cases) {
			c.Off = realtime.Proof{Cases: &realtime.Cases{Partition: c.Partition, Slot: c.Slot, On: c.On, Off: c.Off}}
		},
	} {
		c := *p.Cases
		change(&c)
		list = append(list, realtime.Proof{Cases: &c})
	}
	return list
}

// TestTree: at the optimum trees find an assignment; below it they refute the limit. The checker accepts their proofs,
// but neither mutated ones nor the refutation of the optimum.
func TestTree(t *testing.T) {
	for seed := range uint64(300) {
		in := phaseInstance(t, phaseTiny(rand.New(rand.NewPCG(seed, 2))))
		askTrees(t, in, phaseBrute(in, in.Sets[0], in.ReduceSlots, int(in.Reducers[0])))
	}
}

// TestTreeCases is TestTree on instances that need cases.
func TestTreeCases(t *testing.T) {
	cases := 0
	for _, x := range []struct {
		seed                 uint64
		partitions, reducers int
	}{{0, 20, 4}, {1, 20, 4}, {4, 20, 4}, {2, 24, 5}, {6, 24, 5}} {
		r := rand.New(rand.NewPCG(x.seed, 8))
		s := phaseSpec{times: [][][]model.Time{make([][]model.Time, x.partitions)}, speeds: make1(2 * x.reducers),
			reducers: int64(x.reducers)}
		for i := range s.times[0] {
			for range s.speeds {
				s.times[0][i] = append(s.times[0][i], model.Time(1+r.IntN(1e3)))
			}
		}
		if x.seed%2 == 0 { // slots of a class, some of which cases distinguish
			for w := range s.speeds {
				s.slots = append(s.slots, int64(1+w%2))
			}
		}
		in := phaseInstance(t, s)
		out, cost, _ := phaseSolve(t, phaseRun(in), "exact", phaseOptions)
		if out.Status != model.StatusOptimal {
			t.Fatalf("%v: %s", x, out.Status)
		}
		cases += askTrees(t, in, cost)
	}
	if cases < 10 {
		t.Errorf("only %d cases were needed", cases)
	}
}

// askTrees asks for the optimum of the first job's first set, and for less. It counts the cases of the proof.
func askTrees(t *testing.T, in *realtime.Instance, want model.Time) int {
	t.Helper()
	set := in.Sets[0]
	p := phaseRun(in).phase(set)
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
	if err := in.Refute(set, want-1, &proof); err != nil {
		t.Fatal(err)
	}
	if in.Refute(set, want, &proof) == nil {
		t.Fatal("a proof refutes the optimum")
	}
	for k, m := range mutated(&proof) {
		if in.Refute(set, want-1, &m) == nil {
			t.Fatalf("mutation %d proves, too", k)
		}
	}
	if again := ask(want-1, a.Nodes-1); a.Nodes > 1 && again.Verdict != unrelated.Undecided {
		t.Fatalf("with a node less: %v", again)
	}
	return casesOf(&proof)
}

// make1 is a list of ones.
func make1(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
