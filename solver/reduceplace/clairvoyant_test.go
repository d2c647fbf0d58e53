package reduceplace

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// tiny is a random instance of a few tasks. It has equal slots, jobs without data, without work or with uneven reduces,
// and equal arrivals.
func tiny(tb testing.TB, seed uint64) *reduceplace.Instance {
	tb.Helper()
	r, b := rand.New(rand.NewPCG(seed, 11)), model.NewBuilder()
	slots := 1 + r.IntN(4)
	for s := range slots {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(float64(r.IntN(6)))}, model.Locus{})
	}
	for i := range 1 + r.IntN(6) {
		id := fmt.Sprint("j", i)
		reduces := int64(r.IntN(min(slots, 3) + 1))
		j := model.Job{ID: id, Weight: model.UnitWeight, Release: model.Time(r.IntN(8)) * model.Second,
			MapWork: model.Some(model.Time(r.IntN(5)) * model.Second),
			Reduces: model.Some(reduces), IntermediateBytes: model.Some(model.Bytes(r.IntN(20)))}
		uneven := r.IntN(4) == 0 && reduces > 0
		if uneven {
			j.IntermediateBytes = model.Optional[model.Bytes]{}
		}
		if b.Job(j, model.Locus{}); reduces == 0 {
			b.Task(model.Task{ID: id + "-m", Kind: model.Map, Processing: model.Some(model.Second)}, id, "", model.Locus{})
		}
		for t := range reduces {
			if uneven {
				b.Task(model.Task{ID: fmt.Sprint(id, "-", t), Kind: model.Reduce, Processing: model.Some(model.Second),
					InputBytes: model.Some(model.Bytes(r.IntN(20)))}, id, "", model.Locus{})
			}
		}
	}
	w, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	in, err := reduceplace.New(w, reduceplace.Options{MaxRunning: int64(1 + r.IntN(4))})
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

func runOf(in *reduceplace.Instance) *run {
	r := &run{in: in, expected: make([]float64, in.Jobs), p: solver.Bind[params](solver.Params{"window": int64(100)})}
	for i := range r.expected {
		r.expected[i] = float64(in.Bytes[i]) / float64(max(in.Reduces[i], 1))
	}
	return r
}

// proven is the value of the clairvoyant bound after a round trip through its text.
func proven(tb testing.TB, r *run) *big.Rat {
	tb.Helper()
	err := r.prove(context.Background(), solver.Options{Threads: 1}, 1)
	bounds := r.bounds
	if err != nil || len(bounds) != 1 {
		tb.Fatal(bounds, err)
	}
	text, err := json.Marshal(bounds[0].Certificate)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := r.in.Certify(text)
	if err != nil {
		tb.Fatal(err)
	}
	return v.Value
}

// enumerate is the least cost of any placement, by trying all.
func enumerate(in *reduceplace.Instance) *big.Rat {
	const parts = 6 // a multiple of all numbers of reduces in tiny
	best := int64(math.MaxInt64)
	slot := make([]int32, in.Tasks)
	var try func(t int32, cost int64)
	try = func(t int32, cost int64) {
		if cost >= best {
			return
		}
		if int(t) == in.Tasks {
			best = cost
			return
		}
		i := in.JobOf(t)
		bytes, of := in.Data(i, t)
		for s := range int32(in.Slots) {
			free := true
			for o := range t {
				k := in.JobOf(o)
				// Two tasks on one slot: the first one by start and end must end before the other starts.
				a, b := i, k
				if in.Start[b] < in.Start[a] || in.Start[b] == in.Start[a] && in.End[b] < in.End[a] {
					a, b = b, a
				}
				free = free && (slot[o] != s || in.End[a] <= in.Start[b])
			}
			if free {
				slot[t] = s
				try(t+1, cost+int64(bytes)*int64(in.Cost[s])*parts/of)
			}
		}
	}
	try(0, 0)
	return big.NewRat(best, parts*int64(model.UnitCost))
}

// heldByLP is M_k of the whole instance by lp_solve, in bytes: a clique row at the start of every interval.
func heldByLP(t *testing.T, in *reduceplace.Instance, k int) float64 {
	t.Helper()
	m := lp.NewModel("held")
	m.Maximize = true
	var cols []lp.Col
	for u := range int32(in.Tasks) {
		bytes, parts := in.Data(in.JobOf(u), u)
		cols = append(cols, m.AddCol("", float64(bytes)/float64(parts), 0, 1))
	}
	for i := range in.Jobs {
		var row []lp.Entry
		for u := range int32(in.Tasks) {
			if j := in.JobOf(u); in.Start[j] <= in.Start[i] && in.Start[i] < in.End[j] {
				row = append(row, lp.Entry{Col: cols[u], Coef: 1})
			}
		}
		m.AddRow("", row, lp.LE, float64(k))
	}
	s, err := lpsolve.NewSolver(m)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sol, err := s.Solve(context.Background())
	if err != nil || sol.Status != lp.Optimal {
		t.Fatal(sol, err)
	}
	return sol.Objective
}

// TestBoundAndExact: the bound equals lp_solve's, LB ≤ optimum ≤ all policies, and exact finds the optimum of
// enumeration.
func TestBoundAndExact(t *testing.T) {
	tight := 0
	for seed := range uint64(300) {
		in := tiny(t, seed)
		r := runOf(in)
		lb := proven(t, r)
		want, all := 0.0, heldByLP(t, in, in.Tasks+1)
		for s := range in.Slots {
			held, below := 0.0, 0.0
			if s > 0 {
				held, below = heldByLP(t, in, s), in.Cost[s-1].Float()
			}
			want += (in.Cost[s].Float() - below) * (all - held)
		}
		if got, _ := lb.Float64(); math.Abs(got-want) > 1e-9*(1+want) {
			t.Errorf("seed %d: the flow's bound is %v, lp_solve's %v", seed, got, want)
		}
		opt := solver.Options{Iterations: 1000, Threads: 1}
		out, err := r.Solve(context.Background(), "exact", opt)
		if err != nil || out.Status != model.StatusOptimal {
			t.Fatalf("seed %d: %v, %v", seed, out, err)
		}
		best := cost(t, r, out)
		if best.Cmp(enumerate(in)) != 0 {
			t.Errorf("seed %d: exact finds %s, enumeration %s", seed, best, enumerate(in))
		}
		if lb.Cmp(best) > 0 {
			t.Errorf("seed %d: bound %s above the optimum %s", seed, lb, best)
		}
		if lb.Cmp(best) == 0 {
			tight++
		}
		if ok, err := r.Optimal(context.Background(), out.Schedule, *out.Facts.(Facts).Nodes); !ok || err != nil {
			t.Errorf("seed %d: the optimum is not proven again: %v", seed, err)
		}
		for _, name := range []string{"clairvoyant", "greedy", "rhc", "random", "lookahead"} {
			o, err := r.Solve(context.Background(), name, opt)
			if err != nil {
				t.Fatal(err)
			}
			c := cost(t, r, o)
			if c.Cmp(best) < 0 {
				t.Errorf("seed %d: %s costs %s, less than the optimum %s", seed, name, c, best)
			}
			if ok, _ := r.Optimal(context.Background(), o.Schedule, 1000); ok != (c.Cmp(best) == 0) {
				t.Errorf("seed %d: %s costs %s, the optimum %s; optimal: %v", seed, name, c, best, ok)
			}
		}
	}
	t.Logf("the bound is the optimum in %d of 300", tight)
}

// cost checks an outcome's schedule and judges it.
func cost(t *testing.T, r *run, out *solver.Outcome) *big.Rat {
	t.Helper()
	if found := r.in.Check(out.Schedule); len(found) > 0 {
		t.Fatal(out.Algorithm, found)
	}
	return r.in.Evaluate(out.Schedule).Value
}

// TestExchangerIsOptimal: redistributing all tasks over all slots of an instance leaves no gain.
func TestExchangerIsOptimal(t *testing.T) {
	for seed := range uint64(300) {
		in := tiny(t, seed)
		slot, _ := play(context.Background(), in, random{Rand: rand.New(rand.NewPCG(seed, 0))}, func(int, int) {})
		x := newExchanger(in, slot, in.Slots)
		var all []int32
		for s := range in.Slots {
			all = append(all, int32(s))
		}
		x.redistribute(all)
		slot = x.placement()
		if found := in.Check(in.Schedule(slot)); len(found) > 0 {
			t.Fatalf("seed %d: %v", seed, found)
		}
		instant := false // the exchanger does not decide which tasks of length 0 share a slot
		for i := range in.Jobs {
			instant = instant || in.Reduces[i] > 0 && in.End[i] == in.Start[i]
		}
		got, want := in.Fetching(slot), enumerate(in)
		if got.Cmp(want) < 0 || !instant && got.Cmp(want) != 0 {
			t.Errorf("seed %d: %s, the optimum is %s", seed, got, want)
		}
	}
}

// TestAssignmentProgram: the program of formulate, solved as a MILP by lp_solve, has the value that exact finds.
func TestAssignmentProgram(t *testing.T) {
	fractional := 0
	for seed := range uint64(100) {
		in := tiny(t, seed)
		want, _ := enumerate(in).Float64()
		for _, tiers := range [][]tier{tiersOf(in, false), tiersOf(in, true)} {
			values := [2]float64{}
			for k, integer := range []bool{false, true} {
				s, err := lpsolve.NewSolver(newAssignment(in, tiers, 1, integer).model)
				if err != nil {
					t.Fatal(err)
				}
				sol, err := s.Solve(context.Background())
				if err != nil || sol.Status != lp.Optimal {
					t.Fatal(seed, sol, err)
				}
				s.Close()
				values[k] = sol.Objective
			}
			if math.Abs(values[1]-want) > 1e-6*(1+want) || values[0] > values[1]+1e-6 {
				t.Errorf("seed %d: relaxation %v, program %v, optimum %v", seed, values[0], values[1], want)
			}
			if lb, _ := proven(t, runOf(in)).Float64(); lb > values[0]+1e-6*(1+want) {
				t.Errorf("seed %d: the clairvoyant bound %v is above the relaxation %v", seed, lb, values[0])
			}
			if values[0] < values[1]-1e-6*(1+want) {
				fractional++
			}
		}
	}
	t.Logf("the relaxation is below the optimum in %d of 200", fractional)
}

// TestThin: leaving out rows only weakens the bound.
func TestThin(t *testing.T) {
	in := queue(t, 2000, 100, 0.95)
	full := proven(t, runOf(in))
	line := in.Timeline()
	num, den := unit(in, line)
	curves := func() (list []curve, total int) {
		w := newWeigher(in, num, den)
		for k := range line.Periods {
			list = append(list, w.curve(context.Background(), &line.Periods[k], line.Intervals, math.MaxInt32))
			total += entries(list[k].rows)
		}
		return list, total
	}
	_, total := curves()
	last := full
	for _, limit := range []int{total, total / 2, total / 5, 10, 0} {
		list, _ := curves()
		thin(in, list, limit)
		c := &reduceplace.Certificate{Claim: model.Claim{Method: "clairvoyant", Kind: reduceplace.KindSlotPrices},
			Unit: big.NewRat(num, den).RatString()}
		left := 0
		for k := range list {
			if left += entries(list[k].rows); len(list[k].rows) > 0 {
				c.Prices = append(c.Prices, reduceplace.Prices{Period: int32(k), Rows: list[k].rows})
			}
		}
		if err := in.SignOn(c, line); err != nil {
			t.Fatal(err)
		}
		v, _ := new(big.Rat).SetString(c.Value)
		if left > limit || v.Cmp(last) > 0 || limit == total && v.Cmp(full) != 0 {
			t.Errorf("limit %d: %d changes prove %s, before %s", limit, left, v, last)
		}
		last = v
	}
}
