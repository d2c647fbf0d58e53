package flow

import "fmt"

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

// VerifyInfeasible checks that the marked nodes prove that no feasible flow exists: what must leave them, their
// supplies and the lower bounds of the arcs into them, exceeds the capacity of the arcs out of them, or what must enter
// them exceeds the capacity of the arcs into them.
func VerifyInfeasible(n *Network, side []bool) error {
	if len(side) != n.NumNodes() {
		return fmt.Errorf("flow: %d marks for %d nodes", len(side), n.NumNodes())
	}
	var leave, enter wide // how much more must leave, or enter, than can
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
	return fmt.Errorf("flow: the marks prove nothing: of what must leave and enter, %v and %v are too much", leave, enter)
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
