package flow

import (
	"math"
	"strings"
	"testing"
)

func TestBuilder(t *testing.T) {
	var b Builder
	s := b.AddNode()
	first := b.AddNodes(2)
	b.Grow(3)
	a := b.AddArc(s, first, 4, 0)
	c := b.AddArc(first+1, s, Infinite, -2)
	loop := b.AddArc(s, s, 1, 0)
	b.SetLower(c, 3)
	b.SetLower(c, 2)
	b.AddSupply(s, 5)
	b.AddSupply(s, -7)
	ensure(t, b.NumNodes() == 3 && b.NumArcs() == 3 && b.Err() == nil, "%v", b.Err())
	n := must(b.Build())(t)
	ensure(t, n.NumNodes() == 3 && n.NumArcs() == 3, "%d nodes, %d arcs", n.NumNodes(), n.NumArcs())
	ensure(t, n.Tail(a) == 0 && n.Head(a) == 1 && n.Capacity(a) == 4 && n.Cost(a) == 0 && n.Lower(a) == 0, "arc %d", a)
	ensure(t, n.Tail(c) == 2 && n.Head(c) == 0 && n.Capacity(c) == Infinite && n.Cost(c) == -2 && n.Lower(c) == 2,
		"arc %d", c)
	ensure(t, n.Tail(loop) == 0 && n.Head(loop) == 0 && n.Capacity(loop) == 1, "arc %d", loop)
	ensure(t, n.HasLower() && n.Supply(0) == -2 && n.Supply(2) == 0, "supplies %d, %d", n.Supply(0), n.Supply(2))
	empty := must(b.Build())(t)
	ensure(t, empty.NumNodes() == 0 && empty.NumArcs() == 0, "the builder is not empty")
}

func TestBuilderRefuses(t *testing.T) {
	for _, c := range []struct {
		add  func(b *Builder)
		want string
	}{
		{func(b *Builder) { b.AddNodes(-1) }, "-1 nodes cannot be added to 2"},
		{func(b *Builder) { b.AddNodes(MaxNodes - 1) }, "nodes cannot be added to 2"},
		{func(b *Builder) { b.AddArc(0, 2, 1, 0) }, "arc 0 from node 0 to node 2: the network has the nodes 0 to 1"},
		{func(b *Builder) { b.AddArc(-1, 1, 1, 0) }, "arc 0 from node -1"},
		{func(b *Builder) { b.AddArc(0, 1, -1, 0) }, "capacity -1 is negative"},
		{func(b *Builder) { b.AddArc(0, 1, MaxTotal, 0); b.AddArc(0, 1, 1, 0) }, "arc 1: with its capacity 1"},
		{func(b *Builder) { b.AddArc(0, 1, 1, math.MinInt64) }, "is too low"},
		{func(b *Builder) { b.SetLower(0, 1) }, "lower bound of arc 0: there are 0 arcs"},
		{func(b *Builder) { b.SetLower(b.AddArc(0, 1, 3, 0), 4) }, "lower bound 4 is not between 0 and its capacity 3"},
		{func(b *Builder) { b.SetLower(b.AddArc(0, 1, 3, 0), -1) }, "lower bound -1"},
		{func(b *Builder) {
			b.SetLower(b.AddArc(0, 1, Infinite, 0), MaxTotal)
			b.SetLower(b.AddArc(0, 1, Infinite, 0), 1)
		}, "all lower bounds add up"},
		{func(b *Builder) { b.AddSupply(2, 1) }, "supply of node 2"},
		{func(b *Builder) { b.AddSupply(0, math.MinInt64) }, "is beyond"},
		{func(b *Builder) { b.AddSupply(0, MaxTotal); b.AddSupply(1, 1) }, "all supplies, or all demands, add up"},
		{func(b *Builder) { b.AddSupply(0, -MaxTotal); b.AddSupply(0, -1) }, "all supplies, or all demands, add up"},
	} {
		var b Builder
		b.AddNodes(2)
		c.add(&b)
		n, err := b.Build()
		if n != nil || err == nil || err != b.Err() || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
}
