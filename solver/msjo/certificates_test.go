package msjo

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
	solvershop "mrsched/solver/shop"
)

// These make unsigned certificates.

// machineTimePool is the one pool of identical machines.
func machineTimePool() []shop.Pool { return []shop.Pool{{Worth: []int64{1}, Least: 1}} }

// sides are prices by task: of both sides, of the place only and of the distance from the job's end only.
type sides struct{ both, forward, backward []int64 }

// twoSidedCertificate has the prices of sides: where only one side is priced by the pool, the other counts latencies.
func twoSidedCertificate(in *shop.Instance, shift int, p sides) *shop.Certificate {
	c := &shop.Certificate{Claim: model.Claim{Method: "two-sided", Kind: shop.KindTwoSided}, Shift: shift,
		Bounds: shop.Bounds{Pools: machineTimePool()}, TwoSided: &shop.TwoSided{}}
	sum := func(a, b []int64) (list []int64) {
		for u := range a {
			list = append(list, a[u]+b[u])
		}
		return list
	}
	if len(p.both) == 0 {
		return c
	}
	c.Forward = &shop.Prices{Pool: [][]int64{sum(p.both, p.forward)}, Latency: p.backward}
	own, far := sum(p.both, p.backward), p.forward
	for j := range int32(in.Jobs) {
		g := shop.PriceGroup{Job: j, Prices: shop.Prices{Pool: [][]int64{nil}}}
		for u := range own {
			if in.Job[u] == j {
				g.Prices.Pool[0], g.Prices.Latency = append(g.Prices.Pool[0], own[u]), append(g.Prices.Latency, far[u])
			}
		}
		if in.Weight[j] > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c
}

func flowsCertificate(p shop.MachinePrices) *shop.Certificate {
	return &shop.Certificate{Claim: model.Claim{Method: methodFlows, Kind: shop.KindMachinePrices},
		Bounds: shop.Bounds{Pools: machineTimePool()}, Machine: &p}
}

func casesCertificate(c *shop.CompletionCases) *shop.Certificate {
	return &shop.Certificate{Claim: model.Claim{Method: methodCases, Kind: shop.KindCompletionCases},
		Bounds: shop.Bounds{Pools: machineTimePool()}, Cases: c}
}

// leafCases is a case with prices.
func leafCases(p shop.MachinePrices) *shop.CompletionCases {
	return &shop.CompletionCases{MachinePrices: &p}
}

// splitCases splits at a completion of a job.
func splitCases(s shop.CaseSplit) *shop.CompletionCases { return &shop.CompletionCases{CaseSplit: &s} }

// byHand is a certificate with the value computed by hand. Some certificates lose less than a ten-thousandth.
type byHand struct {
	name  string
	in    *shop.Instance
	cert  *shop.Certificate
	want  int64
	exact bool
}

// TestCertificatesByHand compares with hand calculations; see the functions that make the certificates.
func TestCertificatesByHand(t *testing.T) {
	var list []byHand
	for _, some := range []func(*testing.T) []byHand{handTwoSided, handAlone, handTasks, handPrices, handCases} {
		list = append(list, some(t)...)
	}
	for _, c := range list {
		v, want := signed(t, c.in, c.cert), big.NewRat(c.want, 1)
		loss := new(big.Rat).Sub(want, v)
		if c.exact && loss.Sign() != 0 || loss.Sign() < 0 || loss.Cmp(big.NewRat(1, 10_000)) > 0 {
			text, _ := json.Marshal(c.cert)
			t.Errorf("%s: %s, want %d\n%s", c.name, v.FloatString(6), c.want, text)
		}
	}
}

// handTwoSided: on one machine, job a (weight 1, a map of 2 s) and job b (weight 1, a map of 4 s). With the whole
// weights as prices of both sides, 1/2 and 1/4 per second, the forward schedule runs a from 0 to 2 and b from 2 to 6: F
// = 1 + 4. Backwards each job counts alone: G = 1 + 2. The sum is 8, the optimum. As forward prices alone they earn 5
// plus half a length each: 8 again. As backward prices they earn heads and half a length, 1 + 2, and 3: 6.
//
// Two machines; job a has a map of 4 s, job b, released at 1, one of 2 s and the higher price. The machine of speed 2
// works on a from 0 to 1, on b from 1 to 2 and on a from 2 to 3: means 1.5 and 1.5. Prices 4 and 4 times 1.5, plus half
// a length: 4·1.5 + 4·2 + 4·1.5 + 4·1 = 24.
func handTwoSided(t *testing.T) []byHand {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{4}})
	late := handmade(t, 2, job{weight: 4, maps: []float64{4}}, job{weight: 4, release: 1, maps: []float64{2}})
	prices, none := []int64{2, 1}, []int64{0, 0}
	interrupted := twoSidedCertificate(late, 0, sides{none, []int64{1, 2}, none})
	return []byHand{
		{"both", in, twoSidedCertificate(in, 2, sides{prices, none, none}), 8, true},
		{"forward", in, twoSidedCertificate(in, 2, sides{none, prices, none}), 8, true},
		{"backward", in, twoSidedCertificate(in, 2, sides{none, none, prices}), 6, true},
		{"none", in, twoSidedCertificate(in, 2, sides{}), 6, true},
		{"interrupted", late, interrupted, 24, true},
	}
}

// handAlone: forty maps of 10 s on 16 machines take 30 s, not the 25 s of their work. A release at 7 s comes before
// them and a reduce of 5 s after them.
func handAlone(t *testing.T) []byHand {
	maps := make([]float64, 40)
	for i := range maps {
		maps[i] = 10
	}
	in := handmade(t, 16, job{weight: 1, release: 7, maps: maps, reduces: []float64{5}})
	p, err := solvershop.NewPricing(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := shop.StepBound{Step: int32(in.Tasks), AloneSet: shop.AloneSet{Head: 7 * model.Second, Count: 2}}
	if len(p.Ends) != 1 || p.Ends[0] != want {
		t.Errorf("%+v, want %+v", p.Ends, want)
	}
	cert, err := p.JobsAlone()
	if err != nil {
		t.Fatal(err)
	}
	return []byHand{{"alone", in, cert, 42, true}}
}

// handTasks: on two machines, four maps of 2 s, then four reduces of 1 s, each of weight 1. By place the maps have a
// mean midpoint of 2 s and end 1 s later: 12, as in the schedule that ends them at 2, 2, 4 and 4. The work before the
// barrier puts it at 4 s. So the reduces have a mean midpoint of 5 s, after the maps, and end at 5.5 s: 22.
func handTasks(t *testing.T) []byHand {
	in := handmade(t, 2, job{weight: 1, maps: []float64{2, 2, 2, 2}, reduces: []float64{1, 1, 1, 1}}).
		Under(shop.WeightedTaskEnds)
	cert := preemptiveFrom(shop.Bounds{Pools: machineTimePool(), Ends: []shop.StepBound{{Step: int32(in.Tasks)}}}, 2, make([]int64, len(in.SuccStep)))
	cert.Terms = []shop.PriceTerm{{Prices: []int64{1, 1, 1, 1, 2, 2, 2, 2}}}
	return []byHand{{"tasks", in, cert, 12 + 22, true}}
}

// handPrices: one machine, two jobs of 2 s with weight 1. λ = 1 on [0, 2), 0 after. Alone each completes at 2 for 1·2 +
// Λ = 2 + 2, or later at C < 4 for C + (4 − C) = 4, or at 4 for 4: every choice costs 4. The bound is 4 + 4 − 1·Λ(∞) =
// 8 − 2 = 6, which equals the optimum 2 + 4.
//
// One machine, a job of weight 1 with two maps of 2 s. If the job completes before 4, its own prices are 2 before 4.
// Then it pays 8 and gets a refund of 2C, so its cost is C + 8 − 2C > 4. If it completes later, it costs C ≥ 4. Without
// the second entry it would get a refund of 8 and pay less the longer it waits: a completion at 6 costs 6 + 0 − 8.
func handPrices(t *testing.T) []byHand {
	unit := int64(model.UnitWeight)
	two := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{2}})
	one := handmade(t, 1, job{weight: 1, maps: []float64{2, 2}})
	own := func(list ...shop.OwnPrices) *shop.Certificate {
		return flowsCertificate(shop.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0, 0}, Own: list})
	}
	early, late := shop.OwnPrices{Steps: []int64{2 * unit, 2 * unit}}, shop.OwnPrices{From: 4 * model.Second}
	return []byHand{
		{"prices", two, flowsCertificate(shop.MachinePrices{Cell: model.Second, Steps: []int64{unit, unit}}), 6, false},
		{"own prices", one, own(early, late), 4, false},
		{"own prices for ever", one, own(early), -2, false},
		{"no own prices", one, own(), 2, false},
	}
}

// handCases: one machine, a job of weight 1 with two maps of 2 s. If it completes by 4 s, the prices of its own prove
// 8 − C; from 4 s on, its completion alone proves 4. A split at 1 s leaves its first case without schedules.
func handCases(t *testing.T) []byHand {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2, 2}})
	two := 2 * int64(model.UnitWeight)
	own := shop.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0, 0},
		Own: []shop.OwnPrices{{Steps: []int64{two, two}}}}
	none := shop.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0}}
	cases := func(at model.Time, until shop.MachinePrices) *shop.Certificate {
		return casesCertificate(splitCases(shop.CaseSplit{At: at * model.Second, Until: leafCases(until),
			From: leafCases(none)}))
	}
	return []byHand{
		{"until 4, own prices", in, cases(4, own), 4, false}, {"until 4", in, cases(4, none), 2, false},
		{"until 3, own prices", in, cases(3, own), 3, false}, {"until 1", in, cases(1, none), 2, false},
	}
}

func refusing(t *testing.T) *shop.Instance {
	return handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{4}})
}

// refused fails unless a certificate of an instance of two jobs is rejected.
func refused(t *testing.T, says string, cert *shop.Certificate) {
	t.Helper()
	if err := refusing(t).Sign(cert); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
}

// TestTwoSidedRefused: a certificate that proves nothing is rejected.
func TestTwoSidedRefused(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(c *shop.Certificate)
	}{
		{"shift", func(c *shop.Certificate) { c.Shift = -1 }},
		{"exceed", func(c *shop.Certificate) { c.Shift = 1 }},
		{"pays more for its place", func(c *shop.Certificate) { c.Forward.Latency[1] = 1 }},
		{"price -1", func(c *shop.Certificate) { c.Forward.Pool[0][0] = -1 }},
		{"price 4611686018427387904", func(c *shop.Certificate) { c.Forward.Pool[0][0] = 1 << 62 }},
		{"1 price for 2 tasks", func(c *shop.Certificate) { c.Forward.Pool[0] = c.Forward.Pool[0][:1] }},
		{"too few tasks", func(c *shop.Certificate) { c.Alone = []shop.AloneBound{{AloneSet: shop.AloneSet{Count: 1}}} }},
		{"bound of job 2", func(c *shop.Certificate) { c.Alone = []shop.AloneBound{{Job: 2}} }},
		{"has a bound", func(c *shop.Certificate) { c.Alone = []shop.AloneBound{{AloneSet: shop.AloneSet{Head: -1}}} }},
		{"least demand", func(c *shop.Certificate) { c.Alone = []shop.AloneBound{{AloneSet: shop.AloneSet{Count: -1}}} }},
	} {
		cert := twoSidedCertificate(refusing(t), 2, sides{[]int64{2, 1}, []int64{0, 0}, []int64{0, 0}})
		c.change(cert)
		refused(t, c.says, cert)
	}
}

// TestOwnPricesRefused: own prices of unknown jobs, out of order, negative or too large are rejected.
func TestOwnPricesRefused(t *testing.T) {
	for _, c := range []struct {
		says string
		own  []shop.OwnPrices
	}{
		{"own prices of job 2", []shop.OwnPrices{{Job: 2}}},
		{"own prices of job -1", []shop.OwnPrices{{Job: -1}}},
		{"own prices of job 0", []shop.OwnPrices{{From: -1}}},
		{"own prices of job 0", []shop.OwnPrices{{Job: 1}, {Job: 0}}},
		{"own prices of job 0", []shop.OwnPrices{{From: 5}, {From: 5}}},
		{"own prices of job 0", []shop.OwnPrices{{Steps: []int64{1, 1, 1}}}},
		{"negative", []shop.OwnPrices{{Steps: []int64{1, -1}}}},
		{shop.ErrInexact.Error(), []shop.OwnPrices{{Steps: []int64{1 << 62}}}},
		{shop.ErrInexact.Error(), []shop.OwnPrices{{Steps: []int64{1 << 40}}}},
	} {
		refused(t, c.says, flowsCertificate(shop.MachinePrices{Cell: 2 * model.Second, Steps: []int64{1, 1}, Own: c.own}))
	}
}

// TestCasesRefused: cases without prices, of unknown jobs, and those that are both split and priced are rejected.
func TestCasesRefused(t *testing.T) {
	leaf := leafCases(shop.MachinePrices{Cell: model.Second, Steps: []int64{0}})
	many := leaf
	for range shop.MaxCases {
		many = splitCases(shop.CaseSplit{Until: leaf, From: many})
	}
	for _, c := range []struct {
		says  string
		cases *shop.CompletionCases
	}{
		{"not those of kind", nil},
		{"65 cases with prices, more than 64", many},
		{"either a split or prices", &shop.CompletionCases{}},
		{"either a split or prices", &shop.CompletionCases{CaseSplit: &shop.CaseSplit{Until: leaf, From: leaf},
			MachinePrices: leaf.MachinePrices}},
		{"either a split or prices", splitCases(shop.CaseSplit{Until: leaf})},
		{"completion of job 2", splitCases(shop.CaseSplit{Job: 2, Until: leaf, From: leaf})},
		{"completion of job 0 at -", splitCases(shop.CaseSplit{At: -1, Until: leaf, From: leaf})},
	} {
		refused(t, c.says, casesCertificate(c.cases))
	}
	both := flowsCertificate(*leaf.MachinePrices)
	both.Cases = leaf
	refused(t, "not those of kind", both)
}

// TestRoundUp: times of multiples of 2 s and weights of multiples of 3 make costs of multiples of 6.
func TestRoundUp(t *testing.T) {
	in := handmade(t, 2, job{weight: 3, maps: []float64{2, 4}, delay: 6}, job{weight: 6, release: 8, maps: []float64{2}})
	for bound, want := range map[string]int64{"61/10": 12, "6": 6, "59/10": 6, "0": 0, "721/12": 66} {
		v, _ := new(big.Rat).SetString(bound)
		if got := in.RoundUp(v); got.Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%s is rounded to %s, want %d", bound, got.RatString(), want)
		}
	}
}

// TestAnyCertificate: for any prices, rising or falling, any multipliers, thresholds and sets, no bound exceeds the
// optimum, before rounding or after.
func TestAnyCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 17))
	tried, prices, ends := tier.Draws(150, 2500), 0, 0
	for k := range tried {
		in := tiny(t, r, 6, k%2 == 0)
		opt := optimum(t, in)
		under := in.Under(shop.WeightedTaskEnds)
		least := optimum(t, under)
		for range 12 {
			cert := randomTwoSided(r, in)
			atMost(t, in, signed(t, in, cert), opt, k, cert.TwoSided)
			cert = randomPrices(r)
			if in.Sign(cert) == nil {
				prices++
				atMost(t, in, reread(t, in, cert), opt, k, cert.Machine)
			}
			cert = randomPreemptive(r, under)
			ends += len(cert.Ends)
			atMost(t, under, signed(t, under, cert), least, k, cert)
			any := &taskPrices{price: randomFloats(r, in.Tasks), arc: randomFloats(r, len(in.SuccStep))}
			cert, err := certifyTasks(under, "task-lp-schulz", r.IntN(2) == 0, any)
			if err != nil {
				t.Fatal(err)
			}
			atMost(t, under, reread(t, under, cert), least, k, any)
		}
	}
	if prices < tried || ends < tried {
		t.Errorf("%d instances with %d prices and %d bounds of steps", tried, prices, ends)
	}
}

// randomFloats draws numbers, some of them negative.
func randomFloats(r *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = max(r.Float64()*[]float64{1, 10, 100}[r.IntN(3)]-1, -1)
	}
	return list
}

// randomPrices draws prices of machine time.
func randomPrices(r *rand.Rand) *shop.Certificate {
	p := shop.MachinePrices{Cell: model.Time(1 + r.IntN(3_000_000)), Shift: r.IntN(9) - 4}
	for range 1 + r.IntN(12) {
		p.Steps = append(p.Steps, r.Int64N(3_000_000))
	}
	return flowsCertificate(p)
}
