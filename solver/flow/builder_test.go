package flow

import (
	"math"
	"testing"
)

func TestBuilder(t *testing.T) {
	var b Builder
	s := b.AddNode()
	first := b.AddNodes(2)
	a := b.AddArc(s, first, 4, 0)
	c := b.AddArc(first+1, s, Infinite, -2)
	loop := b.AddArc(s, s, 1, 0)
	b.AddSupply(s, 5)
	b.AddSupply(s, -7)
	ensure(t, b.err == nil, "%v", b.err)
	n := must(b.Build())(t)
	ensure(t, n.NumNodes() == 3 && n.NumArcs() == 3, "%d nodes, %d arcs", n.NumNodes(), n.NumArcs())
	ensure(t, n.Tail(a) == 0 && n.Head(a) == 1 && n.Capacity(a) == 4 && n.Cost(a) == 0, "arc %d", a)
	ensure(t, n.Tail(c) == 2 && n.Head(c) == 0 && n.Capacity(c) == Infinite && n.Cost(c) == -2,
		"arc %d", c)
	ensure(t, n.Tail(loop) == 0 && n.Head(loop) == 0 && n.Capacity(loop) == 1, "arc %d", loop)
	ensure(t, n.Supply(0) == -2 && n.Supply(2) == 0, "supplies %d, %d", n.Supply(0), n.Supply(2))
	empty := must(b.Build())(t)
	ensure(t, empty.NumNodes() == 0 && empty.NumArcs() == 0, "the builder is not empty")
}

// TestBuilderRefuses adds one fault each to a network of two nodes.
func TestBuilderRefuses(t *testing.T) {
	for name, add := range map[string]func(b *Builder){
		"nodes -1":              func(b *Builder) { b.AddNodes(-1) },
		"too many nodes":        func(b *Builder) { b.AddNodes(MaxNodes - 1) },
		"head":                  func(b *Builder) { b.AddArc(0, 2, 1, 0) },
		"tail":                  func(b *Builder) { b.AddArc(-1, 1, 1, 0) },
		"negative capacity":     func(b *Builder) { b.AddArc(0, 1, -1, 0) },
		"capacities":            func(b *Builder) { b.AddArc(0, 1, MaxTotal, 0); b.AddArc(0, 1, 1, 0) },
		"cost":                  func(b *Builder) { b.AddArc(0, 1, 1, math.MinInt64) },
		"supply of no node":     func(b *Builder) { b.AddSupply(2, 1) },
		"supply too low":        func(b *Builder) { b.AddSupply(0, math.MinInt64) },
		"supplies":              func(b *Builder) { b.AddSupply(0, MaxTotal); b.AddSupply(1, 1) },
		"demands of one node":   func(b *Builder) { b.AddSupply(0, -MaxTotal); b.AddSupply(0, -1) },
		"a fault before a node": func(b *Builder) { b.AddNodes(-1); b.AddNode() },
	} {
		var b Builder
		b.AddNodes(2)
		add(&b)
		n, err := b.Build()
		ensure(t, n == nil && err != nil && err == b.err, "%s: %v", name, err)
	}
}
