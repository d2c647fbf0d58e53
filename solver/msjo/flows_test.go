package msjo

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
	"mrsched/solver"
)

// flowed computes the bound by flows of a small instance, and the time-indexed one from which it starts; nil if there
// are none.
func flowed(t fataler, in *msjo.Instance, iterations, threads int) (*flowBound, *timeBound) {
	t.Helper()
	r, relax := relaxed(t, in)
	opt := solver.Options{Iterations: iterations, Threads: threads}
	f, err := r.flows(context.Background(), relax, true, opt)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.timeIndexed(context.Background(), relax, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

// cased computes the bounds by flows and by cases. A late deadline lets it try many cases.
func cased(t fataler, in *msjo.Instance, iterations int) (flows, cases *flowBound) {
	t.Helper()
	ctx, end := context.WithTimeout(context.Background(), time.Hour)
	defer end()
	r, relax := relaxed(t, in)
	opt := solver.Options{Iterations: iterations, Threads: 1}
	flows, err := r.flows(ctx, relax, true, opt)
	if err != nil {
		t.Fatal(err)
	}
	if cases, err = r.cases(ctx, opt); err != nil {
		t.Fatal(err)
	}
	r.cased = kept[*flowBound]{}
	if again, err := r.cases(ctx, opt); err != nil || (again.bound == nil) != (cases.bound == nil) {
		t.Fatalf("again: %v, %v then %v", err, cases.bound, again.bound)
	}
	return flows, cases
}

// relaxed is a run with the LP solved.
func relaxed(t fataler, in *msjo.Instance) (*run, *relaxation) {
	c, r := relax(t, in, false, generationOptions{warm: true})
	return &run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}, p: solver.Bind[params](solver.Params{})}, r
}

// smallInstance is a tiny random instance.
func smallInstance(t *testing.T, seed uint64, tasks int) *msjo.Instance {
	t.Helper()
	w, err := instances.SmallMSJO(rand.New(rand.NewPCG(seed, 23)), tasks, false)
	return instance(t, w, err)
}

// flowsCertificate is an unsigned certificate.
func flowsCertificate(p msjo.MachinePrices) *msjo.Certificate {
	return &msjo.Certificate{Claim: model.Claim{Method: methodFlows, Kind: msjo.KindMachinePrices}, MachinePrices: &p}
}

// TestFlowsBound: on 400 instances neither the bound by flows nor that of distorted prices exceeds the optimum. On
// some of them flows prove more than prices of machine time.
func TestFlowsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	bounds, better, distorted := 0, 0, 0
	tried := tier.Draws(60, 400)
	for seed := range uint64(tried) {
		in := smallInstance(t, seed, 7)
		opt := optimum(t, in)
		f, b := flowed(t, in, 12, 1)
		if f.bound == nil {
			continue
		}
		bounds++
		cert := f.bound.Certificate.(*msjo.Certificate)
		lb := reread(t, in, cert)
		if lb.Cmp(opt) > 0 {
			t.Fatalf("seed %d: bound %s above optimum %s", seed, lb.FloatString(6), opt.FloatString(6))
		}
		if lb.Cmp(reread(t, in, b.bound.Certificate.(*msjo.Certificate))) > 0 {
			better++
		}
		for range 2 {
			c := distort(r, cert)
			if err := in.Sign(c); err != nil {
				continue
			}
			distorted++
			if lb := reread(t, in, c); lb.Cmp(opt) > 0 {
				text, _ := json.Marshal(c)
				t.Fatalf("seed %d: bound %s above optimum %s\n%s", seed, lb.FloatString(6), opt.FloatString(6), text)
			}
		}
	}
	t.Logf("%d bounds, %d above the time-indexed one, %d distorted ones", bounds, better, distorted)
	if bounds < tried*3/4 || better < bounds/20 || distorted < bounds {
		t.Errorf("%d bounds, %d above the time-indexed one, %d distorted ones", bounds, better, distorted)
	}
}

// distort changes some prices, and the completions from which they apply.
func distort(r *rand.Rand, from *msjo.Certificate) *msjo.Certificate {
	p := *from.MachinePrices
	change := func(list []int64) []int64 {
		out := slices.Clone(list)
		for k, x := range out {
			switch r.IntN(8) {
			case 0:
				out[k] = 0
			case 1:
				out[k] = 2 * x
			case 2:
				out[k] = x - x/8 + r.Int64N(x/4+2)
			}
		}
		return out
	}
	if r.IntN(2) == 0 {
		p.Steps = change(p.Steps)
	}
	p.Own = nil
	for _, o := range from.Own {
		o.Steps = change(o.Steps)
		o.From = max(0, o.From-p.Cell+model.Time(r.Int64N(2*int64(p.Cell))))
		if n := len(p.Own); r.IntN(8) > 0 && (n == 0 || p.Own[n-1].Job < o.Job || p.Own[n-1].From < o.From) {
			p.Own = append(p.Own, o)
		}
	}
	out := *from
	out.MachinePrices = &p
	return &out
}

// TestCasesBound: on 100 instances neither the bound by cases nor that of distorted ones exceeds the optimum. On many
// of them cases prove more than flows.
func TestCasesBound(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(2, 9))
	bounds, better, distorted := 0, 0, 0
	tried := tier.Draws(20, 100)
	for seed := range uint64(tried) {
		in := smallInstance(t, seed, 7)
		opt := optimum(t, in)
		f, c := cased(t, in, 12)
		if c.bound == nil {
			continue
		}
		bounds++
		cert := c.bound.Certificate.(*msjo.Certificate)
		lb := reread(t, in, cert)
		if lb.Cmp(opt) > 0 {
			t.Fatalf("seed %d: bound %s above optimum %s", seed, lb.FloatString(6), opt.FloatString(6))
		}
		if lb.Cmp(reread(t, in, f.bound.Certificate.(*msjo.Certificate))) > 0 {
			better++
		}
		other := *cert
		other.Cases = distortCases(r, cert.Cases)
		if err := in.Sign(&other); err != nil {
			continue
		}
		distorted++
		if lb := reread(t, in, &other); lb.Cmp(opt) > 0 {
			text, _ := json.Marshal(&other)
			t.Fatalf("seed %d: bound %s above optimum %s\n%s", seed, lb.FloatString(6), opt.FloatString(6), text)
		}
	}
	t.Logf("%d bounds, %d above that by flows, %d distorted ones", bounds, better, distorted)
	if bounds < tried*2/5 || better < bounds/4 || distorted < bounds/2 {
		t.Errorf("%d bounds, %d above that by flows, %d distorted ones", bounds, better, distorted)
	}
}

// distortCases changes prices and splits of cases.
func distortCases(r *rand.Rand, c *msjo.CompletionCases) *msjo.CompletionCases {
	if c.MachinePrices != nil {
		leaf := distort(r, &msjo.Certificate{MachinePrices: c.MachinePrices})
		return &msjo.CompletionCases{MachinePrices: leaf.MachinePrices}
	}
	s := *c.CaseSplit
	if r.IntN(2) == 0 {
		s.At = max(0, s.At-model.Time(r.Int64N(int64(model.Second)))+model.Second/2)
	}
	s.Until, s.From = distortCases(r, s.Until), distortCases(r, s.From)
	return &msjo.CompletionCases{CaseSplit: &s}
}

// TestCasesByHand: one machine, a job of weight 1 with two maps of 2 s. If it completes by 4 s, the prices of its own
// prove 8 − C; from 4 s on, its completion alone proves 4. A split at 1 s leaves its first case without schedules.
func TestCasesByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2, 2}})
	two := 2 * int64(model.UnitWeight)
	own := msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0, 0},
		Own: []msjo.OwnPrices{{Steps: []int64{two, two}}}}
	none := msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0}}
	for _, c := range []struct {
		until, from msjo.MachinePrices
		at          model.Time
		least, up   *big.Rat
	}{{own, none, 4 * model.Second, big.NewRat(39999, 10000), big.NewRat(4, 1)},
		{none, none, 4 * model.Second, big.NewRat(19999, 10000), big.NewRat(2, 1)},
		{own, none, 3 * model.Second, big.NewRat(29999, 10000), big.NewRat(3, 1)},
		{none, none, model.Second, big.NewRat(19999, 10000), big.NewRat(2, 1)},
	} {
		cert := &msjo.Certificate{Claim: model.Claim{Method: methodCases, Kind: msjo.KindCompletionCases},
			Cases: &msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{At: c.at,
				Until: &msjo.CompletionCases{MachinePrices: &c.until}, From: &msjo.CompletionCases{MachinePrices: &c.from}}}}
		if err := in.Sign(cert); err != nil {
			t.Fatal(err)
		}
		if v := reread(t, in, cert); v.Cmp(c.least) < 0 || v.Cmp(c.up) > 0 {
			text, _ := json.Marshal(cert)
			t.Errorf("%s: %s, want about %s\n%s", c.at, v.FloatString(6), c.up.RatString(), text)
		}
	}
}

// TestCasesRefused: cases without prices, of unknown jobs, and those that are both split and priced are rejected.
func TestCasesRefused(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2, 2}})
	leaf := func() *msjo.CompletionCases {
		return &msjo.CompletionCases{MachinePrices: &msjo.MachinePrices{Cell: model.Second, Steps: []int64{0}}}
	}
	many := leaf()
	for range msjo.MaxCases {
		many = &msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{Until: leaf(), From: many}}
	}
	for _, c := range []struct {
		cases *msjo.CompletionCases
		says  string
	}{
		{nil, "no cases"},
		{many, "65 cases with prices, more than 64"},
		{&msjo.CompletionCases{}, "either a split or prices"},
		{&msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{Until: leaf(), From: leaf()}, MachinePrices: leaf().MachinePrices},
			"either a split or prices"},
		{&msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{Until: leaf()}}, "either a split or prices"},
		{&msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{Job: 1, Until: leaf(), From: leaf()}}, "completion of job 1"},
		{&msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{At: -1, Until: leaf(), From: leaf()}}, "completion of job 0 at -"},
	} {
		cert := &msjo.Certificate{Claim: model.Claim{Method: methodCases, Kind: msjo.KindCompletionCases}, Cases: c.cases}
		if err := in.Sign(cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	cert := flowsCertificate(*leaf().MachinePrices)
	cert.Cases = leaf()
	if err := in.Sign(cert); err == nil || !strings.Contains(err.Error(), "has no cases") {
		t.Error("a certificate without cases may have some:", err)
	}
}

// TestOwnPricesByHand: one machine, a job of weight 1 with two maps of 2 s. If the job completes before 4, its own
// prices are 2 before 4. Then it pays 8 and gets a refund of 2C, so its cost is C + 8 − 2C > 4. If it completes later,
// it costs C ≥ 4. Without the second entry it would get a refund of 8 and pay less the longer it waits: a completion at
// 6 costs 6 + 0 − 8.
func TestOwnPricesByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2, 2}})
	two := 2 * int64(model.UnitWeight)
	prices := msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0, 0},
		Own: []msjo.OwnPrices{{Steps: []int64{two, two}}, {From: 4 * model.Second}}}
	for _, c := range []struct {
		own       int
		least, up *big.Rat
	}{{2, big.NewRat(39999, 10000), big.NewRat(4, 1)}, {1, big.NewRat(-20001, 10000), big.NewRat(-2, 1)},
		{0, big.NewRat(19999, 10000), big.NewRat(2, 1)}} {
		p := prices
		p.Own = p.Own[:c.own]
		cert := flowsCertificate(p)
		if err := in.Sign(cert); err != nil {
			t.Fatal(err)
		}
		if v := reread(t, in, cert); v.Cmp(c.least) < 0 || v.Cmp(c.up) > 0 {
			t.Errorf("%d own prices: %s, want about %s", c.own, v.FloatString(6), c.up.RatString())
		}
	}
}

// TestFlowsCountOwnMachines: two machines, and jobs of six or ten maps. Under prices of machine time alone all maps of
// a job could run at once.
func TestFlowsCountOwnMachines(t *testing.T) {
	ones := slices.Repeat([]float64{1}, 10)
	in := handmade(t, 2, job{weight: 2, maps: ones, reduces: []float64{3}}, job{weight: 1, maps: ones},
		job{weight: 1, release: 2, maps: ones[:6], reduces: ones[:3]})
	f, b := flowed(t, in, 500, 1)
	flows, prices := float(reread(t, in, f.bound.Certificate.(*msjo.Certificate))),
		float(reread(t, in, b.bound.Certificate.(*msjo.Certificate)))
	if flows < prices*1.001 {
		t.Errorf("flows %g, prices of machine time %g", flows, prices)
	}
}

// TestOwnPricesRefused: own prices of unknown jobs, out of order, negative or too large are rejected.
func TestOwnPricesRefused(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2, 2}}, job{weight: 1, maps: []float64{1}})
	for _, c := range []struct {
		own  []msjo.OwnPrices
		says string
	}{
		{[]msjo.OwnPrices{{Job: 2}}, "own prices of job 2"},
		{[]msjo.OwnPrices{{Job: -1}}, "own prices of job -1"},
		{[]msjo.OwnPrices{{From: -1}}, "own prices of job 0"},
		{[]msjo.OwnPrices{{Job: 1}, {Job: 0}}, "own prices of job 0"},
		{[]msjo.OwnPrices{{From: 5}, {From: 5}}, "own prices of job 0"},
		{[]msjo.OwnPrices{{Steps: []int64{1, 1, 1}}}, "own prices of job 0"},
		{[]msjo.OwnPrices{{Steps: []int64{1, -1}}}, "negative"},
		{[]msjo.OwnPrices{{Steps: []int64{1 << 62}}}, msjo.ErrInexact.Error()},
		{[]msjo.OwnPrices{{Steps: []int64{1 << 40}}}, msjo.ErrInexact.Error()},
	} {
		cert := flowsCertificate(msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{1, 1}, Own: c.own})
		if err := in.Sign(cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.own, err, c.says)
		}
	}
}

// TestMachineTime by hand: one machine, job a of weight 2 and then job b of weight 1, a second each. The price of
// machine time falls by 2 per second while a runs, then by 1 until it is 0 at the end of b.
func TestMachineTime(t *testing.T) {
	w := &model.Workload{Machines: model.Some(int64(1)),
		Jobs: []model.Job{{ID: "a", Weight: 2 * model.UnitWeight}, {ID: "b", Weight: model.UnitWeight}}}
	for j := range model.JobIndex(2) {
		w.Tasks = append(w.Tasks, model.Task{ID: w.Jobs[j].ID, Job: j, Kind: model.Map, Block: model.None,
			Processing: model.Some(model.Second)})
	}
	in := instance(t, w, nil)
	c := &msjo.Certificate{Denominator: 1, TwoSided: &msjo.TwoSided{Both: []int64{2, 1}, Forward: []int64{0, 0},
		Backward: []int64{0, 0}}}
	got, err := machineTime(in, c, model.Second/100)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int]float64{0: 2.99, 99: 1.01, 100: 0.995, 199: 0.005} {
		if math.Abs(got[k]-want) > 1e-9 {
			t.Errorf("cell %d costs %g, want %g", k, got[k], want)
		}
	}
}
