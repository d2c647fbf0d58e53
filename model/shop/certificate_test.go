package shop

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"mrsched/model"
)

// twoNodes is an instance of two nodes of 4 and 2 cores. Jobs a and b, of weights 2 and 1, have two tasks each, of 3 s
// and 2 cores; those of a follow one another, those of b do not.
func twoNodes(t *testing.T) *Instance {
	t.Helper()
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	for i, cores := range []float64{4, 2} {
		b.Node(model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, CPU: model.Some(cores)}, "rack", at)
	}
	for j, id := range []string{"a", "b"} {
		b.Job(model.Job{ID: id, Weight: model.Weight(2-j) * model.UnitWeight, Deadline: model.Some(4 * model.Second)}, at)
		for u := range 2 {
			b.Task(model.Task{ID: fmt.Sprint(id, u), Processing: model.Some(3 * model.Second), CPU: model.Some(2.0)}, id, "", at)
		}
	}
	b.Delay("a0", "a1", 0, at)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// cores is the pool of cores: nodes add 2 and 1, a task takes 1, so that its area is its length.
func cores() []Pool { return []Pool{{Worth: []int64{2, 1}}} }

func twoSidedExample() *Certificate {
	return &Certificate{Claim: model.Claim{Method: MethodTwoSided, Kind: KindTwoSided}, Bounds: Bounds{Pools: cores()},
		TwoSided: &TwoSided{
			Forward: &Prices{Pool: [][]int64{{0, 0, 0, 0}}, Latency: []int64{0, 1, 0, 0}},
			Groups: []PriceGroup{{Job: 0, Prices: Prices{Latency: []int64{0, 1}}},
				{Job: 1, Tasks: []int32{2, 3}, Prices: Prices{Pool: [][]int64{{0, 1}}}}}}}
}

// micros is a number of microseconds.
func micros(n int64) int64 { return n * int64(model.Second) }

// TestTwoSidedMutations: a certificate that proves nothing is rejected.
func TestTwoSidedMutations(t *testing.T) {
	in := twoNodes(t)
	e := NewEvaluator(in)
	for _, c := range []struct {
		says   string
		change func(c *Certificate)
	}{
		{"", func(*Certificate) {}},
		{"exceed", func(c *Certificate) { c.Shift = 0 }},
		{"shift", func(c *Certificate) { c.Shift = -1 }},
		{"shift", func(c *Certificate) { c.Shift = MaxShift + 1 }},
		{"more for its place", func(c *Certificate) { c.Forward.Latency[1] = 2 }},
		{"more for its place", func(c *Certificate) { c.Forward.Pool[0][0] = 1 }},
		{"price -1", func(c *Certificate) { c.Forward.Latency[1] = -1 }},
		{"price -1", func(c *Certificate) { c.Groups[1].Prices.Pool[0][0] = -1 }},
		{"too many or too few", func(c *Certificate) { c.Forward.Latency = []int64{1} }},
		{"1 price for 2 tasks", func(c *Certificate) { c.Groups[1].Prices.Pool[0] = []int64{1} }},
		{"too many or too few", func(c *Certificate) { c.Groups[1].Prices.Pool = [][]int64{{0, 1}, {0, 1}} }},
		{"prices of job 0", func(c *Certificate) { c.Groups[1] = c.Groups[0] }},
		{"prices of job -1", func(c *Certificate) { c.Groups[0].Job = AllJobs }},
		{"prices of job 2", func(c *Certificate) { c.Groups[1].Job = 2 }},
		{"task 1 in the group of job 1", func(c *Certificate) { c.Groups[1].Tasks[0] = 1 }},
		{"task 2 in the group of job 1", func(c *Certificate) { c.Groups[1].Tasks[1] = 2 }},
		{"task 4 in the group of job 1", func(c *Certificate) { c.Groups[1].Tasks[1] = 4 }},
		{"pool of resource 1", func(c *Certificate) { c.Pools[0].Resource = 1 }},
		{"pool of resource 0", func(c *Certificate) { c.Pools[0].Worth = []int64{1} }},
		{"pool of resource 0", func(c *Certificate) { c.Pools[0].Least, c.Pools[0].Steps = 1, 1 }},
		{"too large numbers", func(c *Certificate) { c.Pools[0].Worth[0] = -1 }},
		{"too large numbers", func(c *Certificate) { c.Pools[0].Worth[0] = maxWorth + 1 }},
		{"too large numbers", func(c *Certificate) { c.Pools[0].Worth = []int64{maxWorth / 2, maxWorth / 2} }},
		{"bound of job 2", func(c *Certificate) { c.Alone = []AloneBound{{Job: 2}} }},
		{"bound of job 0", func(c *Certificate) { c.Alone = []AloneBound{{Job: 0}, {Job: 0}} }},
		{"has a bound", func(c *Certificate) { c.Alone = []AloneBound{{AloneSet: AloneSet{Pool: 1}}} }},
		{"bound from", func(c *Certificate) { c.Alone = []AloneBound{{AloneSet: AloneSet{Head: -1}}} }},
		{"without a least demand", func(c *Certificate) { c.Alone = []AloneBound{{AloneSet: AloneSet{Count: 1}}} }},
		{"too few tasks", func(c *Certificate) {
			c.Pools[0].Least = 1
			c.Alone = []AloneBound{{AloneSet: AloneSet{Count: 1}}}
		}},
		{"not those of kind", func(c *Certificate) { c.Clauses = &Clauses{} }},
	} {
		cert := twoSidedExample()
		cert.Shift = 2
		c.change(cert)
		err := e.Sign(cert)
		switch {
		case c.says == "" && err != nil, c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%q: %v", c.says, err)
		}
	}
}

// TestTwoSidedByHand: the earliest ends are 6 and 3 s.
func TestTwoSidedByHand(t *testing.T) {
	e := NewEvaluator(twoNodes(t))
	cert := twoSidedExample()
	cert.Shift = 2
	// In 1/4 of millionths × µs: the rests are 8e6 − 3e6 at 6 s and 4e6 − 3e6 at 3 s. a1 pays 3e6 at 3 + 1.5 s of its
	// place and at 1.5 s of its distance; b1 pays 3e6 at 0.5 s, half of its area over the speed 3.
	want := big.NewRat(5*6+1*3+3*6, 4)
	want.Add(want, big.NewRat(3, 8))
	if err := e.Sign(cert); err != nil || cert.Value != want.RatString() {
		t.Errorf("%s, %v, want %s", cert.Value, err, want)
	}
}

// TestAloneByHand: of five tasks of 3 s and 2 cores three run at a time. The work alone would take 5 s, the count 6. An
// unavailable node, and a fixed task, reduce the pool.
func TestAloneByHand(t *testing.T) {
	in := twoNodes(t).Under(Makespan)
	e := NewEvaluator(in)
	cert := &Certificate{Claim: model.Claim{Method: MethodAlone, Kind: KindTwoSided}, Bounds: Bounds{Pools: cores(),
		Alone: []AloneBound{{Job: AllJobs}}}}
	pools, err := e.pools(&cert.Bounds)
	if err != nil {
		t.Fatal(err)
	}
	w, err := e.Windows(&cert.Bounds, pools)
	if err != nil || w.All != 6*model.Second {
		t.Errorf("%s, %v", w.All, err)
	}
	if end := pools[0].Done(0, big.NewInt(micros(15))); end != 5*model.Second {
		t.Errorf("15 s of work are done by %s", end)
	}
	slow := &Pooled{Speeds: []Speed{{0, 1}, {model.Second, 0}, {3 * model.Second, 2}}}
	if end := slow.Done(0, big.NewInt(micros(4))); end != 4500*model.Second/1000 {
		t.Errorf("4 s of work are done by %s", end)
	}
	// One processor, speeds as above: a task of 1 s with a higher price than one of 2 s runs from 0 to 1, the other from 3
	// to 4.
	var f fluid
	sum := f.sum([]int32{0, 1}, make([]model.Time, 2), []int64{micros(1), micros(2)}, []int64{2, 1}, slow.Speeds)
	twice := new(big.Int).Mul(big.NewInt(micros(1)), big.NewInt(micros(2*1+2*7))) // 2·(2·1·0.5 + 1·2·3.5) s²
	if sum.Cmp(twice) != 0 {
		t.Errorf("%s, want %s", sum, twice)
	}
}

// TestPools: with one step, demands 2 of 4, 3 of 4 and 1 of 4 count as a half, 1 and 0.
func TestPools(t *testing.T) {
	in := twoNodes(t)
	steps, least := Pool{Worth: []int64{12, 12}, Steps: 1}, Pool{Worth: []int64{12, 12}, Least: int64(model.UnitAmount)}
	for _, c := range []struct {
		p            *Pool
		demand, want int64
	}{{&steps, 1, 0}, {&steps, 2, 6}, {&steps, 3, 12}, {&steps, 4, 12}, {&least, 0, 0}, {&least, 1, 3}, {&least, 4, 3}} {
		in.demand[0] = c.demand * int64(model.UnitAmount)
		if got := in.Share(c.p, 0, 0); got != c.want {
			t.Errorf("%+v: demand %d takes %d, want %d", *c.p, c.demand, got, c.want)
		}
	}
}

// TestOtherCertificates: prices of cells and jobs that prove nothing are rejected.
func TestOtherCertificates(t *testing.T) {
	in := twoNodes(t)
	cells := func(change func(c *Certificate)) *Certificate {
		c := &Certificate{Claim: model.Claim{Method: MethodCells, Kind: KindCells}, Bounds: Bounds{Pools: cores()},
			CellPrices: &CellPrices{Cell: model.Second, Steps: [][][]int64{{{1, 1}, {1, 1}}}}}
		change(c)
		return c
	}
	for _, x := range []struct {
		says string
		o    Objective
		c    *Certificate
	}{
		{"", WeightedEnds, cells(func(*Certificate) {})},
		{"no cells", WeightedEnds, cells(func(c *Certificate) { c.Cell = 0 })},
		{"no cells", WeightedEnds, cells(func(c *Certificate) { c.Pools = nil })},
		{"no cells", WeightedEnds, cells(func(c *Certificate) { c.Shift = 61 })},
		{"one row for each class", WeightedEnds, cells(func(c *Certificate) { c.Steps[0] = c.Steps[0][:1] })},
		{"different lengths", WeightedEnds, cells(func(c *Certificate) { c.Steps[0][1] = nil })},
		{"price -1", WeightedEnds, cells(func(c *Certificate) { c.Steps[0][1][0] = -1 })},
		{"too large", WeightedEnds, cells(func(c *Certificate) { c.Steps[0][1][0] = 1 << 60 })},
		{"too large", WeightedEnds, cells(func(c *Certificate) { c.Shift = 60 })},
		{"too many cells", WeightedEnds, cells(func(c *Certificate) { c.Cell = model.MaxHorizon })},
		{"one task", WeightedEnds, &Certificate{Claim: model.Claim{Method: MethodJobPrices, Kind: KindJobPrices},
			JobPrices: &JobPrices{Prices: []int64{0, 0}}}},
	} {
		err := NewEvaluator(in.Under(x.o)).Sign(x.c)
		if x.says == "" && err != nil || x.says != "" && (err == nil || !strings.Contains(err.Error(), x.says)) {
			t.Errorf("%q: %v", x.says, err)
		}
	}
}

// TestEndsStayInTheirJob: on one core job a has a map of 1 s and a reduce of 100 s, and job b, of 5 s, follows it. The
// barrier between map and reduce is step 3; the reduce does not come before it. So the jobs end at 101 and 106 s.
func TestEndsStayInTheirJob(t *testing.T) {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "n", Kind: model.HostNode, CPU: model.Some(1.0)}, "", at)
	for _, id := range []string{"a", "b"} {
		b.Job(model.Job{ID: id, Weight: model.UnitWeight}, at)
	}
	add := func(id, job string, kind model.TaskKind, p model.Time) {
		b.Task(model.Task{ID: id, Kind: kind, Processing: model.Some(p * model.Second)}, job, "", at)
	}
	add("m", "a", model.Map, 1)
	add("r", "a", model.Reduce, 100)
	add("x", "b", model.Map, 5)
	b.Dependency("b", "a", 0, at)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	for step := int32(in.Tasks); step < int32(in.Steps); step++ {
		c := &Certificate{Claim: model.Claim{Method: MethodAlone, Kind: KindTwoSided}, Bounds: Bounds{
			Pools: []Pool{{Worth: []int64{1}}}, Ends: []StepBound{{Step: step}}}}
		if err := in.Sign(c); err != nil || c.Value != "207" {
			t.Errorf("step %d: %s, %v", step, c.Value, err)
		}
	}
}
