package sim

import (
	"math"

	"mrsched/model"
)

// lane is the state of a class over time: the service that each of its flows has received, and a heap of its flows by
// the service at which each completes.
type lane struct {
	key     routeKey
	stale   bool
	settled model.Time
	service wide // ∫ level dt from the lane's beginning to settled, in grains

	// offset is Σ volume − left − weight·since over the flows, modulo 2^128, in grains: with weight·service it adds up to
	// what has arrived.
	offset wide
	// heap holds the slots of flows, by target, then sequence. It does not use package heap, whose heaps do not track
	// positions: Add takes a flow out of the middle.
	heap []int32
}

// flow is a flow in its lane.
type flow struct {
	class    int32
	weight   int32
	index    int32 // in the lane's heap
	sequence uint64
	tag      int64
	volume   model.Bytes
	left     wide // grains yet to arrive when it entered its lane
	since    wide // the lane's service then
	target   wide // service at which nothing is left
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
	*p = lane{key: key, stale: p.stale, settled: n.now, heap: p.heap[:0]}
	return c
}

// dropIfEmpty ends a class without flows.
func (n *Network) dropIfEmpty(c int32) {
	p := &n.lanes[c]
	if len(p.heap) > 0 {
		return
	}
	delete(n.classOf, p.key)
	n.due[c] = never
	n.allocator.drop(c)
}

// settle brings a class's service to the present.
func (n *Network) settle(c int32) {
	p := &n.lanes[c]
	if elapsed := n.now - p.settled; elapsed > 0 {
		if level := n.allocator.classes[c].level; level < Unlimited {
			p.service = p.service.plus(product(uint64(level), uint64(elapsed)))
		}
		p.settled = n.now
	}
}

// receive takes from what is left of a flow what it got since it entered its lane, whose service has come to this.
func (x *flow) receive(service wide) {
	got := service.minus(x.since).times(uint64(x.weight))
	if x.left.less(got) { // this includes the fraction of a microsecond by which the completion was rounded up
		got = x.left
	}
	x.left = x.left.minus(got)
}

// share is a flow's part of its lane's offset.
func (x *flow) share() wide {
	return product(uint64(x.volume), grains).minus(x.left).minus(x.since.times(uint64(x.weight)))
}

// inFlight is how many whole bytes of the flows of a settled class have arrived.
func (n *Network) inFlight(c int32) model.Bytes {
	p := &n.lanes[c]
	total := p.service.times(uint64(n.allocator.classes[c].weight)).plus(p.offset)
	return model.Bytes(total.over(grains).low)
}

// enter puts a flow into its settled class.
func (n *Network) enter(slot int32) {
	x := &n.flows[slot]
	p := &n.lanes[x.class]
	x.since = p.service
	x.target = p.service.plus(x.left.overUp(uint64(x.weight)))
	p.offset = p.offset.plus(x.share())
	p.heap = append(p.heap, slot)
	n.up(p.heap, len(p.heap)-1, slot)
	n.touch(x.class)
}

// leave takes a flow out of its settled class, with what is left of it.
func (n *Network) leave(slot int32) {
	x := &n.flows[slot]
	p := &n.lanes[x.class]
	p.offset = p.offset.minus(x.share())
	x.receive(p.service)
	i, last := int(x.index), len(p.heap)-1
	moved := p.heap[last]
	p.heap = p.heap[:last]
	if i < last {
		if i > 0 && n.before(moved, p.heap[(i-1)/2]) {
			n.up(p.heap, i, moved)
		} else {
			n.down(p.heap, i, moved)
		}
	}
	n.touch(x.class)
}

// touch records that the first flow of a class may have changed.
func (n *Network) touch(c int32) {
	if p := &n.lanes[c]; !p.stale {
		p.stale = true
		n.stale = append(n.stale, c)
	}
}

func (n *Network) before(a, b int32) bool {
	x, y := &n.flows[a], &n.flows[b]
	return x.target.less(y.target) || x.target == y.target && x.sequence < y.sequence
}

func (n *Network) up(heap []int32, i int, slot int32) {
	for i > 0 {
		parent := (i - 1) / 2
		if !n.before(slot, heap[parent]) {
			break
		}
		n.set(heap, i, heap[parent])
		i = parent
	}
	n.set(heap, i, slot)
}

func (n *Network) down(heap []int32, i int, slot int32) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && n.before(heap[child+1], heap[child]) {
			child++
		}
		if !n.before(heap[child], slot) {
			break
		}
		n.set(heap, i, heap[child])
		i = child
	}
	n.set(heap, i, slot)
}

func (n *Network) set(heap []int32, i int, slot int32) {
	heap[i] = slot
	n.flows[slot].index = int32(i)
}
