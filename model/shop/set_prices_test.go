package shop

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"mrsched/model"
)

// machineTime is the one pool of identical machines.
func machineTime() []Pool { return []Pool{{Worth: []int64{1}, Least: 1}} }

// jobCertificate prices b1 of the fixture alone, with its whole weight: 0.5 = 5·q/D with q = 1, D = 10.
func jobCertificate() *Certificate {
	return &Certificate{Claim: model.Claim{Method: "cls-lp", Kind: KindMidpointPrices},
		SetPrices: &SetPrices{Denominator: 10, Terms: []PriceTerm{{Prices: []int64{0, 0, 0, 1}}}}}
}

// taskCertificate is a certificate for the fixture's task objective. Its arcs are a1→barrier (delay 1), a2→barrier and
// barrier→a3; heads are 1, 1, 4 (a1, a2, a3), 0 (b1) and 4 (barrier).
func taskCertificate() *Certificate {
	return &Certificate{Claim: model.Claim{Method: "task-lp-schulz", Kind: KindCompletionPrices},
		SetPrices: &SetPrices{Denominator: 10, Arcs: []int64{0, 0, 0},
			Terms: []PriceTerm{{Prices: []int64{0, 0, 0, 0}}}}}
}

// preemptiveCertificate is a certificate for the fixture's task objective. Node 4 is the barrier. Of the weight 2 of
// a3, half goes to the barrier, along the arc. b1 pays its weight 0.5 = 5·q/D for its place, with q = 2 and D = 20.
func preemptiveCertificate() *Certificate {
	return &Certificate{Claim: model.Claim{Method: "task-preemptive", Kind: KindCompletionPrices},
		Bounds: Bounds{Pools: machineTime()},
		SetPrices: &SetPrices{Denominator: 20, Inequality: InequalityPreemptive, Arcs: []int64{0, 0, 20},
			Terms: []PriceTerm{{Prices: []int64{0, 0, 0, 2}}}}}
}

// TestJobCertificate: c_a = 1+max(2+1, 3)+4 = 8 and c_b = 5, so Σ w c = 16 + 2.5. The price 0.5 on b1 (e = 2.5) adds
// 0.5·((0 + 5/2)/2 − 2.5) = −0.625. The bound 17.875 = 143/8 is weak but valid.
//
// The reduce a3 starts at 4 or later, so it may have a price at threshold 4. The price 0.4·4 s = 1.6 ≤ 2 adds 1.6·(4 −
// e) + 1.6·(4/2)/2 with e = 8 − 2 = 6: 1.6·(4 − 6 + 1) = −1.6. The bound is 18.5 − 1.6 = 16.9.
func TestJobCertificate(t *testing.T) {
	for want, terms := range map[string][]PriceTerm{"143/8": {{Prices: []int64{0, 0, 0, 1}}},
		"169/10": {{Threshold: 4 * model.Second, Prices: []int64{0, 0, 4, 0}}}} {
		in, _ := fixture(t)
		c := jobCertificate()
		c.Terms = terms
		if err := in.Sign(c); err != nil || c.Value != want {
			t.Errorf("value %s, %v, want %s", c.Value, err, want)
		}
	}
}

// TestTaskCertificate compares bounds with hand calculations. Without prices every task ends at its head plus its
// length: 2·(3+4+8) + 0.5·5 = 32.5.
func TestTaskCertificate(t *testing.T) {
	for _, c := range []struct {
		name   string
		want   *big.Rat
		change func(c *Certificate)
	}{
		{"nothing", big.NewRat(65, 2), func(*Certificate) {}},
		// a3 leaves 1 of its weight to a2 through the barrier: a2 has 3·4, a3 1·8 and the arc to a3 1·4: the path is tight.
		{"tight arcs", big.NewRat(65, 2), func(c *Certificate) { c.Arcs = []int64{0, 10, 10} }},
		// b1 pays its 0.5 as 0.1 a second: 0.5·(2.5 + 2.5/2) = 1.875 in place of 2.5.
		{"a set", big.NewRat(255, 8), func(c *Certificate) { c.Terms[0].Prices[3] = 1 }},
		// The published inequality gives 0.5·5/2 = 1.25 for it.
		{"a published set", big.NewRat(125, 4), func(c *Certificate) {
			c.Terms[0].Prices[3], c.Inequality = 1, InequalityPublished
		}},
		// a2 pays 1.5 of its 2 from second 1 on: 1.5·(1 + 1.5 + 1.5/2) + 0.5·4 = 6.875 in place of 8.
		{"a threshold", big.NewRat(251, 8), func(c *Certificate) { c.Terms[0] = PriceTerm{model.Second, []int64{0, 5, 0, 0}} }},
		// a1 (2 s) and a2 (3 s) at 0.5 a second: 1·(1 + 1 + 1/2) + 1·3 = 5.5 in place of 6, and, a1 before it,
		// 1.5·(1 + 1.5 + (2 + 1.5)/2) + 0.5·4 = 8.375 in place of 8.
		{"two tasks", big.NewRat(259, 8), func(c *Certificate) { c.Terms[0] = PriceTerm{model.Second, []int64{5, 5, 0, 0}} }},
	} {
		in, _ := fixture(t)
		in = in.Under(WeightedTaskEnds)
		cert := taskCertificate()
		c.change(cert)
		v, err := NewEvaluator(in).prove(cert)
		if err != nil || v.Cmp(c.want) != 0 {
			t.Errorf("%s: %v (%v), want %s", c.name, v, err, c.want)
		}
	}
}

// TestPreemptiveCertificate compares with a hand calculation: the arc earns 1·4, and the barrier keeps 1 at 4. The maps
// have 2 at 3 and 4, and a3 has 1 left at 8. The place of b1 earns 0.5·(2.5/2 + 2.5) = 1.875.
func TestPreemptiveCertificate(t *testing.T) {
	in, _ := fixture(t)
	in = in.Under(WeightedTaskEnds)
	v, err := NewEvaluator(in).prove(preemptiveCertificate())
	if err != nil || v.Cmp(big.NewRat(8*(4+4+6+8+8)+15, 8)) != 0 {
		t.Errorf("%v (%v), want 31.875", v, err)
	}
	// On one machine the maps need 5 s before the barrier, so it is at 6; the reduce ends at 10.
	if in, err = NewIdentical(in.Workload(), 1); err != nil {
		t.Fatal(err)
	}
	in = in.Under(WeightedTaskEnds)
	cert := &Certificate{Claim: model.Claim{Method: "job-alone", Kind: KindCompletionPrices},
		Bounds:    Bounds{Pools: machineTime(), Ends: []StepBound{{Step: 4, AloneSet: AloneSet{Head: model.Second}}}},
		SetPrices: &SetPrices{Denominator: 1, Inequality: InequalityPreemptive}}
	if v, err := NewEvaluator(in).prove(cert); err != nil || v.Cmp(big.NewRat(2*(3+4+10)*2+5, 2)) != 0 {
		t.Errorf("%v (%v), want 36.5", v, err)
	}
}

// change is what makes a certificate prove nothing, and what the error says.
type change struct {
	says string
	make func(c *Certificate)
}

// refused fails unless all changed certificates are rejected.
func refused(t *testing.T, base func() *Certificate, changes []change) {
	t.Helper()
	for _, c := range changes {
		in, _ := fixture(t)
		cert := base()
		c.make(cert)
		if err := in.Under(WeightedTaskEnds).Sign(cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// TestTaskCertificateRefused: a certificate that proves nothing is rejected.
func TestTaskCertificateRefused(t *testing.T) {
	refused(t, taskCertificate, []change{
		{"denominator", func(c *Certificate) { c.Denominator = 0 }},
		{"inequality", func(c *Certificate) { c.Inequality = "wished" }},
		{"multipliers for 3 arcs", func(c *Certificate) { c.Arcs = c.Arcs[:2] }},
		{"negative", func(c *Certificate) { c.Arcs[0] = -1 }},
		{"exceed", func(c *Certificate) { c.Arcs = []int64{0, 21, 21} }},
		{"exceed", func(c *Certificate) { c.Arcs = []int64{0, 1, 0} }},
		{"not allowed", func(c *Certificate) { c.Terms[0].Prices[0] = -1 }},
		{"exceed", func(c *Certificate) { c.Terms[0].Prices[3] = 2 }},
		{"not allowed", func(c *Certificate) {
			c.Terms[0] = PriceTerm{model.Second, []int64{0, 0, 0, 1}}
		}},
		{"prices for 4 tasks", func(c *Certificate) { c.Terms[0].Prices = nil }},
	})
}

// TestPreemptiveRefused: a certificate that proves nothing is rejected.
func TestPreemptiveRefused(t *testing.T) {
	refused(t, preemptiveCertificate, []change{
		{"exceed", func(c *Certificate) { c.Denominator = 19 }},
		{"multipliers for 3 arcs", func(c *Certificate) { c.Arcs = c.Arcs[:2] }},
		{"negative", func(c *Certificate) { c.Arcs[0] = -1 }},
		{"not allowed", func(c *Certificate) { c.Terms[0].Prices[0] = -1 }},
		{"exceed", func(c *Certificate) { c.Terms[0].Prices[3] = 3 }},
		{"bound of step 5", func(c *Certificate) { c.Ends = []StepBound{{Step: 5}} }},
		{"bound of step 4", func(c *Certificate) { c.Ends = []StepBound{{Step: 4}, {Step: 4}} }},
		{"step 4 has a bound", func(c *Certificate) { c.Ends = []StepBound{{Step: 4, AloneSet: AloneSet{Head: -1}}} }},
		{"too few tasks", func(c *Certificate) { c.Ends = []StepBound{{Step: 4, AloneSet: AloneSet{Count: 1}}} }},
	})
}

// TestCertify changes one number of a signed certificate, or its text: duplicate keys, unknown keys and numbers in
// another notation are rejected, and so is a certificate of the other objective.
func TestCertify(t *testing.T) {
	in, _ := fixture(t)
	signed := func(in *Instance, c *Certificate) string {
		if err := in.Sign(c); err != nil {
			t.Fatal(err)
		}
		return marshalled(t, c)
	}
	text := signed(in, jobCertificate())
	for _, x := range []change{
		{"states", func(c *Certificate) { c.Value = "18" }},
		{"exceed", func(c *Certificate) { c.Terms[0].Prices[3]++ }},
		{"states", func(c *Certificate) { c.Terms[0].Prices[3]-- }},
		{"not allowed", func(c *Certificate) { c.Terms[0].Prices[1] = -1 }},
		{"not allowed", func(c *Certificate) { c.Terms[0].Threshold = 1 }},
		{"states", func(c *Certificate) { c.Denominator = 11 }},
		{"positive", func(c *Certificate) { c.Denominator = 0 }},
		{"prices for", func(c *Certificate) { c.Terms[0].Prices = c.Terms[0].Prices[:3] }},
		{"knows no kind", func(c *Certificate) { c.Kind = "other" }},
		{"problem", func(c *Certificate) { c.Problem = "hta" }},
		{"threshold", func(c *Certificate) { c.Terms[0].Threshold = model.MaxHorizon + 1 }},
	} {
		c := jobCertificate()
		if err := json.Unmarshal([]byte(text), c); err != nil {
			t.Fatal(err)
		}
		x.make(c)
		if _, err := in.Certify([]byte(marshalled(t, c))); err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("error %v, want one about %q", err, x.says)
		}
	}
	for _, x := range [][2]string{{`"value":`, `"value":"99","Value":`}, {`"denominator":`, `"extra":1,"denominator":`},
		{`"threshold":0`, `"threshold":0.0000001`}} {
		changed := strings.Replace(text, x[0], x[1], 1)
		if _, err := in.Certify([]byte(changed)); changed == text || err == nil {
			t.Errorf("%s is accepted", changed)
		}
	}
	if _, err := in.Certify([]byte(" " + text)); err != nil {
		t.Error(err)
	}
	tasks := in.Under(WeightedTaskEnds)
	text = signed(tasks, taskCertificate())
	if _, err := tasks.Certify([]byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := in.Certify([]byte(text)); err == nil {
		t.Error("a bound on TWTCT passed as one on TWJCT")
	}
	for _, x := range []func(c *Certificate){func(c *Certificate) { c.Value = "33" },
		func(c *Certificate) { c.Terms[0].Prices[3] = 1 }} { // proves less
		c := taskCertificate()
		signed(tasks, c)
		x(c)
		if _, err := tasks.Certify([]byte(marshalled(t, c))); err == nil {
			t.Errorf("%+v passed", c)
		}
	}
}

func marshalled(t *testing.T, c *Certificate) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
