package flow

import (
	"fmt"
	"math/big"
)

// The checks of this file use only the arcs of a Network: they share no code with the solvers. No claim, however wrong,
// overflows.

// outflow checks that flow, a number for each arc, meets capacities. It returns flow out minus flow in
// by node.
func outflow(n *Network, flow []int64) ([]*big.Int, error) {
	if len(flow) != len(n.tail) {
		return nil, fmt.Errorf("%d flows for %d arcs", len(flow), len(n.tail))
	}
	net := make([]*big.Int, n.nodes)
	for v := range net {
		net[v] = new(big.Int)
	}
	for a, x := range flow {
		if x < 0 || x > n.capacity[a] {
			return nil, fmt.Errorf("arc %d: its flow %d is not between 0 and %d", a, x, n.capacity[a])
		}
		net[n.tail[a]].Add(net[n.tail[a]], big.NewInt(x))
		net[n.head[a]].Sub(net[n.head[a]], big.NewInt(x))
	}
	return net, nil
}

// verifyFlow checks that flow is one from source to sink and returns its value, the net flow out of the source.
func verifyFlow(n *Network, source, sink Node, flow []int64) (int64, error) {
	net, err := outflow(n, flow)
	if err != nil {
		return 0, err
	}
	for v, x := range net {
		if x.Sign() != 0 && Node(v) != source && Node(v) != sink {
			return 0, fmt.Errorf("node %d: flow out minus flow in is %s", v, x)
		}
	}
	if !net[source].IsInt64() {
		return 0, fmt.Errorf("the value is %s", net[source])
	}
	return net[source].Int64(), nil
}

// verifyMaximum checks that flow is a flow from source to sink, side a cut between them, and value to capacity equal:
// each then proves the other optimal. It returns their common value.
func verifyMaximum(n *Network, source, sink Node, flow []int64, side []bool) (int64, error) {
	value, err := verifyFlow(n, source, sink, flow)
	if err != nil {
		return 0, err
	}
	if len(side) != n.nodes || !side[source] || side[sink] {
		return 0, fmt.Errorf("no cut: %v", side)
	}
	capacity := new(big.Int)
	for a := range n.tail {
		if side[n.tail[a]] && !side[n.head[a]] {
			capacity.Add(capacity, big.NewInt(n.capacity[a]))
		}
	}
	if capacity.Cmp(big.NewInt(value)) != 0 {
		return 0, fmt.Errorf("the flow's value is %d, the cut's capacity %s", value, capacity)
	}
	return value, nil
}
