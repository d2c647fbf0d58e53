package flow

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"
	"pgregory.net/rapid"
)

// drawMax draws a network and two terminals.
func drawMax(t *rapid.T) (n *Network, source, sink Node) {
	nodes := rapid.IntRange(2, 12).Draw(t, "nodes")
	n = build(t, nodes, drawArcs(t, nodes, 60, rapid.Just(int64(0)))...)
	source = Node(rapid.IntRange(0, nodes-1).Draw(t, "source"))
	sink = Node((int(source) + rapid.IntRange(1, nodes-1).Draw(t, "sink")) % nodes)
	return n, source, sink
}

func TestMaxFlowAgainstLP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, source, sink := drawMax(t)
		m := solveMax(t, n, source, sink)
		want := solveLP(t, n, source, sink)
		ensure(t, float64(m.Value()) == math.Round(want.Objective), "value %d, by LP %v (%v)", m.Value(), want.Objective,
			want.Status)
	})
}

// gonum has no parallel arcs and no loops, so capacities are added up and loops left out.
func TestMaxFlowAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, source, sink := drawMax(t)
		g := simple.NewWeightedDirectedGraph(0, 0)
		for v := range n.NumNodes() {
			g.AddNode(simple.Node(v))
		}
		for a := range Arc(n.NumArcs()) {
			tail, head := int64(n.Tail(a)), int64(n.Head(a))
			if tail != head {
				before, _ := g.Weight(tail, head)
				g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(tail), T: simple.Node(head),
					W: before + float64(n.Capacity(a))})
			}
		}
		want := network.MaxFlowDinic(g, simple.Node(source), simple.Node(sink), 0)
		m := solveMax(t, n, source, sink)
		ensure(t, float64(m.Value()) == want, "value %d, by gonum %v", m.Value(), want)
	})
}

func TestMaxFlowContinues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, source, sink := drawMax(t)
		if n.NumArcs() == 0 {
			return
		}
		m := solveMax(t, n, source, sink)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			a := Arc(rapid.IntRange(0, n.NumArcs()-1).Draw(t, "arc"))
			// Between the flow and a value above the capacity, so some are raised and some lowered.
			c := m.Flow(a) + rapid.Int64Range(0, 900).Draw(t, "room")
			ensure(t, m.SetCapacity(a, c) == nil, "capacity %d of arc %d", c, a)
			ensure(t, m.Status() == NotSolved, "%v", m.Status())
			ensure(t, m.SetCapacity(a, m.Flow(a)-1) != nil, "a capacity below the flow is accepted")
			if rapid.Bool().Draw(t, "solve") {
				resolve(t, m)
			}
		}
		resolve(t, m)
		scratch := solveMax(t, m.Network(), source, sink)
		ensure(t, m.Value() == scratch.Value(), "continued %d, from scratch %d", m.Value(), scratch.Value())
		small, again := must(m.SmallestCut())(t), must(scratch.SmallestCut())(t)
		ensure(t, slices.Equal(small.Source, again.Source), "the smallest cuts differ")
		large, again := must(m.LargestCut())(t), must(scratch.LargestCut())(t)
		ensure(t, slices.Equal(large.Source, again.Source), "the largest cuts differ")
	})
}

func TestMaxFlowTable(t *testing.T) {
	const most = MaxTotal
	for _, c := range []struct {
		name         string
		nodes        int
		arcs         []arc
		source, sink Node
		want         int64
		small, large string // source sides
	}{
		{"isolated", 3, nil, 0, 2, 0, "0", "01"},
		{"zero capacity", 2, []arc{{0, 1, 0, 0}}, 0, 1, 0, "0", "0"},
		{"parallel", 2, []arc{{0, 1, 2, 0}, {0, 1, 3, 0}}, 0, 1, 5, "0", "0"},
		{"against", 2, []arc{{1, 0, 7, 0}}, 0, 1, 0, "0", "0"},
		{"antiparallel", 2, []arc{{1, 0, 7, 0}, {0, 1, 4, 0}}, 0, 1, 4, "0", "0"},
		{"loops", 2, []arc{{0, 0, 9, 0}, {0, 1, 4, 0}, {1, 1, Infinite, 0}}, 0, 1, 4, "0", "0"},
		{"chain", 4, []arc{{0, 1, 3, 0}, {1, 2, 3, 0}, {2, 3, 3, 0}}, 0, 3, 3, "0", "012"},
		{"middle", 4, []arc{{0, 1, Infinite, 0}, {1, 2, 3, 0}, {2, 3, Infinite, 0}}, 0, 3, 3, "01", "01"},
		{"large", 3, []arc{{0, 1, most - 5, 0}, {1, 2, 5, 0}, {1, 2, Infinite, 0}}, 0, 2, most - 5, "0", "0"},
		// Ford and Fulkerson's zigzag: the flow on the middle arc must be undone.
		{"undo", 4, []arc{{0, 1, 1, 0}, {0, 2, 1, 0}, {1, 2, 1, 0}, {1, 3, 1, 0}, {2, 3, 1, 0}}, 0, 3, 2, "0", "012"},
		// Cormen et al., Introduction to Algorithms, figure 26.6: value 23.
		{"textbook", 6, []arc{{0, 1, 16, 0}, {0, 2, 13, 0}, {2, 1, 4, 0}, {1, 3, 12, 0}, {3, 2, 9, 0}, {2, 4, 14, 0},
			{4, 3, 7, 0}, {3, 5, 20, 0}, {4, 5, 4, 0}}, 0, 5, 23, "0124", "0124"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := solveMax(t, build(t, c.nodes, c.arcs...), c.source, c.sink)
			ensure(t, m.Value() == c.want, "value %d, not %d", m.Value(), c.want)
			small, large := must(m.SmallestCut())(t), must(m.LargestCut())(t)
			if s, l := names(small.Source), names(large.Source); s != c.small || l != c.large {
				t.Errorf("source sides %s and %s, not %s and %s", s, l, c.small, c.large)
			}
		})
	}
}

// names writes the marked nodes.
func names(side []bool) string {
	var s strings.Builder
	for v, in := range side {
		if in {
			s.WriteByte(byte('0' + v))
		}
	}
	return s.String()
}

func TestMaxFlowUnbounded(t *testing.T) {
	ctx := context.Background()
	n := build(t, 3, arc{0, 1, Infinite, 0}, arc{1, 2, 4, 0})
	m := solveMax(t, n, 0, 2)
	ensure(t, m.SetCapacity(1, Infinite) == nil && m.Solve(ctx) == Unbounded, "%v", m.Status())
	must(VerifyFlow(m.Network(), 0, 2, m.AppendFlows(nil)))(t)
	if _, err := m.SmallestCut(); err == nil {
		t.Error("a minimum cut without a maximum flow")
	}
	ensure(t, m.SetCapacity(0, 9) == nil, "finite again")
	resolve(t, m)
	ensure(t, m.Value() == 9 && n.Capacity(1) == 4, "value %d, capacity %d", m.Value(), n.Capacity(1))
}

func TestMaxFlowRefuses(t *testing.T) {
	n := build(t, 2, arc{0, 1, 4, 0})
	for _, c := range [][2]Node{{0, 0}, {-1, 1}, {0, 2}, {math.MaxInt32, 1}} {
		if _, err := NewMaxFlow(n, c[0], c[1]); err == nil {
			t.Errorf("source %d, sink %d", c[0], c[1])
		}
	}
	m := must(NewMaxFlow(n, 0, 1))(t)
	for _, c := range []struct {
		arc      Arc
		capacity int64
	}{{-1, 5}, {1, 5}, {0, -1}, {0, MaxTotal + 1}} {
		if m.SetCapacity(c.arc, c.capacity) == nil {
			t.Errorf("arc %d, capacity %d", c.arc, c.capacity)
		}
	}
	var b Builder
	b.AddNodes(2)
	b.SetLower(b.AddArc(0, 1, 4, 0), 1)
	if _, err := NewMaxFlow(must(b.Build())(t), 0, 1); err == nil {
		t.Error("lower bounds")
	}
}

func TestMaxFlowStopsAndContinues(t *testing.T) {
	n, source, sink, _ := replicated(2000, 100, 3, 20)
	m := must(NewMaxFlow(n, source, sink))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ensure(t, m.Solve(ctx) == Stopped, "%v", m.Status())
	// Interrupted after every check of the context: each time there is a flow, and the final value is the same.
	for looks := 1; m.Solve(&expiring{Context: context.Background(), looks: 1}) == Stopped; looks++ {
		must(VerifyFlow(n, source, sink, m.AppendFlows(nil)))(t)
		ensure(t, looks < 1000, "no progress")
	}
	resolve(t, m)
	ensure(t, m.Value() == 2000, "value %d", m.Value())
}

// expiring is a context that ends after some checks.
type expiring struct {
	context.Context
	looks int
}

// Err is nil for the first looks calls.
func (e *expiring) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestMaxFlowIsDeterministic(t *testing.T) {
	n, source, sink, _ := replicated(3000, 100, 3, 31)
	first := solveMax(t, n, source, sink).AppendFlows(nil)
	ensure(t, slices.Equal(first, solveMax(t, n, source, sink).AppendFlows(nil)), "two runs differ")
}

func TestMaxFlowProfileOfServers(t *testing.T) {
	// Raising all servers together must give the same value as a new solver at every level.
	n, source, sink, first := replicated(600, 40, 2, 0)
	m := must(NewMaxFlow(n, source, sink))(t)
	for c := int64(1); m.Value() < 600; c++ {
		for a := first; int(a) < n.NumArcs(); a++ {
			ensure(t, m.SetCapacity(a, c) == nil, "arc %d", a)
		}
		resolve(t, m)
		ensure(t, m.Value() == solveMax(t, m.Network(), source, sink).Value(), "capacity %d", c)
	}
}
