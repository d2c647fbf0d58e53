package flow

import (
	"fmt"
	"math"
)

// Builder collects the nodes and arcs of a [Network]. The zero value is an empty builder.
//
// Its methods do not return errors, so that a construction reads like one. The first invalid argument makes the builder
// invalid for good, and [Builder.Build] reports it. It is not safe for concurrent use.
type Builder struct {
	nodes      int
	tail, head []Node
	capacity   []int64
	cost       []int64 // may be shorter than capacity: the rest is 0
	supply     []int64 // likewise, by node

	finite, supplies, demands int64 // sums of the finite capacities, and so on

	err error
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("flow: "+format, args...)
	}
}

// AddNode adds a node.
func (b *Builder) AddNode() Node { return b.AddNodes(1) }

// AddNodes adds count nodes and returns the first; the others follow it.
func (b *Builder) AddNodes(count int) Node {
	if count < 0 || count > MaxNodes-b.nodes {
		b.fail("%d nodes cannot be added to %d; a network has at most %d", count, b.nodes, MaxNodes)
		return 0
	}
	b.nodes += count
	return Node(b.nodes - count)
}

// AddArc adds an arc of a capacity, at least 0 and perhaps [Infinite], and a cost a unit of flow.
func (b *Builder) AddArc(tail, head Node, capacity, cost int64) Arc {
	a := Arc(len(b.tail))
	switch {
	case len(b.tail) >= MaxArcs:
		b.fail("more than %d arcs", MaxArcs)
	case !b.has(tail) || !b.has(head):
		b.fail("arc %d from node %d to node %d: the network has the nodes 0 to %d", a, tail, head, b.nodes-1)
	case capacity < 0:
		b.fail("arc %d: its capacity %d is negative", a, capacity)
	case capacity != Infinite && capacity > MaxTotal-b.finite:
		b.fail("arc %d: with its capacity %d all capacities add up to more than %d", a, capacity, MaxTotal)
	case cost == math.MinInt64:
		b.fail("arc %d: its cost %d is too low", a, cost)
	}
	if b.err != nil {
		return 0
	}
	if capacity != Infinite {
		b.finite += capacity
	}
	b.tail, b.head, b.capacity = append(b.tail, tail), append(b.head, head), append(b.capacity, capacity)
	if cost != 0 {
		b.cost = extend(b.cost, len(b.tail), cap(b.tail))
		b.cost[a] = cost
	}
	return a
}

// AddSupply adds to the flow that enters the network at a node; a negative amount is a demand.
func (b *Builder) AddSupply(v Node, amount int64) {
	switch {
	case !b.has(v):
		b.fail("supply of node %d: the network has the nodes 0 to %d", v, b.nodes-1)
	case amount < -MaxTotal || amount > MaxTotal:
		b.fail("node %d: its supply %d is beyond ±%d", v, amount, MaxTotal)
	case amount != 0:
		old := at(b.supply, int(v))
		b.supplies += max(old+amount, 0) - max(old, 0)
		b.demands += max(-old-amount, 0) - max(-old, 0)
		if max(b.supplies, b.demands) > MaxTotal {
			b.fail("node %d: with its supply %d all supplies, or all demands, add up to more than %d", v, old+amount, MaxTotal)
			return
		}
		b.supply = extend(b.supply, int(v)+1, b.nodes)
		b.supply[v] = old + amount
	}
}

func (b *Builder) has(v Node) bool { return v >= 0 && int(v) < b.nodes }

// Build freezes what was added and empties the builder.
func (b *Builder) Build() (*Network, error) {
	if b.err != nil {
		return nil, b.err
	}
	n := &Network{capacity: b.capacity, total: b.finite}
	if len(b.cost) > 0 {
		n.cost = extend(b.cost, len(b.tail), len(b.tail))
	}
	if len(b.supply) > 0 {
		n.supply = extend(b.supply, b.nodes, b.nodes)
	}
	n.link(b.nodes, b.tail, b.head)
	*b = Builder{}
	return n, nil
}

// link sorts the slots by node, with a counting sort: forward slots first, so that a search meets the arcs that can
// carry flow before those that cannot yet.
func (n *Network) link(nodes int, tail, head []Node) {
	n.first = make([]int32, nodes+1)
	n.head = make([]Node, 2*len(tail))
	n.pair = make([]int32, 2*len(tail))
	n.slot = make([]int32, len(tail))
	next := make([]int32, nodes)
	for a := range tail {
		next[tail[a]]++
		next[head[a]]++
	}
	at := int32(0)
	for v, degree := range next {
		n.first[v], next[v] = at, at
		at += degree
	}
	n.first[nodes] = at
	for a, v := range tail {
		n.slot[a] = next[v]
		next[v]++
	}
	for a, v := range head {
		forward, reverse := n.slot[a], next[v]
		next[v]++
		n.head[forward], n.head[reverse] = v, tail[a]
		n.pair[forward], n.pair[reverse] = reverse, forward
	}
}

// extend lengthens a list with zeros; repeated calls take linear time even if the capacity asked for is the length.
func extend(list []int64, length, capacity int) []int64 {
	if length > cap(list) {
		list = append(make([]int64, 0, max(length, capacity, len(list)+len(list)/4)), list...)
	}
	return list[:max(length, len(list))]
}
