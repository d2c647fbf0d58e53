package msjo

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
)

const (
	// exactTasks is the number of tasks up to which exact is part of `-a all`.
	exactTasks = 18
	// exactNodes is how many nodes of the search tree one iteration stands for.
	exactNodes = 2000
	// exactStart is the share of the time left that the search for a schedule to begin with may take.
	exactStart = 0.25
	// phaseProof is the phase in which exact tries everything.
	phaseProof = "branch and bound"
)

// solveExactly proves a schedule optimal by branch and bound, from the best one that a short search finds.
//
// Complexity: exponential; see exactSearch.   Source: ours.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	short := opt
	short.Iterations = min(opt.Iterations, solver.DefaultIterations)
	part, end := within(ctx, exactStart)
	m, err := solveBest(part, r, short)
	end()
	if err != nil {
		return nil, err
	}
	ctx, end = opt.Phase(ctx, phaseProof, 1)
	defer end()
	limit := exactNodes * min(opt.Iterations, unlimited/exactNodes)
	order, nodes, proven := solveExact(ctx, r.in, byStartTime(r, m.schedule), limit, opt)
	m.schedule = graph(r.in).InOrder(order, r.in.Machines)
	m.facts.Nodes = &nodes
	m.status = model.StatusLimit
	if proven {
		m.status = model.StatusOptimal
	}
	return m, nil
}

// Optimal says whether branch and bound of at most so many nodes shows that nothing is cheaper than a schedule. Begun
// with an optimal schedule it needs no more nodes than the search that found it: it cuts wherever that one did, either
// by the same means or because bounds neither fall along the tree nor are higher at a dominating node (see exactBound).
func (r *run) Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	order, _, proven := solveExact(ctx, r.in, byStartTime(r, s), nodes, solver.Options{})
	if !proven {
		return false, ctx.Err()
	}
	best := graph(r.in).InOrder(order, r.in.Machines)
	return r.in.Evaluate(s).Value.Cmp(r.in.Evaluate(best).Value) <= 0, nil
}

// byStartTime lists the tasks by their starts. Ties: predecessors first, then tasks of no length (see
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
