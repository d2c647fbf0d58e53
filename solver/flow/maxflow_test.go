package flow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"
	"pgregory.net/rapid"
)

// TestMaxFlow: gonum finds the same value. After changes of capacities, some of them while the flow is not maximum, the
// solver has the value and the smallest cut of a new one. gonum has no parallel arcs and no loops, so capacities are
// added up and loops left out.
func TestMaxFlow(t *testing.T) {
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
		if n.NumArcs() == 0 {
			return
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			a := Arc(rapid.IntRange(0, n.NumArcs()-1).Draw(t, "arc"))
			// Between the flow and a value above the capacity, so some are raised and some lowered.
			c := m.Flow(a) + rapid.Int64Range(0, 900).Draw(t, "room")
			ensure(t, m.SetCapacity(a, c) == nil, "capacity %d of arc %d", c, a)
			ensure(t, m.status == NotSolved, "%v", m.status)
			ensure(t, m.SetCapacity(a, m.Flow(a)-1) != nil, "a capacity below the flow is accepted")
			if rapid.Bool().Draw(t, "solve") {
				resolve(t, m)
			}
		}
		side := resolve(t, m)
		scratch := must(NewMaxFlow(m.net, source, sink))(t)
		ensure(t, slices.Equal(side, resolve(t, scratch)), "the smallest cuts differ")
		ensure(t, m.Value() == scratch.Value(), "continued %d, from scratch %d", m.Value(), scratch.Value())
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
		side         string // the source side of the smallest cut
	}{
		{"isolated", 3, nil, 0, 2, 0, "0"},
		{"zero capacity", 2, []arc{{0, 1, 0, 0}}, 0, 1, 0, "0"},
		{"parallel", 2, []arc{{0, 1, 2, 0}, {0, 1, 3, 0}}, 0, 1, 5, "0"},
		{"against", 2, []arc{{1, 0, 7, 0}}, 0, 1, 0, "0"},
		{"antiparallel", 2, []arc{{1, 0, 7, 0}, {0, 1, 4, 0}}, 0, 1, 4, "0"},
		{"loops", 2, []arc{{0, 0, 9, 0}, {0, 1, 4, 0}, {1, 1, Infinite, 0}}, 0, 1, 4, "0"},
		{"chain", 4, []arc{{0, 1, 3, 0}, {1, 2, 3, 0}, {2, 3, 3, 0}}, 0, 3, 3, "0"},
		{"middle", 4, []arc{{0, 1, Infinite, 0}, {1, 2, 3, 0}, {2, 3, Infinite, 0}}, 0, 3, 3, "01"},
		{"large", 3, []arc{{0, 1, most - 5, 0}, {1, 2, 5, 0}, {1, 2, Infinite, 0}}, 0, 2, most - 5, "0"},
		// Ford and Fulkerson's zigzag: the flow on the middle arc must be undone.
		{"undo", 4, []arc{{0, 1, 1, 0}, {0, 2, 1, 0}, {1, 2, 1, 0}, {1, 3, 1, 0}, {2, 3, 1, 0}}, 0, 3, 2, "0"},
		// Cormen et al., Introduction to Algorithms, figure 26.6: value 23.
		{"textbook", 6, []arc{{0, 1, 16, 0}, {0, 2, 13, 0}, {2, 1, 4, 0}, {1, 3, 12, 0}, {3, 2, 9, 0}, {2, 4, 14, 0},
			{4, 3, 7, 0}, {3, 5, 20, 0}, {4, 5, 4, 0}}, 0, 5, 23, "0124"},
	} {
		m := must(NewMaxFlow(build(t, c.nodes, c.arcs...), c.source, c.sink))(t)
		var side strings.Builder
		for v, in := range resolve(t, m) {
			if in {
				fmt.Fprint(&side, v)
			}
		}
		ensure(t, m.Value() == c.want && side.String() == c.side, "%s: value %d, source side %s", c.name, m.Value(), &side)
	}
}

func TestMaxFlowUnbounded(t *testing.T) {
	ctx := context.Background()
	n := build(t, 3, arc{0, 1, Infinite, 0}, arc{1, 2, 4, 0})
	m := solveMax(t, n, 0, 2)
	ensure(t, m.SetCapacity(1, Infinite) == nil && m.Solve(ctx) == Unbounded, "%v", m.status)
	must(verifyFlow(m.net, 0, 2, flows(m)))(t)
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
}

func TestMaxFlowStopsAndContinues(t *testing.T) {
	n, source, sink, _ := replicated(2000, 100, 3, 20)
	m := must(NewMaxFlow(n, source, sink))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ensure(t, m.Solve(ctx) == Stopped, "%v", m.status)
	// Interrupted after every check of the context: each time there is a flow, and the final value is the same.
	for looks := 1; m.Solve(&expiring{Context: context.Background(), looks: 1}) == Stopped; looks++ {
		must(verifyFlow(n, source, sink, flows(m)))(t)
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
	ensure(t, slices.Equal(flows(solveMax(t, n, source, sink)), flows(solveMax(t, n, source, sink))), "two runs differ")
}
