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
func solveSTF(_ context.Context, r *run, opt solver.Options) (*made, error) {
	believed := r.planner(opt).in.Processing
	tasks := everyTask(r.in)
	slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(believed[a], believed[b]) })
	return neverIdle(r, tasks)
}

// solveHTWF is solveHJWF with the weights of the tasks in place of their jobs': among the tasks whose predecessors are
// all scheduled it takes the heaviest, and puts it on the machine that idles first, as early as possible. That machine
// stays idle until the task is ready. A task without a weight of its own weighs as much as its job.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower task index.
// Source: Ling et al. 2016, §5.1.3 (HTWF).   Differs: the paper's tasks all have weights.
func solveHTWF(_ context.Context, r *run, _ solver.Options) (*made, error) {
	rank := ranks(byTaskWeight(r.in))
	key := make([]int64, r.in.Nodes)
	for u, k := range rank {
		key[u] = int64(k)
	}
	return inOrder(r, graph(r.in).Topological(key))
}

// solveHTWFList starts, whenever a machine is idle, the heaviest available task: HTWF that never idles.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower task index.   Source: ours.
func solveHTWFList(_ context.Context, r *run, _ solver.Options) (*made, error) {
	return neverIdle(r, byTaskWeight(r.in))
}

// byTaskWeight lists the tasks by falling weight; ties: the lower index.
func byTaskWeight(in *msjo.Instance) []int32 {
	tasks := everyTask(in)
	slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(in.TaskWeight[b], in.TaskWeight[a]) })
	return tasks
}

func everyTask(in *msjo.Instance) []int32 {
	tasks := make([]int32, in.Tasks)
	for u := range tasks {
		tasks[u] = int32(u)
	}
	return tasks
}
