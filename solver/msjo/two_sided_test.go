package msjo

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/tier"
)

// twoSidedCertificate is an unsigned certificate.
func twoSidedCertificate(denominator int64, t msjo.TwoSided) *msjo.Certificate {
	return &msjo.Certificate{Claim: model.Claim{Method: "two-sided", Kind: msjo.KindTwoSided}, Denominator: denominator,
		TwoSided: &t}
}

// TestTwoSidedByHand: on one machine, job a (weight 1, a map of 2 s) and job b (weight 1, a map of 3 s). With the whole
// weights as prices of both sides, 1/2 and 1/3 per second, the forward schedule runs a from 0 to 2 and b from 2 to 5: F
// = 1 + 3.5. Backwards each job counts alone: G = 1 + 1.5. The sum is 7, the optimum. As forward prices alone they earn
// 4.5 plus half a length each: 7 again. As backward prices they earn heads and half a length, 1 + 1.5, and 2.5: 5.
func TestTwoSidedByHand(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{3}})
	prices, none := []int64{3, 2}, []int64{0, 0}
	for _, c := range []struct {
		name string
		t    msjo.TwoSided
		want int64
	}{
		{"both", msjo.TwoSided{Both: prices, Forward: none, Backward: none}, 7},
		{"forward", msjo.TwoSided{Both: none, Forward: prices, Backward: none}, 7},
		{"backward", msjo.TwoSided{Both: none, Forward: none, Backward: prices}, 5},
		{"none", msjo.TwoSided{}, 5},
	} {
		cert := twoSidedCertificate(6, c.t)
		if err := in.Sign(cert); err != nil {
			t.Fatal(c.name, err)
		}
		if v := reread(t, in, cert); v.Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("%s: %s, want %d", c.name, v.RatString(), c.want)
		}
	}
}

// TestInterruptedByHand: two machines; job a has a map of 4 s, job b, released at 1, one of 2 s and the higher price.
// The machine of speed 2 works on a from 0 to 1, on b from 1 to 2 and on a from 2 to 3: means 1.5 and 1.5.
func TestInterruptedByHand(t *testing.T) {
	in := handmade(t, 2, job{weight: 4, maps: []float64{4}}, job{weight: 4, release: 1, maps: []float64{2}})
	cert := twoSidedCertificate(1, msjo.TwoSided{Both: []int64{0, 0}, Forward: []int64{1, 2}, Backward: []int64{0, 0}})
	if err := in.Sign(cert); err != nil {
		t.Fatal(err)
	}
	// Prices 4 and 4 times 1.5, plus half a length: 4·1.5 + 4·2 + 4·1.5 + 4·1 = 24.
	if v := reread(t, in, cert); v.Cmp(big.NewRat(24, 1)) != 0 {
		t.Errorf("%s, want 24", v.RatString())
	}
}

// TestAloneByHand: forty maps of 10 s on 16 machines take 30 s, not the 25 s of their work. A release at 7 s comes
// before them and a reduce of 5 s after them.
func TestAloneByHand(t *testing.T) {
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
	cert := twoSidedCertificate(1, msjo.TwoSided{Alone: list})
	if err := in.Sign(cert); err != nil {
		t.Fatal(err)
	}
	if v := reread(t, in, cert); v.Cmp(big.NewRat(42, 1)) != 0 {
		t.Errorf("%s, want 42", v.RatString())
	}
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

// TestRandomTwoSided: for any prices and thresholds, the bound of a certificate does not exceed the optimum, also after
// rounding.
func TestRandomTwoSided(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 17))
	tried := tier.Draws(200, 2000)
	for k := range tried {
		w, err := instances.SmallMSJO(r, 6, k%2 == 0)
		in := instance(t, w, err)
		opt := optimum(t, in)
		for range 12 {
			cert := randomTwoSided(r, in)
			if err := in.Sign(cert); err != nil {
				t.Fatal(err)
			}
			v := in.RoundUp(reread(t, in, cert))
			if v.Cmp(opt) > 0 {
				t.Fatalf("instance %d: bound %s above optimum %s: %+v", k, v.RatString(), opt.RatString(), cert.TwoSided)
			}
		}
	}
}

// randomTwoSided draws prices that use up the weight of the job that can pay least, and a bound for each job.
func randomTwoSided(r *rand.Rand, in *msjo.Instance) *msjo.Certificate {
	cert := twoSidedCertificate(1, msjo.TwoSided{})
	cert.Ends, cert.Starts = randomEnds(r, in), randomEnds(r, in.Backwards())
	heads, tails, err := in.Windows(cert.Ends, cert.Starts)
	if err != nil {
		panic(err)
	}
	paid := make([]int64, in.Jobs)
	for _, list := range []*[]int64{&cert.Both, &cert.Forward, &cert.Backward} {
		most := []int64{0, 3, 1000, 1 << 20}[r.IntN(4)] + 1
		for u := range in.Tasks {
			q := r.Int64N(most)
			if in.Weight[in.Job[u]] == 0 {
				q = 0
			}
			*list = append(*list, q)
			paid[in.Job[u]] += q * int64(in.Processing[u])
		}
	}
	for j, sum := range paid {
		if w := int64(in.Weight[j]); w > 0 {
			cert.Denominator = max(cert.Denominator, (sum+w-1)/w)
		}
	}
	for j := range in.Jobs {
		nodes := in.JobNodes(j)
		a, b := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		set := randomSet(r, heads[a], tails[b], in.Processing[nodes[r.IntN(len(nodes))]])
		bound := msjo.AloneBound{Job: int32(j), AloneSet: set}
		if _, err := in.AloneBounds([]msjo.AloneBound{bound}, heads, tails); err == nil {
			cert.Alone = append(cert.Alone, bound)
		}
	}
	return cert
}

// TestTwoSided: the bound does not exceed the optimum, and is at least that of the LP and that of the jobs alone.
func TestTwoSided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t, 7, false)
		r := &run{in: in, backend: backend, p: params{}}
		relax, err := r.relaxation(t.Context(), options())
		if err != nil {
			t.Fatal(err)
		}
		lp, err := r.proof(relax)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := r.aloneBound(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		both, err := r.twoSided(t.Context(), relax, options())
		if err != nil {
			t.Fatal(err)
		}
		value := reread(t, in, both.Certificate.(*msjo.Certificate))
		if opt := optimum(t, in); in.RoundUp(value).Cmp(opt) > 0 {
			t.Fatalf("bound %s above optimum %s", value.RatString(), opt.RatString())
		}
		for _, less := range []*big.Rat{reread(t, in, lp.Certificate.(*msjo.Certificate)),
			reread(t, in, alone.Certificate.(*msjo.Certificate))} {
			if float(value) < float(less)*(1-1e-9) {
				t.Fatalf("two-sided %.9f, another bound %.9f", float(value), float(less))
			}
		}
	})
}

// TestTwoSidedMutations: a certificate that proves nothing is rejected.
func TestTwoSidedMutations(t *testing.T) {
	in := handmade(t, 1, job{weight: 1, maps: []float64{2}}, job{weight: 1, maps: []float64{3}})
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
		if err := in.Sign(cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
