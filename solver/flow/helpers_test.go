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

// solveMax returns a solver with a maximum flow, verified by both extreme cuts.
func solveMax(t rapid.TB, n *Network, source, sink Node) *MaxFlow {
	t.Helper()
	m := must(NewMaxFlow(n, source, sink))(t)
	resolve(t, m)
	return m
}

// resolve solves and verifies.
func resolve(t rapid.TB, m *MaxFlow) {
	t.Helper()
	if s := m.Solve(context.Background()); s != Optimal || m.Status() != s {
		t.Fatal(s)
	}
	flow, n := m.AppendFlows(nil), m.Network()
	small, large := must(m.SmallestCut())(t), must(m.LargestCut())(t)
	for _, c := range []*Cut{small, large} {
		if v := must(VerifyMaximum(n, m.source, m.sink, flow, c.Source))(t); v != m.Value() || v != c.Capacity {
			t.Fatalf("verified %d, value %d, cut %d", v, m.Value(), c.Capacity)
		}
		var sum int64
		for _, a := range c.Arcs {
			sum += n.Capacity(a)
		}
		if sum != c.Capacity {
			t.Fatalf("the arcs' capacities add up to %d, not %d", sum, c.Capacity)
		}
	}
	for v, in := range small.Source {
		if in && !large.Source[v] {
			t.Fatalf("node %d is on the smallest source side but not on the largest", v)
		}
	}
}

// replicated is source → tasks → servers → sink, with the given number of distinct random replicas per task. serverArc
// is the first of the arcs from the servers to the sink. A task's arc costs 0 to 2, like node-local, rack-local and
// off-rack placements.
func replicated(tasks, servers, replicas int, capacity int64) (n *Network, source, sink Node, serverArc Arc) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b Builder
	source, sink = b.AddNode(), b.AddNode()
	task, server := b.AddNodes(tasks), b.AddNodes(servers)
	b.Grow(tasks*(1+replicas) + servers)
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
	serverArc = Arc(b.NumArcs())
	for s := range servers {
		b.AddArc(server+Node(s), sink, capacity, 0)
	}
	n, err := b.Build()
	if err != nil {
		panic(fmt.Sprint("test network: ", err))
	}
	return n, source, sink, serverArc
}
