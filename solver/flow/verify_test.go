package flow

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestVerifyMaximumSpoilt changes a valid answer in one way at a time. The check must report exactly that change.
func TestVerifyMaximumSpoilt(t *testing.T) {
	n := build(t, 4, arc{0, 1, 3, 0}, arc{1, 2, 2, 0}, arc{2, 3, 3, 0}, arc{1, 3, 1, 0})
	flow, side := []int64{3, 2, 2, 1}, []bool{true, false, false, false}
	if v := must(VerifyMaximum(n, 0, 3, flow, side))(t); v != 3 {
		t.Fatal(v)
	}
	for _, c := range []struct {
		spoil func(flow []int64, side []bool) ([]int64, []bool)
		want  string
	}{
		{func(f []int64, s []bool) ([]int64, []bool) { f[0]++; return f, s }, "arc 0: its flow 4 is not between 0 and 3"},
		{func(f []int64, s []bool) ([]int64, []bool) { f[3] = -1; return f, s }, "arc 3: its flow -1"},
		{func(f []int64, s []bool) ([]int64, []bool) { f[1]--; return f, s }, "node 1: flow out minus flow in is -1"},
		{func(f []int64, s []bool) ([]int64, []bool) { return f[1:], s }, "3 flows for 4 arcs"},
		{func(f []int64, s []bool) ([]int64, []bool) { return make([]int64, 4), s }, "value is 0, the cut's capacity 3"},
		{func(f []int64, s []bool) ([]int64, []bool) { s[2] = true; return f, s }, "value is 3, the cut's capacity 6"},
		{func(f []int64, s []bool) ([]int64, []bool) { s[0] = false; return f, s }, "source 0 is not"},
		{func(f []int64, s []bool) ([]int64, []bool) { s[3] = true; return f, s }, "sink 3 is on"},
		{func(f []int64, s []bool) ([]int64, []bool) { return f, s[1:] }, "3 marks for 4 nodes"},
	} {
		f, s := c.spoil(slices.Clone(flow), slices.Clone(side))
		if _, err := VerifyMaximum(n, 0, 3, f, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
}

func TestVerifyOptimalSpoilt(t *testing.T) {
	n := build(t, 3, arc{0, 1, 5, 1}, arc{1, 2, 2, 1}, arc{0, 2, 9, 7}).withSupplies([]int64{3, 0, -3})
	flow, potential := []int64{2, 2, 1}, []int64{7, 6, 0} // reduced costs 0, -5, 0
	if c := must(VerifyOptimal(n, flow, potential))(t); c != 11 {
		t.Fatal(c)
	}
	for _, c := range []struct {
		flow, potential []int64
		want            string
	}{
		{[]int64{0, 0, 3}, potential, "arc 1: its reduced cost is -5, but its flow 0 is below 2"},
		{[]int64{2, 2, 2}, potential, "node 0: flow out minus flow in is 4, its supply 3"},
		{flow, []int64{7, 6, 1}, "arc 2: its reduced cost is 1, but its flow 1 is above 0"},
		{flow, []int64{math.MinInt64, math.MaxInt64, 0}, "arc 0: its reduced cost is more than"},
		{flow, nil, "0 potentials for 3 nodes"},
	} {
		if _, err := VerifyOptimal(n, c.flow, c.potential); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
}

func TestVerifyRays(t *testing.T) {
	n := build(t, 3, arc{0, 1, Infinite, -2}, arc{1, 0, Infinite, 1}, arc{1, 2, 5, -9}, arc{2, 1, Infinite, 0})
	for _, c := range []struct {
		cycle []Arc
		want  string
	}{
		{[]Arc{0, 1}, ""}, {[]Arc{1, 0}, ""},
		{nil, "costs 0"}, {[]Arc{0}, "ends at node 1, but arc 0 begins at node 0"},
		{[]Arc{2, 3}, "capacity 5"}, {[]Arc{0, 9}, "arc 9 is not"}, {[]Arc{-1}, "arc -1 is not"},
	} {
		err := VerifyUnbounded(n, c.cycle)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, not %q", c.cycle, err, c.want)
		}
	}
	short := build(t, 2, arc{0, 1, 2, 0}).withSupplies([]int64{3, -3})
	for k, ok := range []bool{false, true, true, false} { // sides {}, {0}, {1}, {0, 1}
		if err := VerifyInfeasible(short, []bool{k&1 > 0, k&2 > 0}); (err == nil) != ok {
			t.Errorf("side %b: %v", k, err)
		}
	}
	if VerifyInfeasible(short, nil) == nil {
		t.Error("no marks")
	}
}

func TestWide(t *testing.T) {
	edge := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, -1, 0, 1}))
	rapid.Check(t, func(t *rapid.T) {
		var sum wide
		want := new(big.Int)
		for range rapid.IntRange(0, 6).Draw(t, "terms") {
			x, y := edge.Draw(t, "x"), rapid.Int64Range(-1<<60, 1<<60).Draw(t, "y")
			switch rapid.IntRange(0, 2).Draw(t, "operation") {
			case 0:
				sum.add(x)
				want.Add(want, big.NewInt(x))
			case 1:
				sum.subtract(x)
				want.Sub(want, big.NewInt(x))
			case 2:
				sum.addProduct(x, y)
				want.Add(want, new(big.Int).Mul(big.NewInt(x), big.NewInt(y)))
			}
		}
		v, ok := sum.int64()
		ensure(t, sum.sign() == want.Sign() && ok == want.IsInt64() && (!ok || v == want.Int64()), "%v, not %v", sum, want)
	})
}
