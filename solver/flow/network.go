package flow

import (
	"fmt"
	"math"
)

// Node is the dense, zero-based index of a node.
type Node int32

// Arc is the dense, zero-based index of an arc: the order of insertion.
type Arc int32

const (
	// Infinite is the capacity of an arc without a limit.
	Infinite int64 = math.MaxInt64

	// MaxTotal is the most that all finite capacities of a network may add up to; likewise its supplies, and its demands.
	// It keeps every sum that the algorithms form within int64.
	MaxTotal int64 = 1 << 61

	// MaxNodes is the most nodes that a network can have.
	MaxNodes = math.MaxInt32

	// MaxArcs is the most arcs that a network can have: each takes two int32 slots.
	MaxArcs = math.MaxInt32 / 2
)

// Network is a directed network with capacities and, optionally, costs and supplies. It is immutable:
// build one with a [Builder]. An index outside the network is a programming error, as for a slice.
//
// Each arc owns two slots, one in the list of its tail and one, for the reverse residual arc, in the list of its head.
// The lists lie one after the other in a single array: first the forward slots of a node, then the reverse ones, both
// in the order of insertion.
type Network struct {
	first []int32 // by node: where its slots begin; n+1 elements
	head  []Node  // by slot: where the residual arc leads
	pair  []int32 // by slot: the slot of the opposite residual arc
	slot  []int32 // by arc: its forward slot

	capacity []int64 // by arc
	cost     []int64 // by arc; nil: all 0
	supply   []int64 // by node; nil: all 0

	total int64 // sum of the finite capacities
}

// NumNodes returns the number of nodes.
func (n *Network) NumNodes() int { return len(n.first) - 1 }

// NumArcs returns the number of arcs.
func (n *Network) NumArcs() int { return len(n.slot) }

// Tail returns the node that the arc leaves.
func (n *Network) Tail(a Arc) Node { return n.head[n.pair[n.slot[a]]] }

// Head returns the node that the arc enters.
func (n *Network) Head(a Arc) Node { return n.head[n.slot[a]] }

// Capacity returns u_a, [Infinite] where there is no limit.
func (n *Network) Capacity(a Arc) int64 { return n.capacity[a] }

// Cost returns c_a, the cost of a unit of flow.
func (n *Network) Cost(a Arc) int64 { return at(n.cost, int(a)) }

// Supply returns b_i, the flow that enters the network at the node; negative: a demand.
func (n *Network) Supply(v Node) int64 { return at(n.supply, int(v)) }

// at reads a slice that may lack zeros at its end.
func at(list []int64, i int) int64 {
	if i >= len(list) {
		return 0
	}
	return list[i]
}

// Status is what a solve found out.
type Status uint8

// The outcomes of a solve.
const (
	NotSolved Status = iota // no solve has finished since the last change
	Optimal                 // proven optimal
	Unbounded               // the objective improves without limit
	Stopped                 // the context ended first
)

var statusName = [...]string{"not solved", "optimal", "unbounded", "stopped"}

// String returns the status in words.
func (s Status) String() string {
	if int(s) < len(statusName) {
		return statusName[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}
