package flow

import (
	"context"
	"slices"
)

// Methods for tests only.

// Err returns the first error of the methods called so far.
func (b *Builder) Err() error { return b.err }

// NumNodes returns the number of nodes added so far.
func (b *Builder) NumNodes() int { return b.nodes }

// NumArcs returns the number of arcs added so far.
func (b *Builder) NumArcs() int { return len(b.tail) }

// Status returns what the last Solve returned, NotSolved if capacities have changed since.
func (m *MaxFlow) Status() Status { return m.status }

// AppendFlows appends the present flows of all arcs, in their order.
func (m *MaxFlow) AppendFlows(list []int64) []int64 {
	list = slices.Grow(list, m.net.NumArcs())
	for a := range m.net.slot {
		list = append(list, m.Flow(Arc(a)))
	}
	return list
}

// Network returns the network with the capacities as they are now.
func (m *MaxFlow) Network() *Network {
	if !m.ownsNet {
		return m.net
	}
	n := *m.net
	n.capacity = slices.Clone(n.capacity)
	return &n
}

// LargestCut returns the minimum cut whose source side contains that of every other one: the nodes from which no
// residual path reaches the sink. It returns an error if the present flow is not known to be maximum.
func (m *MaxFlow) LargestCut() (*Cut, error) {
	if m.status != Optimal {
		return nil, errNotMaximum
	}
	n := m.net
	side := make([]bool, n.NumNodes())
	for v := range side {
		side[v] = true
	}
	side[m.sink] = false
	queue := append(make([]Node, 0, 64), m.sink)
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for i := n.first[v]; i < n.first[v+1]; i++ {
			if w := n.head[i]; side[w] && m.residual[n.pair[i]] > 0 {
				side[w] = false
				queue = append(queue, w)
			}
		}
	}
	return m.cut(side), nil
}

// MinCostMaxFlow finds, among the maximum flows from source to sink, one of least cost. It ignores the network's own
// supplies. The third result is the network that supplies the value at the source and demands it at the sink; the
// result's checks need it. Unbounded without a Cycle means that the value has no limit. Errors: those of NewMaxFlow and
// MinCost.
func MinCostMaxFlow(ctx context.Context, n *Network, source, sink Node) (*MinCostResult, int64, *Network, error) {
	m, err := NewMaxFlow(n, source, sink)
	if err != nil {
		return nil, 0, nil, err
	}
	if status := m.Solve(ctx); status != Optimal {
		return &MinCostResult{Status: status}, m.Value(), n, nil
	}
	supply := make([]int64, n.NumNodes())
	supply[source], supply[sink] = m.Value(), -m.Value()
	supplied := n.withSupplies(supply)
	r, err := MinCost(ctx, supplied)
	return r, m.Value(), supplied, err
}

// withSupplies is the network with other supplies, one a node.
func (n *Network) withSupplies(supply []int64) *Network {
	changed := *n
	changed.supply = supply
	return &changed
}
