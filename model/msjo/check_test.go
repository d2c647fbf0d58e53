package msjo

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// fixture is a job with maps a1 (2 s, delay 1), a2 (3 s) and reduce a3 (4 s) released at 1, and a job with one
// task b1 (5 s), on two machines; weights 2 and 0.5.
func fixture(t *testing.T) (*Instance, *model.Schedule) {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("fixture", "msjo", model.Some(int64(2)), nil)
	b.Job(model.Job{ID: "a", Release: model.Second, Weight: 2 * model.UnitWeight}, model.Locus{})
	b.Job(model.Job{ID: "b", Weight: model.UnitWeight / 2}, model.Locus{})
	add := func(id, job string, kind model.TaskKind, p, delay model.Time) {
		b.Task(model.Task{ID: id, Kind: kind, Processing: model.Some(p * model.Second), ShuffleDelay: delay * model.Second},
			job, "", model.Locus{})
	}
	add("a1", "a", model.Map, 2, 1)
	add("a2", "a", model.Map, 3, 0)
	add("a3", "a", model.Reduce, 4, 0)
	add("b1", "b", model.Map, 5, 0)
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(u, machine int, start, p model.Time) model.Entry {
		return model.Entry{Task: model.TaskIndex(u), Machine: int32(machine), Start: start * model.Second,
			End: (start + p) * model.Second}
	}
	return in, &model.Schedule{Entries: []model.Entry{at(0, 0, 1, 2), at(1, 1, 1, 3), at(2, 0, 4, 4), at(3, 1, 4, 5)}}
}

// TestObjective is computed by hand: job a ends at 8, job b at 9: 2·8 + 0.5·9 = 20.5; makespan 9, busy 14 of 18.
func TestObjective(t *testing.T) {
	in, s := fixture(t)
	if v := in.Check(s); len(v) > 0 {
		t.Fatal(v)
	}
	e := in.Evaluate(s)
	if e.Name != "twjct" || e.Value.Cmp(big.NewRat(41, 2)) != 0 {
		t.Errorf("%s = %s, want twjct = 20.5", e.Name, e.Value)
	}
	for name, want := range map[string]model.Number{"makespan": "9", "mean_job_completion": "8.5",
		"utilisation": "0.777777"} {
		if e.Metrics[name] != want {
			t.Errorf("%s = %v, want %s", name, e.Metrics[name], want)
		}
	}
}

// TestCheckMutations breaks one constraint at a time. Exactly the code of that constraint must appear.
func TestCheckMutations(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   model.Code
		change func(s *model.Schedule)
	}{
		{"missing task", model.CodeTaskMissing, func(s *model.Schedule) { s.Entries = s.Entries[:3] }},
		{"task twice", model.CodeTaskTwice, func(s *model.Schedule) {
			e := s.Entries[3]
			e.Start, e.End = e.Start+10*model.Second, e.End+10*model.Second
			s.Entries = append(s.Entries, e)
		}},
		{"machine beyond the last", model.CodeMachineUnknown, func(s *model.Schedule) { s.Entries[3].Machine = 2 }},
		{"machine before the first", model.CodeMachineUnknown, func(s *model.Schedule) { s.Entries[3].Machine = -1 }},
		{"short by a microsecond", model.CodeDuration, func(s *model.Schedule) { s.Entries[3].End-- }},
		{"before the release", model.CodeBeforeRelease, func(s *model.Schedule) { s.Entries[0].Start--; s.Entries[0].End-- }},
		{"reduce before the delay", model.CodePrecedence,
			func(s *model.Schedule) { s.Entries[2].Start--; s.Entries[2].End-- }},
		{"overlap", model.CodeOverlap, func(s *model.Schedule) { s.Entries[3].Start--; s.Entries[3].End-- }},
		{"overlap with an earlier, longer task", model.CodeOverlap, func(s *model.Schedule) {
			s.Entries[3].Start, s.Entries[3].End, s.Entries[3].Machine = 2*model.Second, 7*model.Second, 0
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, s := fixture(t)
			c.change(s)
			found := in.Check(s)
			if len(found) == 0 {
				t.Fatal("not detected")
			}
			for _, v := range found {
				if v.Code != c.code {
					t.Errorf("%s, want only %s", v, c.code)
				}
			}
		})
	}
}

// signed is a certificate by hand for the fixture. It prices b1 alone, with its whole weight: 0.5 = 5·q/D with q = 1, D
// = 10.
func signed(t *testing.T, in *Instance) *Certificate {
	t.Helper()
	c := &Certificate{Claim: model.Claim{Method: "cls-lp", Kind: KindMidpointPrices}, Denominator: 10,
		Terms: []PriceTerm{{Prices: []int64{0, 0, 0, 1}}}}
	if err := in.Sign(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCertificateByHand: c_a = 1+max(2+1, 3)+4 = 8 and c_b = 5, so Σ w c = 16 + 2.5. The price 0.5 on b1 (e = 2.5) adds
// 0.5·((0 + 5/2)/2 − 2.5) = −0.625. The bound 17.875 = 143/8 is weak but valid.
func TestCertificateByHand(t *testing.T) {
	in, _ := fixture(t)
	if c := signed(t, in); c.Value != "143/8" {
		t.Errorf("value %s, want 143/8", c.Value)
	}
}

// TestCertificateThreshold: the reduce a3 starts at 4 or later, so it may have a price at threshold 4. The price 0.4·4
// s = 1.6 ≤ 2 adds 1.6·(4 − e) + 1.6·(4/2)/2 with e = 8 − 2 = 6: 1.6·(4 − 6 + 1) = −1.6. The bound is 18.5 − 1.6 =
// 16.9.
func TestCertificateThreshold(t *testing.T) {
	in, _ := fixture(t)
	c := &Certificate{Claim: model.Claim{Kind: KindMidpointPrices}, Denominator: 10, Terms: []PriceTerm{{Threshold: 4 * model.Second,
		Prices: []int64{0, 0, 4, 0}}}}
	if err := in.Sign(c); err != nil {
		t.Fatal(err)
	}
	if c.Value != "169/10" {
		t.Errorf("value %s, want 169/10", c.Value)
	}
}

// TestCertificateTampering changes one number at a time.
func TestCertificateTampering(t *testing.T) {
	for _, x := range []struct {
		name, want string
		change     func(c *Certificate)
	}{
		{"value", "states", func(c *Certificate) { c.Value = "18" }},
		{"price raised", "exceed", func(c *Certificate) { c.Terms[0].Prices[3]++ }},
		{"price lowered", "states", func(c *Certificate) { c.Terms[0].Prices[3]-- }},
		{"negative price", "not allowed", func(c *Certificate) { c.Terms[0].Prices[1] = -1 }},
		{"price before the threshold", "not allowed", func(c *Certificate) { c.Terms[0].Threshold = 1 }},
		{"denominator", "states", func(c *Certificate) { c.Denominator = 11 }},
		{"no denominator", "positive", func(c *Certificate) { c.Denominator = 0 }},
		{"prices cut off", "prices for", func(c *Certificate) { c.Terms[0].Prices = c.Terms[0].Prices[:3] }},
		{"kind", "of kind", func(c *Certificate) { c.Kind = "other" }},
		{"problem", "problem", func(c *Certificate) { c.Problem = "hta" }},
		{"threshold", "threshold", func(c *Certificate) { c.Terms[0].Threshold = model.MaxHorizon + 1 }},
	} {
		t.Run(x.name, func(t *testing.T) {
			in, _ := fixture(t)
			c := signed(t, in)
			c.Terms = slices.Clone(c.Terms)
			c.Terms[0].Prices = slices.Clone(c.Terms[0].Prices)
			x.change(c)
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := in.Certify(text); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("error %v, want one about %q", err, x.want)
			}
		})
	}
}

// TestMachineNames: names and indices are inverse, and no other string is a name.
func TestMachineNames(t *testing.T) {
	in, _ := fixture(t)
	for i := range int32(in.Machines) {
		if k, ok := in.Machine(in.MachineName(i)); !ok || k != i {
			t.Errorf("machine %d: %q reads as %d, %v", i, in.MachineName(i), k, ok)
		}
	}
	for _, name := range []string{"", "m", "m0", "m3", "m01", "m+1", "1", "x1", "m99999999999"} {
		if _, ok := in.Machine(name); ok {
			t.Errorf("%q is taken for a machine", name)
		}
	}
}

// TestOrdered looks through a barrier: a map of 3 s before a reduce of 4 s is ordered, a map of 5 s is not.
func TestOrdered(t *testing.T) {
	in, _ := fixture(t)
	if !in.Ordered() {
		t.Error("the fixture is ordered")
	}
	in.Processing[1] = 5 * model.Second
	if in.Ordered() {
		t.Error("a map of 5 s before a reduce of 4 s is not ordered")
	}
}
