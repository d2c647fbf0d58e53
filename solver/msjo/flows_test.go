package msjo

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	"mrsched/solver"
)

// flowed computes the bound by flows of a small instance, and the time-indexed one from which it starts; nil if there
// are none.
func flowed(t fataler, in *shop.Instance, iterations, threads int) (*flowBound, *timeBound) {
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
func cased(t fataler, in *shop.Instance, iterations int) (flows, cases *flowBound) {
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
func relaxed(t fataler, in *shop.Instance) (*run, *relaxation) {
	c, r := relax(t, in, false, generationOptions{warm: true})
	return &run{in: in, c: c, solved: kept[*relaxation]{value: r, known: true}}, r
}

// TestFlowsBound: neither the bounds by flows and by cases nor those of distorted prices exceed the optimum. On some
// instances flows prove more than prices of machine time, and cases more than flows.
func TestFlowsBound(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(1, 9))
	const each = 4 // instances for one with cases
	tried := tier.Draws(32, 400)
	byFlows, byCases := &judged{r: r, t: t}, &judged{r: r, t: t}
	for seed := range uint64(tried) {
		in := tiny(t, rand.New(rand.NewPCG(seed, 23)), 7, false)
		opt := optimum(t, in)
		if seed%each == 0 {
			f, c := cased(t, in, 12)
			byCases.judge(in, opt, c.bound, f.bound)
			byFlows.judge(in, opt, f.bound, nil)
			continue
		}
		f, b := flowed(t, in, 12, 1)
		byFlows.judge(in, opt, f.bound, b.bound)
	}
	f, c := byFlows.counts, byCases.counts
	if f.bounds < tried*3/4 || f.better < f.bounds/20 || f.distorted < f.bounds/2 || c.bounds < tried/each*2/5 ||
		c.better < c.bounds/4 || c.distorted < c.bounds/2 {
		t.Errorf("by flows: %+v; by cases: %+v", f, c)
	}
}

// judged counts bounds, those above simpler ones, and distorted ones.
type judged struct {
	counts
	t *testing.T
	r *rand.Rand
}

type counts struct{ bounds, better, distorted int }

// judge compares a bound, and distorted ones, with the optimum; simpler may be nil.
func (x *judged) judge(in *shop.Instance, opt *big.Rat, b, simpler *solver.Bound) {
	x.t.Helper()
	if b == nil {
		return
	}
	x.bounds++
	cert := b.Certificate.(*shop.Certificate)
	lb := reread(x.t, in, cert)
	atMost(x.t, in, lb, opt, b.Method)
	if simpler != nil && lb.Cmp(proves(x.t, in, simpler)) > 0 {
		x.better++
	}
	for range 2 {
		other := *cert
		if cert.Cases != nil {
			other.Cases = distortCases(x.r, cert.Cases)
		} else {
			other = *distort(x.r, cert)
		}
		if err := in.Sign(&other); err != nil {
			continue
		}
		x.distorted++
		text, _ := json.Marshal(&other)
		atMost(x.t, in, reread(x.t, in, &other), opt, string(text))
	}
}

// distort changes some prices, and the completions from which they apply.
func distort(r *rand.Rand, from *shop.Certificate) *shop.Certificate {
	p := *from.Machine
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
	for _, o := range from.Machine.Own {
		o.Steps = change(o.Steps)
		o.From = max(0, o.From-p.Cell+model.Time(r.Int64N(2*int64(p.Cell))))
		if n := len(p.Own); r.IntN(8) > 0 && (n == 0 || p.Own[n-1].Job < o.Job || p.Own[n-1].From < o.From) {
			p.Own = append(p.Own, o)
		}
	}
	out := *from
	out.Machine = &p
	return &out
}

// distortCases changes prices and splits of cases.
func distortCases(r *rand.Rand, c *shop.CompletionCases) *shop.CompletionCases {
	if c.MachinePrices != nil {
		leaf := distort(r, &shop.Certificate{Machine: c.MachinePrices})
		return &shop.CompletionCases{MachinePrices: leaf.Machine}
	}
	s := *c.CaseSplit
	if r.IntN(2) == 0 {
		s.At = max(0, s.At-model.Time(r.Int64N(int64(model.Second)))+model.Second/2)
	}
	s.Until, s.From = distortCases(r, s.Until), distortCases(r, s.From)
	return &shop.CompletionCases{CaseSplit: &s}
}

// TestFlowsCountOwnMachines: two machines, and jobs of six or ten maps. Under prices of machine time alone all maps of
// a job could run at once.
func TestFlowsCountOwnMachines(t *testing.T) {
	ones := slices.Repeat([]float64{1}, 10)
	in := handmade(t, 2, job{weight: 2, maps: ones, reduces: []float64{3}}, job{weight: 1, maps: ones},
		job{weight: 1, release: 2, maps: ones[:6], reduces: ones[:3]})
	f, b := flowed(t, in, 200, 1)
	if flows, prices := float(proves(t, in, f.bound)), float(proves(t, in, b.bound)); flows < prices*1.001 {
		t.Errorf("flows %g, prices of machine time %g", flows, prices)
	}
}

// TestMachineTime by hand: one machine, job a of weight 2 and then job b of weight 1, a second each. The price of
// machine time falls by 2 per second while a runs, then by 1 until it is 0 at the end of b.
func TestMachineTime(t *testing.T) {
	in := handmade(t, 1, job{weight: 2, maps: []float64{1}}, job{weight: 1, maps: []float64{1}})
	c := twoSidedCertificate(in, 0, sides{[]int64{2, 1}, []int64{0, 0}, []int64{0, 0}})
	r := &run{in: in}
	if _, err := r.aloneBound(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := r.machineTime(c, model.Second/100)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int]float64{0: 2.99, 99: 1.01, 100: 0.995, 199: 0.005} {
		if math.Abs(got[k]-want) > 1e-9 {
			t.Errorf("cell %d costs %g, want %g", k, got[k], want)
		}
	}
}
