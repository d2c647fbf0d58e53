package realtime

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// TestKnapsack compares with all subsets: the best, or within the slack below it.
func TestKnapsack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		n := r.IntN(10)
		items := make([]knapItem, n)
		for i := range items {
			items[i] = knapItem{part: int32(i), weight: model.Time(1 + r.IntN(20)), value: int64(r.IntN(20))}
		}
		limit, best := model.Time(r.IntN(60)), int64(0)
		for set := range 1 << n {
			weight, value := model.Time(0), int64(0)
			for i, x := range items {
				if set>>i&1 == 1 {
					weight, value = weight+x.weight, value+x.value
				}
			}
			if weight <= limit {
				best = max(best, value)
			}
		}
		slack := r.Int64N(4) * r.Int64N(4)
		k := knapsack{items: slices.Clone(items), work: 1 << 40, slack: slack}
		got, set, ok := k.solve(limit)
		weight, value := model.Time(0), int64(0)
		for _, i := range set {
			weight, value = weight+items[i].weight, value+items[i].value
		}
		if !ok || got < best-slack || got > best || value != got || weight > limit {
			t.Fatalf("%v, limit %d, slack %d: %d with %v; best %d", items, limit, slack, got, set, best)
		}
	}
	k := knapsack{items: []knapItem{{part: 0, weight: 1, value: 1}, {part: 1, weight: 1, value: 1}}, work: 1}
	if _, _, ok := k.solve(5); ok {
		t.Error("the limit of work does not matter")
	}
}

// casesOf counts the cases of a proof.
func casesOf(p *realtime.Proof) int {
	if p.Cases == nil {
		return 0
	}
	return 1 + casesOf(&p.Cases.On) + casesOf(&p.Cases.Off)
}

// mutated are proofs that differ from one in one place of its first leaf, and do not refute what it does.
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

// TestTree: at the optimum trees find an assignment; below it they refute the limit, and the checker agrees with their
// proofs, but not with mutated ones, nor that they refute the optimum.
func TestTree(t *testing.T) {
	for seed := range uint64(300) {
		in := packInstance(t, packTiny(rand.New(rand.NewPCG(seed, 2))))
		askTrees(t, in, packBrute(in, in.Sets[0], in.ReduceSlots, int(in.Reducers[0])))
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
		s := packSpec{times: [][][]model.Time{make([][]model.Time, x.partitions)}, speeds: make1(2 * x.reducers),
			reducers: int64(x.reducers)}
		for i := range s.times[0] {
			for range s.speeds {
				s.times[0][i] = append(s.times[0][i], model.Time(1+r.IntN(1e3)))
			}
		}
		if x.seed%2 == 0 { // slots of a class, of which cases tell some apart
			for w := range s.speeds {
				s.slots = append(s.slots, int64(1+w%2))
			}
		}
		in := packInstance(t, s)
		out, cost, _ := packSolve(t, packRun(in), "exact", packOptions)
		if out.Status != model.StatusOptimal {
			t.Fatalf("%v: %s", x, out.Status)
		}
		cases += askTrees(t, in, cost)
	}
	if cases < 10 {
		t.Errorf("only %d cases were needed", cases)
	}
}

// askTrees asks for the optimum of the first job's first set, and for less; it counts the cases of the proof.
func askTrees(t *testing.T, in *realtime.Instance, want model.Time) int {
	t.Helper()
	r := packRun(in)
	set := in.Sets[0]
	p := r.pack(set)
	q := question{limit: want, nodes: math.MaxInt, work: math.MaxInt64}
	if err := r.answer(context.Background(), p, &q); err != nil || q.answer != relaxed || p.makespan(q.slot) != want ||
		p.used(q.slot) > p.Most {
		t.Fatalf("%v at the optimum %s, %v", q.answer, want, err)
	}
	if want == 0 {
		return 0
	}
	q = question{limit: p.below(want), nodes: math.MaxInt, work: math.MaxInt64}
	if err := r.answer(context.Background(), p, &q); err != nil || q.answer != refuted || q.proof == nil {
		t.Fatalf("%v below the optimum %s, %v", q.answer, want, err)
	}
	if err := in.Refute(set, want-1, q.proof); err != nil {
		t.Fatal(err)
	}
	if in.Refute(set, want, q.proof) == nil {
		t.Fatal("a proof refutes the optimum")
	}
	for k, m := range mutated(q.proof) {
		if in.Refute(set, want-1, &m) == nil {
			t.Fatalf("mutation %d proves, too", k)
		}
	}
	if again := (question{limit: p.below(want), nodes: q.usedNodes - 1, work: math.MaxInt64}); q.usedNodes > 1 {
		if err := r.answer(context.Background(), p, &again); err != nil || again.answer != unanswered {
			t.Fatalf("with a node less: %v, %v", again.answer, err)
		}
	}
	return casesOf(q.proof)
}

// TestNested: on slots that differ in speed only, the closed form is T* of the linear program but for the rounding of
// times to microseconds; and lst keeps twice T*, whichever the vertex.
func TestNested(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		in := packInstance(t, skewed(seed, 5+r.IntN(60), 2+r.IntN(6), 0))
		p := newPacking(in, in.Sets[0])
		exact, err := p.fractional(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		closed := &fractional{bound: p.largest()}
		p.nested(t.Context(), closed)
		if d := closed.bound - exact.bound; d > 0 || d < -model.Time(p.n) {
			t.Errorf("seed %d: closed form %s, LP %s", seed, closed.bound, exact.bound)
		}
		for name, shares := range map[string][]fraction{"LP": exact.shares, "filled": p.filled(exact.bound)} {
			if slot := p.spread(p.matched(shares)); p.makespan(slot) > 2*exact.bound {
				t.Errorf("seed %d, %s: %s, more than twice %s", seed, name, p.makespan(slot), exact.bound)
			}
		}
	}
}

// TestWeights: multiplicative weights prove T* but for a few percent.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 10 {
		s := packSpec{times: [][][]model.Time{make([][]model.Time, 20+r.IntN(100))}, speeds: make1(2 + r.IntN(12))}
		for i := range s.times[0] {
			for range s.speeds {
				s.times[0][i] = append(s.times[0][i], model.Time(1+r.IntN(1e6)))
			}
		}
		in := packInstance(t, s)
		p := newPacking(in, in.Sets[0])
		exact, err := p.fractional(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		weighed := &fractional{bound: p.largest()}
		p.weights(context.Background(), weighed)
		if weighed.bound > exact.bound || float64(weighed.bound) < 0.97*float64(exact.bound) {
			t.Errorf("weights %s, LP %s", weighed.bound, exact.bound)
		}
	}
}

// TestSketched: a job whose keys are hashed in several ways; the optimum is that of the best way, and the certificate
// speaks of all.
func TestSketched(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("sketched", "realtime", model.Some(int64(3)), nil)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight, Reduces: model.Some(int64(3)), Partitions: model.Some(int64(5)),
		ReduceRate: model.Some(10.0)}, model.Locus{})
	r := rand.New(rand.NewPCG(3, 3))
	for k := range 40 {
		b.KeyData(model.KeyData{Key: strings.Repeat("k", k+1), Bytes: model.Bytes(1 + r.IntN(100))}, "j", model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Delta: 0.05, SketchSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Sets) != 4 { // the hash and ⌈ln 20⌉ rows
		t.Fatalf("%d sets", len(in.Sets))
	}
	run := packRun(in)
	out, cost, bound := packSolve(t, run, "best", packOptions)
	if want := packOptimum(in); cost != want || bound != want || out.Status != model.StatusOptimal {
		t.Errorf("%s: %s, bound %s, brute force %s", out.Status, cost, bound, want)
	}
	if _, lst, _ := packSolve(t, run, "lst", packOptions); lst > 2*packBound(t, in, run.bounds[len(run.bounds)-1]) {
		t.Errorf("lst: %s", lst)
	}
	raw, err := json.Marshal(out.Bounds[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	var c realtime.Certificate
	if err := json.Unmarshal(raw, &c); err != nil || len(c.Phases) != 1 || len(c.Phases[0].Sets) != 4 {
		t.Fatalf("%v: %s", err, raw)
	}
	c.Phases[0].Time++
	if in.Sign(&c) == nil {
		t.Error("more than the optimum is proven")
	}
}

// TestPackProgram: the program has the optimum of brute force, with several sets and with too few reducers; several
// jobs are refused.
func TestPackProgram(t *testing.T) {
	for seed := range uint64(40) {
		in := packInstance(t, packTiny(rand.New(rand.NewPCG(seed, 6))))
		r := packRun(in)
		var text strings.Builder
		err := r.formulate(&text, "lp")
		if in.Jobs > 1 {
			if err == nil || !strings.Contains(err.Error(), "--job") {
				t.Errorf("two jobs: %v", err)
			}
			continue
		}
		if err != nil || !strings.Contains(text.String(), "makespan") {
			t.Fatalf("%v\n%s", err, text.String())
		}
		if got, want := programOptimum(t, r.program(0)), packOptimum(in); math.Abs(got-want.Seconds()) > 1e-6 {
			t.Errorf("seed %d: %v s, brute force %s", seed, got, want)
		}
		text.Reset()
		if err := r.formulate(&text, "mps"); err != nil || !strings.Contains(text.String(), "ENDATA") {
			t.Errorf("mps: %v", err)
		}
	}
	huge := packRun(packInstance(t, packSpec{speeds: make1(3000), base: [][]model.Time{make([]model.Time, 3000)}}))
	if err := huge.formulate(&strings.Builder{}, "lp"); err == nil {
		t.Error("a program of 6 million columns is written")
	}
}

// programOptimum solves a mixed-integer program.
func programOptimum(t *testing.T, m *lp.Model) float64 {
	t.Helper()
	s, err := lpsolve.NewSolver(m)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sol, err := s.Solve(context.Background())
	if err != nil || sol.Status != lp.Optimal {
		t.Fatalf("%v, %v", sol, err)
	}
	return sol.Objective
}

// make1 is a list of ones.
func make1(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func BenchmarkBestPartitions(b *testing.B) {
	for name, s := range map[string]packSpec{"1000x23": skewed(1, 1000, 23, 0), "45x23of82": skewed(1, 45, 82, 23),
		"100000x1000": skewed(1, 100_000, 1000, 0)} {
		in := packInstance(b, s)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := packRun(in).Solve(context.Background(), "best", solver.Options{Iterations: 1000, Seed: 1,
					Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
