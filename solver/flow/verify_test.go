package flow

import (
	"slices"
	"testing"
)

// TestVerifyMaximumSpoilt changes a valid answer in one way at a time.
func TestVerifyMaximumSpoilt(t *testing.T) {
	n := build(t, 4, arc{0, 1, 3, 0}, arc{1, 2, 2, 0}, arc{2, 3, 3, 0}, arc{1, 3, 1, 0})
	flow, side := []int64{3, 2, 2, 1}, []bool{true, false, false, false}
	ensure(t, must(verifyMaximum(n, 0, 3, flow, side))(t) == 3, "the value is not 3")
	for name, spoil := range map[string]func(flow []int64, side []bool) ([]int64, []bool){
		"above a capacity":   func(f []int64, s []bool) ([]int64, []bool) { f[0]++; return f, s },
		"negative":           func(f []int64, s []bool) ([]int64, []bool) { f[3] = -1; return f, s },
		"not conserved":      func(f []int64, s []bool) ([]int64, []bool) { f[1]--; return f, s },
		"a flow too few":     func(f []int64, s []bool) ([]int64, []bool) { return f[1:], s },
		"not maximum":        func(f []int64, s []bool) ([]int64, []bool) { return make([]int64, 4), s },
		"not minimum":        func(f []int64, s []bool) ([]int64, []bool) { s[2] = true; return f, s },
		"without the source": func(f []int64, s []bool) ([]int64, []bool) { s[0] = false; return f, s },
		"with the sink":      func(f []int64, s []bool) ([]int64, []bool) { s[3] = true; return f, s },
		"a mark too few":     func(f []int64, s []bool) ([]int64, []bool) { return f, s[1:] },
	} {
		f, s := spoil(slices.Clone(flow), slices.Clone(side))
		_, err := verifyMaximum(n, 0, 3, f, s)
		ensure(t, err != nil, "%s: accepted", name)
	}
}

// TestVerifyCostSpoilt does so with the claims about costs: optimal, infeasible.
func TestVerifyCostSpoilt(t *testing.T) {
	n := build(t, 3, arc{0, 1, 5, 1}, arc{1, 2, 2, 1}, arc{0, 2, 9, 7}).withSupplies([]int64{3, 0, -3})
	flow, potential := []int64{2, 2, 1}, []int64{7, 6, 0} // reduced costs 0, -5, 0
	ensure(t, must(verifyOptimal(n, flow, potential))(t).Int64() == 11, "the cost is not 11")
	for name, c := range map[string][2][]int64{
		"below its capacity": {{0, 0, 3}, potential},
		"not the supply":     {{2, 2, 2}, potential},
		"above 0":            {flow, {7, 6, 1}},
		"no potentials":      {flow, nil},
	} {
		_, err := verifyOptimal(n, c[0], c[1])
		ensure(t, err != nil, "%s: accepted", name)
	}
	short := build(t, 2, arc{0, 1, 2, 0}).withSupplies([]int64{3, -3})
	for k, ok := range []bool{false, true, true, false} { // sides {}, {0}, {1}, {0, 1}
		ensure(t, (verifyInfeasible(short, []bool{k&1 > 0, k&2 > 0}) == nil) == ok, "side %b", k)
	}
	free := build(t, 2, arc{0, 1, Infinite, 0}).withSupplies([]int64{3, -3})
	ensure(t, verifyInfeasible(free, []bool{true, false}) != nil && verifyInfeasible(short, nil) != nil, "accepted")
}
