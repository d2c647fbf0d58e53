package flow

import "errors"

// errNotMaximum is the answer to those who ask for a minimum cut too early.
var errNotMaximum = errors.New("flow: a minimum cut needs a maximum flow: Solve first, until it is optimal")

// Cut separates the source from the sink. Its slices belong to the caller.
type Cut struct {
	Source   []bool // by node: whether it lies on the source side
	Arcs     []Arc  // that leave the source side, in their order
	Capacity int64  // of these arcs: the value of a maximum flow
}

// SmallestCut returns the minimum cut whose source side is contained in that of every other: the nodes that a residual
// path from the source reaches. The error says that the present flow is not known to be maximum.
//
// Complexity: O(n + m).   Source: Ford and Fulkerson, Flows in Networks, 1962; Picard and Queyranne, 1980.
func (m *MaxFlow) SmallestCut() (*Cut, error) {
	if m.status != Optimal {
		return nil, errNotMaximum
	}
	side := make([]bool, m.net.NumNodes())
	for _, v := range m.queue { // the last search did not meet the sink, so it is complete
		side[v] = true
	}
	return m.cut(side), nil
}

// LargestCut returns the minimum cut whose source side contains that of every other: the nodes from which no residual
// path reaches the sink. The error says that the present flow is not known to be maximum.
//
// Complexity and sources: those of SmallestCut.
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

func (m *MaxFlow) cut(side []bool) *Cut {
	c := &Cut{Source: side}
	for a := range Arc(m.net.NumArcs()) {
		if side[m.net.Tail(a)] && !side[m.net.Head(a)] {
			c.Arcs = append(c.Arcs, a)
			c.Capacity += m.net.Capacity(a)
		}
	}
	return c
}
