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

	// Of Unbounded: a cycle of arcs of infinite capacity and negative total cost, in order.
	Cycle []Arc

	Phases int64 // of the primal-dual method
	Pivots int64 // of the network simplex method
}

// maxPhases is how many different path lengths the primal-dual method may try before the network simplex method begins
// again. The time lost is a fraction of what the latter takes on a large network.
const maxPhases = 48

// MinCost finds a flow of least cost that meets the network's supplies, lower bounds and capacities. Costs may be
// negative. The status is Optimal, Infeasible, Unbounded (a feasible flow exists, and costs fall without limit) or
// Stopped. Errors: costs so large that potentials or the total might leave int64.
//
// The primal-dual method begins (see primalDual); if paths have too many different lengths, or an arc of infinite
// capacity has a negative cost, the network simplex method decides (see networkSimplex).
//
// Problem: min Σ c_a·x_a s.t. out_i − in_i = b_i, l ≤ x ≤ u.   Ties: arcs in the order of insertion.
func MinCost(ctx context.Context, n *Network) (*MinCostResult, error) {
	if _, err := checkCosts(n); err != nil {
		return nil, err
	}
	if !balanced(n) {
		return &MinCostResult{Status: Infeasible, Excess: allNodes(n)}, nil
	}
	if !negativeInfinite(n) {
		if r, err := minCostPrimalDual(ctx, n, maxPhases); err != nil || r.Status != NotSolved {
			return r, err
		}
	}
	return minCostSimplex(ctx, n)
}

// minCostPrimalDual is MinCost by the primal-dual method; NotSolved: there are more phases.
func minCostPrimalDual(ctx context.Context, n *Network, phases int64) (r *MinCostResult, err error) {
	p := newPrimalDual(n)
	r = &MinCostResult{Status: p.run(ctx, phases), Phases: p.phases}
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

// minCostSimplex is MinCost by the network simplex method.
func minCostSimplex(ctx context.Context, n *Network) (*MinCostResult, error) {
	s, err := newNetworkSimplex(n)
	if err != nil {
		return nil, err
	}
	status := s.run(ctx)
	r := &MinCostResult{Status: status, Pivots: s.pivots}
	switch {
	case status == Stopped:
	case status == Unbounded:
		return s.feasibility(ctx, r)
	case !s.feasible():
		r.Status, r.Excess = Infeasible, s.excess()
	default:
		r.Flow, r.Potential = s.flows(), s.potentials()
		r.Cost, err = totalCost(n, r.Flow)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// negativeInfinite reports whether an arc of infinite capacity has a negative cost.
func negativeInfinite(n *Network) bool {
	for a, c := range n.cost {
		if c < 0 && n.capacity[a] == Infinite {
			return true
		}
	}
	return false
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

// feasibility distinguishes Unbounded from Infeasible after a ray was found: it solves again without costs.
func (s *networkSimplex) feasibility(ctx context.Context, r *MinCostResult) (*MinCostResult, error) {
	free := *s.net
	free.cost = nil
	again, err := newNetworkSimplex(&free)
	if err != nil {
		return nil, err
	}
	status := again.run(ctx)
	r.Pivots += again.pivots
	switch {
	case status == Stopped:
		r.Status = Stopped
	case !again.feasible():
		r.Status, r.Excess = Infeasible, again.excess()
	default:
		r.Cycle = s.cycle()
	}
	return r, nil
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

// checkCosts returns the price of an artificial arc: more than any path costs.
func checkCosts(n *Network) (int64, error) {
	var largest int64
	for _, c := range n.cost {
		largest = max(largest, c, -c)
	}
	nodes := int64(n.NumNodes()) + 1
	if limit := (int64(1) << 60) / nodes; largest >= limit {
		return 0, fmt.Errorf("flow: a cost of magnitude %d; in a network of %d nodes it must be below %d", largest,
			nodes-1, limit)
	}
	return (largest + 1) * nodes, nil
}
