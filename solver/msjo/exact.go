package msjo

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// exactSearch is depth-first branch and bound over orders of tasks.
//
// Some optimal schedule is InOrder of its own order of start times (see list.Graph.InOrder), so a task is
// appended only if it starts no earlier than the one appended last; of two that start together the lower
// index goes first, unless the earlier one takes no time. A node is cut when the jobs'
// completions, each bounded by the earliest ends of its tasks plus their tails, cost as much as the best
// schedule known. Of tasks that are alike in everything, the lower index goes first.
//
// What is paid for are groups of tasks: the jobs, or under the task objective the tasks themselves.
//
// Complexity: exponential; some ten tasks take milliseconds. Memory: O(N²).
type exactSearch struct {
	ctx    context.Context
	in     *msjo.Instance
	limit  int
	nodes  int
	group  []int32      // by task
	tail   []model.Time // by task: from its end to its group's end, at least
	alone  []model.Time // by group: the earliest completion
	weight []int64      // by group, divided by their greatest common divisor
	best   int64
	order  []int32 // the partial order
	found  []int32 // the best order
	twin   []int32 // by task: the next lower task that is alike, or −1
	// nodes on the way from the root, by the number of tasks that are placed; they are reused.
	way []*exactNode
}

// exactNode is a partial schedule.
type exactNode struct {
	idle    []model.Time // of the machines, sorted
	ready   []model.Time // by node: earliest start as far as known
	waiting []int32      // by node; scheduled: -1
	done    []model.Time // by group
	last    model.Time   // start of the last task
	lastOf  int32
}

// solveExact finds an optimal order, starting from a known one. proven is false if the limit of nodes, ctx
// or the range of integers (weights of very different magnitude) ended the search; then the order is the
// best found.
func solveExact(ctx context.Context, in *msjo.Instance, start []int32, limit int) (order []int32, nodes int, proven bool) {
	s := &exactSearch{ctx: ctx, in: in, limit: limit, found: slices.Clone(start)}
	if !s.scaleWeights(s.groups()) {
		return s.found, 0, false
	}
	done := make([]model.Time, len(s.alone))
	for _, e := range graph(in).InOrder(start, in.Machines).Entries {
		done[s.group[e.Task]] = max(done[s.group[e.Task]], e.End)
	}
	s.best = s.cost(done)
	s.twins()
	root := &exactNode{idle: make([]model.Time, min(in.Machines, in.Tasks)), ready: slices.Clone(in.Head), waiting: slices.Clone(in.Preds),
		done: slices.Clone(s.alone), lastOf: model.None}
	s.way = []*exactNode{root}
	proven = s.search(root)
	return s.found, s.nodes, proven
}

// groups says what the objective pays for, and gives the groups' weights.
func (s *exactSearch) groups() []model.Weight {
	in := s.in
	if in.Objective == msjo.JobObjective {
		s.group, s.tail, s.alone = in.Job, in.Tail, in.Alone
		return in.Weight
	}
	s.group, s.tail, s.alone = make([]int32, in.Tasks), make([]model.Time, in.Tasks), make([]model.Time, in.Tasks)
	for u := range s.group {
		s.group[u], s.alone[u] = int32(u), in.Head[u]+in.Processing[u]
	}
	return in.TaskWeight[:in.Tasks]
}

// scaleWeights divides the weights by their divisor and says whether every cost fits into an int64.
func (s *exactSearch) scaleWeights(weights []model.Weight) bool {
	var divisor, total uint64
	for _, w := range weights {
		divisor = gcd(divisor, uint64(w))
	}
	divisor = max(divisor, 1)
	s.weight = make([]int64, len(weights))
	var horizon uint64
	for g, w := range weights {
		s.weight[g] = int64(uint64(w) / divisor)
		total += uint64(s.weight[g])
		horizon = max(horizon, uint64(s.alone[g]))
	}
	for _, p := range s.in.Processing {
		horizon += uint64(p)
	}
	for _, d := range s.in.SuccDelay {
		horizon += uint64(d)
	}
	hi, lo := bits.Mul64(total, horizon)
	return hi == 0 && lo <= math.MaxInt64
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (s *exactSearch) cost(done []model.Time) (sum int64) {
	for j, c := range done {
		sum += s.weight[j] * int64(c)
	}
	return sum
}

// twins links tasks of one job that have the same length, weight, release and arcs.
func (s *exactSearch) twins() {
	in := s.in
	s.twin = make([]int32, in.Tasks)
	into := make([][]int64, in.Tasks) // arcs into a task, as pairs
	for u := range int32(in.Nodes) {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if v := in.SuccNode[a]; v < int32(in.Tasks) {
				into[v] = append(into[v], int64(u), int64(in.SuccDelay[a]))
			}
		}
	}
	arcs := func(u int32) ([]int32, []model.Time) {
		return in.SuccNode[in.SuccFirst[u]:in.SuccFirst[u+1]], in.SuccDelay[in.SuccFirst[u]:in.SuccFirst[u+1]]
	}
	for u := range int32(in.Tasks) {
		s.twin[u] = model.None
		for v := u - 1; v >= 0; v-- {
			vn, vd := arcs(v)
			un, ud := arcs(u)
			alike := in.Objective == msjo.JobObjective || in.TaskWeight[u] == in.TaskWeight[v]
			if alike && in.Job[u] == in.Job[v] && in.Processing[u] == in.Processing[v] && in.Earliest[u] == in.Earliest[v] &&
				slices.Equal(vn, un) && slices.Equal(vd, ud) && slices.Equal(into[u], into[v]) {
				s.twin[u] = v
				break
			}
		}
	}
}

// search explores the node's subtree; false: a limit ended it.
func (s *exactSearch) search(n *exactNode) bool {
	s.nodes++
	if s.nodes > s.limit || s.ctx.Err() != nil {
		return false
	}
	if len(s.order) == s.in.Tasks {
		if c := s.cost(n.done); c < s.best {
			s.best = c
			s.found = slices.Clone(s.order)
		}
		return true
	}
	type child struct {
		start model.Time
		bound int64
		task  int32
	}
	var children []child
	next := s.below()
	for u := range int32(s.in.Tasks) {
		if n.waiting[u] != 0 || s.twin[u] != model.None && n.waiting[s.twin[u]] >= 0 {
			continue
		}
		start := max(n.ready[u], n.idle[0])
		if start < n.last || start == n.last && u < n.lastOf && s.in.Processing[n.lastOf] > 0 {
			continue
		}
		s.append(n, next, u, start)
		if b := s.cost(next.done); b < s.best {
			children = append(children, child{start, b, u})
		}
	}
	slices.SortStableFunc(children, func(a, b child) int {
		if a.bound != b.bound {
			if a.bound < b.bound {
				return -1
			}
			return 1
		}
		return int(a.task - b.task)
	})
	for _, c := range children {
		if c.bound >= s.best {
			break
		}
		s.append(n, next, c.task, c.start)
		s.order = append(s.order, c.task)
		ok := s.search(next)
		s.order = s.order[:len(s.order)-1]
		if !ok {
			return false
		}
	}
	return true
}

// below is the node to use for one task more than are placed now.
func (s *exactSearch) below() *exactNode {
	depth := len(s.order) + 1
	if depth == len(s.way) {
		s.way = append(s.way, &exactNode{})
	}
	return s.way[depth]
}

// append makes next the node after task u is started from n, with everything that follows for ready times and jobs.
func (s *exactSearch) append(n, next *exactNode, u int32, start model.Time) {
	in := s.in
	next.idle, next.ready = append(next.idle[:0], n.idle...), append(next.ready[:0], n.ready...)
	next.waiting, next.done = append(next.waiting[:0], n.waiting...), append(next.done[:0], n.done...)
	next.last, next.lastOf = start, u
	end := start + in.Processing[u]
	k := 0
	for k+1 < len(next.idle) && next.idle[k+1] < end {
		next.idle[k] = next.idle[k+1]
		k++
	}
	next.idle[k] = end
	next.waiting[u] = -1
	next.ready[u] = start
	s.settle(next, u)
	// No task left can start before both the next idle machine and this start.
	floor := max(next.idle[0], start)
	for v := range int32(in.Tasks) {
		if next.waiting[v] >= 0 {
			g := s.group[v]
			next.done[g] = max(next.done[g], max(next.ready[v], floor)+in.Processing[v]+s.tail[v])
		}
	}
	g := s.group[u]
	next.done[g] = max(next.done[g], end+s.tail[u])
}

// settle tells u's successors; barriers pass on at once.
func (s *exactSearch) settle(n *exactNode, u int32) {
	in := s.in
	end := n.ready[u] + in.Processing[u]
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v := in.SuccNode[a]
		n.ready[v] = max(n.ready[v], end+in.SuccDelay[a])
		n.waiting[v]--
		if n.waiting[v] == 0 && v >= int32(in.Tasks) {
			n.waiting[v] = -1
			s.settle(n, v)
		}
	}
}
