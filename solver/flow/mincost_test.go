package flow

import (
	"context"
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

// solveCost solves and verifies whatever the status is.
func solveCost(t rapid.TB, n *Network) *MinCostResult {
	t.Helper()
	r := must(MinCost(context.Background(), n))(t)
	switch r.Status {
	case Optimal:
		if c := must(VerifyOptimal(n, r.Flow, r.Potential))(t); c != r.Cost {
			t.Fatalf("cost %d, verified %d", r.Cost, c)
		}
	case Infeasible:
		if err := VerifyInfeasible(n, r.Excess); err != nil {
			t.Fatal(err)
		}
	case Unbounded:
		if err := VerifyUnbounded(n, r.Cycle); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatal(r.Status)
	}
	return r
}

// drawNetwork draws a network with lower bounds, infinite capacities, costs of both signs and supplies that mostly balance.
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

func TestMinCostAgainstLP(t *testing.T) {
	seen := map[Status]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n := drawNetwork(rt)
		r, want := solveCost(rt, n), solveLP(rt, n, 0, 0)
		seen[r.Status]++
		status := map[lp.Status]Status{lp.Optimal: Optimal, lp.Infeasible: Infeasible, lp.Unbounded: Unbounded}[want.Status]
		if r.Status != status || status == Optimal && float64(r.Cost) != want.Objective {
			rt.Fatalf("%v, cost %d; by LP %v, cost %v", r.Status, r.Cost, want.Status, want.Objective)
		}
	})
	for _, s := range []Status{Optimal, Infeasible, Unbounded} {
		if seen[s] == 0 {
			t.Errorf("no network was %v: %v", s, seen)
		}
	}
}

