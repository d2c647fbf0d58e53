package sim

import "math/bits"

// Share is how much of a flow comes from a rack, in proportion to the other shares: bytes, or maps.
type Share struct {
	Rack   int
	Amount int64 // not negative
}

// portion is the part of a flow's bytes that crosses a link: those from first to last, of total.
type portion struct{ first, last, total uint64 }

// bytes is how many of b bytes cross the link. Each part of b is the difference of two prefixes rounded down, so that
// parts that follow one another add up.
func (p portion) bytes(b int64) int64 { return p.prefix(b, p.last) - p.prefix(b, p.first) }

func (p portion) prefix(b int64, amount uint64) int64 {
	high, low := bits.Mul64(uint64(b), amount)
	quotient, _ := bits.Div64(high, low, p.total)
	return int64(quotient)
}

// share is the portion in parts of the whole, rounded up so that a link is never asked to carry more than it counts.
func (p portion) share() int32 {
	high, low := bits.Mul64(p.last-p.first, whole)
	quotient, rest := bits.Div64(high, low, p.total)
	if rest > 0 {
		quotient++
	}
	return int32(quotient)
}

// route lists the links from one place to another, each crossed by the whole flow. It is valid until the next call.
func (n *Network) route(from, to Place) []use {
	n.uses = n.uses[:0]
	if from == to && from >= 0 {
		return n.uses // within a node
	}
	source, sink := n.rackOf(from), n.rackOf(to)
	if from >= 0 {
		n.cross(NodeUp, int(from))
	} else {
		n.cross(PoolUp, source)
	}
	if source != sink {
		n.cross(RackOut, source)
		n.cross(RackIn, sink)
	}
	n.arrive(to, sink)
	return n.uses
}

func (n *Network) arrive(to Place, sink int) {
	if to >= 0 {
		n.cross(NodeDown, int(to))
	} else {
		n.cross(PoolDown, sink)
	}
}

// cross adds a link to the route, if links of that kind are modelled.
func (n *Network) cross(kind LinkKind, i int) {
	if n.topology.Capacity[kind] != nil {
		n.uses = append(n.uses, use{link: int32(n.Link(kind, i)), share: whole})
	}
}

// routeMix lists the links from several racks to a place and what crosses each. The bytes from other racks are the
// first ones, in the order given; those from the rack itself follow. The links are valid until the next call.
func (n *Network) routeMix(mix []Share, to Place) ([]use, []portion) {
	n.uses = n.uses[:0]
	var portions []portion
	sink, total, local := n.rackOf(to), uint64(0), uint64(0)
	for _, s := range mix {
		total += uint64(s.Amount)
		if s.Rack == sink {
			local = uint64(s.Amount)
		}
	}
	part := func(kind LinkKind, rack int, first, last uint64) {
		if p := (portion{first, last, total}); n.topology.Capacity[kind] != nil && first < last {
			n.uses = append(n.uses, use{link: int32(n.Link(kind, rack)), share: p.share()})
			portions = append(portions, p)
		}
	}
	first := uint64(0)
	for _, s := range mix {
		if last := first + uint64(s.Amount); s.Rack != sink {
			part(PoolUp, s.Rack, first, last)
			part(RackOut, s.Rack, first, last)
			first = last
		}
	}
	part(RackIn, sink, 0, first)
	part(PoolUp, sink, total-local, total)
	before := len(n.uses)
	n.arrive(to, sink)
	for range n.uses[before:] {
		portions = append(portions, portion{0, total, total})
	}
	return n.uses, portions
}

func (n *Network) rackOf(p Place) int {
	if p < 0 {
		return -1 - int(p)
	}
	return int(n.topology.RackOf[p])
}
