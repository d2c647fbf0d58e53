package sim

import "mrsched/model"

// Methods for tests only.

// Now returns the time.
func (n *Network) Now() model.Time { return n.now }

// Active returns the number of flows.
func (n *Network) Active() (flows int) {
	for _, p := range n.lanes {
		flows += len(p.heap)
	}
	return flows
}

// Links returns the number of links; they are numbered from 0.
func (n *Network) Links() int { return len(n.bytes) }

// Capacity returns the most that a link carries.
func (n *Network) Capacity(l Link) Rate { return Rate(n.allocator.links[l].capacity / whole) }

// Stop removes a flow and returns the bytes of its volume that have arrived; false: it no longer exists. Those bytes
// stay counted on the links.
func (n *Network) Stop(id FlowID) (model.Bytes, bool) {
	slot, ok := n.slots.find(uint64(id))
	if !ok {
		return 0, false
	}
	c := n.flows[slot].class
	n.settle(c)
	n.leave(slot)
	arrived := n.flows[slot].arrived()
	n.release(slot, arrived)
	n.dropIfEmpty(c)
	return arrived, true
}

// Remaining returns the bytes of a flow's volume that have not arrived, rounded up; 0 if it no longer exists.
func (n *Network) Remaining(id FlowID) model.Bytes {
	slot, ok := n.slots.find(uint64(id))
	if !ok {
		return 0
	}
	n.settle(n.flows[slot].class)
	x := n.flows[slot]
	x.receive(n.lanes[x.class].service)
	return x.volume - x.arrived()
}

// arrived is the number of whole bytes that have arrived.
func (x *flow) arrived() model.Bytes { return x.volume - model.Bytes(x.left.overUp(grains).low) }

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

func equal(n int, r Rate) []Rate {
	list := make([]Rate, n)
	for i := range list {
		list[i] = r
	}
	return list
}

// Demand is a number of equal flows over the same links.
type Demand struct {
	Links  []int // each at most once
	Weight int64 // number of flows, at least 1
	Limit  Rate  // of one flow, at least 1; Unlimited: none
}

// MaxMin returns the max-min fair rates of one flow of each demand, Unlimited for a demand without a limit that crosses
// no link. Capacities are those of the links, from 1 to [MaxRate]. An index outside the links is a programming error.
//
// Guarantee: no link is over capacity. Every flow is at its limit or crosses a bottleneck link: no flow on it has a
// higher rate, and it has no room for one more unit for each flow that is not faster elsewhere. Of all such rates it
// returns those of progressive filling in integers, which fills links that are full at the same level in the order of
// their indices. Complexity: O(u + m log m) for u uses of m links, without limits.
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
