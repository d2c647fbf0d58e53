package sim

import (
	"slices"

	"mrsched/model"
)

// FlowID names a flow until it completes; another one may have it later. The zero FlowID names none.
type FlowID int32

// slot is the place of a flow among the flows.
func (id FlowID) slot() int32 { return int32(id) - 1 }

// Flow is a number of equal flows from a rack to a rack, which share a volume equally.
type Flow struct {
	From, To int32
	Weight   int32       // number of flows, at least 1
	Limit    Rate        // the most that one of them gets; 0 or Unlimited: no limit
	Volume   model.Bytes // of all of them together; 0 completes at once
	Tag      int64       // returned on completion
}

// Completion says that the last byte of a flow has arrived.
type Completion struct {
	Time   model.Time
	Flow   FlowID
	Tag    int64
	Volume model.Bytes
}

// Network is a topology with flows on it, at a time that begins at 0 and moves with [Network.Advance] alone. A rack,
// link or flow that does not exist, a weight below 1, a negative limit or volume are programming errors. A Network is
// not safe for use by several goroutines.
//
// Complexity: Start, Add and SetWeight take O(log f) for f flows of one class; the first question about rates or
// completions after changes takes a filling, see the package comment.
type Network struct {
	topology Topology
	first    [linkKinds]Link
	bytes    []model.Bytes // by link: of completed flows
	now      model.Time
	step     model.Time // completions are at its multiples; see Coarsen

	allocator allocator
	lanes     []lane       // by class
	due       []model.Time // by class: when its first flow completes at the present rates
	stale     []int32      // classes whose due is to be computed
	next      model.Time   // the earliest due, where nothing is stale
	classOf   map[routeKey]int32

	flows    []flow  // by slot
	free     []int32 // slots; the one that was freed last is taken first
	sequence uint64
	links    []Link // of the last route
}

// routeKey is what flows of one class have in common.
type routeKey struct {
	from, to int32
	limit    Rate
}

// New returns a network without flows at time 0. The topology is copied; it has a rack, and as many capacities of each
// kind as racks.
func New(t Topology) *Network {
	n := &Network{topology: t, classOf: map[routeKey]int32{}, next: never, step: 1}
	var all []Rate
	for kind, list := range t {
		n.topology[kind] = slices.Clone(list)
		n.first[kind] = Link(len(all))
		all = append(all, list...)
	}
	n.allocator = newAllocator(all)
	n.bytes = make([]model.Bytes, len(all))
	return n
}

// Coarsen makes flows complete at multiples of a step from now on: those that are due in between, at the next one. The
// capacity that they would have used until then stays unused. If flows change only at multiples of the step, there is
// at most one filling per step, however many flows complete. The bytes of links are exact only at these multiples,
// after an Advance to that time: in between, flows count as if they continued. The step is at least 1.
func (n *Network) Coarsen(step model.Time) {
	n.step = step
	for c := range n.lanes {
		if n.allocator.classes[c].weight > 0 {
			n.touch(int32(c))
		}
	}
}

// Link returns the link of a rack. The topology must model that kind of link.
func (n *Network) Link(kind LinkKind, rack int) Link {
	_ = n.topology[kind][rack]
	return n.first[kind] + Link(rack)
}

// route lists the links from one rack to another. It is valid until the next call.
func (n *Network) route(from, to int32) []Link {
	n.links = n.links[:0]
	if from != to {
		n.links = append(n.links, n.Link(RackOut, int(from)), n.Link(RackIn, int(to)))
	}
	if n.topology[PoolDown] != nil {
		n.links = append(n.links, n.Link(PoolDown, int(to)))
	}
	return n.links
}

// Start adds a flow at the present time.
func (n *Network) Start(f Flow) FlowID {
	if f.Limit == 0 {
		f.Limit = Unlimited
	}
	c := n.class(&f)
	slot := int32(len(n.flows))
	if k := len(n.free) - 1; k >= 0 {
		slot, n.free = n.free[k], n.free[:k]
	} else {
		n.flows = append(n.flows, flow{})
	}
	n.sequence++
	x := &n.flows[slot]
	*x = flow{class: c, weight: f.Weight, sequence: n.sequence, tag: f.Tag, volume: f.Volume}
	x.left = model.Product(uint64(f.Volume), grains)
	n.settle(c)
	n.enter(slot)
	n.allocator.weigh(c, int64(f.Weight))
	return FlowID(slot + 1)
}

// class finds the class of a flow or makes it.
func (n *Network) class(f *Flow) int32 {
	key := routeKey{f.From, f.To, f.Limit}
	if c, ok := n.classOf[key]; ok {
		return c
	}
	c := n.lane(n.allocator.add(n.route(f.From, f.To), f.Limit), key)
	n.classOf[key] = c
	return c
}

// Add adds to the volume of a flow.
func (n *Network) Add(id FlowID, volume model.Bytes) {
	slot := id.slot()
	x := &n.flows[slot]
	n.settle(x.class)
	n.leave(slot)
	x.volume += volume
	x.left = x.left.Plus(model.Product(uint64(volume), grains))
	n.enter(slot)
}

// SetWeight changes the number of flows, among which what remains is shared equally from now on.
func (n *Network) SetWeight(id FlowID, weight int32) {
	slot := id.slot()
	x := &n.flows[slot]
	n.settle(x.class)
	n.leave(slot)
	n.allocator.weigh(x.class, int64(weight)-int64(x.weight))
	x.weight = weight
	n.enter(slot)
}

// release forgets a flow that has left its class and counts the bytes that have arrived.
func (n *Network) release(slot int32, arrived model.Bytes) {
	x := &n.flows[slot]
	n.allocator.weigh(x.class, -int64(x.weight))
	for _, u := range n.allocator.classes[x.class].uses {
		n.bytes[u.link] += arrived
	}
	n.free = append(n.free, slot)
}

// LinkBytes returns how many bytes have crossed a link. The bytes of completed flows are exact; those of the
// present flows of one class are rounded down together. So a link without flows counts exactly the volumes that
// crossed it.
func (n *Network) LinkBytes(l Link) model.Bytes {
	sum := n.bytes[l]
	for _, x := range n.allocator.links[l].classes {
		n.settle(x.class)
		sum += n.inFlight(x.class)
	}
	return sum
}
