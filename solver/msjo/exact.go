package msjo

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// exactSearch is depth-first branch and bound over orders of tasks.
//
// Among the optimal schedules take one with the least Φ = Σ c_u S_u, all c_u > 0. It is InOrder of its own order of
// start times (see list.Graph.InOrder), or starts could fall. So a task is appended only if it starts no earlier than
// the one appended last, and only if no other task could begin earlier and end before it starts, on the machine that
// idles first: moving that one there would lower Φ and delay nothing. Of tasks that are alike in everything, the lower
// index goes first.
//
// A node is cut when its bound (exactBound) is no less than the cost of the best schedule known, or when a node
// explored before dominates it (exactMemo): going on from that one by the same starts yields no larger (cost, Φ) in
// lexicographic order, so that the search finds one of the schedules with the least, however often this argument moves
// it to an earlier node: each time a longer part of the schedule has been explored. c_u is about p_u, because on busy
// machines Σ p_u S_u hardly depends on the order, so that Φ rarely stands in the way of dominance.
//
// What is paid for are groups of tasks: the jobs, or under the task objective the tasks themselves.
//
// Complexity: exponential; fifteen tasks take milliseconds to a second. Memory: at most some 100 MB.
type exactSearch struct {
	ctx    context.Context
	in     *msjo.Instance
	limit  int
	nodes  int
	group  []int32      // by task
	tail   []model.Time // by task: from its end to its group's end, at least
	alone  []model.Time // by group: the earliest completion
	weight []int64      // by group, divided by their greatest common divisor
	unit   model.Time   // greatest common divisor of all times
	count  []int64      // by task: c_u
	best   int64
	order  []int32 // the partial order
	found  []int32 // the best order
	twin   []int32 // by task: the next lower task that is alike, or −1
	// nodes on the path from the root, by the number of placed tasks; they are reused.
	way []*exactNode
	// bound and memo cut nodes; no memo: too many tasks.
	bound *exactBound
	memo  *exactMemo
	// divisor is the greatest common divisor of the weights, in millionths.
	divisor float64
	opt     solver.Options // for its Watch
}

// exactReport is the number of nodes between progress reports.
const exactReport = 1 << 12

// exactNode is a partial schedule.
type exactNode struct {
	idle    []model.Time // of the machines, sorted
	ready   []model.Time // by node: earliest start as far as known
	waiting []int32      // by node; scheduled: -1
	ended   []model.Time // by group: the latest end so far
	left    []int32      // by group: tasks not yet placed
	paid    int64        // cost of the groups without tasks left
	starts  int64        // Φ of the placed tasks
	last    model.Time   // start of the last task
	placed  uint64       // set of tasks
	// derived from the above:
	est  []model.Time // by node not yet placed: earliest start through its predecessors
	done []model.Time // by group: earliest completion on machines without limit
}

// solveExact finds an optimal order, starting from a known one. proven is false if the limit of nodes, ctx
// or the range of integers (weights of very different magnitude) ended the search; then the order is the
// best found.
func solveExact(ctx context.Context, in *msjo.Instance, start []int32, limit int, opt solver.Options) (order []int32,
	nodes int, proven bool) {
	s := &exactSearch{ctx: ctx, in: in, limit: limit, found: slices.Clone(start), opt: opt}
	if !s.scale(s.groups()) {
		return s.found, 0, false
	}
	done := make([]model.Time, len(s.alone))
	for _, e := range graph(in).InOrder(start, in.Machines).Entries {
		done[s.group[e.Task]] = max(done[s.group[e.Task]], e.End)
	}
	for g, c := range done {
		s.best += s.weight[g] * int64(c)
	}
	s.twins()
	s.bound = newExactBound(s)
	if in.Tasks <= memoTasks {
		s.memo = newExactMemo(s)
	}
	root := s.root()
	s.way = []*exactNode{root}
	least := s.bound.of(root)
	opt.Watch.Bound(s.worth(min(least, s.best)) * (1 - floatError))
	if least >= s.best {
		return s.found, 0, true
	}
	if proven = s.search(root); proven {
		opt.Watch.Bound(s.worth(s.best) * (1 - floatError))
	}
	return s.found, s.nodes, proven
}

// worth is a cost of the search in weight × seconds.
func (s *exactSearch) worth(cost int64) float64 {
	return float64(cost) * s.divisor / float64(model.UnitWeight) / float64(model.Second)
}

// root is the empty schedule.
func (s *exactSearch) root() *exactNode {
	in := s.in
	n := &exactNode{idle: make([]model.Time, min(in.Machines, in.Tasks)), ready: slices.Clone(in.Head),
		waiting: slices.Clone(in.Preds),
		ended:   make([]model.Time, len(s.alone)), left: make([]int32, len(s.alone)),
		est: make([]model.Time, in.Nodes), done: make([]model.Time, len(s.alone))}
	for _, g := range s.group[:in.Tasks] {
		n.left[g]++
	}
	s.foresee(n)
	return n
}

// groups are what the objective pays for, with their weights.
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

// scale chooses the units of weights and times and says whether every sum of the search fits into an int64.
func (s *exactSearch) scale(weights []model.Weight) bool {
	in := s.in
	var divisor, total uint64
	for _, w := range weights {
		divisor = model.GCD(divisor, uint64(w))
	}
	divisor = max(divisor, 1)
	s.divisor = float64(divisor)
	s.weight = make([]int64, len(weights))
	var horizon uint64 // no end or tail is later than this, nor a bound of one than twice this
	for g, w := range weights {
		s.weight[g] = int64(uint64(w) / divisor)
		total += uint64(s.weight[g])
		horizon = max(horizon, uint64(s.alone[g]))
	}
	s.unit = s.timeUnit()
	var work uint64
	for _, p := range in.Processing {
		horizon += uint64(p)
		work += max(1, uint64(p/s.unit))
	}
	for _, d := range in.SuccDelay {
		horizon += uint64(d)
	}
	s.count = make([]int64, in.Tasks)
	weighted := fits(work, horizon/uint64(s.unit))
	for u := range s.count {
		s.count[u] = 1
		if weighted {
			s.count[u] = max(1, int64(in.Processing[u]/s.unit))
		}
	}
	return fits(max(total, uint64(in.Nodes)), 2*horizon)
}

func fits(a, b uint64) bool {
	hi, lo := bits.Mul64(a, b)
	return hi == 0 && lo <= math.MaxInt64
}

// timeUnit is the greatest common divisor of all times: every start and completion is a multiple of it.
func (s *exactSearch) timeUnit() model.Time {
	var unit uint64
	for _, times := range [][]model.Time{s.in.Earliest, s.in.Processing, s.in.SuccDelay} {
		for _, t := range times {
			unit = model.GCD(unit, uint64(t))
		}
	}
	return model.Time(max(unit, 1))
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

// exactChild is one way to continue from a node.
type exactChild struct {
	start model.Time
	bound int64
	task  int32
}

// search explores the node's subtree; false if a limit ended it.
func (s *exactSearch) search(n *exactNode) bool {
	if s.nodes++; s.nodes%exactReport == 0 {
		s.opt.Report(s.nodes, s.limit)
	}
	if s.nodes > s.limit || s.ctx.Err() != nil {
		return false
	}
	if len(s.order) == s.in.Tasks {
		if n.paid < s.best {
			s.best = n.paid
			s.found = slices.Clone(s.order)
			s.opt.Watch.Incumbent(s.worth(s.best))
		}
		return true
	}
	next := s.below()
	for _, c := range s.children(n, next) {
		if c.bound >= s.best {
			break
		}
		s.append(n, next, c.task, c.start)
		if s.memo != nil && s.memo.dominated(next) {
			continue
		}
		s.order = append(s.order, c.task)
		ok := s.search(next)
		s.order = s.order[:len(s.order)-1]
		if !ok {
			return false
		}
	}
	return true
}

// children lists the tasks to append, the lowest bound first.
func (s *exactSearch) children(n, next *exactNode) []exactChild {
	in := s.in
	// gap is a time by which some task could begin and end on the machine that idles first.
	gap := model.Time(math.MaxInt64)
	for u := range int32(in.Tasks) {
		if n.waiting[u] == 0 {
			gap = min(gap, max(n.ready[u], n.idle[0])+max(1, in.Processing[u]))
		}
	}
	var children []exactChild
	for u := range int32(in.Tasks) {
		if n.waiting[u] != 0 || s.twin[u] != model.None && n.waiting[s.twin[u]] >= 0 {
			continue
		}
		start := max(n.ready[u], n.idle[0])
		if start < n.last || start >= gap {
			continue
		}
		s.append(n, next, u, start)
		if b := s.bound.of(next); b < s.best {
			children = append(children, exactChild{start, b, u})
		}
	}
	slices.SortStableFunc(children, func(a, b exactChild) int { return cmp.Compare(a.bound, b.bound) })
	return children
}

// below is the node for one more task than are placed now.
func (s *exactSearch) below() *exactNode {
	depth := len(s.order) + 1
	if depth == len(s.way) {
		s.way = append(s.way, &exactNode{})
	}
	return s.way[depth]
}

// append makes next the node after task u is started from n.
func (s *exactSearch) append(n, next *exactNode, u int32, start model.Time) {
	in := s.in
	next.idle, next.ready = append(next.idle[:0], n.idle...), append(next.ready[:0], n.ready...)
	next.waiting, next.ended = append(next.waiting[:0], n.waiting...), append(next.ended[:0], n.ended...)
	next.left = append(next.left[:0], n.left...)
	next.est, next.done = append(next.est[:0], n.est...), append(next.done[:0], n.done...)
	next.last, next.starts, next.paid = start, n.starts+s.count[u]*int64(start/s.unit), n.paid
	next.placed = n.placed | 1<<(u&63)
	end := start + in.Processing[u]
	k := 0
	for k+1 < len(next.idle) && next.idle[k+1] < end {
		next.idle[k] = next.idle[k+1]
		k++
	}
	next.idle[k] = end
	next.waiting[u] = -1
	s.settle(next, u, end)
	g := s.group[u]
	next.ended[g] = max(next.ended[g], end)
	if next.left[g]--; next.left[g] == 0 {
		next.paid += s.weight[g] * int64(next.ended[g])
	}
	s.foresee(next)
}

// settle releases u's successors; barriers pass this on at once.
func (s *exactSearch) settle(n *exactNode, u int32, end model.Time) {
	in := s.in
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v := in.SuccNode[a]
		n.ready[v] = max(n.ready[v], end+in.SuccDelay[a])
		n.waiting[v]--
		if n.waiting[v] == 0 && v >= int32(in.Tasks) {
			n.waiting[v] = -1
			s.settle(n, v, n.ready[v])
		}
	}
}

// foresee derives the earliest starts and completions under the placed tasks: no task starts before both the next idle
// machine and the last start.
func (s *exactSearch) foresee(n *exactNode) {
	in := s.in
	floor := max(n.idle[0], n.last)
	copy(n.est, n.ready)
	copy(n.done, n.ended)
	for _, u := range in.Topo {
		if n.waiting[u] < 0 {
			continue
		}
		if u < int32(in.Tasks) {
			n.est[u] = max(n.est[u], floor)
			g := s.group[u]
			n.done[g] = max(n.done[g], n.est[u]+in.Processing[u]+s.tail[u])
		}
		end := n.est[u] + in.Processing[u]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			n.est[in.SuccNode[a]] = max(n.est[in.SuccNode[a]], end+in.SuccDelay[a])
		}
	}
}
