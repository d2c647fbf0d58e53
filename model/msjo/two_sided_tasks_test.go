package msjo

import (
	"math/big"
	"strings"
	"testing"

	"mrsched/model"
)

// twoSidedTaskCertificate is a certificate for the fixture's task objective. Its arcs are a1→barrier (delay 1),
// a2→barrier and barrier→a3; node 4 is the barrier. Of the weight 2 of a3, half goes to the barrier along the arc. The
// other half is a price of a3 after the barrier: 1 = 4·q/D with q = 5 and D = 20. The barrier passes 0.5 on to a1 (2 s)
// and 0.45 to a2 (3 s), which keep it.
func twoSidedTaskCertificate() *Certificate {
	return &Certificate{Claim: model.Claim{Method: "two-sided", Kind: KindTwoSidedTasks}, Denominator: 20,
		Arcs: []int64{0, 0, 20}, TwoSidedTasks: &TwoSidedTasks{Place: []int64{0, 0, 0, 2},
			Before: []PricedGroup{{Node: 4, Tasks: []int32{0, 1}, Prices: []int64{5, 3}}},
			After:  []PricedGroup{{Node: 4, Tasks: []int32{2}, Prices: []int64{5}}}}}
}

// TestTwoSidedTaskCertificate compares with a hand calculation:
//
//   - The arc earns 1·4.
//   - After the barrier a3 runs until 2: 1·(1 + 4/2) = 3.
//   - Before the barrier a2 is available at once, a1 after its delay of 1. a2 runs from 0 to 1, which leaves 1 of its 3
//     seconds, a1 from 1 to 2 and a2 from 2 to 2.5. The means are 1.5 for a1 and (2·0.5 + 1·2.25)/3 = 13/12 for a2.
//     The tasks end half a length later: 0.5·(1.5 − 1) + 0.45·(13/12 − 1.5) = 0.0625.
//   - Of the 2 that the barrier received 1.05 is left, at 4: 4.2.
//   - The maps have 2.5 and 2.45 at 3 and 4: 17.3.
//   - b1 pays 0.5 for its place, which earns 0.5·(2.5/2 + 2.5) = 1.875.
func TestTwoSidedTaskCertificate(t *testing.T) {
	in, _ := fixture(t)
	in = in.Under(TaskObjective)
	want := big.NewRat(4, 1)
	for _, v := range []*big.Rat{big.NewRat(3, 1), big.NewRat(1, 16), big.NewRat(42, 10), big.NewRat(173, 10),
		big.NewRat(15, 8)} {
		want.Add(want, v)
	}
	if v, err := in.evaluate(twoSidedTaskCertificate()); err != nil || v.Cmp(want) != 0 {
		t.Errorf("%v (%v), want %s", v, err, want)
	}
	// On one machine the maps need 5 s before the barrier, so it is at 6; the reduce ends at 10.
	in.Machines = 1
	cert := &Certificate{Claim: model.Claim{Method: "job-alone", Kind: KindTwoSidedTasks}, Denominator: 1,
		Ends: []NodeBound{{Node: 4, AloneSet: AloneSet{Head: model.Second}}}}
	if v, err := in.evaluate(cert); err != nil || v.Cmp(big.NewRat(2*(3+4+10)*2+5, 2)) != 0 {
		t.Errorf("%v (%v), want 36.5", v, err)
	}
}

// TestTwoSidedTaskMutations: a certificate that proves nothing is rejected.
func TestTwoSidedTaskMutations(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(c *Certificate)
	}{
		{"denominator", func(c *Certificate) { c.Denominator = 0 }},
		{"exceed", func(c *Certificate) { c.Denominator = 19 }},
		{"multipliers for 3 arcs", func(c *Certificate) { c.Arcs = c.Arcs[:2] }},
		{"negative", func(c *Certificate) { c.Arcs[0] = -1 }},
		{"exceed", func(c *Certificate) { c.Arcs[2] = 21 }},
		{"prices for 4 tasks", func(c *Certificate) { c.Place = c.Place[:3] }},
		{"not allowed", func(c *Certificate) { c.Place[0] = -1 }},
		{"not allowed", func(c *Certificate) { c.Place[0] = MaxPrice + 1 }},
		{"exceed", func(c *Certificate) { c.Place[3] = 3 }},
		{"exceed", func(c *Certificate) { c.Before[0].Prices[0] = 50 }},
		{"not allowed", func(c *Certificate) { c.Before[0].Prices[0] = -1 }},
		{"1 price for 2 tasks", func(c *Certificate) { c.Before[0].Prices = c.Before[0].Prices[:1] }},
		{"task 2 in the group", func(c *Certificate) { c.Before[0].Tasks[1] = 2 }},
		{"task 3 in the group", func(c *Certificate) { c.Before[0].Tasks[1] = 3 }},
		{"task 4 in the group", func(c *Certificate) { c.Before[0].Tasks[1] = 4 }},
		{"task 0 in the group", func(c *Certificate) { c.Before[0].Tasks[1] = 0 }},
		{"of node 5", func(c *Certificate) { c.Before[0].Node = 5 }},
		{"task 1 in the group", func(c *Certificate) { c.After[0].Tasks[0] = 1 }},
		{"task 2 in the group", func(c *Certificate) { c.After[0].Node = 2 }},
		{"of node -1", func(c *Certificate) { c.After[0].Node = -1 }},
		{"bound of node 5", func(c *Certificate) { c.Ends = []NodeBound{{Node: 5}} }},
		{"bound of node 4", func(c *Certificate) { c.Ends = []NodeBound{{Node: 4}, {Node: 4}} }},
		{"bound of node 4", func(c *Certificate) { c.Ends = []NodeBound{{Node: 4, AloneSet: AloneSet{Head: -1}}} }},
		{"too few tasks", func(c *Certificate) { c.Ends = []NodeBound{{Node: 4, AloneSet: AloneSet{Count: 1}}} }},
		{"may fit", func(c *Certificate) {
			c.Ends = []NodeBound{{Node: 4, AloneSet: AloneSet{Packing: &Packing{Within: 3 * model.Second}}}}
		}},
	} {
		in, _ := fixture(t)
		cert := twoSidedTaskCertificate()
		c.change(cert)
		if err := in.Under(TaskObjective).Sign(cert); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
