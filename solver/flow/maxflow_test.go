package flow

import (
	"context"
	"fmt"
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
		for v := range n.nodes {
			g.AddNode(simple.Node(v))
		}
		for a := range n.tail {
			tail, head := int64(n.tail[a]), int64(n.head[a])
			if tail != head {
				before, _ := g.Weight(tail, head)
				g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(tail), T: simple.Node(head),
					W: before + float64(n.capacity[a])})
			}
		}
		want := network.MaxFlowDinic(g, simple.Node(source), simple.Node(sink), 0)
		m := solveMax(t, n, source, sink)
		ensure(t, float64(m.Value()) == want, "value %d, by gonum %v", m.Value(), want)
		if len(n.tail) == 0 {
			return
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			a := Arc(rapid.IntRange(0, len(n.tail)-1).Draw(t, "arc"))
			// Between the flow and a value above the capacity, so some are raised and some lowered.
			c := m.Flow(a) + rapid.Int64Range(0, 900).Draw(t, "room")
			ensure(t, m.SetCapacity(a, c) == nil, "capacity %d of arc %d", c, a)
			ensure(t, m.SmallestCut() == nil, "a minimum cut without a maximum flow")
			n.capacity[a] = c
			ensure(t, m.SetCapacity(a, m.Flow(a)-1) != nil, "a capacity below the flow is accepted")
			if rapid.Bool().Draw(t, "solve") {
				resolve(t, n, m)
			}
		}
		side := resolve(t, n, m)
		scratch := must(NewMaxFlow(n, source, sink))(t)
		ensure(t, slices.Equal(side, resolve(t, n, scratch)), "the smallest cuts differ")
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
		{"zero capacity", 2, []arc{{0, 1, 0}}, 0, 1, 0, "0"},
		{"parallel", 2, []arc{{0, 1, 2}, {0, 1, 3}}, 0, 1, 5, "0"},
		{"against", 2, []arc{{1, 0, 7}}, 0, 1, 0, "0"},
		{"antiparallel", 2, []arc{{1, 0, 7}, {0, 1, 4}}, 0, 1, 4, "0"},
		{"loops", 2, []arc{{0, 0, 9}, {0, 1, 4}, {1, 1, Infinite}}, 0, 1, 4, "0"},
		{"chain", 4, []arc{{0, 1, 3}, {1, 2, 3}, {2, 3, 3}}, 0, 3, 3, "0"},
		{"middle", 4, []arc{{0, 1, Infinite}, {1, 2, 3}, {2, 3, Infinite}}, 0, 3, 3, "01"},
		{"large", 3, []arc{{0, 1, most - 5}, {1, 2, 5}, {1, 2, Infinite}}, 0, 2, most - 5, "0"},
		// Ford and Fulkerson's zigzag: the flow on the middle arc must be undone.
		{"undo", 4, []arc{{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {1, 3, 1}, {2, 3, 1}}, 0, 3, 2, "0"},
		// Cormen et al., Introduction to Algorithms, figure 26.6: value 23.
		{"textbook", 6, []arc{{0, 1, 16}, {0, 2, 13}, {2, 1, 4}, {1, 3, 12}, {3, 2, 9}, {2, 4, 14},
			{4, 3, 7}, {3, 5, 20}, {4, 5, 4}}, 0, 5, 23, "0124"},
	} {
		n := build(c.nodes, c.arcs...)
		m := must(NewMaxFlow(n, c.source, c.sink))(t)
		var side strings.Builder
		for v, in := range resolve(t, n, m) {
			if in {
				fmt.Fprint(&side, v)
			}
		}
		ensure(t, m.Value() == c.want && side.String() == c.side, "%s: value %d, source side %s", c.name, m.Value(), &side)
	}
}

func TestMaxFlowRefuses(t *testing.T) {
	n := build(2, arc{0, 1, 4})
	m := must(NewMaxFlow(n, 0, 1))(t)
	for _, c := range []int64{-1, MaxTotal + 1} {
		ensure(t, m.SetCapacity(0, c) != nil, "capacity %d", c)
	}
	n.AddArc(1, 0, MaxTotal-3)
	_, err := NewMaxFlow(n, 0, 1)
	ensure(t, err != nil, "the capacities add up to too much")
}

func TestMaxFlowStopsAndContinues(t *testing.T) {
	n, source, sink := replicated(2000, 100, 3, 20)
	m := must(NewMaxFlow(n, source, sink))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ensure(t, !m.Solve(ctx), "solved without time")
	// Interrupted after every check of the context: each time there is a flow, and the final value is the same.
	for looks := 1; !m.Solve(&expiring{Context: context.Background(), looks: 1}); looks++ {
		must(verifyFlow(n, source, sink, flows(m)))(t)
		ensure(t, looks < 1000, "no progress")
	}
	resolve(t, n, m)
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
	n, source, sink := replicated(3000, 100, 3, 31)
	ensure(t, slices.Equal(flows(solveMax(t, n, source, sink)), flows(solveMax(t, n, source, sink))), "two runs differ")
}
