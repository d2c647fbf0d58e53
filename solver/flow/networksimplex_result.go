package flow

// What a finished networkSimplex found.

// feasible reports whether no artificial arc carries flow.
func (s *networkSimplex) feasible() bool {
	for _, x := range s.flow[s.m:] {
		if x != 0 {
			return false
		}
	}
	return true
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

// excess marks the nodes that a residual path joins to one whose supply could not leave. The basis is optimal, so none
// of them lacks supply: a path from surplus to want would be cheaper than the artificial arcs.
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
// direction of the change: against it an arc's flow would be a limit.
func (s *networkSimplex) cycle() []Arc {
	list := []Arc{Arc(s.in)}
	for v := s.second; v != s.join; v = s.parent[v] {
		list = append(list, Arc(s.pred[v]))
	}
	from := len(list)
	for v := s.first; v != s.join; v = s.parent[v] {
		list = append(list, Arc(s.pred[v]))
	}
	for i, k := from, len(list)-1; i < k; i, k = i+1, k-1 {
		list[i], list[k] = list[k], list[i]
	}
	return list
}
