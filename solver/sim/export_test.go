package sim

import (
	"slices"

	"mrsched/model"
)

// Methods for tests only.

// Active returns the number of flows.
func (n *Network) Active() (flows int) {
	for k := range n.flows {
		if n.flows[k].entered > 0 {
			flows++
		}
	}
	return flows
}

// Capacity returns the most that a link carries.
func (n *Network) Capacity(l Link) Rate { return Rate(n.allocator.links[l].capacity) }

// Remaining returns the bytes of a flow's volume that have not arrived, rounded up.
func (n *Network) Remaining(id FlowID) model.Bytes {
	n.settle(n.flows[id.slot()].class)
	x := n.flows[id.slot()]
	x.receive(n.lanes[x.class].service)
	return model.Bytes(over(x.left.Plus(model.Wide{Low: grains - 1}), grains).Low)
}

// Rate returns the present rate of a flow, of all its weight together.
func (n *Network) Rate(id FlowID) Rate {
	n.flush()
	x := &n.flows[id.slot()]
	level := n.allocator.classes[x.class].level
	if level > Unlimited/Rate(x.weight) {
		return Unlimited
	}
	return level * Rate(x.weight)
}

// LinkLoad returns a link's present load, never more than its capacity.
func (n *Network) LinkLoad(l Link) Rate {
	n.flush()
	return Rate(n.allocator.links[l].load)
}

// Uniform is a topology with equal racks: the capacity of each between the rack and the core, in both directions.
func Uniform(racks int, rack Rate) (t Topology) {
	t[RackOut], t[RackIn] = equal(racks, rack), equal(racks, rack)
	return t
}

func equal(n int, r Rate) []Rate { return slices.Repeat([]Rate{r}, n) }

// Demand is a number of equal flows over the same links.
type Demand struct {
	Links  []Link // each at most once
	Weight int64  // number of flows, at least 1
	Limit  Rate   // of one flow, at least 1; Unlimited: none
}

// MaxMin returns the max-min fair rates of one flow of each demand, Unlimited for a demand without a limit that crosses
// no link. Every flow is at its limit or crosses a bottleneck link: no flow on it has a higher rate, and it has no room
// for one more unit for each flow that is not faster elsewhere.
func MaxMin(capacities []Rate, demands []Demand) []Rate {
	a := newAllocator(capacities)
	for _, d := range demands {
		a.weigh(a.add(d.Links, d.Limit), d.Weight)
	}
	a.fill(func(c int32, level Rate) { a.classes[c].level = level })
	levels := make([]Rate, len(demands))
	for c := range demands {
		levels[c] = a.classes[c].level
	}
	return levels
}
