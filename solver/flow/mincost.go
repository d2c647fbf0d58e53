package flow

import (
	"context"
	"fmt"
)

// MinCostResult is the outcome of a minimum-cost flow. Its slices belong to the caller.
type MinCostResult struct {
	Status Status

	// Of Optimal: the flow by arc, and potentials by node that prove it optimal.
	Flow, Potential []int64
}

// MinCost finds a flow of least cost that meets the network's supplies and capacities, by the primal-dual method (see
// primalDual). Costs may be negative on arcs of finite capacity. The status is Optimal, Infeasible or Stopped. Errors:
// a negative cost on an arc of infinite capacity, or costs so large that potentials might leave int64.
//
// Problem: min Σ c_a·x_a s.t. out_i − in_i = b_i, 0 ≤ x ≤ u.   Ties: arcs in the order of insertion.
func MinCost(ctx context.Context, n *Network) (*MinCostResult, error) {
	if err := checkCosts(n); err != nil {
		return nil, err
	}
	var sum int64 // at most MaxTotal either way at any time
	for _, b := range n.supply {
		sum += b
	}
	if sum != 0 {
		return &MinCostResult{Status: Infeasible}, nil
	}
	p := newPrimalDual(n)
	r := &MinCostResult{Status: p.run(ctx)}
	if r.Status == Optimal {
		r.Flow, r.Potential = p.flows(), p.potential
	}
	return r, nil
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
