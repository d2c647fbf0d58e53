package flow

import (
	"context"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"
)

// arc is one arc of a test network.
type arc struct {
	tail, head Node
	capacity   int64
}

// build makes a network with this many nodes.
func build(nodes int, arcs ...arc) *Network {
	n := &Network{nodes: nodes}
	for _, a := range arcs {
		n.AddArc(a.tail, a.head, a.capacity)
	}
	return n
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
func drawArcs(t *rapid.T, n, most int) []arc {
	node := rapid.Map(rapid.IntRange(0, n-1), func(v int) Node { return Node(v) })
	capacity := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1000))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) arc {
		return arc{node.Draw(t, "tail"), node.Draw(t, "head"), capacity.Draw(t, "capacity")}
	}), 0, most).Draw(t, "arcs")
}

// drawMax draws a network and two terminals.
func drawMax(t *rapid.T) (n *Network, source, sink Node) {
	nodes := rapid.IntRange(2, 12).Draw(t, "nodes")
	n = build(nodes, drawArcs(t, nodes, 60)...)
	source = Node(rapid.IntRange(0, nodes-1).Draw(t, "source"))
	sink = Node((int(source) + rapid.IntRange(1, nodes-1).Draw(t, "sink")) % nodes)
	return n, source, sink
}

// flows lists the present flows of all arcs.
func flows(m *MaxFlow) (list []int64) {
	for a := range Arc(len(m.slot)) {
		list = append(list, m.Flow(a))
	}
	return list
}

// solveMax returns a solver with a maximum flow, verified by a minimum cut.
func solveMax(t rapid.TB, n *Network, source, sink Node) *MaxFlow {
	t.Helper()
	m := must(NewMaxFlow(n, source, sink))(t)
	resolve(t, n, m)
	return m
}

// resolve solves and verifies. It returns the source side of the smallest minimum cut.
func resolve(t rapid.TB, n *Network, m *MaxFlow) []bool {
	t.Helper()
	ensure(t, m.Solve(context.Background()) && m.maximum, "not solved")
	side := m.SmallestCut()
	value := must(verifyMaximum(n, m.source, m.sink, flows(m), side))(t)
	ensure(t, value == m.Value(), "verified %d, value %d", value, m.Value())
	return side
}

// replicated is source → tasks → servers → sink, with the given number of distinct random replicas per task.
func replicated(tasks, servers, replicas int, capacity int64) (n *Network, source, sink Node) {
	rng := rand.New(rand.NewPCG(1, 2))
	n = &Network{}
	source, sink = n.AddNodes(1), n.AddNodes(1)
	task, server := n.AddNodes(tasks), n.AddNodes(servers)
	for i := range tasks {
		n.AddArc(source, task+Node(i), 1)
	}
	chosen := make([]int, 0, replicas)
	for i := range tasks {
		for chosen = chosen[:0]; len(chosen) < replicas; {
			if s := rng.IntN(servers); !slices.Contains(chosen, s) {
				n.AddArc(task+Node(i), server+Node(s), 1)
				chosen = append(chosen, s)
			}
		}
	}
	for s := range servers {
		n.AddArc(server+Node(s), sink, capacity)
	}
	return n, source, sink
}
