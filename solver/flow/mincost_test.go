package flow

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// solveLP solves a minimum-cost flow, or with source != sink a maximum flow, as a linear program.
func solveLP(t rapid.TB, n *Network, source, sink Node) *lp.Solution {
	t.Helper()
	m := lp.NewModel("flow")
	rows := make([][]lp.Entry, n.NumNodes())
	for a := range Arc(n.NumArcs()) {
		upper := lp.Inf
		if u := n.Capacity(a); u != Infinite {
			upper = float64(u)
		}
		col := m.AddCol("", float64(n.Cost(a)), float64(n.Lower(a)), upper)
		rows[n.Tail(a)] = append(rows[n.Tail(a)], lp.Entry{Col: col, Coef: 1})
		rows[n.Head(a)] = append(rows[n.Head(a)], lp.Entry{Col: col, Coef: -1})
	}
	if source != sink {
		m.Maximize = true
		for a := range Arc(n.NumArcs()) {
			if err := m.SetCost(lp.Col(a), 0); err != nil {
				t.Fatal(err)
			}
		}
		back := m.AddCol("", 1, 0, lp.Inf)
		rows[sink] = append(rows[sink], lp.Entry{Col: back, Coef: 1})
		rows[source] = append(rows[source], lp.Entry{Col: back, Coef: -1})
	}
	for v, row := range rows {
		var supply int64
		if source == sink {
			supply = n.Supply(Node(v))
		}
		m.AddRow("", row, lp.EQ, float64(supply))
	}
	sv := must(lpsolve.NewSolver(m))(t)
	defer sv.Close()
	return must(sv.Solve(context.Background()))(t)
}

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
		cost, wrong := VerifyOptimal(n, r.Flow, r.Potential)
		ensure(t, wrong != nil || cost == r.Cost, "cost %d, verified %d", r.Cost, cost)
		err = wrong
	case Infeasible:
		err = VerifyInfeasible(n, r.Excess)
	case Unbounded:
		err = VerifyUnbounded(n, r.Cycle)
	default:
		t.Fatalf("%v", r.Status)
	}
	ensure(t, err == nil, "%v: %v", r.Status, err)
}

// drawNetwork draws a network with lower bounds, infinite capacities, costs of both signs and supplies that mostly
// balance.
func drawNetwork(t *rapid.T) *Network {
	n := rapid.IntRange(1, 9).Draw(t, "nodes")
	var b Builder
	b.AddNodes(n)
	for _, x := range drawArcs(t, n, 30, rapid.Int64Range(-4, 12)) {
		if rapid.IntRange(0, 7).Draw(t, "infinite") == 7 {
			x.capacity = Infinite
		}
		a := b.AddArc(x.tail, x.head, x.capacity, x.cost)
		if rapid.IntRange(0, 5).Draw(t, "bounded") == 5 {
			b.SetLower(a, min(x.capacity, rapid.Int64Range(0, 5).Draw(t, "lower")))
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "supplies") {
		amount := rapid.Int64Range(-9, 9).Draw(t, "supply")
		b.AddSupply(Node(rapid.IntRange(0, n-1).Draw(t, "from")), amount)
		b.AddSupply(Node(rapid.IntRange(0, n-1).Draw(t, "to")), -amount)
	}
	if rapid.IntRange(0, 9).Draw(t, "unbalanced") == 9 {
		b.AddSupply(0, 1)
	}
	network, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return network
}

// TestMinCostAgainstLP meets networks of each status but unbounded ones, which are rare; TestMinCostTable has some.
func TestMinCostAgainstLP(t *testing.T) {
	seen := map[Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		want := solveLP(t, n, 0, 0)
		status := map[lp.Status]Status{lp.Optimal: Optimal, lp.Infeasible: Infeasible, lp.Unbounded: Unbounded}[want.Status]
		for name, method := range methods {
			if name != "MinCost" && (!balanced(n) || name != "network simplex" && negativeInfinite(n)) {
				continue // MinCost handles these
			}
			r := must(method(context.Background(), n))(t)
			checkCost(t, n, r)
			seen[r.Status]++
			ensure(t, r.Status == status && (status != Optimal || float64(r.Cost) == math.Round(want.Objective)),
				"%s: %v, cost %d; by LP %v, cost %v", name, r.Status, r.Cost, want.Status, want.Objective)
		}
	})
	for _, s := range []Status{Optimal, Infeasible} {
		ensure(t, seen[s] > 0, "no network was %v: %v", s, seen)
	}
}

// On larger networks the two methods must agree.
func TestMinCostMethodsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(20, 60).Draw(t, "nodes")
		n := build(t, nodes, drawArcs(t, nodes, 400, rapid.Int64Range(-100, 1000))...)
		r, value, supplied, err := MinCostMaxFlow(context.Background(), n, 0, 1)
		ensure(t, err == nil && r.Status == Optimal, "%v, %v", r, err)
		checkCost(t, supplied, r)
		got := must(VerifyFlow(n, 0, 1, r.Flow))(t)
		ensure(t, value == got && value == solveMax(t, n, 0, 1).Value(), "value %d, of the flow %d", value, got)
		for name, method := range methods {
			other := must(method(context.Background(), supplied))(t)
			checkCost(t, supplied, other)
			ensure(t, other.Cost == r.Cost, "%s: cost %d, not %d", name, other.Cost, r.Cost)
		}
	})
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
	if _, _, _, err := MinCostMaxFlow(ctx, n, 0, 0); err == nil {
		t.Error("the source is the sink")
	}
	r, _, _, err := MinCostMaxFlow(ctx, n, 0, 1)
	ensure(t, err == nil && r.Status == Unbounded && r.Cycle == nil, "%v, %v", r, err)
}

func TestMinCostStops(t *testing.T) {
	n, source, sink, _ := replicated(3000, 60, 3, 51)
	_, _, n, err := MinCostMaxFlow(context.Background(), n, source, sink)
	ensure(t, err == nil, "%v", err)
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
	_, _, n, err := MinCostMaxFlow(context.Background(), n, source, sink)
	ensure(t, err == nil, "%v", err)
	for name, method := range methods {
		first, second := must(method(context.Background(), n))(t), must(method(context.Background(), n))(t)
		ensure(t, slices.Equal(first.Flow, second.Flow) && slices.Equal(first.Potential, second.Potential),
			"%s: two runs differ", name)
	}
}
