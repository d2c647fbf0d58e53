package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// methods are MinCost and its parts.
var methods = map[string]func(context.Context, *Network) (*MinCostResult, error){
	"MinCost":         MinCost,
	"network simplex": minCostSimplex,
	"primal-dual": func(ctx context.Context, n *Network) (*MinCostResult, error) {
		return minCostPrimalDual(ctx, n, math.MaxInt64)
	},
	"switch": func(ctx context.Context, n *Network) (*MinCostResult, error) {
		if r, err := minCostPrimalDual(ctx, n, 1); err != nil || r.Status != NotSolved {
			return r, err
		}
		return minCostSimplex(ctx, n)
	},
}

// checkCost verifies the result for any status.
func checkCost(t rapid.TB, n *Network, r *MinCostResult) {
	t.Helper()
	var err error
	switch r.Status {
	case Optimal:
		cost, wrong := verifyOptimal(n, r.Flow, r.Potential)
		ensure(t, wrong != nil || cost.Cmp(big.NewInt(r.Cost)) == 0, "cost %d, verified %s", r.Cost, cost)
		err = wrong
	case Infeasible:
		err = verifyInfeasible(n, r.Excess)
	case Unbounded:
		err = verifyUnbounded(n, r.Cycle)
	default:
		t.Fatalf("%v", r.Status)
	}
	ensure(t, err == nil, "%v: %v", r.Status, err)
}

// TestMinCost: each method proves what it says about networks of each status but unbounded ones, which are rare;
// TestMinCostTable has some. On larger networks the costs agree.
func TestMinCost(t *testing.T) {
	seen := map[Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		small := drawNetwork(t)
		nodes := rapid.IntRange(20, 60).Draw(t, "nodes")
		large, _ := maximal(t, build(t, nodes, drawArcs(t, nodes, 400, rapid.Int64Range(-100, 1000))...), 0, 1)
		for _, n := range []*Network{small, large} {
			want := must(MinCost(context.Background(), n))(t)
			for name, method := range methods {
				if name != "MinCost" && (!balanced(n) || name != "network simplex" && negativeInfinite(n)) {
					continue // MinCost handles these
				}
				r := must(method(context.Background(), n))(t)
				checkCost(t, n, r)
				seen[r.Status]++
				ensure(t, r.Status == want.Status && r.Cost == want.Cost, "%s: %v, cost %d; MinCost: %v, cost %d", name,
					r.Status, r.Cost, want.Status, want.Cost)
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
		{"negative infinite loop", []int64{0}, []arc{{0, 0, Infinite, -2}}, Unbounded, 0},
		{"infinite loop of cost 0", []int64{0}, []arc{{0, 0, Infinite, 0}}, Optimal, 0},
		{"negative cycle", []int64{0, 0}, []arc{{0, 1, 7, -2}, {1, 0, Infinite, 1}}, Optimal, -7},
		{"negative infinite cycle", []int64{0, 0}, []arc{{0, 1, Infinite, -2}, {1, 0, Infinite, 1}}, Unbounded, 0},
		{"infeasible with a ray", []int64{1, 0, -1}, []arc{{0, 1, Infinite, -2}, {1, 0, Infinite, 1}}, Infeasible, 0},
		{"zero capacity", []int64{1, -1}, []arc{{0, 1, 0, 0}}, Infeasible, 0},
		{"parallel", []int64{5, -5}, []arc{{0, 1, 2, 9}, {0, 1, 2, 1}, {0, 1, 9, 4}}, Optimal, 2 + 12},
		{"largest", []int64{MaxTotal, -MaxTotal}, []arc{{0, 1, Infinite, 2}, {0, 1, MaxTotal, 3}}, Optimal, 2 * MaxTotal},
		// By hand: 2 units over 0-2-3 at 3, 2 over 0-1-2-3 at 4; 0-1-3 costs 5.
		{"two ways", []int64{4, 0, 0, -4}, []arc{{0, 1, 4, 2}, {0, 2, 2, 2}, {1, 2, 2, 1}, {1, 3, 3, 3}, {2, 3, 5, 1}},
			Optimal, 14},
	} {
		n := build(t, len(c.supply), c.arcs...).withSupplies(c.supply)
		r := must(MinCost(context.Background(), n))(t)
		checkCost(t, n, r)
		if r.Status != c.status || r.Cost != c.cost {
			t.Errorf("%s: %v, cost %d; not %v, %d", c.name, r.Status, r.Cost, c.status, c.cost)
		}
	}
}

func TestMinCostRefuses(t *testing.T) {
	ctx := context.Background()
	if _, err := MinCost(ctx, build(t, 3, arc{0, 1, 1, 1 << 59})); err == nil {
		t.Error("the costs are too large")
	}
	n := build(t, 2, arc{0, 1, Infinite, 1 << 40}).withSupplies([]int64{1 << 40, -1 << 40})
	for name, method := range methods {
		if _, err := method(ctx, n); !errors.Is(err, errCost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMinCostStops(t *testing.T) {
	n, source, sink, _ := replicated(3000, 60, 3, 51)
	n, _ = maximal(t, n, source, sink)
	for name, method := range methods {
		stopped := false
		for looks := 0; ; looks++ {
			r := must(method(&expiring{Context: context.Background(), looks: looks}, n))(t)
			if r.Status != Stopped {
				checkCost(t, n, r)
				break
			}
			stopped = true
		}
		ensure(t, stopped, "%s never looks at its context", name)
	}
}

func TestMinCostIsDeterministic(t *testing.T) {
	n, source, sink, _ := replicated(2000, 50, 3, 41)
	n, _ = maximal(t, n, source, sink)
	for name, method := range methods {
		first, second := must(method(context.Background(), n))(t), must(method(context.Background(), n))(t)
		ensure(t, slices.Equal(first.Flow, second.Flow) && slices.Equal(first.Potential, second.Potential),
			"%s: two runs differ", name)
	}
}

// BenchmarkMinCost has three levels of cost, and servers from very tight to loose.
func BenchmarkMinCost(b *testing.B) {
	for _, capacity := range []int64{101, 110, 1000} {
		for name, method := range methods {
			b.Run(fmt.Sprint(name, "/capacity=", capacity), func(b *testing.B) {
				n, source, sink, _ := replicated(100_000, 1000, 3, capacity)
				n, _ = maximal(b, n, source, sink)
				b.ReportAllocs()
				for b.Loop() {
					must(method(context.Background(), n))(b)
				}
			})
		}
	}
}
