package flow

import (
	"fmt"
	"math"
	"math/bits"
)

// The checks of this file use only the exported interface of Network: they share no code with the solvers. All sums
// have 128 bits, so no claim, however wrong, overflows.

// wide is a signed 128-bit integer.
type wide struct {
	hi int64
	lo uint64
}

func (s *wide) add(v int64) {
	lo, carry := bits.Add64(s.lo, uint64(v), 0)
	s.lo, s.hi = lo, s.hi+v>>63+int64(carry)
}

func (s *wide) subtract(v int64) {
	lo, borrow := bits.Sub64(s.lo, uint64(v), 0)
	s.lo, s.hi = lo, s.hi-v>>63-int64(borrow)
}

// addProduct adds x·y.
func (s *wide) addProduct(x, y int64) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	high := int64(hi) // of the unsigned product; a negative factor adds 2⁶⁴ too much
	if x < 0 {
		high -= y
	}
	if y < 0 {
		high -= x
	}
	sum, carry := bits.Add64(s.lo, lo, 0)
	s.lo, s.hi = sum, s.hi+high+int64(carry)
}

// sign is −1, 0 or 1.
func (s wide) sign() int {
	switch {
	case s.hi < 0:
		return -1
	case s.hi > 0 || s.lo > 0:
		return 1
	}
	return 0
}

// int64 returns the value, if it fits.
func (s wide) int64() (int64, bool) { return int64(s.lo), s.hi == int64(s.lo)>>63 }

// String writes the value in decimal if it fits, else its words.
func (s wide) String() string {
	if v, ok := s.int64(); ok {
		return fmt.Sprint(v)
	}
	if s.hi < 0 {
		return fmt.Sprintf("less than %d", int64(math.MinInt64))
	}
	return fmt.Sprintf("more than %d", int64(math.MaxInt64))
}

// VerifyFlow checks that flow, a number for each arc, is a flow from source to sink: capacities, lower bounds and
// conservation. It returns its value, the net flow out of the source. The error names the first constraint broken.
func VerifyFlow(n *Network, source, sink Node, flow []int64) (int64, error) {
	if err := checkTerminals(n, source, sink); err != nil {
		return 0, err
	}
	net, err := netOutflow(n, flow)
	if err != nil {
		return 0, err
	}
	for v, s := range net {
		if s.sign() != 0 && Node(v) != source && Node(v) != sink {
			return 0, fmt.Errorf("flow: node %d: flow out minus flow in is %v, not 0", v, s)
		}
	}
	value, ok := net[source].int64()
	if !ok {
		return 0, fmt.Errorf("flow: the value is %v", net[source])
	}
	return value, nil
}

// netOutflow checks l <= x <= u and returns flow out minus flow in by node.
func netOutflow(n *Network, flow []int64) ([]wide, error) {
	if len(flow) != n.NumArcs() {
		return nil, fmt.Errorf("flow: %d flows for %d arcs", len(flow), n.NumArcs())
	}
	net := make([]wide, n.NumNodes())
	for i, x := range flow {
		a := Arc(i)
		if x < n.Lower(a) || x > n.Capacity(a) {
			return nil, fmt.Errorf("flow: arc %d: its flow %d is not between %d and %d", a, x, n.Lower(a), n.Capacity(a))
		}
		net[n.Tail(a)].add(x)
		net[n.Head(a)].subtract(x)
	}
	return net, nil
}

// VerifyCut checks that the nodes marked in side contain source but not sink. It returns the capacity of the arcs that
// leave them, an upper bound on the value of every flow; [Infinite] if one of them has no limit.
func VerifyCut(n *Network, source, sink Node, side []bool) (int64, error) {
	if err := checkTerminals(n, source, sink); err != nil {
		return 0, err
	}
	switch {
	case len(side) != n.NumNodes():
		return 0, fmt.Errorf("flow: %d marks for %d nodes", len(side), n.NumNodes())
	case !side[source]:
		return 0, fmt.Errorf("flow: the source %d is not on the source side", source)
	case side[sink]:
		return 0, fmt.Errorf("flow: the sink %d is on the source side", sink)
	}
	var sum int64 // at most MaxTotal, by construction of the network
	for i := range n.NumArcs() {
		a := Arc(i)
		if !side[n.Tail(a)] || side[n.Head(a)] {
			continue
		}
		if n.Capacity(a) == Infinite {
			return Infinite, nil
		}
		sum += n.Capacity(a)
	}
	return sum, nil
}

// VerifyMaximum checks that flow is a flow from source to sink, side a cut between them, and value to capacity equal:
// each then proves the other optimal. It returns their common value.
func VerifyMaximum(n *Network, source, sink Node, flow []int64, side []bool) (int64, error) {
	value, err := VerifyFlow(n, source, sink, flow)
	if err != nil {
		return 0, err
	}
	capacity, err := VerifyCut(n, source, sink, side)
	if err != nil {
		return 0, err
	}
	if value != capacity {
		return 0, fmt.Errorf("flow: the flow's value is %d, the cut's capacity %d", value, capacity)
	}
	return value, nil
}

// VerifyFeasible checks that flow, a number for each arc, meets the network's supplies, lower bounds and capacities. It
// returns its cost. The error names the first constraint broken.
func VerifyFeasible(n *Network, flow []int64) (int64, error) {
	net, err := netOutflow(n, flow)
	if err != nil {
		return 0, err
	}
	var sum wide
	for v := range net {
		supply := n.Supply(Node(v))
		net[v].subtract(supply)
		if net[v].sign() != 0 {
			net[v].add(supply)
			return 0, fmt.Errorf("flow: node %d: flow out minus flow in is %v, its supply %d", v, net[v], supply)
		}
	}
	for a, x := range flow {
		sum.addProduct(n.Cost(Arc(a)), x)
	}
	cost, ok := sum.int64()
	if !ok {
		return 0, fmt.Errorf("flow: the cost is %v", sum)
	}
	return cost, nil
}

// VerifyOptimal checks that flow is feasible and that the potentials prove it a flow of least cost: arcs of positive
// reduced cost c_a − π_tail + π_head carry their lower bound, those of negative reduced cost their capacity. It returns
// the cost. The error names the first condition broken.
func VerifyOptimal(n *Network, flow, potential []int64) (int64, error) {
	cost, err := VerifyFeasible(n, flow)
	if err != nil {
		return 0, err
	}
	if len(potential) != n.NumNodes() {
		return 0, fmt.Errorf("flow: %d potentials for %d nodes", len(potential), n.NumNodes())
	}
	for i, x := range flow {
		a := Arc(i)
		var d wide
		d.add(n.Cost(a))
		d.subtract(potential[n.Tail(a)])
		d.add(potential[n.Head(a)])
		switch {
		case d.sign() > 0 && x != n.Lower(a):
			return 0, fmt.Errorf("flow: arc %d: its reduced cost is %v, but its flow %d is above %d", a, d, x, n.Lower(a))
		case d.sign() < 0 && x != n.Capacity(a):
			return 0, fmt.Errorf("flow: arc %d: its reduced cost is %v, but its flow %d is below %d", a, d, x, n.Capacity(a))
		}
	}
	return cost, nil
}

// VerifyInfeasible checks that the marked nodes prove that no feasible flow exists. Either the amount that must leave
// them, their supplies plus the lower bounds of the arcs into them, exceeds the capacity of the arcs out of them; or
// the amount that must enter them exceeds the capacity of the arcs into them.
func VerifyInfeasible(n *Network, side []bool) error {
	if len(side) != n.NumNodes() {
		return fmt.Errorf("flow: %d marks for %d nodes", len(side), n.NumNodes())
	}
	var leave, enter wide // by how much the amount that must leave, or enter, exceeds the capacity
	var freely [2]bool    // to leave, to enter
	for v, in := range side {
		if in {
			leave.add(n.Supply(Node(v)))
			enter.subtract(n.Supply(Node(v)))
		}
	}
	for i := range n.NumArcs() {
		a := Arc(i)
		along, against, direction := &leave, &enter, 0
		switch tail, head := side[n.Tail(a)], side[n.Head(a)]; {
		case tail == head:
			continue
		case head:
			along, against, direction = against, along, 1
		}
		against.add(n.Lower(a))
		if n.Capacity(a) == Infinite {
			freely[direction] = true
		} else {
			along.subtract(n.Capacity(a))
		}
	}
	if leave.sign() > 0 && !freely[0] || enter.sign() > 0 && !freely[1] {
		return nil
	}
	return fmt.Errorf("flow: the marks prove nothing: the excess that must leave is %v, that must enter %v", leave, enter)
}

// VerifyUnbounded checks that the arcs form a closed walk of infinite capacities and negative cost: any feasible flow
// can then be made cheaper without end.
func VerifyUnbounded(n *Network, cycle []Arc) error {
	var cost wide
	for i, a := range cycle {
		if a < 0 || int(a) >= n.NumArcs() {
			return fmt.Errorf("flow: arc %d is not in the network of %d arcs", a, n.NumArcs())
		}
		if n.Capacity(a) != Infinite {
			return fmt.Errorf("flow: arc %d of the cycle has capacity %d", a, n.Capacity(a))
		}
		if next := cycle[(i+1)%len(cycle)]; int(next) < n.NumArcs() && next >= 0 && n.Head(a) != n.Tail(next) {
			return fmt.Errorf("flow: arc %d ends at node %d, but arc %d begins at node %d", a, n.Head(a), next, n.Tail(next))
		}
		cost.add(n.Cost(a))
	}
	if cost.sign() >= 0 {
		return fmt.Errorf("flow: the cycle costs %v", cost)
	}
	return nil
}
