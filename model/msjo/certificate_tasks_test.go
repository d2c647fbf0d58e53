package msjo

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"mrsched/model"
)

// taskCertificate is a certificate for the fixture's task objective. Its arcs are a1→barrier (delay 1), a2→barrier and
// barrier→a3; heads are 1, 1, 4 (a1, a2, a3), 0 (b1) and 4 (barrier).
func taskCertificate() *Certificate {
	return &Certificate{Claim: model.Claim{Method: "task-lp-schulz", Kind: KindCompletionPrices},
		Denominator: 10, Arcs: []int64{0, 0, 0},
		Terms: []PriceTerm{{Prices: []int64{0, 0, 0, 0}}}}
}

// TestTaskObjective is computed by hand: the fixture's tasks end at 3, 4, 8 and 9, with their jobs' weights:
// 2·(3+4+8) + 0.5·9 = 34.5; with weight 3 of its own, b1 adds 27 in place of 4.5.
func TestTaskObjective(t *testing.T) {
	in, s := fixture(t)
	e := in.Under(TaskObjective).Evaluate(s)
	if e.Name != "twtct" || e.Value.Cmp(big.NewRat(69, 2)) != 0 {
		t.Errorf("%s = %s, want twtct = 34.5", e.Name, e.Value)
	}
	if e.Metrics["twjct"] != model.Number("20.5") || e.Metrics["twtct"] != model.Number("34.5") {
		t.Errorf("metrics %v", e.Metrics)
	}
	in.workload.Tasks[3].Weight = model.Some(3 * model.UnitWeight)
	own, err := New(in.workload, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v := own.TaskSum(s); v.Cmp(big.NewRat(57, 1)) != 0 {
		t.Errorf("TWTCT with a task's own weight = %s, want 57", v)
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
			c.Terms[0].Prices[3], c.Inequality = 1,
				InequalityPublished
		}},
		// a2 pays 1.5 of its 2 from second 1 on: 1.5·(1 + 1.5 + 1.5/2) + 0.5·4 = 6.875 in place of 8.
		{"a threshold", big.NewRat(251, 8), func(c *Certificate) {
			c.Terms[0] = PriceTerm{model.Second,
				[]int64{0, 5, 0, 0}}
		}},
		// a1 (2 s) and a2 (3 s) at 0.5 a second: 1·(1 + 1 + 1/2) + 1·3 = 5.5 in place of 6, and, a1 before it,
		// 1.5·(1 + 1.5 + (2 + 1.5)/2) + 0.5·4 = 8.375 in place of 8.
		{"two tasks", big.NewRat(259, 8), func(c *Certificate) { c.Terms[0] = PriceTerm{model.Second, []int64{5, 5, 0, 0}} }},
	} {
		in, _ := fixture(t)
		in = in.Under(TaskObjective)
		cert := taskCertificate()
		c.change(cert)
		v, err := in.evaluate(cert)
		if err != nil || v.Cmp(c.want) != 0 {
			t.Errorf("%s: %v (%v), want %s", c.name, v, err, c.want)
		}
	}
}

// TestTaskCertificateMutations: a certificate that proves nothing is rejected.
func TestTaskCertificateMutations(t *testing.T) {
	for _, c := range []struct {
		name, says string
		change     func(c *Certificate)
	}{
		{"denominator", "denominator", func(c *Certificate) { c.Denominator = 0 }},
		{"inequality", "inequality", func(c *Certificate) { c.Inequality = "wished" }},
		{"arcs missing", "multipliers for 3 arcs", func(c *Certificate) { c.Arcs = c.Arcs[:2] }},
		{"negative arc", "negative", func(c *Certificate) { c.Arcs[0] = -1 }},
		{"arc beyond the weights", "exceed", func(c *Certificate) { c.Arcs = []int64{0, 21, 21} }},
		{"arc from nowhere", "exceed", func(c *Certificate) { c.Arcs = []int64{0, 1, 0} }},
		{"negative price", "not allowed", func(c *Certificate) { c.Terms[0].Prices[0] = -1 }},
		{"price beyond the weight", "exceed", func(c *Certificate) { c.Terms[0].Prices[3] = 2 }},
		{"price before its threshold", "not allowed", func(c *Certificate) {
			c.Terms[0] = PriceTerm{model.Second,
				[]int64{0, 0, 0, 1}}
		}},
		{"prices missing", "prices for 4 tasks", func(c *Certificate) { c.Terms[0].Prices = nil }},
	} {
		in, _ := fixture(t)
		in = in.Under(TaskObjective)
		cert := taskCertificate()
		c.change(cert)
		if err := in.Sign(cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestTaskCertificateStated: Certify rejects a value that is not proven, and a certificate of the other objective.
func TestTaskCertificateStated(t *testing.T) {
	jobs, _ := fixture(t)
	in := jobs.Under(TaskObjective)
	cert := taskCertificate()
	cert.Arcs = []int64{0, 10, 10}
	if err := in.Sign(cert); err != nil {
		t.Fatal(err)
	}
	certify := func(in *Instance, change func(c *Certificate)) error {
		c := *cert
		change(&c)
		text, err := json.Marshal(&c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = in.Certify(text)
		return err
	}
	if err := certify(in, func(*Certificate) {}); err != nil {
		t.Error(err)
	}
	if certify(in, func(c *Certificate) { c.Value = "33" }) == nil {
		t.Error("a higher value passed")
	}
	if certify(in, func(c *Certificate) { c.Terms = []PriceTerm{{Prices: []int64{0, 0, 0, 1}}} }) == nil { // proves less
		t.Error("other prices passed")
	}
	if certify(jobs, func(*Certificate) {}) == nil {
		t.Error("a bound on TWTCT passed as one on TWJCT")
	}
}
