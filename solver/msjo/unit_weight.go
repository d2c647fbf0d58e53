package msjo

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"mrsched/model/msjo"
	"mrsched/solver"
)

// solveHUWF takes, among the tasks whose predecessors are all scheduled, one of the job with the highest unit
// weight w_j/Σp, and puts it on the machine that idles first, as early as possible: a topological order with that
// key, placed by list.Graph.InOrder. A machine stays idle until a task that it was given is ready.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower job, then the lower task index.
// Source: Ling et al. 2016, §5.1.3 (HUWF).
func solveHUWF(_ context.Context, r *run, opt solver.Options) (*made, error) {
	return inOrder(r, orderByJob(r.in, byUnitWeight(r.planner(opt).in)))
}

// solveHJWF is solveHUWF with the weight of the job in place of the unit weight.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower job, then the lower task index.
// Source: Ling et al. 2016, §5.1.3 (HJWF).
func solveHJWF(_ context.Context, r *run, _ solver.Options) (*made, error) {
	return inOrder(r, orderByJob(r.in, orderByWeight(r.in)))
}

// orderByWeight lists the jobs by falling weight; ties: the lower index.
func orderByWeight(in *msjo.Instance) []int32 {
	jobs := everyJob(in)
	slices.SortStableFunc(jobs, func(a, b int32) int { return cmp.Compare(in.Weight[b], in.Weight[a]) })
	return jobs
}

// inOrder is the schedule that takes the tasks in a topological order, each to the machine that idles first.
func inOrder(r *run, order []int32) (*made, error) {
	return &made{schedule: graph(r.in).InOrder(order, r.in.Machines)}, nil
}

// neverIdle is the schedule that starts, whenever a machine is free, the first available task of an order.
func neverIdle(r *run, order []int32) (*made, error) {
	return &made{schedule: graph(r.in).NeverIdle(ranks(order), r.in.Machines)}, nil
}

// orderByJob lists the tasks in the order of their jobs, predecessors first.
func orderByJob(in *msjo.Instance, jobs []int32) []int32 {
	rank := ranks(jobs)
	key := make([]int64, in.Nodes)
	for u := range key {
		key[u] = int64(rank[in.Job[u]])
	}
	return graph(in).Topological(key)
}

// byUnitWeight lists the jobs by falling w_j/Σp, compared exactly; jobs without work first.
func byUnitWeight(in *msjo.Instance) []int32 {
	work := make([]uint64, in.Jobs)
	for u, p := range in.Processing {
		work[in.Job[u]] += uint64(p)
	}
	jobs := everyJob(in)
	slices.SortStableFunc(jobs, func(a, b int32) int {
		if work[a] == 0 || work[b] == 0 {
			return cmp.Compare(min(work[a], 1), min(work[b], 1))
		}
		h1, l1 := bits.Mul64(uint64(in.Weight[a]), work[b])
		h2, l2 := bits.Mul64(uint64(in.Weight[b]), work[a])
		if h1 != h2 {
			return cmp.Compare(h2, h1)
		}
		return cmp.Compare(l2, l1)
	})
	return jobs
}

func everyJob(in *msjo.Instance) []int32 {
	jobs := make([]int32, in.Jobs)
	for j := range jobs {
		jobs[j] = int32(j)
	}
	return jobs
}
