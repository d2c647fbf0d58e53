package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Node is the dense, zero-based index of a node, Arc that of an arc: the order of insertion.
type (
	Node int32
	Arc  int32
)

const (
	// Infinite is the capacity of an arc without a limit.
	Infinite int64 = math.MaxInt64

	// MaxTotal is the most that all finite capacities of a network may add up to. It keeps every flow within int64.
	MaxTotal int64 = 1 << 61
)

// Network is a directed network with capacities. An index outside it is a programming error, as for a slice.
type Network struct {
	nodes      int
	tail, head []Node
	capacity   []int64
}

// AddNodes adds count nodes and returns the first; the others follow it.
func (n *Network) AddNodes(count int) Node {
	n.nodes += count
	return Node(n.nodes - count)
}

// AddArc adds an arc of a capacity, at least 0 and perhaps [Infinite].
func (n *Network) AddArc(tail, head Node, capacity int64) Arc {
	n.tail, n.head, n.capacity = append(n.tail, tail), append(n.head, head), append(n.capacity, capacity)
	return Arc(len(n.tail) - 1)
}

// stepsPerCheck is how many steps a solver makes between two looks at its context: some 100 µs.
const stepsPerCheck = 1 << 14

// MaxFlow finds a maximum flow from a source to a sink with Dinic's algorithm: a breadth-first search labels the nodes
// by their distance from the source, a depth-first search fills all shortest augmenting paths, until no path is left.
//
// It is incremental: after [MaxFlow.SetCapacity] the next [MaxFlow.Solve] continues from the present flow.
//
// Problem: max v s.t. conservation and 0 ≤ x_a ≤ u_a.   Complexity: O(n²m); O(m·min(√m, n^⅔)) if all capacities are 1,
// O(m√n) if besides each inner node has one arc in or one arc out, as in bipartite matching. Memory
// 16n + 36m bytes beside the network. Long, narrow networks are the weak side: a path costs its length (genrmf's
// 16×16×64 grid, 77 000 arcs: 1 s); wide, shallow ones are the strong side (10⁶ tasks with 3 of 10⁴ servers each, 4·10⁶
// arcs: 0.7 s). Ties: arcs in the order of insertion; the flow depends on nothing else. Source: Dinic, Soviet
// Mathematics Doklady 11, 1970; Even and Tarjan, SIAM J. Comput. 4, 1975. Differs: the depth-first search keeps a
// current arc for each node and is iterative; searches touch only what they reach.
type MaxFlow struct {
	// Each arc owns two slots, one in the list of its tail and one, for the reverse residual arc, in that of its head. The
	// lists lie one after the other: first the forward slots of a node, then the reverse ones, in the order of insertion.
	first []int32 // by node: where its slots begin; n+1 elements
	head  []Node  // by slot: where the residual arc leads
	pair  []int32 // by slot: the slot of the opposite residual arc
	slot  []int32 // by arc: its forward slot

	total        int64 // sum of the finite capacities
	source, sink Node
	residual     []int64 // by slot; that of a reverse slot is the arc's flow
	level        []int32 // by node: distance from the source; unseen if not reached
	current      []int32 // by node: the slot to try next
	queue        []Node  // nodes that the last search reached, in its order
	path         []int32 // slots from the source to where the depth-first search stands
	value        int64
	maximum      bool // nothing has changed since Solve found a maximum flow
}

// unseen marks nodes that the search has not reached, or that it left as dead ends.
const unseen = -1

// errTotal is the error for capacities that are too large.
var errTotal = errors.New("flow: the capacities of the network add up to too much")

// NewMaxFlow prepares for maximum flows from source to another node, sink, beginning with the zero flow. Some arc of
// each path between them has a limit.
func NewMaxFlow(n *Network, source, sink Node) (*MaxFlow, error) {
	m := &MaxFlow{source: source, sink: sink, residual: make([]int64, 2*len(n.tail)), level: make([]int32, n.nodes),
		current: make([]int32, n.nodes), queue: make([]Node, 0, n.nodes)}
	m.link(n)
	for a, u := range n.capacity {
		if m.residual[m.slot[a]] = u; u == Infinite {
			continue
		}
		if u > MaxTotal-m.total {
			return nil, errTotal
		}
		m.total += u
	}
	for v := range m.level {
		m.level[v] = unseen
	}
	return m, nil
}

// link sorts the slots by node, with a counting sort: forward slots first, so that a search meets the arcs that can
// carry flow before those that cannot yet.
func (m *MaxFlow) link(n *Network) {
	m.first, m.slot = make([]int32, n.nodes+1), make([]int32, len(n.tail))
	m.head, m.pair = make([]Node, 2*len(n.tail)), make([]int32, 2*len(n.tail))
	next := make([]int32, n.nodes)
	for a := range n.tail {
		next[n.tail[a]]++
		next[n.head[a]]++
	}
	at := int32(0)
	for v, degree := range next {
		m.first[v], next[v] = at, at
		at += degree
	}
	m.first[n.nodes] = at
	for a, v := range n.tail {
		m.slot[a] = next[v]
		next[v]++
	}
	for a, v := range n.head {
		forward, reverse := m.slot[a], next[v]
		next[v]++
		m.head[forward], m.head[reverse] = v, n.tail[a]
		m.pair[forward], m.pair[reverse] = reverse, forward
	}
}

// Solve makes the flow maximum. It is false if ctx ended first: the flow is feasible, and another Solve continues.
func (m *MaxFlow) Solve(ctx context.Context) bool {
	for m.maximum = false; ctx.Err() == nil && !m.maximum; {
		if m.reach() {
			m.block(ctx)
		} else {
			m.maximum = true
		}
	}
	return m.maximum
}

// Value returns the value of the present flow.
func (m *MaxFlow) Value() int64 { return m.value }

// Flow returns the present flow of an arc.
func (m *MaxFlow) Flow(a Arc) int64 { return m.residual[m.pair[m.slot[a]]] }

// SetCapacity changes the capacity of an arc that has a limit. The present flow stays, so a capacity below the arc's
// flow is an error, as is one that makes all add up to more than [MaxTotal].
func (m *MaxFlow) SetCapacity(a Arc, capacity int64) error {
	flow, residual := m.Flow(a), &m.residual[m.slot[a]]
	if capacity < flow {
		return fmt.Errorf("flow: arc %d: the capacity %d is below its flow %d", a, capacity, flow)
	}
	rest := m.total - (*residual + flow)
	if capacity > MaxTotal-rest {
		return errTotal
	}
	*residual, m.total, m.maximum = capacity-flow, rest+capacity, false
	return nil
}

// reach labels the nodes by their distance from the source over residual arcs, until it meets the sink; it reports
// whether it does. Nodes that no shortest path to the sink visits may stay unseen.
func (m *MaxFlow) reach() bool {
	for _, v := range m.queue {
		m.level[v] = unseen
	}
	m.level[m.source], m.current[m.source] = 0, m.first[m.source]
	queue := append(m.queue[:0], m.source)
	for front := 0; front < len(queue); front++ {
		v := queue[front]
		begin, end := m.first[v], m.first[v+1]
		heads, next := m.head[begin:end], m.level[v]+1
		for i, r := range m.residual[begin:end] {
			w := heads[i]
			if r == 0 || m.level[w] != unseen {
				continue
			}
			m.level[w], m.current[w] = next, m.first[w]
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
	path, v := m.path[:0], m.source
	for steps := 1; ; steps++ {
		if steps%stepsPerCheck == 0 && ctx.Err() != nil {
			break
		}
		if v == m.sink {
			k := m.augment(path)
			v = m.head[m.pair[path[k]]]
			path = path[:k]
			continue
		}
		i, end, next := m.current[v], m.first[v+1], m.level[v]+1
		for i < end && (m.residual[i] == 0 || m.level[m.head[i]] != next) {
			i++
		}
		m.current[v] = i
		if i < end {
			path = append(path, i)
			v = m.head[i]
			continue
		}
		m.level[v] = unseen // a dead end from now on
		if len(path) == 0 {
			break
		}
		v = m.head[m.pair[path[len(path)-1]]]
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
		m.residual[m.pair[i]] += amount
	}
	m.value += amount
	return first
}

// SmallestCut returns, by node, the source side of a minimum cut that is contained in that of every other: the nodes
// that a residual path from the source reaches. It needs a maximum flow: Solve first.
//
// Complexity: O(n).   Source: Ford and Fulkerson, Flows in Networks, 1962; Picard and Queyranne, 1980.
func (m *MaxFlow) SmallestCut() []bool {
	if !m.maximum {
		return nil
	}
	side := make([]bool, len(m.level))
	for _, v := range m.queue { // the last search did not meet the sink, so it is complete
		side[v] = true
	}
	return side
}
