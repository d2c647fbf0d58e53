package msjo

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
)

const (
	// exactTasks is the number of tasks up to which exact is part of `-a all`.
	exactTasks = 18
	// exactNodes is the number of nodes of the search tree per iteration.
	exactNodes = 2000
	// exactStart is the share of the remaining time for the search for a first schedule.
	exactStart = 0.25
	// phaseProof is the phase of branch and bound in progress messages.
	phaseProof = "branch and bound"
)

// solveExactly proves a schedule optimal by branch and bound, starting from the best one of a short search.
//
// Complexity: exponential; see exactSearch.   Source: mrsched.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	short := opt
	short.Iterations = min(opt.Iterations, solver.DefaultIterations)
	part, end := bound.Within(ctx, exactStart)
	m, err := solveBest(part, r, short)
	end()
	if err != nil {
		return nil, err
	}
	ctx, end = opt.Phase(ctx, phaseProof, 1)
	defer end()
	limit := exactNodes * min(opt.Iterations, 1<<40)
	order, nodes, proven, why := solveExact(ctx, r.in, byStartTime(r, m.schedule), limit, opt)
	m.schedule = graph(r.in).InOrder(order, r.in.Nodes)
	m.facts.Nodes, m.why = &nodes, why
	m.status = model.StatusLimit
	if proven {
		m.status = model.StatusOptimal
	}
	return m, nil
}

// Optimal reports whether branch and bound of at most so many nodes proves that no schedule is cheaper than s. If s is
// optimal, this takes no more nodes than the search that found it. It cuts wherever that search did, by the same rule
// or because bounds neither fall along the tree nor are higher at a dominating node (see exactBound).
func (r *run) Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	order, _, proven, _ := solveExact(ctx, r.in, byStartTime(r, s), nodes, solver.Options{})
	if !proven {
		return false, ctx.Err()
	}
	best := graph(r.in).InOrder(order, r.in.Nodes)
	return r.in.Evaluate(s).Value.Cmp(r.in.Evaluate(best).Value) <= 0, nil
}

// byStartTime lists the tasks by their starts. Ties: predecessors first, then tasks of length 0 (see
// list.Graph.InOrder), then the lower index.
func byStartTime(r *run, s *model.Schedule) []int32 {
	key := make([]int64, r.in.Tasks)
	for _, e := range s.Entries {
		key[e.Task] = 2 * int64(e.Start)
		if e.End > e.Start {
			key[e.Task]++
		}
	}
	return graph(r.in).Topological(key)
}

// exactSearch is depth-first branch and bound over orders of tasks.
//
// Among the optimal schedules take one with the least Φ = Σ c_u S_u, all c_u > 0. It is InOrder of its own order of
// start times (see list.Graph.InOrder); otherwise starts could fall. So a task is appended only if it starts no earlier
// than the last appended one. And no other task may be able to begin earlier and end before it starts on the first idle
// machine: moving that task there would lower Φ and delay nothing. Of identical tasks the lower index goes first.
//
// A node is cut when its bound (exactBound) is no less than the cost of the best known schedule, or when an explored
// node dominates it (exactMemo). Continuing from the dominating node with the same starts yields no larger (cost, Φ) in
// lexicographic order. So the search finds one of the schedules with the least pair. The argument may move it to an
// earlier node several times, but each time a longer part of the schedule has been explored. c_u is about p_u: on busy
// machines Σ p_u S_u hardly depends on the order, so Φ rarely prevents dominance.
//
// The objective counts groups of tasks: the jobs, or under the task objective the single tasks.
//
// Complexity: exponential; fifteen tasks take milliseconds to a second. Memory: at most some 100 MB.
type exactSearch struct {
	ctx     context.Context
	in      *shop.Instance
	opt     solver.Options // for its Watch
	limit   int
	nodes   int
	group   []int32      // by task
	tail    []model.Time // by task: from its end to its group's end, at least
	alone   []model.Time // by group: the earliest completion
	weight  []uint64     // by group, divided by their greatest common divisor
	divisor float64      // that divisor, in millionths
	unit    model.Time   // greatest common divisor of all times
	twin    []int32      // by task: the next lower identical task, or −1
	best    model.Wide   // costs are weights times microseconds
	order   []int32      // the partial order
	found   []int32      // the best order
	way     []*exactNode // from the root, by the number of placed tasks; reused
	bound   *exactBound
	memo    *exactMemo // nil: too many tasks
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
	paid    model.Wide   // cost of the groups without tasks left
	starts  model.Wide   // Φ of the placed tasks
	last    model.Time   // start of the last task
	placed  uint64       // set of tasks
	// derived from the above:
	est  []model.Time // by node not yet placed: earliest start through its predecessors
	done []model.Time // by group: earliest completion on machines without limit
}

// solveExact finds an optimal order, starting from a known one, and counts the nodes, of which the root is one. proven
// is false if the limit of nodes or ctx ended the search; then the order is the best found. why says why numbers are
// too large for a search; empty: it was made.
func solveExact(ctx context.Context, in *shop.Instance, start []int32, limit int, opt solver.Options) (order []int32,
	nodes int, proven bool, why string) {
	s := &exactSearch{ctx: ctx, in: in, limit: limit, found: slices.Clone(start), opt: opt}
	if why := s.scale(s.groups()); why != "" {
		return s.found, 0, false, why
	}
	done := make([]model.Time, len(s.alone))
	for _, e := range graph(in).InOrder(start, in.Nodes).Entries {
		done[s.group[e.Task]] = max(done[s.group[e.Task]], e.End)
	}
	for g, c := range done {
		s.best = s.best.Plus(s.cost(int32(g), c))
	}
	s.twins()
	s.bound = newExactBound(s)
	if in.Tasks <= memoTasks {
		s.memo = newExactMemo(s)
	}
	root := s.root()
	s.way = []*exactNode{root}
	least := s.bound.of(root)
	opt.Watch.Bound(min(s.worth(least), s.worth(s.best))*(1-floatError), phaseProof)
	if !least.Less(s.best) {
		return s.found, 1, true, ""
	}
	if proven = s.search(root); proven {
		opt.Watch.Bound(s.worth(s.best)*(1-floatError), phaseProof)
	}
	return s.found, s.nodes, proven, ""
}

// cost is what a group costs that completes at t.
func (s *exactSearch) cost(g int32, t model.Time) model.Wide {
	return model.Product(s.weight[g], uint64(t))
}

// worth converts a cost of the search to weight × seconds.
func (s *exactSearch) worth(cost model.Wide) float64 {
	return cost.Float() * s.divisor / float64(model.UnitWeight) / float64(model.Second)
}

// exactChild is one way to extend a node.
type exactChild struct {
	start model.Time
	bound model.Wide
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
		if n.paid.Less(s.best) {
			s.best = n.paid
			s.found = slices.Clone(s.order)
			s.opt.Watch.Incumbent(s.worth(s.best), phaseProof)
		}
		return true
	}
	next := s.below()
	for _, c := range s.children(n, next) {
		if !c.bound.Less(s.best) {
			break
		}
		s.append(n, next, c.task, c.start)
		if s.memo != nil && s.memo.dominated(next) {
			continue
		}
		s.order = append(s.order, c.task)
		if !s.search(next) {
			return false
		}
		s.order = s.order[:len(s.order)-1]
	}
	return true
}

// children lists the tasks to append, the lowest bound first.
func (s *exactSearch) children(n, next *exactNode) []exactChild {
	in := s.in
	// gap is a time by which some task could begin and end on the first idle machine.
	gap := model.Time(math.MaxInt64)
	for u := range int32(in.Tasks) {
		if n.waiting[u] == 0 {
			gap = min(gap, max(n.ready[u], n.idle[0])+max(1, in.Least[u]))
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
		if b := s.bound.of(next); b.Less(s.best) {
			children = append(children, exactChild{start, b, u})
		}
	}
	slices.SortStableFunc(children, func(a, b exactChild) int { return a.bound.Compare(b.bound) })
	return children
}

// below is the node for one more placed task.
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
	next.last, next.paid = start, n.paid
	next.starts = n.starts.Plus(model.Product(uint64(max(s.unit, in.Least[u])), uint64(start)))
	next.placed = n.placed | 1<<(u&63)
	end := start + in.Least[u]
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
		next.paid = next.paid.Plus(s.cost(g, next.ended[g]))
	}
	s.foresee(next)
}

// settle releases u's successors; barriers pass this on at once.
func (s *exactSearch) settle(n *exactNode, u int32, end model.Time) {
	in := s.in
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		v := in.SuccStep[a]
		n.ready[v] = max(n.ready[v], end+in.SuccDelay[a])
		n.waiting[v]--
		if n.waiting[v] == 0 && v >= int32(in.Tasks) {
			n.waiting[v] = -1
			s.settle(n, v, n.ready[v])
		}
	}
}

// foresee derives the earliest starts of the unplaced tasks, and from them the earliest completions. No unplaced task
// starts before the first machine becomes idle, or before the last start so far.
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
			n.done[g] = max(n.done[g], n.est[u]+in.Least[u]+s.tail[u])
		}
		end := n.est[u] + in.Least[u]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			n.est[in.SuccStep[a]] = max(n.est[in.SuccStep[a]], end+in.SuccDelay[a])
		}
	}
}
