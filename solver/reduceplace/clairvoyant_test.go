package reduceplace

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/reduceplace"
	draws "mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// enumerate is the least cost of any placement, by trying all.
func enumerate(in *reduceplace.Instance) *big.Rat {
	const parts = 12 // a multiple of all numbers of reduces in tiny
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

// byLP is the optimum of a program by lp_solve.
func byLP(t *testing.T, m *lp.Model) float64 {
	t.Helper()
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

// byTree is the optimum of a program by branch and bound.
func byTree(t *testing.T, a *assignment) float64 {
	t.Helper()
	s, err := lpsolve.NewSolver(a.model)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	best := math.Inf(1)
	tree := lp.Tree{Solver: s, Limit: 1e5, Visit: func(x *lp.Solution) (parts []lp.Branch, err error) {
		if x.Objective < best {
			if parts = a.branch(x.X); parts == nil {
				best = x.Objective
			}
		}
		return parts, nil
	}}
	if complete, err := tree.Search(context.Background()); !complete || err != nil {
		t.Fatal(complete, err)
	}
	return best
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
	return byLP(t, m)
}

// TestTiny judges tiny instances: the bound equals lp_solve's, exact finds the optimum of enumeration, which the other
// algorithms do not undercut; the exchange of tasks and the programs of formulate reach it as well.
func TestTiny(t *testing.T) {
	for seed := range uint64(draws.Draws(200, 1000)) {
		in := tiny(t, seed)
		best := enumerate(in)
		tinyBound(t, seed, in, best)
		tinySolved(t, seed, in, best)
		tinyExchanged(t, seed, in, best)
		if seed%3 == 0 {
			tinyPrograms(t, seed, in, best)
			tinyNetworks(t, seed, in)
		}
	}
}

// tinyBound: the bound is lp_solve's, and not above the optimum.
func tinyBound(t *testing.T, seed uint64, in *reduceplace.Instance, best *big.Rat) {
	lb := proven(t, runOf(in))
	want, all := 0.0, heldByLP(t, in, in.Tasks+1)
	for s := range in.Slots {
		held, below := 0.0, 0.0
		if s > 0 {
			held, below = heldByLP(t, in, s), in.Cost[s-1].Float()
		}
		want += (in.Cost[s].Float() - below) * (all - held)
	}
	if got, _ := lb.Float64(); math.Abs(got-want) > 1e-9*(1+want) || lb.Cmp(best) > 0 {
		t.Errorf("seed %d: the flow's bound is %v, lp_solve's %v, the optimum %s", seed, got, want, best)
	}
}

// tinySolved: exact is optimal, and proves it again; others are told from the optimum.
func tinySolved(t *testing.T, seed uint64, in *reduceplace.Instance, best *big.Rat) {
	r := runOf(in)
	out := solved(t, r, "exact", 1000)
	if out.Status != model.StatusOptimal || cost(t, r, out).Cmp(best) != 0 {
		t.Errorf("seed %d: exact finds %s, enumeration %s; %s", seed, cost(t, r, out), best, out.Status)
	}
	if ok, err := r.Optimal(context.Background(), out.Schedule, *out.Facts.(Facts).Nodes); !ok || err != nil {
		t.Errorf("seed %d: the optimum is not proven again: %v", seed, err)
	}
	for _, name := range []string{"best", "greedy", "rhc", "random"} {
		o := solved(t, r, name, 1000)
		c := cost(t, r, o)
		if ok, _ := r.Optimal(context.Background(), o.Schedule, 1000); c.Cmp(best) < 0 || ok != (c.Cmp(best) == 0) {
			t.Errorf("seed %d: %s costs %s, the optimum %s; optimal: %v", seed, name, c, best, ok)
		}
	}
}

// tinyExchanged: redistributing all tasks over all slots of an instance leaves no gain.
func tinyExchanged(t *testing.T, seed uint64, in *reduceplace.Instance, best *big.Rat) {
	slot, _ := play(context.Background(), in, random{Rand: rand.New(rand.NewPCG(seed, 0))}, func(int, int) {})
	x := newExchanger(in, slot, in.Slots)
	var all []int32
	for s := range in.Slots {
		all = append(all, int32(s))
	}
	x.redistribute(all)
	slot = x.placement()
	instant := false // the exchanger does not decide which tasks of length 0 share a slot
	for i := range in.Jobs {
		instant = instant || in.Reduces[i] > 0 && in.End[i] == in.Start[i]
	}
	got, found := in.Fetching(slot), in.Check(in.Schedule(slot))
	if len(found) > 0 || got.Cmp(best) < 0 || !instant && got.Cmp(best) != 0 {
		t.Errorf("seed %d: exchanges cost %s, the optimum is %s; %v", seed, got, best, found)
	}
}

// tinyPrograms: the program of formulate, solved by branch and bound, has the optimum; its relaxation is between that
// and the bound.
func tinyPrograms(t *testing.T, seed uint64, in *reduceplace.Instance, best *big.Rat) {
	want, _ := best.Float64()
	lb, _ := proven(t, runOf(in)).Float64()
	for _, whole := range []bool{false, true} {
		tiers := tiersOf(in, whole)
		a := newAssignment(in, tiers, 1)
		relaxed, program := byLP(t, a.model), byTree(t, a)
		if e := 1e-6 * (1 + want); math.Abs(program-want) > e || relaxed > program+e || lb > relaxed+e {
			t.Errorf("seed %d: bound %v, relaxation %v, program %v, optimum %v", seed, lb, relaxed, program, want)
		}
	}
}

// tinyNetworks: the network of a level, solved by package flow, has the value that lp_solve finds for M_k.
func tinyNetworks(t *testing.T, seed uint64, in *reduceplace.Instance) {
	num, den := unit(in, in.Occupancy())
	for level := int64(1); level <= 3; level++ {
		r := &run{in: in, p: solver.Bind[params](solver.Params{levelParam: level})}
		var text bytes.Buffer
		if err := r.Formulate(context.Background(), &text, "dimacs"); err != nil {
			t.Fatal(err)
		}
		held := -byLP(t, readMinCost(t, text.String())) * float64(num) / float64(den)
		for i := range in.Jobs { // what takes no time is on no arc
			if in.End[i] == in.Start[i] && in.Reduces[i] > 0 {
				held += float64(in.Bytes[i])
			}
		}
		if want := heldByLP(t, in, int(level)); math.Abs(held-want) > 1e-9*(1+want) {
			t.Errorf("seed %d, level %d: %v, lp_solve %v", seed, level, held, want)
		}
	}
}

// TestThin: leaving out rows only weakens the bound.
func TestThin(t *testing.T) {
	in := queue(t, 2000, 100, 0.95).in
	full := proven(t, runOf(in))
	line := in.Timeline()
	num, den := unit(in, line)
	curves := func() (list []curve, total int) {
		w := newWeigher(in, num, den)
		for k := range line.Periods {
			list = append(list, w.curve(context.Background(), &line.Periods[k], line.Intervals, math.MaxInt32))
		}
		return list, entries(list)
	}
	_, total := curves()
	last := full
	for _, limit := range []int{total, total / 2, total / 5, 10, 0} {
		list, _ := curves()
		thin(list, limit)
		c := &reduceplace.Certificate{Claim: model.Claim{Method: "clairvoyant", Kind: reduceplace.KindSlotPrices},
			Unit: big.NewRat(num, den).RatString()}
		left := entries(list)
		for k := range list {
			if len(list[k].rows) > 0 {
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

// readMinCost reads a minimum-cost flow problem in DIMACS format as a linear program.
func readMinCost(t *testing.T, text string) *lp.Model {
	t.Helper()
	m := lp.NewModel("network")
	var supply []float64
	var out [][]lp.Entry // by node
	for line := range strings.Lines(text) {
		var x, y, lower, capacity, cost int64
		switch line[0] {
		case 'p':
			fmt.Sscanf(line, "p min %d", &x)
			supply, out = make([]float64, x), make([][]lp.Entry, x)
		case 'n':
			fmt.Sscanf(line, "n %d %d", &x, &y)
			supply[x-1] = float64(y)
		case 'a':
			fmt.Sscanf(line, "a %d %d %d %d %d", &x, &y, &lower, &capacity, &cost)
			c := m.AddCol("", float64(cost), float64(lower), float64(capacity))
			out[x-1], out[y-1] = append(out[x-1], lp.Entry{Col: c, Coef: 1}), append(out[y-1], lp.Entry{Col: c, Coef: -1})
		}
	}
	for v, row := range out {
		m.AddRow("", row, lp.EQ, supply[v])
	}
	return m
}

// TestFormulateHuge: a program of six million columns is not written.
func TestFormulateHuge(t *testing.T) {
	if err := queue(t, 6000, 1000, 0.9).Formulate(context.Background(), &strings.Builder{}, "lp"); err == nil {
		t.Error("it is written")
	}
}

// TestExactSurvivesNumbers: for costs that the LP solver cannot handle, exact returns the placement of best with
// status limit.
func TestExactSurvivesNumbers(t *testing.T) {
	r := testRun(t, []float64{0, 3e-6, 8796093}, 0, []testJob{{0, 1, 1, 1 << 62}, {1, 4, 2, 1}})
	out := solved(t, r, "exact", 10)
	if cost(t, r, out); out.Status != model.StatusLimit {
		t.Error(out.Status)
	}
}

// TestExactLeavesLargePrograms: exact does not solve a program that lp_solve would take longer to read than any time
// limit.
func TestExactLeavesLargePrograms(t *testing.T) {
	draws.Slow(t)
	r := queue(t, 300, 1000, 0.9)
	f, err := solveBest(context.Background(), r, solver.Options{Iterations: 10, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree := &lp.Tree{Limit: 100}
	_, complete, why, err := r.cheaper(context.Background(), tree, f.slot, func([]int32) {})
	if err != nil || complete || !strings.HasPrefix(why, "no search: ") || tree.Nodes > 0 || tree.Solver != nil {
		t.Errorf("%v, complete %v, %q, %d nodes", err, complete, why, tree.Nodes)
	}
	a := newAssignment(r.in, tiersOf(r.in, true), 1)
	if rows, cols := a.model.NumRows(), a.model.NumCols(); float64(rows)*float64(cols) <= exactCells {
		t.Errorf("%d rows and %d columns are not many", rows, cols)
	}
}
