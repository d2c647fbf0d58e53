package msjo

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model/msjo"
	"mrsched/solver"
)

// solveSTF starts, whenever a machine is idle, the shortest available task: one that has arrived and whose
// predecessors have ended, with their delays passed.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower task index.
// Source: Ling et al. 2016, §5.1.3 (STF).
func solveSTF(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	believed := r.planner(opt).in.Processing
	return solveByTask(ctx, r, "stf", func(a, b int32) int { return cmp.Compare(believed[a], believed[b]) }, opt)
}

// solveHTWF starts, whenever a machine is idle, the heaviest available task. A task without a weight of its
// own weighs as much as its job.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower task index.
// Source: Ling et al. 2016, §5.1.3 (HTWF).   Differs: the paper's tasks all have weights.
func solveHTWF(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	return solveByTask(ctx, r, "htwf", func(a, b int32) int { return cmp.Compare(r.in.TaskWeight[b], r.in.TaskWeight[a]) }, opt)
}

// solveByTask never idles and prefers the tasks that come first in an order.
func solveByTask(ctx context.Context, r *run, name string, order func(a, b int32) int, opt solver.Options) (*solver.Outcome, error) {
	tasks := everyTask(r.in)
	slices.SortStableFunc(tasks, order)
	return compared(ctx, r, name, graph(r.in).NeverIdle(ranks(tasks), r.in.Machines), opt)
}

func everyTask(in *msjo.Instance) []int32 {
	tasks := make([]int32, in.Tasks)
	for u := range tasks {
		tasks[u] = int32(u)
	}
	return tasks
}
