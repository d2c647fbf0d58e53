package flow

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// checkCost verifies the result for any status: an infeasible network has a smaller maximum flow than supply. It
// returns the least cost.
func checkCost(t rapid.TB, n *Network, r *MinCostResult) *big.Int {
	t.Helper()
	if r.Status == Optimal {
		return must(verifyOptimal(n, r.Flow, r.Potential))(t)
	}
	ensure(t, r.Status == Infeasible, "%v", r.Status)
	var b Builder
	b.AddNodes(n.NumNodes())
	source, sink := b.AddNode(), b.AddNode()
	supply, demand := int64(0), int64(0)
	for a := range Arc(n.NumArcs()) {
		b.AddArc(n.Tail(a), n.Head(a), min(n.Capacity(a), 1<<40), 0)
	}
	for v := range Node(n.NumNodes()) {
		s := n.Supply(v)
		supply, demand = supply+max(s, 0), demand+max(-s, 0)
		b.AddArc(source, v, max(s, 0), 0)
		b.AddArc(v, sink, max(-s, 0), 0)
	}
	value := solveMax(t, must(b.Build())(t), source, sink).Value()
	ensure(t, supply != demand || value < supply, "infeasible, but %d of %d flow", value, supply)
	return new(big.Int)
}

// TestMinCost: MinCost proves what it says about networks of each status, small ones and larger ones.
func TestMinCost(t *testing.T) {
	seen := map[Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		small := drawNetwork(t)
		nodes := rapid.IntRange(20, 60).Draw(t, "nodes")
		large, _ := maximal(t, build(t, nodes, drawArcs(t, nodes, 400, rapid.Int64Range(-100, 1000))...), 0, 1)
		for _, n := range []*Network{small, large} {
			if r, err := MinCost(context.Background(), n); err == nil {
				checkCost(t, n, r)
				seen[r.Status]++
			}
		}
	})
	for _, s := range []Status{Optimal, Infeasible} {
		ensure(t, seen[s] > 0, "no network was %v: %v", s, seen)
	}
}

func TestMinCostTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		supply []int64
		arcs   []arc
		status Status
		cost   int64
	}{
		{"empty", nil, nil, Optimal, 0},
		{"one node", []int64{0}, nil, Optimal, 0},
		{"one node with supply", []int64{1}, nil, Infeasible, 0},
		{"unbalanced", []int64{2, -1}, []arc{{0, 1, 9, 0}}, Infeasible, 0},
		{"negative loop", []int64{0}, []arc{{0, 0, 7, -2}}, Optimal, -14},
		{"infinite loop of cost 0", []int64{0}, []arc{{0, 0, Infinite, 0}}, Optimal, 0},
		{"negative cycle", []int64{0, 0}, []arc{{0, 1, 7, -2}, {1, 0, Infinite, 1}}, Optimal, -7},
		{"zero capacity", []int64{1, -1}, []arc{{0, 1, 0, 0}}, Infeasible, 0},
		{"parallel", []int64{5, -5}, []arc{{0, 1, 2, 9}, {0, 1, 2, 1}, {0, 1, 9, 4}}, Optimal, 2 + 12},
		{"largest", []int64{MaxTotal, -MaxTotal}, []arc{{0, 1, Infinite, 2}, {0, 1, MaxTotal, 3}}, Optimal, 2 * MaxTotal},
		// By hand: 2 units over 0-2-3 at 3, 2 over 0-1-2-3 at 4; 0-1-3 costs 5.
		{"two ways", []int64{4, 0, 0, -4}, []arc{{0, 1, 4, 2}, {0, 2, 2, 2}, {1, 2, 2, 1}, {1, 3, 3, 3}, {2, 3, 5, 1}},
			Optimal, 14},
	} {
		n := build(t, len(c.supply), c.arcs...).withSupplies(c.supply)
		r := must(MinCost(context.Background(), n))(t)
		cost := checkCost(t, n, r)
		if r.Status != c.status || cost.Cmp(big.NewInt(c.cost)) != 0 {
			t.Errorf("%s: %v, cost %s; not %v, %d", c.name, r.Status, cost, c.status, c.cost)
		}
	}
}

func TestMinCostRefuses(t *testing.T) {
	ctx := context.Background()
	if _, err := MinCost(ctx, build(t, 3, arc{0, 1, 1, 1 << 59})); err == nil {
		t.Error("the costs are too large")
	}
	if _, err := MinCost(ctx, build(t, 1, arc{0, 0, Infinite, -2})); err == nil {
		t.Error("the cost has no limit")
	}
}

func TestMinCostStops(t *testing.T) {
	n, source, sink, _ := replicated(3000, 60, 3, 51)
	n, _ = maximal(t, n, source, sink)
	stopped := false
	for looks := 0; ; looks++ {
		r := must(MinCost(&expiring{Context: context.Background(), looks: looks}, n))(t)
		if r.Status != Stopped {
			checkCost(t, n, r)
			break
		}
		stopped = true
	}
	ensure(t, stopped, "it never looks at its context")
}

func TestMinCostIsDeterministic(t *testing.T) {
	n, source, sink, _ := replicated(2000, 50, 3, 41)
	n, _ = maximal(t, n, source, sink)
	first, second := must(MinCost(context.Background(), n))(t), must(MinCost(context.Background(), n))(t)
	ensure(t, slices.Equal(first.Flow, second.Flow) && slices.Equal(first.Potential, second.Potential), "two runs differ")
}

// BenchmarkMinCost has three levels of cost, and servers from very tight to loose.
func BenchmarkMinCost(b *testing.B) {
	for _, capacity := range []int64{101, 110, 1000} {
		b.Run(fmt.Sprint("capacity=", capacity), func(b *testing.B) {
			n, source, sink, _ := replicated(100_000, 1000, 3, capacity)
			n, _ = maximal(b, n, source, sink)
			b.ReportAllocs()
			for b.Loop() {
				must(MinCost(context.Background(), n))(b)
			}
		})
	}
}
