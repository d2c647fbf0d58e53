package flow

import (
	"context"
	"math"
	"slices"
)

// The states of an arc outside the basis are the signs that its reduced cost must not have.
const (
	atUpper int8 = -1
	inTree  int8 = 0
	atLower int8 = 1
)

// networkSimplex is the primal network simplex method. A basis is a spanning tree, rooted at an artificial node to
// which an artificial arc joins every node; the tree is kept strongly feasible (from every node some flow could be sent
// to the root), so that degenerate pivots cannot cycle. An entering arc is the worst of a block of arcs, blocks take
// turns.
//
// Complexity: exponential in theory; in practice some n to 10n pivots of O(√m + path + subtree) each (3·10⁴ tasks with
// 10 of 300 servers each, costs to 10⁴: 180 000 pivots, 0.2 s). Limits: max|c|·(n+1) < 2⁶⁰. Memory 33m + 74n bytes
// beside the network. Weak where many costs are equal. Ties: the first arc of least reduced cost in its block; the
// leaving arc is the last blocking one of the cycle. Source: Cunningham, Math. Programming 11, 1976 (strongly feasible
// trees); Grigoriadis, Math. Programming Study 26, 1986 (block pricing); Ahuja, Magnanti and Orlin, Network Flows,
// 1993, §11. Differs: the tree is kept as lists of children, whose walk updates depths and potentials together.
type networkSimplex struct {
	net  *Network
	m    int32 // real arcs; arc m+v is the artificial arc of node v
	root int32

	source, target []int32 // by arc
	capacity, cost []int64 // capacities are reduced by the lower bounds
	flow           []int64
	state          []int8

	parent, pred      []int32 // by node: the tree arc pred joins it to its parent
	up                []bool  // pred leads from the node to its parent
	child, next, prev []int32 // by node: first child, siblings; none
	depth             []int32
	pi                []int64 // the negative of a node's potential

	block, position int32 // pricing: size of a block, where the next begins
	in              int32 // entering arc
	join            int32 // where the tree paths from both its ends meet
	out             int32 // node whose pred leaves
	first, second   int32 // ends of the entering arc in the direction of its change
	outFirst        bool  // out lies on first's side
	delta           int64
	pivots          int64
}

const none = -1

// newNetworkSimplex makes the initial basis of artificial arcs: those of nodes with a demand come from the root and
// cost more than any path, the others lead to the root and cost nothing.
func newNetworkSimplex(n *Network) (*networkSimplex, error) {
	price, err := checkCosts(n)
	if err != nil {
		return nil, err
	}
	nodes, arcs := n.NumNodes(), n.NumArcs()
	s := &networkSimplex{net: n, m: int32(arcs), root: int32(nodes)}
	s.allocate(nodes+1, arcs+nodes)
	supply := make([]int64, nodes)
	copy(supply, n.supply)
	for i := range arcs {
		a := Arc(i)
		tail, head, lower := n.Tail(a), n.Head(a), n.Lower(a)
		s.source[i], s.target[i] = int32(tail), int32(head)
		s.capacity[i], s.cost[i], s.state[i] = n.Capacity(a), n.Cost(a), atLower
		supply[tail] -= lower
		supply[head] += lower
		if s.capacity[i] != Infinite {
			s.capacity[i] -= lower
		}
	}
	s.parent[s.root], s.pred[s.root], s.child[s.root] = none, none, none
	for v := range int32(nodes) {
		e := s.m + v
		s.capacity[e], s.flow[e] = Infinite, max(supply[v], -supply[v])
		s.source[e], s.target[e] = v, s.root
		s.up[v] = supply[v] >= 0
		if !s.up[v] {
			s.source[e], s.target[e], s.cost[e], s.pi[v] = s.root, v, price, price
		}
		s.pred[v], s.depth[v], s.child[v] = e, 1, none
		s.hang(v, s.root)
	}
	s.block = max(int32(math.Sqrt(float64(arcs))/4), 16)
	return s, nil
}

func (s *networkSimplex) allocate(nodes, arcs int) {
	int32s := make([]int32, 6*nodes+2*arcs)
	take := func(k int) []int32 {
		list := int32s[:k:k]
		int32s = int32s[k:]
		return list
	}
	s.source, s.target = take(arcs), take(arcs)
	s.parent, s.pred, s.depth = take(nodes), take(nodes), take(nodes)
	s.child, s.next, s.prev = take(nodes), take(nodes), take(nodes)
	s.capacity, s.cost, s.flow = make([]int64, arcs), make([]int64, arcs), make([]int64, arcs)
	s.state, s.up, s.pi = make([]int8, arcs), make([]bool, nodes), make([]int64, nodes)
}

// run pivots until no arc is worth entering, a ray shows that there is no optimum, or ctx ends.
func (s *networkSimplex) run(ctx context.Context) Status {
	work := 0
	for {
		if work >= stepsPerCheck {
			if ctx.Err() != nil {
				return Stopped
			}
			work = 0
		}
		priced, ok := s.price()
		if !ok {
			return Optimal
		}
		s.ratio()
		if s.delta == Infinite {
			return Unbounded
		}
		s.push()
		work += priced
		if s.out != none {
			work += s.exchange()
		} else {
			s.state[s.in] = -s.state[s.in]
		}
		s.pivots++
	}
}

// price chooses the entering arc and returns how many it looked at; false: the basis is optimal.
func (s *networkSimplex) price() (int, bool) {
	var best int64
	left := s.block
	source, target, cost, pi := s.source, s.target, s.cost, s.pi
	e := s.position
	for looked := range int(s.m) {
		if e == s.m {
			e = 0
		}
		if st := s.state[e]; st != inTree {
			if d := int64(st) * (cost[e] + pi[source[e]] - pi[target[e]]); d < best {
				best, s.in = d, e
			}
		}
		e++
		if left--; left == 0 {
			if best < 0 {
				s.position = e
				return looked, true
			}
			left = s.block
		}
	}
	s.position = e
	return int(s.m), best < 0
}

// ratio finds how much flow the cycle of the entering arc can take, and the last arc to block it, seen from join in the
// direction of the change: this choice keeps the tree strongly feasible. out is none if the entering arc itself blocks.
func (s *networkSimplex) ratio() {
	s.first, s.second = s.source[s.in], s.target[s.in]
	if s.state[s.in] == atUpper {
		s.first, s.second = s.second, s.first
	}
	s.delta, s.out = s.capacity[s.in], none
	u, v := s.first, s.second
	for u != v {
		if s.depth[u] >= s.depth[v] {
			if r := s.room(u, !s.up[u]); r < s.delta {
				s.delta, s.out, s.outFirst = r, u, true
			}
			u = s.parent[u]
		} else {
			v = s.parent[v]
		}
	}
	s.join = u
	for v := s.second; v != s.join; v = s.parent[v] {
		if r := s.room(v, s.up[v]); r <= s.delta {
			s.delta, s.out, s.outFirst = r, v, false
		}
	}
}

// room is how much the flow of a node's tree arc can change, upwards or not.
func (s *networkSimplex) room(v int32, increase bool) int64 {
	e := s.pred[v]
	if !increase {
		return s.flow[e]
	}
	if s.capacity[e] == Infinite {
		return Infinite
	}
	return s.capacity[e] - s.flow[e]
}

// push changes the flow along the cycle of the entering arc.
func (s *networkSimplex) push() {
	if s.delta == 0 {
		return
	}
	s.flow[s.in] += int64(s.state[s.in]) * s.delta
	for v := s.first; v != s.join; v = s.parent[v] {
		if s.up[v] {
			s.flow[s.pred[v]] -= s.delta
		} else {
			s.flow[s.pred[v]] += s.delta
		}
	}
	for v := s.second; v != s.join; v = s.parent[v] {
		if s.up[v] {
			s.flow[s.pred[v]] += s.delta
		} else {
			s.flow[s.pred[v]] -= s.delta
		}
	}
}

// exchange replaces the leaving arc by the entering one: the subtree below the leaving arc is attached at its end of
// the entering arc instead. It returns the size of that subtree.
func (s *networkSimplex) exchange() int {
	leaving := s.pred[s.out]
	s.state[leaving] = atUpper
	if s.flow[leaving] == 0 {
		s.state[leaving] = atLower
	}
	s.state[s.in] = inTree
	top, parent := s.first, s.second
	if !s.outFirst {
		top, parent = parent, top
	}
	v, e, up := top, s.in, s.source[s.in] == top
	for {
		oldParent, oldPred, oldUp := s.parent[v], s.pred[v], s.up[v]
		s.unhang(v)
		s.hang(v, parent)
		s.pred[v], s.up[v] = e, up
		if v == s.out {
			break
		}
		parent, e, up = v, oldPred, !oldUp
		v = oldParent
	}
	return s.relabel(top)
}

// hang makes v the first child of parent.
func (s *networkSimplex) hang(v, parent int32) {
	sibling := s.child[parent]
	s.parent[v], s.next[v], s.prev[v] = parent, sibling, none
	if sibling != none {
		s.prev[sibling] = v
	}
	s.child[parent] = v
}

// unhang takes v out of its parent's children.
func (s *networkSimplex) unhang(v int32) {
	before, after := s.prev[v], s.next[v]
	if before == none {
		s.child[s.parent[v]] = after
	} else {
		s.next[before] = after
	}
	if after != none {
		s.prev[after] = before
	}
}

// relabel walks the subtree of top, whose pred is new, and corrects depths and potentials. It returns the subtree's
// size.
func (s *networkSimplex) relabel(top int32) int {
	e := s.pred[top]
	shift := s.pi[s.parent[top]] - s.pi[top] + s.cost[e]
	if s.up[top] {
		shift -= 2 * s.cost[e]
	}
	size := 0
	depth := s.depth[s.parent[top]] + 1
	for v := top; ; {
		s.pi[v] += shift
		s.depth[v] = depth
		size++
		if c := s.child[v]; c != none {
			v = c
			depth++
			continue
		}
		for v != top && s.next[v] == none {
			v = s.parent[v]
			depth--
		}
		if v == top {
			return size
		}
		v = s.next[v]
	}
}

// feasible reports whether no artificial arc carries flow.
func (s *networkSimplex) feasible() bool {
	return !slices.ContainsFunc(s.flow[s.m:], func(x int64) bool { return x != 0 })
}

// flows returns the flow by arc, lower bounds included.
func (s *networkSimplex) flows() []int64 {
	flow := make([]int64, s.m)
	copy(flow, s.flow)
	for a, l := range s.net.lower {
		flow[a] += l
	}
	return flow
}

// potentials returns the potential by node.
func (s *networkSimplex) potentials() []int64 {
	potential := make([]int64, s.root)
	for v := range potential {
		potential[v] = -s.pi[v]
	}
	return potential
}

// excess marks the nodes that a residual path joins to a node whose supply could not leave. The basis is optimal, so
// none of them has unmet demand: a path from surplus to demand would be cheaper than the artificial arcs.
func (s *networkSimplex) excess() []bool {
	n := s.net
	side := make([]bool, n.NumNodes())
	var stack []Node
	for v := range s.root {
		if e := s.m + v; s.flow[e] > 0 && s.source[e] == v {
			side[v] = true
			stack = append(stack, Node(v))
		}
	}
	residual := make([]bool, len(n.head)) // by slot
	for a, i := range n.slot {
		residual[i] = s.flow[a] < s.capacity[a]
		residual[n.pair[i]] = s.flow[a] > 0
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := n.first[v]; i < n.first[v+1]; i++ {
			if w := n.head[i]; residual[i] && !side[w] {
				side[w] = true
				stack = append(stack, w)
			}
		}
	}
	return side
}

// cycle returns the arcs of the entering arc's cycle, in order, after a ratio test without a limit. All lead in the
// direction of the change: an arc in the opposite direction would limit the change by its flow.
func (s *networkSimplex) cycle() []Arc {
	list := []Arc{Arc(s.in)}
	for v := s.second; v != s.join; v = s.parent[v] {
		list = append(list, Arc(s.pred[v]))
	}
	from := len(list)
	for v := s.first; v != s.join; v = s.parent[v] {
		list = append(list, Arc(s.pred[v]))
	}
	slices.Reverse(list[from:])
	return list
}
