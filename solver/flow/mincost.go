package flow

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// MinCostResult is the outcome of a minimum-cost flow. Its slices belong to the caller; those that do not belong to the
// status are nil.
type MinCostResult struct {
	Status Status

	// Of Optimal: the flow by arc, its cost, and potentials by node that prove it optimal.
	Flow      []int64
	Cost      int64
	Potential []int64

	// Of Infeasible: marks on nodes whose supplies, together with the lower bounds of the arcs into them, exceed what the
	// arcs out of them can carry, or likewise their demands.
	Excess []bool
}

// MinCost finds a flow of least cost that meets the network's supplies, lower bounds and capacities, by the primal-dual
// method (see primalDual). Costs may be negative on arcs of finite capacity. The status is Optimal, Infeasible or
// Stopped. Errors: a negative cost on an arc of infinite capacity, or costs so large that potentials or the total might
// leave int64.
//
// Problem: min Σ c_a·x_a s.t. out_i − in_i = b_i, l ≤ x ≤ u.   Ties: arcs in the order of insertion.
func MinCost(ctx context.Context, n *Network) (*MinCostResult, error) {
	if err := checkCosts(n); err != nil {
		return nil, err
	}
	if !balanced(n) {
		return &MinCostResult{Status: Infeasible, Excess: allNodes(n)}, nil
	}
	p := newPrimalDual(n)
	r := &MinCostResult{Status: p.run(ctx)}
	var err error
	switch r.Status {
	case Infeasible:
		r.Excess = p.marks()
	case Optimal:
		r.Flow, r.Potential = p.flows(), p.potential
		r.Cost, err = totalCost(n, r.Flow)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// balanced reports whether supplies equal demands.
func balanced(n *Network) bool {
	var sum int64 // at most MaxTotal either way at any time
	for _, b := range n.supply {
		sum += b
	}
	return sum == 0
}

// allNodes marks every node: together they have too much supply, or too much demand.
func allNodes(n *Network) []bool {
	return slices.Repeat([]bool{true}, n.NumNodes())
}

var errCost = errors.New("flow: the cost of the flow leaves int64")

func totalCost(n *Network, flow []int64) (int64, error) {
	if n.cost == nil {
		return 0, nil
	}
	var high int64 // of a sum of 128 bits
	var low, carry uint64
	for a, c := range n.cost {
		h, l := bits.Mul64(uint64(c), uint64(flow[a]))
		low, carry = bits.Add64(low, l, 0)
		high += int64(h) + int64(carry)
		if c < 0 { // as an unsigned number it counts 2⁶⁴ too much
			high -= flow[a]
		}
	}
	if high != int64(low)>>63 {
		return 0, errCost
	}
	return int64(low), nil
}

// checkCosts refuses costs for which potentials may leave int64, or that may fall without limit.
func checkCosts(n *Network) error {
	var largest int64
	for a, c := range n.cost {
		if c < 0 && n.capacity[a] == Infinite {
			return fmt.Errorf("flow: arc %d has a negative cost and no capacity", a)
		}
		largest = max(largest, c, -c)
	}
	nodes := int64(n.NumNodes()) + 1
	if limit := (int64(1) << 60) / nodes; largest >= limit {
		return fmt.Errorf("flow: a cost of magnitude %d; in a network of %d nodes it must be below %d", largest, nodes-1,
			limit)
	}
	return nil
}
