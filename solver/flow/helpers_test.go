package flow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"
)

// arc is one arc of a test network.
type arc struct {
	tail, head     Node
	capacity, cost int64
}

// build makes a network with this many nodes.
func build(t rapid.TB, nodes int, arcs ...arc) *Network {
	t.Helper()
	var b Builder
	b.AddNodes(nodes)
	for _, a := range arcs {
		b.AddArc(a.tail, a.head, a.capacity, a.cost)
	}
	return must(b.Build())(t)
}

// must ends the test at an error.
func must[T any](v T, err error) func(rapid.TB) T {
	return func(t rapid.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ensure fails unless a condition holds.
func ensure(t rapid.TB, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

// drawArcs draws arcs over n nodes, with loops, parallel arcs and arcs of capacity 0.
func drawArcs(t *rapid.T, n, most int, cost *rapid.Generator[int64]) []arc {
	node := rapid.Map(rapid.IntRange(0, n-1), func(v int) Node { return Node(v) })
	capacity := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1000))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) arc {
		return arc{node.Draw(t, "tail"), node.Draw(t, "head"), capacity.Draw(t, "capacity"), cost.Draw(t, "cost")}
	}), 0, most).Draw(t, "arcs")
}

// drawMax draws a network and two terminals.
func drawMax(t *rapid.T) (n *Network, source, sink Node) {
	nodes := rapid.IntRange(2, 12).Draw(t, "nodes")
	n = build(t, nodes, drawArcs(t, nodes, 60, rapid.Just(int64(0)))...)
	source = Node(rapid.IntRange(0, nodes-1).Draw(t, "source"))
	sink = Node((int(source) + rapid.IntRange(1, nodes-1).Draw(t, "sink")) % nodes)
	return n, source, sink
}

// drawNetwork draws a network with infinite capacities, costs of both signs and supplies that mostly
// balance.
func drawNetwork(t *rapid.T) *Network {
	n := rapid.IntRange(1, 9).Draw(t, "nodes")
	var b Builder
	b.AddNodes(n)
	for _, x := range drawArcs(t, n, 30, rapid.Int64Range(-4, 12)) {
		if rapid.IntRange(0, 7).Draw(t, "infinite") == 7 {
			x.capacity = Infinite
		}
		b.AddArc(x.tail, x.head, x.capacity, x.cost)
	}
	for range rapid.IntRange(0, 4).Draw(t, "supplies") {
		amount := rapid.Int64Range(-9, 9).Draw(t, "supply")
		b.AddSupply(Node(rapid.IntRange(0, n-1).Draw(t, "from")), amount)
		b.AddSupply(Node(rapid.IntRange(0, n-1).Draw(t, "to")), -amount)
	}
	if rapid.IntRange(0, 9).Draw(t, "unbalanced") == 9 {
		b.AddSupply(0, 1)
	}
	return must(b.Build())(t)
}

// flows lists the present flows of all arcs.
func flows(m *MaxFlow) (list []int64) {
	for a := range Arc(m.net.NumArcs()) {
		list = append(list, m.Flow(a))
	}
	return list
}

// solveMax returns a solver with a maximum flow, verified by a minimum cut.
func solveMax(t rapid.TB, n *Network, source, sink Node) *MaxFlow {
	t.Helper()
	m := must(NewMaxFlow(n, source, sink))(t)
	resolve(t, m)
	return m
}

// resolve solves and verifies. It returns the source side of the smallest minimum cut.
func resolve(t rapid.TB, m *MaxFlow) []bool {
	t.Helper()
	ensure(t, m.Solve(context.Background()) == Optimal && m.status == Optimal, "%v", m.status)
	side := must(m.SmallestCut())(t)
	value := must(verifyMaximum(m.net, m.source, m.sink, flows(m), side))(t)
	ensure(t, value == m.Value(), "verified %d, value %d", value, m.Value())
	return side
}

// replicated is source → tasks → servers → sink, with the given number of distinct random replicas per task. serverArc
// is the first of the arcs from the servers to the sink. A task's arc costs 0 to 2, like node-local, rack-local and
// off-rack placements.
func replicated(tasks, servers, replicas int, capacity int64) (n *Network, source, sink Node, serverArc Arc) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b Builder
	source, sink = b.AddNode(), b.AddNode()
	task, server := b.AddNodes(tasks), b.AddNodes(servers)
	for i := range tasks {
		b.AddArc(source, task+Node(i), 1, 0)
	}
	chosen := make([]int, 0, replicas)
	for i := range tasks {
		for chosen = chosen[:0]; len(chosen) < replicas; {
			if s := rng.IntN(servers); !slices.Contains(chosen, s) {
				b.AddArc(task+Node(i), server+Node(s), 1, int64(len(chosen)))
				chosen = append(chosen, s)
			}
		}
	}
	serverArc = Arc(len(b.tail))
	for s := range servers {
		b.AddArc(server+Node(s), sink, capacity, 0)
	}
	n, err := b.Build()
	if err != nil {
		panic(fmt.Sprint("test network: ", err))
	}
	return n, source, sink, serverArc
}
