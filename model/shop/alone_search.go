package shop

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// aloneSearch decides by depth-first search whether a job alone can end by a due time.
//
// It appends tasks in the order of their starts, each as early as possible. Take the schedules that end in time and
// have the least sum of starts. Among these, take the one whose start times are lexicographically least, in an order
// that puts better tasks first (see betters). The search may leave out all others:
//
//   - In that schedule no unplaced task could begin and end on the first idle machine before the appended task
//     starts: it would start earlier.
//   - No task is appended while a better one could start: an exchange would lower the start of the better one.
//
// The search also leaves out a node whose bound (see possible) shows that no schedule ends in time, and a node that is
// dominated by one explored without success (see aloneMemo).
type aloneSearch struct {
	*aloneJob
	byStart, byTail []int32   // tasks by rising latest start, and by falling tail
	better          [][]int32 // by task: better ones
	latest          []int64   // by task: the latest start
	limit, nodes    int
	ctx             context.Context
	way             []*aloneNode // by number of placed tasks; reused
	start           []int64      // by placed task
	memo            aloneMemo
	rest            []int32 // of possible: tasks by rising due time
	before          []int64 // by task: what machines can do before its due time
	sooner          []int64 // by task: what machines can do before its earliest start
}

// aloneNode is a partial schedule.
type aloneNode struct {
	idle    []int64 // by machine, sorted
	ready   []int64 // by task: ready time given the placed predecessors
	earlier []int64 // by task not yet placed: its earliest start
	waiting []int32 // by task: arcs from tasks not yet placed; −1: it is placed
	placed  taskSet
	left    int
	floor   int64 // no remaining task starts before this
}

func newAloneSearch(a *aloneJob) *aloneSearch {
	s := &aloneSearch{aloneJob: a, latest: make([]int64, a.n), start: make([]int64, a.n), before: make([]int64, a.n),
		sooner: make([]int64, a.n), better: make([][]int32, a.n)}
	for u := range int32(a.n) {
		s.byStart, s.byTail = append(s.byStart, u), append(s.byTail, u)
		for v := range int32(a.n) {
			if u != v && a.covers(v, u) && (v < u || !a.covers(u, v)) {
				s.better[u] = append(s.better[u], v)
			}
		}
	}
	slices.SortStableFunc(s.byStart, func(u, v int32) int { return cmp.Compare(a.tail[v]+a.p[v], a.tail[u]+a.p[u]) })
	slices.SortStableFunc(s.byTail, func(u, v int32) int { return cmp.Compare(a.tail[v], a.tail[u]) })
	return s
}

// covers reports whether every successor of v waits at least as long for u. u must be as long as v.
func (a *aloneJob) covers(u, v int32) bool {
	if a.p[u] != a.p[v] || a.tail[u] < a.tail[v] || len(a.succ[u]) < len(a.succ[v]) {
		return false
	}
	list := a.succ[u]
	for _, arc := range a.succ[v] {
		k, ok := slices.BinarySearchFunc(list, arc.task, func(b aloneArc, task int32) int {
			return cmp.Compare(b.task, task)
		})
		if !ok || list[k].delay < arc.delay {
			return false
		}
	}
	return true
}

// run searches at most this many nodes.
func (s *aloneSearch) run(ctx context.Context, due int64, limit int) Verdict {
	s.ctx, s.limit, s.nodes = ctx, limit, 0
	s.memo = newAloneMemo()
	defer func() { s.memo, s.way = aloneMemo{}, nil }()
	root := &aloneNode{idle: make([]int64, s.m), ready: slices.Clone(s.head), earlier: make([]int64, s.n),
		waiting: make([]int32, s.n), left: s.n}
	for u := range s.n {
		s.latest[u] = due - s.tail[u] - s.p[u]
		root.waiting[u] = int32(len(s.pred[u]))
	}
	s.way = []*aloneNode{root}
	if !s.possible(root) {
		s.nodes = 1
		return SearchRefuted
	}
	return s.search(root)
}

// lookEvery is how many nodes pass between looks at the context.
const lookEvery = 64

// search explores the node's subtree.
func (s *aloneSearch) search(n *aloneNode) Verdict {
	if s.nodes >= s.limit || s.nodes%lookEvery == 0 && s.ctx.Err() != nil {
		return SearchOpen
	}
	s.nodes++
	if n.left == 0 {
		return SearchFound
	}
	gap := int64(math.MaxInt64) // some task could begin and end by this time
	for u, w := range n.waiting {
		if w == 0 {
			gap = min(gap, max(n.ready[u], n.floor)+max(1, s.p[u]))
		}
	}
	next := s.below(n)
	for _, u := range s.byStart {
		begin := max(n.ready[u], n.floor)
		if n.waiting[u] != 0 || begin >= gap || begin > s.latest[u] || s.betterFirst(n, u, begin) {
			continue
		}
		s.place(n, next, u, begin)
		if !s.possible(next) || s.memo.dominated(next) {
			continue
		}
		if v := s.search(next); v != SearchRefuted {
			return v
		}
		s.memo.add(next)
	}
	return SearchRefuted
}

// betterFirst reports whether a task better than u could start at begin.
func (s *aloneSearch) betterFirst(n *aloneNode, u int32, begin int64) bool {
	for _, v := range s.better[u] {
		if n.waiting[v] == 0 && n.ready[v] <= begin {
			return true
		}
	}
	return false
}

// below is the node for one more placed task.
func (s *aloneSearch) below(n *aloneNode) *aloneNode {
	depth := s.n - n.left + 1
	if depth == len(s.way) {
		s.way = append(s.way, &aloneNode{earlier: make([]int64, s.n)})
	}
	return s.way[depth]
}

// place makes next the node after task u is started from n.
func (s *aloneSearch) place(n, next *aloneNode, u int32, begin int64) {
	next.idle, next.ready = append(next.idle[:0], n.idle...), append(next.ready[:0], n.ready...)
	next.waiting = append(next.waiting[:0], n.waiting...)
	next.placed, next.left = n.placed, n.left-1
	next.placed.add(u)
	s.start[u] = begin
	end := begin + s.p[u]
	k := 0
	for k+1 < len(next.idle) && next.idle[k+1] < end {
		next.idle[k] = next.idle[k+1]
		k++
	}
	next.idle[k] = end
	next.floor = max(begin, next.idle[0])
	next.waiting[u] = -1
	for _, arc := range s.succ[u] {
		next.ready[arc.task] = max(next.ready[arc.task], end+arc.delay)
		next.waiting[arc.task]--
	}
}

// possible reports whether the remaining tasks may end in time. Each must be able to start by its latest start. And for
// any times a and b, the machines must be able to do by b the work of the tasks that start from a on and are due by b.
func (s *aloneSearch) possible(n *aloneNode) bool {
	copy(n.earlier, n.ready)
	for u, w := range n.waiting {
		if w < 0 {
			continue
		}
		n.earlier[u] = max(n.earlier[u], n.floor)
		if n.earlier[u] > s.latest[u] {
			return false
		}
		end := n.earlier[u] + s.p[u]
		for _, arc := range s.succ[u] {
			n.earlier[arc.task] = max(n.earlier[arc.task], end+arc.delay)
		}
	}
	s.rest = s.rest[:0]
	for _, u := range s.byTail {
		if n.waiting[u] >= 0 {
			s.rest = append(s.rest, u)
			s.before[u] = n.capacity(s.latest[u] + s.p[u])
			s.sooner[u] = n.capacity(n.earlier[u])
		}
	}
	for i, x := range s.rest {
		if !s.fits(n, i, x) {
			return false
		}
	}
	return true
}

// fits reports whether the work of the tasks fits that start no earlier than the i-th of the rest.
func (s *aloneSearch) fits(n *aloneNode, i int, x int32) bool {
	from, lost := n.earlier[x], s.sooner[x]
	for _, y := range s.rest[:i] {
		if n.earlier[y] == from {
			return true // checked with y
		}
	}
	var work int64
	for _, u := range s.rest {
		if n.earlier[u] >= from {
			if work += s.p[u]; work > s.before[u]-lost {
				return false
			}
		}
	}
	return true
}

// capacity is how much work the machines can do before a time.
func (n *aloneNode) capacity(t int64) (sum int64) {
	for _, idle := range n.idle {
		if idle >= t {
			break
		}
		sum += t - idle
	}
	return sum
}
