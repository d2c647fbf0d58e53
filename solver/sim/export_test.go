package sim

import (
	"slices"

	"mrsched/model"
)

// Methods for tests only.

// Active returns the number of flows.
func (n *Network) Active() (flows int) {
	for _, p := range n.lanes {
		flows += len(p.heap)
	}
	return flows
}

// Capacity returns the most that a link carries.
func (n *Network) Capacity(l Link) Rate { return Rate(n.allocator.links[l].capacity / whole) }

// Remaining returns the bytes of a flow's volume that have not arrived, rounded up; 0 if it no longer exists.
func (n *Network) Remaining(id FlowID) model.Bytes {
	slot, ok := n.slots.find(uint64(id))
	if !ok {
		return 0
	}
	n.settle(n.flows[slot].class)
	x := n.flows[slot]
	x.receive(n.lanes[x.class].service)
	return model.Bytes(x.left.overUp(grains).low)
}

// Rate returns the present rate of a flow, of all its weight together; 0 if it no longer exists.
func (n *Network) Rate(id FlowID) Rate {
	slot, ok := n.slots.find(uint64(id))
	if !ok {
		return 0
	}
	n.flush()
	x := &n.flows[slot]
	level := n.allocator.classes[x.class].level
	if level > Unlimited/Rate(x.weight) {
		return Unlimited
	}
	return level * Rate(x.weight)
}

// LinkLoad returns a link's present load, rounded up, never more than its capacity.
func (n *Network) LinkLoad(l Link) Rate {
	n.flush()
	return Rate((n.allocator.links[l].load + whole - 1) / whole)
}

// Node is the place of a node, by its index.
func Node(i int) Place { return Place(i) }

// Uniform is a topology with equal racks of equal nodes, numbered rack by rack, and the same capacity in both
// directions: rack between a rack and the core, node between a node and its rack, 0 where node links are not modelled.
func Uniform(racks, nodesPerRack int, rack, node Rate) Topology {
	t := Topology{RackOf: make([]int32, racks*nodesPerRack)}
	for i := range t.RackOf {
		t.RackOf[i] = int32(i / nodesPerRack)
	}
	t.Capacity[RackOut], t.Capacity[RackIn] = equal(racks, rack), equal(racks, rack)
	if node > 0 {
		t.Capacity[NodeUp], t.Capacity[NodeDown] = equal(len(t.RackOf), node), equal(len(t.RackOf), node)
	}
	return t
}

func equal(n int, r Rate) []Rate { return slices.Repeat([]Rate{r}, n) }

// Demand is a number of equal flows over the same links.
type Demand struct {
	Links  []int // each at most once
	Weight int64 // number of flows, at least 1
	Limit  Rate  // of one flow, at least 1; Unlimited: none
}

// MaxMin returns the max-min fair rates of one flow of each demand, Unlimited for a demand without a limit that crosses
// no link. Every flow is at its limit or crosses a bottleneck link: no flow on it has a higher rate, and it has no room
// for one more unit for each flow that is not faster elsewhere.
func MaxMin(capacities []Rate, demands []Demand) []Rate {
	a := newAllocator(capacities)
	for _, d := range demands {
		uses := make([]use, len(d.Links))
		for k, l := range d.Links {
			uses[k] = use{link: int32(l), share: whole}
		}
		a.weigh(a.add(uses, d.Limit), d.Weight)
	}
	a.fill(func(c int32, level Rate) { a.classes[c].level = level })
	levels := make([]Rate, len(demands))
	for c := range demands {
		levels[c] = a.classes[c].level
	}
	return levels
}
