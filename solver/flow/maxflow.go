package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// stepsPerCheck is how many steps a solver makes between two looks at its context: some 100 µs.
const stepsPerCheck = 1 << 14

// infiniteResidual is the least residual capacity of an arc of infinite capacity: its flow is at most MaxTotal. Those
// of finite arcs are below it.
const infiniteResidual = Infinite - MaxTotal

// MaxFlow finds a maximum flow from a source to a sink with Dinic's algorithm: a breadth-first search labels the nodes
// by their distance from the source, a depth-first search fills all shortest augmenting paths, until no path is left.
//
// It is incremental: after [MaxFlow.SetCapacity] the next [MaxFlow.Solve] continues from the present flow.
//
// Problem: max v s.t. conservation and 0 ≤ x_a ≤ u_a.   Complexity: O(n²m); O(m·min(√m, n^⅔)) if all capacities are 1,
// O(m√n) if besides each inner node has one arc in or one arc out, as in bipartite matching. Memory
// 12n + 16m bytes beside the network. Long, narrow networks are the weak side: a path costs its length (genrmf's
// 16×16×64 grid, 77 000 arcs: 1 s); wide, shallow ones are the strong side (10⁶ tasks with 3 of 10⁴ servers each, 4·10⁶
// arcs: 0.7 s). Ties: arcs in the order of insertion; the flow depends on nothing else. Source: Dinic, Soviet
// Mathematics Doklady 11, 1970; Even and Tarjan, SIAM J. Comput. 4, 1975. Differs: the depth-first search keeps a
// current arc for each node and is iterative; searches touch only what they reach.
type MaxFlow struct {
	net          *Network
	ownsNet      bool // net is a copy whose capacities may change
	infinite     bool // some capacity may be infinite
	source, sink Node

	residual []int64 // by slot; that of a reverse slot is the arc's flow
	level    []int32 // by node: distance from the source; unseen if not reached
	current  []int32 // by node: the slot to try next
	queue    []Node  // nodes that the last search reached, in its order
	path     []int32 // slots from the source to where the depth-first search stands
	value    int64
	status   Status
}

// unseen marks nodes that the search has not reached, or that it left as dead ends.
const unseen = -1

// NewMaxFlow prepares for maximum flows from source to sink, beginning with the zero flow. The network's costs and
// supplies play no part. Errors: source or sink outside the network or equal.
func NewMaxFlow(n *Network, source, sink Node) (*MaxFlow, error) {
	if err := checkTerminals(n, source, sink); err != nil {
		return nil, err
	}
	m := &MaxFlow{
		net: n, source: source, sink: sink,
		residual: make([]int64, len(n.head)),
		level:    make([]int32, n.NumNodes()),
		current:  make([]int32, n.NumNodes()),
		queue:    make([]Node, 0, n.NumNodes()),
	}
	for a, u := range n.capacity {
		m.residual[n.slot[a]] = u
		m.infinite = m.infinite || u == Infinite
	}
	for v := range m.level {
		m.level[v] = unseen
	}
	return m, nil
}

func checkTerminals(n *Network, source, sink Node) error {
	for _, v := range []Node{source, sink} {
		if v < 0 || int(v) >= n.NumNodes() {
			return fmt.Errorf("flow: node %d is not in the network of %d nodes", v, n.NumNodes())
		}
	}
	if source == sink {
		return fmt.Errorf("flow: node %d is both source and sink", source)
	}
	return nil
}

// Solve makes the flow maximum. The status is Optimal, Unbounded (a path of infinite capacity; the flow is then any
// feasible one) or Stopped (the flow is feasible, and another Solve continues).
func (m *MaxFlow) Solve(ctx context.Context) Status {
	m.status = Stopped
	if m.infinite && m.reach(infiniteResidual) {
		m.status = Unbounded
		return m.status
	}
	for ctx.Err() == nil {
		if !m.reach(1) {
			m.status = Optimal
			break
		}
		m.block(ctx)
	}
	return m.status
}

// Value returns the value of the present flow.
func (m *MaxFlow) Value() int64 { return m.value }

// Flow returns the present flow of an arc.
func (m *MaxFlow) Flow(a Arc) int64 { return m.residual[m.net.pair[m.net.slot[a]]] }

// SetCapacity changes the capacity of an arc in this solver, not in the network that it was made of. The present flow
// stays, so a capacity below the arc's flow is an error, as is one that makes all add up to more than [MaxTotal].
func (m *MaxFlow) SetCapacity(a Arc, capacity int64) error {
	if a < 0 || int(a) >= m.net.NumArcs() {
		return fmt.Errorf("flow: arc %d is not in the network of %d arcs", a, m.net.NumArcs())
	}
	if flow := m.Flow(a); capacity < flow {
		return fmt.Errorf("flow: arc %d: the capacity %d is below its flow %d", a, capacity, flow)
	}
	total := m.net.total
	if old := m.net.capacity[a]; old != Infinite {
		total -= old
	}
	if capacity != Infinite {
		if capacity > MaxTotal-total {
			return fmt.Errorf("flow: arc %d: with its capacity %d all capacities add up to more than %d", a, capacity, MaxTotal)
		}
		total += capacity
	}
	if !m.ownsNet {
		n := *m.net
		n.capacity = slices.Clone(n.capacity)
		m.net, m.ownsNet = &n, true
	}
	m.residual[m.net.slot[a]] = capacity - m.Flow(a)
	m.net.capacity[a], m.net.total = capacity, total
	m.infinite = m.infinite || capacity == Infinite
	m.status = NotSolved
	return nil
}

// reach labels the nodes by their distance from the source over residual arcs of at least the given capacity, until it
// meets the sink; it reports whether it does. Nodes that no shortest path to the sink visits may stay unseen.
func (m *MaxFlow) reach(least int64) bool {
	for _, v := range m.queue {
		m.level[v] = unseen
	}
	n := m.net
	m.level[m.source], m.current[m.source] = 0, n.first[m.source]
	queue := append(m.queue[:0], m.source)
	for front := 0; front < len(queue); front++ {
		v := queue[front]
		begin, end := n.first[v], n.first[v+1]
		heads, next := n.head[begin:end], m.level[v]+1
		for i, r := range m.residual[begin:end] {
			w := heads[i]
			if r < least || m.level[w] != unseen {
				continue
			}
			m.level[w], m.current[w] = next, n.first[w]
			queue = append(queue, w)
			if w == m.sink {
				m.queue = queue
				m.trim()
				return true
			}
		}
	}
	m.queue = queue
	return false
}

// trim forgets the nodes as far away as the sink, the last of the queue: no shortest path visits them.
func (m *MaxFlow) trim() {
	last := m.level[m.sink]
	k := len(m.queue) - 1 // the sink itself
	for k > 0 && m.level[m.queue[k-1]] == last {
		k--
		m.level[m.queue[k]] = unseen
	}
	m.queue = append(m.queue[:k], m.sink)
}

// block adds a blocking flow: one that leaves no path on which each arc goes from a level to the next.
func (m *MaxFlow) block(ctx context.Context) {
	n := m.net
	path, v := m.path[:0], m.source
	for steps := 1; ; steps++ {
		if steps%stepsPerCheck == 0 && ctx.Err() != nil {
			break
		}
		if v == m.sink {
			k := m.augment(path)
			v = n.head[n.pair[path[k]]]
			path = path[:k]
			continue
		}
		i, end, next := m.current[v], n.first[v+1], m.level[v]+1
		for i < end && (m.residual[i] == 0 || m.level[n.head[i]] != next) {
			i++
		}
		m.current[v] = i
		if i < end {
			path = append(path, i)
			v = n.head[i]
			continue
		}
		m.level[v] = unseen // a dead end from now on
		if len(path) == 0 {
			break
		}
		v = n.head[n.pair[path[len(path)-1]]]
		m.current[v]++
		path = path[:len(path)-1]
	}
	m.path = path
}

// augment sends as much as the path can take and returns the index of its first slot that is full.
func (m *MaxFlow) augment(path []int32) int {
	first, amount := 0, Infinite
	for k, i := range path {
		if r := m.residual[i]; r < amount {
			first, amount = k, r
		}
	}
	for _, i := range path {
		m.residual[i] -= amount
		m.residual[m.net.pair[i]] += amount
	}
	m.value += amount
	return first
}

// errNotMaximum is the error for a minimum cut requested too early.
var errNotMaximum = errors.New("flow: a minimum cut needs a maximum flow: Solve first, until it is optimal")

// SmallestCut returns, by node, the source side of a minimum cut that is contained in that of every other: the nodes
// that a residual path from the source reaches. The error says that the present flow is not known to be maximum.
//
// Complexity: O(n).   Source: Ford and Fulkerson, Flows in Networks, 1962; Picard and Queyranne, 1980.
func (m *MaxFlow) SmallestCut() (side []bool, err error) {
	if m.status != Optimal {
		return nil, errNotMaximum
	}
	side = make([]bool, m.net.NumNodes())
	for _, v := range m.queue { // the last search did not meet the sink, so it is complete
		side[v] = true
	}
	return side, nil
}
