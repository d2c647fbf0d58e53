package msjo

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
)

// These make unsigned certificates.

func twoSidedCertificate(denominator int64, t msjo.TwoSided) *msjo.Certificate {
	return &msjo.Certificate{Claim: model.Claim{Method: "two-sided", Kind: msjo.KindTwoSided}, Denominator: denominator,
		TwoSided: &t}
}

func flowsCertificate(p msjo.MachinePrices) *msjo.Certificate {
	return &msjo.Certificate{Claim: model.Claim{Method: methodFlows, Kind: msjo.KindMachinePrices}, MachinePrices: &p}
}

func casesCertificate(c *msjo.CompletionCases) *msjo.Certificate {
	return &msjo.Certificate{Claim: model.Claim{Method: methodCases, Kind: msjo.KindCompletionCases}, Cases: c}
}

// leafCases is a case with prices.
func leafCases(p msjo.MachinePrices) *msjo.CompletionCases {
	return &msjo.CompletionCases{MachinePrices: &p}
}

// splitCases splits at a completion of a job.
func splitCases(s msjo.CaseSplit) *msjo.CompletionCases { return &msjo.CompletionCases{CaseSplit: &s} }

// byHand is a certificate with the value computed by hand. Some certificates lose less than a ten-thousandth.
type byHand struct {
	name  string
	in    *msjo.Instance
	cert  *msjo.Certificate
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

// handTwoSided: on one machine, job a (weight 1, a map of 2 s) and job b (weight 1, a map of 3 s). With the whole
// weights as prices of both sides, 1/2 and 1/3 per second, the forward schedule runs a from 0 to 2 and b from 2 to 5: F
// = 1 + 3.5. Backwards each job counts alone: G = 1 + 1.5. The sum is 7, the optimum. As forward prices alone they earn
// 4.5 plus half a length each: 7 again. As backward prices they earn heads and half a length, 1 + 1.5, and 2.5: 5.
//
// Two machines; job a has a map of 4 s, job b, released at 1, one of 2 s and the higher price. The machine of speed 2
// works on a from 0 to 1, on b from 1 to 2 and on a from 2 to 3: means 1.5 and 1.5. Prices 4 and 4 times 1.5, plus half
// a length: 4·1.5 + 4·2 + 4·1.5 + 4·1 = 24.
func handTwoSided(t *testing.T) []byHand {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{3}})
	late := handmade(t, 2, job{weight: 4, maps: []float64{4}}, job{weight: 4, release: 1, maps: []float64{2}})
	prices, none := []int64{3, 2}, []int64{0, 0}
	interrupted := twoSidedCertificate(1, msjo.TwoSided{Both: none, Forward: []int64{1, 2}, Backward: none})
	return []byHand{
		{"both", in, twoSidedCertificate(6, msjo.TwoSided{Both: prices, Forward: none, Backward: none}), 7, true},
		{"forward", in, twoSidedCertificate(6, msjo.TwoSided{Both: none, Forward: prices, Backward: none}), 7, true},
		{"backward", in, twoSidedCertificate(6, msjo.TwoSided{Both: none, Forward: none, Backward: prices}), 5, true},
		{"none", in, twoSidedCertificate(6, msjo.TwoSided{}), 5, true},
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
	list := aloneBounds(t.Context(), in, in.Head, in.Tail)
	want := msjo.AloneBound{AloneSet: msjo.AloneSet{Head: 7 * model.Second, Tail: 5 * model.Second, Count: 2}}
	if len(list) != 1 || list[0] != want {
		t.Errorf("%+v, want %+v", list, want)
	}
	return []byHand{{"alone", in, twoSidedCertificate(1, msjo.TwoSided{Alone: list}), 42, true}}
}

// handTasks: on two machines, four maps of 2 s, then four reduces of 1 s, each of weight 1. By place the maps have a
// mean midpoint of 2 s and end 1 s later: 12, as in the schedule that ends them at 2, 2, 4 and 4. The work before the
// barrier puts it at 4 s. So the reduces have a mean midpoint of 5 s, after the maps, and end at 5.5 s: 22.
func handTasks(t *testing.T) []byHand {
	in := handmade(t, 2, job{weight: 1, maps: []float64{2, 2, 2, 2}, reduces: []float64{1, 1, 1, 1}}).
		Under(msjo.TaskObjective)
	cert := preemptiveFrom([]msjo.NodeBound{{Node: int32(in.Tasks)}}, 2, make([]int64, len(in.SuccStep)))
	cert.Terms = []msjo.PriceTerm{{Prices: []int64{1, 1, 1, 1, 2, 2, 2, 2}}}
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
	own := func(list ...msjo.OwnPrices) *msjo.Certificate {
		return flowsCertificate(msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0, 0}, Own: list})
	}
	early, late := msjo.OwnPrices{Steps: []int64{2 * unit, 2 * unit}}, msjo.OwnPrices{From: 4 * model.Second}
	return []byHand{
		{"prices", two, flowsCertificate(msjo.MachinePrices{Cell: model.Second, Steps: []int64{unit, unit}}), 6, false},
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
	own := msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0, 0},
		Own: []msjo.OwnPrices{{Steps: []int64{two, two}}}}
	none := msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{0}}
	cases := func(at model.Time, until msjo.MachinePrices) *msjo.Certificate {
		return casesCertificate(splitCases(msjo.CaseSplit{At: at * model.Second, Until: leafCases(until),
			From: leafCases(none)}))
	}
	return []byHand{
		{"until 4, own prices", in, cases(4, own), 4, false}, {"until 4", in, cases(4, none), 2, false},
		{"until 3, own prices", in, cases(3, own), 3, false}, {"until 1", in, cases(1, none), 2, false},
	}
}

// refused fails unless a certificate of an instance of two jobs is rejected.
func refused(t *testing.T, says string, cert *msjo.Certificate) {
	t.Helper()
	in := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{3}})
	if err := in.Sign(cert); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
}

// TestTwoSidedRefused: a certificate that proves nothing is rejected.
func TestTwoSidedRefused(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(c *msjo.Certificate)
	}{
		{"denominator", func(c *msjo.Certificate) { c.Denominator = 0 }},
		{"exceed", func(c *msjo.Certificate) { c.Denominator = 5 }},
		{"exceed", func(c *msjo.Certificate) { c.Backward[1] = 1 }},
		{"not allowed", func(c *msjo.Certificate) { c.Forward[0] = -1 }},
		{"not allowed", func(c *msjo.Certificate) { c.Forward[0] = 1 << 62 }},
		{"1 price for 2 tasks", func(c *msjo.Certificate) { c.Forward = c.Forward[:1] }},
		{"0 prices for 2 tasks", func(c *msjo.Certificate) { c.Both = nil }},
		{"too few tasks", func(c *msjo.Certificate) { c.Alone = []msjo.AloneBound{{AloneSet: msjo.AloneSet{Count: 1}}} }},
		{"bound of job 2", func(c *msjo.Certificate) { c.Alone = []msjo.AloneBound{{Job: 2}} }},
		{"bound of job 0", func(c *msjo.Certificate) { c.Alone = []msjo.AloneBound{{AloneSet: msjo.AloneSet{Head: -1}}} }},
		{"too few tasks", func(c *msjo.Certificate) { c.Alone = []msjo.AloneBound{{AloneSet: msjo.AloneSet{Count: -1}}} }},
	} {
		cert := twoSidedCertificate(6, msjo.TwoSided{Both: []int64{3, 2}, Forward: []int64{0, 0}, Backward: []int64{0, 0}})
		c.change(cert)
		refused(t, c.says, cert)
	}
}

// TestOwnPricesRefused: own prices of unknown jobs, out of order, negative or too large are rejected.
func TestOwnPricesRefused(t *testing.T) {
	for _, c := range []struct {
		says string
		own  []msjo.OwnPrices
	}{
		{"own prices of job 2", []msjo.OwnPrices{{Job: 2}}},
		{"own prices of job -1", []msjo.OwnPrices{{Job: -1}}},
		{"own prices of job 0", []msjo.OwnPrices{{From: -1}}},
		{"own prices of job 0", []msjo.OwnPrices{{Job: 1}, {Job: 0}}},
		{"own prices of job 0", []msjo.OwnPrices{{From: 5}, {From: 5}}},
		{"own prices of job 0", []msjo.OwnPrices{{Steps: []int64{1, 1, 1}}}},
		{"negative", []msjo.OwnPrices{{Steps: []int64{1, -1}}}},
		{msjo.ErrInexact.Error(), []msjo.OwnPrices{{Steps: []int64{1 << 62}}}},
		{msjo.ErrInexact.Error(), []msjo.OwnPrices{{Steps: []int64{1 << 40}}}},
	} {
		refused(t, c.says, flowsCertificate(msjo.MachinePrices{Cell: 2 * model.Second, Steps: []int64{1, 1}, Own: c.own}))
	}
}

// TestCasesRefused: cases without prices, of unknown jobs, and those that are both split and priced are rejected.
func TestCasesRefused(t *testing.T) {
	leaf := leafCases(msjo.MachinePrices{Cell: model.Second, Steps: []int64{0}})
	many := leaf
	for range msjo.MaxCases {
		many = splitCases(msjo.CaseSplit{Until: leaf, From: many})
	}
	for _, c := range []struct {
		says  string
		cases *msjo.CompletionCases
	}{
		{"no cases", nil},
		{"65 cases with prices, more than 64", many},
		{"either a split or prices", &msjo.CompletionCases{}},
		{"either a split or prices", &msjo.CompletionCases{CaseSplit: &msjo.CaseSplit{Until: leaf, From: leaf},
			MachinePrices: leaf.MachinePrices}},
		{"either a split or prices", splitCases(msjo.CaseSplit{Until: leaf})},
		{"completion of job 2", splitCases(msjo.CaseSplit{Job: 2, Until: leaf, From: leaf})},
		{"completion of job 0 at -", splitCases(msjo.CaseSplit{At: -1, Until: leaf, From: leaf})},
	} {
		refused(t, c.says, casesCertificate(c.cases))
	}
	both := flowsCertificate(*leaf.MachinePrices)
	both.Cases = leaf
	refused(t, "has no cases", both)
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
		under := in.Under(msjo.TaskObjective)
		least := optimum(t, under)
		for range 12 {
			cert := randomTwoSided(r, in)
			atMost(t, in, signed(t, in, cert), opt, k, cert.TwoSided)
			cert = randomPrices(r)
			if in.Sign(cert) == nil {
				prices++
				atMost(t, in, reread(t, in, cert), opt, k, cert.MachinePrices)
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
		t.Errorf("%d instances with %d prices and %d bounds of nodes", tried, prices, ends)
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
func randomPrices(r *rand.Rand) *msjo.Certificate {
	p := msjo.MachinePrices{Cell: model.Time(1 + r.IntN(3_000_000)), Shift: r.IntN(9) - 4}
	for range 1 + r.IntN(12) {
		p.Steps = append(p.Steps, r.Int64N(3_000_000))
	}
	return flowsCertificate(p)
}
