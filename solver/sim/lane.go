package sim

import (
	"math"
	"math/bits"

	"mrsched/model"
	"mrsched/model/heap"
)

// lane is the state of a class over time: the service that each of its flows has received, and a heap of its flows by
// the service at which each completes.
type lane struct {
	key     routeKey
	stale   bool
	settled model.Time
	service model.Wide // ∫ level dt from the lane's beginning to settled, in grains

	// offset is Σ volume − left − weight·since over the flows, modulo 2^128, in grains: with weight·service it adds up to
	// what has arrived.
	offset model.Wide
	flows  int
	heap   heap.By[exit] // of its flows; those that have left or entered again since are dropped when seen
}

// exit is a flow in a heap, with the service at which it completes.
type exit struct {
	target  model.Wide
	entered uint64
	slot    int32
}

func (a exit) before(b exit) bool {
	return a.target.Less(b.target) || a.target == b.target && a.entered < b.entered
}

// flow is a flow in its lane.
type flow struct {
	class    int32
	weight   int32
	sequence uint64 // of all starts and entries; 0 for entered: it has left
	entered  uint64
	tag      int64
	volume   model.Bytes
	left     model.Wide // grains yet to arrive when it entered its lane
	since    model.Wide // the lane's service then
	target   model.Wide // service at which nothing is left
}

// never is the due time of a class none of whose flows completes.
const never model.Time = math.MaxInt64

// lane begins a class without flows.
func (n *Network) lane(c int32, key routeKey) int32 {
	if int(c) == len(n.lanes) {
		n.lanes = append(n.lanes, lane{})
		n.due = append(n.due, never)
	}
	p := &n.lanes[c]
	*p = lane{key: key, stale: p.stale, settled: n.now, heap: heap.By[exit]{Before: exit.before}}
	return c
}

// dropIfEmpty ends a class without flows.
func (n *Network) dropIfEmpty(c int32) {
	if n.allocator.classes[c].weight > 0 {
		return
	}
	delete(n.classOf, n.lanes[c].key)
	n.due[c] = never
	n.allocator.drop(c)
}

// settle brings a class's service to the present.
func (n *Network) settle(c int32) {
	p := &n.lanes[c]
	if elapsed := n.now - p.settled; elapsed > 0 {
		if level := n.allocator.classes[c].level; level < Unlimited {
			p.service = p.service.Plus(model.Product(uint64(level), uint64(elapsed)))
		}
		p.settled = n.now
	}
}

// receive takes from what is left of a flow what it got since it entered its lane, whose service has come to this.
func (x *flow) receive(service model.Wide) {
	got := service.Minus(x.since).Times(uint64(x.weight))
	if x.left.Less(got) { // this includes the fraction of a microsecond by which the completion was rounded up
		got = x.left
	}
	x.left = x.left.Minus(got)
}

// share is a flow's part of its lane's offset.
func (x *flow) share() model.Wide {
	return model.Product(uint64(x.volume), grains).Minus(x.left).Minus(x.since.Times(uint64(x.weight)))
}

// inFlight is how many whole bytes of the flows of a settled class have arrived.
func (n *Network) inFlight(c int32) model.Bytes {
	p := &n.lanes[c]
	total := p.service.Times(uint64(n.allocator.classes[c].weight)).Plus(p.offset)
	return model.Bytes(over(total, grains).Low)
}

// enter puts a flow into its settled class.
func (n *Network) enter(slot int32) {
	x := &n.flows[slot]
	p := &n.lanes[x.class]
	x.since = p.service
	x.target = p.service.Plus(over(x.left.Plus(model.Wide{Low: uint64(x.weight) - 1}), uint64(x.weight))) // rounded up
	p.offset = p.offset.Plus(x.share())
	n.sequence++
	x.entered = n.sequence
	p.flows++
	n.sweep(p)
	p.heap.Push(exit{x.target, x.entered, slot})
	n.touch(x.class)
}

// sweep drops the exits of flows that have left, or entered again, once they are most of a heap.
func (n *Network) sweep(p *lane) {
	if p.heap.Len() <= 2*p.flows+64 {
		return
	}
	all := p.heap.Items
	p.heap.Items = all[:0]
	for _, x := range all {
		if n.flows[x.slot].entered == x.entered {
			p.heap.Push(x)
		}
	}
}

// leave takes a flow out of its settled class, with what is left of it.
func (n *Network) leave(slot int32) {
	x := &n.flows[slot]
	p := &n.lanes[x.class]
	p.offset = p.offset.Minus(x.share())
	x.receive(p.service)
	x.entered = 0
	p.flows--
	n.touch(x.class)
}

// touch records that the first flow of a class may have changed.
func (n *Network) touch(c int32) {
	if p := &n.lanes[c]; !p.stale {
		p.stale = true
		n.stale = append(n.stale, c)
	}
}

// soonest is the flow of a class that completes first; −1: it has none.
func (n *Network) soonest(c int32) int32 {
	h := &n.lanes[c].heap
	for ; h.Len() > 0; h.Pop() {
		if top := h.Items[0]; n.flows[top.slot].entered == top.entered {
			return top.slot
		}
	}
	return -1
}

// over is ⌊x/y⌋; y > 0.
func over(x model.Wide, y uint64) model.Wide {
	low, _ := bits.Div64(x.High%y, x.Low, y)
	return model.Wide{High: x.High / y, Low: low}
}
