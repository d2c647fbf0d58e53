package flow

import (
	"context"

	"mrsched/model/heap"
)

// primalDual is the primal-dual method: nodes with excess supply send it along cheapest residual paths to nodes with
// unmet demand. A phase finds the distance D to the nearest of these, by Dijkstra's algorithm on reduced costs, and
// then all that can flow over paths of length D, by blocking flows on the arcs of reduced cost 0.
//
// It is the method for few different path lengths, as between levels of locality: each takes one phase.
//
// Complexity: a phase takes O(m log n) and a maximum flow; there are at most as many as path lengths (10⁶ tasks with 3
// of 10⁴ servers each, three costs: 2 phases, 1 s). Limits: no negative cost on an arc of infinite capacity;
// max|c|·(n+1) < 2⁶⁰. Memory 32m + 40n bytes beside the network, and the heap. Ties: arcs in the order of insertion,
// sources in the order of nodes. Source: Ford and Fulkerson, Flows in Networks, 1962, §III.3; Edmonds and Karp, J. ACM
// 19, 1972 (reduced costs). Differs: blocking flows within a phase (Dinic).
type primalDual struct {
	net       *Network
	cost      []int64 // by slot: the reverse slot has the negative cost
	residual  []int64 // by slot
	excess    []int64 // by node: supply that has not left; negative: demand not met
	potential []int64
	surplus   int64 // sum of the positive excesses

	distance []int64          // by node, from the nearest positive excess; Infinite: not reached
	reached  []Node           // nodes with a distance, nearest first
	far      heap.Heap[int64] // nodes by their distance on some path
	level    []int32
	current  []int32
	queue    []Node
	path     []int32
}

// newPrimalDual begins with full arcs where costs are negative. The caller has checked costs.
func newPrimalDual(n *Network) *primalDual {
	nodes := n.NumNodes()
	p := &primalDual{
		net: n, cost: make([]int64, len(n.head)), residual: make([]int64, len(n.head)),
		excess: make([]int64, nodes), potential: make([]int64, nodes), distance: make([]int64, nodes),
		level: make([]int32, nodes), current: make([]int32, nodes),
	}
	copy(p.excess, n.supply)
	for a, i := range n.slot {
		j := n.pair[i]
		tail, head := n.head[j], n.head[i]
		cost, room := at(n.cost, a), n.capacity[a]
		p.cost[i], p.cost[j] = cost, -cost
		if cost < 0 {
			p.residual[j] = room
			p.excess[tail] -= room
			p.excess[head] += room
		} else {
			p.residual[i] = room
		}
	}
	for v, e := range p.excess {
		p.surplus += max(e, 0)
		p.level[v] = unseen
	}
	return p
}

// run returns Optimal, Infeasible or Stopped.
func (p *primalDual) run(ctx context.Context) Status {
	for p.surplus > 0 {
		switch found, ok := p.nearest(ctx); {
		case !ok:
			return Stopped
		case !found:
			return Infeasible
		}
		for p.reach() {
			if !p.block(ctx) {
				return Stopped
			}
		}
	}
	return Optimal
}

// reduced is the reduced cost of a slot in the list of v.
func (p *primalDual) reduced(v Node, i int32) int64 {
	return p.cost[i] - p.potential[v] + p.potential[p.net.head[i]]
}

// nearest lowers the potentials by the distances from the nodes with excess, those beyond the nearest demand by the
// distance of that. If no demand can be reached, found is false; if ctx ended, ok is false.
func (p *primalDual) nearest(ctx context.Context) (found, ok bool) {
	for v := range p.distance {
		p.distance[v] = Infinite
	}
	p.reached, p.far = p.reached[:0], p.far[:0]
	for v, e := range p.excess {
		if e > 0 {
			p.distance[v] = 0
			p.reached = append(p.reached, Node(v))
		}
	}
	now, limit := int64(0), Infinite // distance of the node in hand, of the nearest demand so far
	for front := 0; now < limit; front++ {
		if front%1024 == 0 && ctx.Err() != nil {
			return false, false
		}
		for front == len(p.reached) && len(p.far) > 0 {
			next := p.far.Pop()
			if next.Key == p.distance[next.Index] { // else it was reached on a shorter way
				now = next.Key
				p.reached = append(p.reached, Node(next.Index))
			}
		}
		if front == len(p.reached) || now >= limit {
			break
		}
		limit = p.relax(p.reached[front], now, limit)
	}
	if limit == Infinite {
		return false, true
	}
	for v, d := range p.distance {
		p.potential[v] -= min(d, limit)
	}
	return true, true
}

// relax looks at the residual arcs out of v and returns the distance of the nearest demand so far: nothing further away
// matters. A neighbour at the same distance joins the present ones at once, without the heap.
func (p *primalDual) relax(v Node, now, limit int64) int64 {
	n := p.net
	for i := n.first[v]; i < n.first[v+1]; i++ {
		if p.residual[i] == 0 {
			continue
		}
		w := n.head[i]
		d := now + p.reduced(v, i)
		switch {
		case d >= limit || d >= p.distance[w]:
			continue
		case p.excess[w] < 0:
			limit = d
		case d == now:
			p.reached = append(p.reached, w)
		default:
			p.far.Push(heap.Item[int64]{Key: d, Index: int32(w)})
		}
		p.distance[w] = d
	}
	return limit
}

// reach labels the nodes by their distance, in arcs of reduced cost 0, from those with excess; it reports whether a
// demand is among them. Nodes further than the nearest demand stay unseen.
func (p *primalDual) reach() bool {
	for _, v := range p.queue {
		p.level[v] = unseen
	}
	n := p.net
	p.queue = p.queue[:0]
	for v, e := range p.excess {
		if e > 0 {
			p.level[v], p.current[v] = 0, n.first[v]
			p.queue = append(p.queue, Node(v))
		}
	}
	last := int32(-1)
	for front := 0; front < len(p.queue); front++ {
		v := p.queue[front]
		if p.excess[v] < 0 {
			last = p.level[v]
		}
		if last >= 0 && p.level[v] >= last {
			continue
		}
		for i := n.first[v]; i < n.first[v+1]; i++ {
			w := n.head[i]
			if p.residual[i] > 0 && p.level[w] == unseen && p.reduced(v, i) == 0 {
				p.level[w], p.current[w] = p.level[v]+1, n.first[w]
				p.queue = append(p.queue, w)
			}
		}
	}
	return last >= 0
}

// block sends a blocking flow over the labelled nodes; false: ctx ended.
func (p *primalDual) block(ctx context.Context) bool {
	steps := 0
	for k := 0; k < len(p.queue) && p.level[p.queue[k]] <= 0; k++ {
		s := p.queue[k]
		for p.excess[s] > 0 && p.level[s] == 0 {
			if !p.advance(s) {
				continue
			}
			if steps++; steps%1024 == 0 && ctx.Err() != nil {
				return false
			}
		}
		p.path = p.path[:0]
	}
	return true
}

// advance continues the path of s until it reaches and serves a demand (true), or until s has become a dead end
// (false).
func (p *primalDual) advance(s Node) bool {
	n := p.net
	v := s
	if k := len(p.path); k > 0 {
		v = n.head[p.path[k-1]]
	}
	for p.excess[v] >= 0 {
		i, end, next := p.current[v], n.first[v+1], p.level[v]+1
		for i < end && (p.residual[i] == 0 || p.level[n.head[i]] != next || p.reduced(v, i) != 0) {
			i++
		}
		p.current[v] = i
		if i < end {
			p.path = append(p.path, i)
			v = n.head[i]
			continue
		}
		p.level[v] = unseen
		k := len(p.path) - 1
		if k < 0 {
			return false
		}
		v = n.head[n.pair[p.path[k]]]
		p.path = p.path[:k]
	}
	p.augment(s, v)
	return true
}

// augment sends what the path from s to the demand at t can take, and cuts the path back to before its first full slot.
func (p *primalDual) augment(s, t Node) {
	amount, keep := min(p.excess[s], -p.excess[t]), len(p.path)
	for k, i := range p.path {
		if r := p.residual[i]; r < amount {
			amount, keep = r, k
		}
	}
	for k, i := range p.path {
		p.residual[i] -= amount
		p.residual[p.net.pair[i]] += amount
		if p.residual[i] == 0 {
			keep = min(keep, k)
		}
	}
	p.excess[s] -= amount
	p.excess[t] += amount
	p.surplus -= amount
	p.path = p.path[:keep]
}

// flows returns the flow by arc.
func (p *primalDual) flows() []int64 {
	flow := make([]int64, p.net.NumArcs())
	for a, i := range p.net.slot {
		flow[a] = p.residual[p.net.pair[i]]
	}
	return flow
}
