package shop

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

const (
	// exactTasks is the number of tasks up to which exact is part of `-a all`.
	exactTasks = 12
	// exactNodes is how many nodes of the search tree one iteration counts.
	exactNodes = 5000
	// exactStart is the share of the remaining time that the search for a first schedule may take.
	exactStart = 0.25
	// phaseTree and phaseEngine are the phases in which exact tries everything.
	phaseTree, phaseEngine = "branch and bound", "learned clauses"
	// unlimited is more nodes than any search visits.
	unlimited = 1 << 40
)

// solveExactly proves a schedule optimal, from the best one that a short search finds: by clauses (see engine), or,
// where that is sooner, by branch and bound, which finds one with the least Σ w_j C_j among optimal schedules.
//
// Complexity: exponential; see tree.   Source: mrsched.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	short := opt
	short.Iterations = min(opt.Iterations, solver.DefaultIterations)
	part, end := opt.Phase(ctx, solver.PhaseStart, exactStart)
	m, err := solveBest(part, r, short)
	end()
	if err != nil {
		return nil, err
	}
	if r.engine == nil {
		r.engine = newEngine(r.in, m.schedule, r.leastValue(), opt.Watch)
	}
	if r.engine != nil && !treeBetter(r.in) {
		ctx, end = opt.Phase(ctx, phaseEngine, 1)
		defer end()
		if m.schedule != nil && (r.engine.best == nil || cheaper(r.in, m.schedule, r.engine.best)) {
			r.engine.best = m.schedule
		}
		return solveByEngine(ctx, r.engine, opt)
	}
	ctx, end = opt.Phase(ctx, phaseTree, 1)
	defer end()
	s := newTree(r.in, m.schedule, exactNodes*min(opt.Iterations, unlimited/exactNodes))
	s.run(ctx)
	m.facts, m.schedule, m.status = Facts{Nodes: &s.nodes}, s.best, model.StatusLimit
	switch {
	case s.proven && m.schedule == nil:
		m.why = "no schedule: everything was tried, and tasks are left when the nodes for them have left for good"
	case s.proven:
		m.status = model.StatusOptimal
	}
	return m, nil
}

// treeBetter says whether branch and bound tries everything sooner than the engine: few tasks, and sums of completions.
// Where tasks may start at any microsecond, a search that learns about starts refutes them one by one.
func treeBetter(in *shop.Instance) bool {
	return in.Objective != shop.Makespan && in.Objective != shop.Late && in.Tasks <= exactTasks
}

// optimal reports whether branch and bound with at most this many nodes proves that no schedule costs less.
func (r *run) optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	x := newTree(r.in, s, nodes)
	x.run(ctx)
	if !x.proven {
		return false, ctx.Err()
	}
	return r.in.Evaluate(s).Value.Cmp(r.in.Evaluate(x.best).Value) <= 0, nil
}

// tree is depth-first branch and bound over the order in which tasks start, and their nodes.
//
// Take an optimal schedule with the least sum of starts. On its nodes, no task could start earlier while all others
// stay. List its tasks by start, ties: predecessors first. Then each starts at the first time, from the latest start so
// far on, at which it and its node are ready given the tasks listed before it: if there were an earlier time, it would
// be free given the later tasks, too, because they start no earlier than the task did and so take no room before that.
// So it is enough to append tasks in the order of their starts, ties in that of the steps, each on any node that may
// run it, as early as there is room. Of equal nodes that are empty and never unavailable, it tries one.
//
// A branch is cut if its price is not below that of the best schedule, even if every remaining task runs as early and
// as fast as its predecessors and the latest start so far allow.
type tree struct {
	in      *shop.Instance
	b       *board
	order   []int32 // by step: position in Topo
	tasks   []int32 // that are not fixed
	best    *model.Schedule
	cost    price
	nodes   int
	limit   int
	proven  bool
	busy    []int        // by node: tasks on it, unavailable times and fixed tasks
	ends    []model.Time // by step
	done    []model.Time // by job
	waiting [][]int32    // by depth and step: predecessors that are not placed, barriers counted when they are passed
	ready   [][]model.Time
	alike   bool // nodes of a class differ only in their calendars
}

func newTree(in *shop.Instance, start *model.Schedule, limit int) *tree {
	s := &tree{in: in, b: newBoard(in), order: positions(in.Topo), best: start, limit: limit,
		busy: make([]int, in.Nodes), done: make([]model.Time, in.Jobs)}
	if start != nil {
		s.cost = priceOf(in, in.Completions(start))
	}
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			s.busy[in.FixedNode(u)]++
		} else {
			s.tasks = append(s.tasks, u)
		}
	}
	for i := range in.Nodes {
		s.busy[i] += int(in.AwayFirst[i+1] - in.AwayFirst[i])
	}
	s.ends, s.alike = make([]model.Time, in.Steps), in.Sets() == 0
	for range len(s.tasks) + 1 {
		s.waiting = append(s.waiting, slices.Clone(in.Preds))
		s.ready = append(s.ready, slices.Clone(in.Earliest))
	}
	for u := range int32(in.Tasks) {
		s.alike = s.alike && !in.Reads(u)
		if in.Fixed(u) {
			s.b.pass(u, s.b.end[u], s.ready[0], s.waiting[0])
		}
	}
	return s
}

// run searches until everything is tried, the nodes are used up or ctx ends.
func (s *tree) run(ctx context.Context) {
	s.proven = true
	s.extend(ctx, 0, 0, -1)
}

// extend appends every task that may come next. last is the latest start so far, after the position of its task.
func (s *tree) extend(ctx context.Context, depth int, last model.Time, after int32) {
	if s.nodes++; s.nodes > s.limit || s.nodes%1024 == 0 && ctx.Err() != nil {
		s.proven = false
		return
	}
	if p := s.bound(last); s.best != nil && !p.less(s.cost) {
		return
	}
	if depth == len(s.tasks) {
		s.best = s.b.schedule()
		s.cost = priceOf(s.in, s.in.Completions(s.best))
		return
	}
	for _, u := range s.tasks {
		if s.b.node[u] != model.None || s.waiting[depth][u] > 0 {
			continue
		}
		tried := make(map[int32]bool) // stands of which an untouched node was tried
		for i := range int32(s.in.Nodes) {
			if !s.in.Runs(u, i) {
				continue
			}
			if s.alike && s.busy[i] == 0 {
				if tried[s.in.Stand[i]] {
					continue
				}
				tried[s.in.Stand[i]] = true
			}
			if s.append(ctx, depth, u, i, last, after); !s.proven {
				return
			}
		}
	}
}

// append puts task u on node i, searches on, and takes it off.
func (s *tree) append(ctx context.Context, depth int, u, i int32, last model.Time, after int32) {
	length := s.in.Length(u, i)
	start := max(last, s.ready[depth][u])
	if length > 0 {
		start = s.b.earliest(u, i, start, length, shop.Never-length)
	}
	if start >= shop.Never || start == last && s.order[u] < after {
		return
	}
	s.b.place(u, i, start)
	s.busy[i]++
	copy(s.waiting[depth+1], s.waiting[depth])
	copy(s.ready[depth+1], s.ready[depth])
	s.b.pass(u, s.b.end[u], s.ready[depth+1], s.waiting[depth+1])
	s.extend(ctx, depth+1, start, s.order[u])
	s.busy[i]--
	s.b.remove(u)
}

// bound is the price if every remaining task runs as early and as fast as its predecessors and the latest start so far
// allow.
func (s *tree) bound(last model.Time) price {
	in, ends := s.in, s.ends // first when a step is ready, then when it ends
	copy(ends, in.Earliest)
	clear(s.done)
	for _, u := range in.Topo {
		if int(u) < in.Tasks {
			if s.b.node[u] != model.None {
				ends[u] = s.b.end[u]
			} else {
				ends[u] = max(ends[u], last) + in.Least[u]
			}
			s.done[in.Job[u]] = max(s.done[in.Job[u]], ends[u])
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			ends[v] = max(ends[v], ends[u]+in.SuccDelay[a])
		}
	}
	return priceOf(in, s.done)
}
