package msjo

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// The rules order tasks without an LP. Each rule returns a list of all tasks, from which inOrder, known or neverIdle
// makes a schedule. None has a guarantee; each takes O(N log N).
//
//	huwf       known      highest unit weight w_j/Σp of the job   ties: lower job, predecessors, lower task
//	hjwf       known      highest weight of the job               ties: as huwf
//	htwf       inOrder    highest weight of the task              ties: lower task
//	stf        neverIdle  shortest task                           ties: lower task
//	htwf-list  neverIdle  as htwf
//	wspt-list  neverIdle  as huwf, which is Smith's rule on jobs
//	fifo       neverIdle  job released first                      ties: as huwf
//
// Source: Ling et al. 2016, §5.1.3, fifo §1; htwf-list and wspt-list are mrsched's own. Differs: all tasks of the paper
// have weights; here a task without one has the weight of its job.
type rule func(r *run, opt solver.Options) []int32

// inOrder takes the tasks in a topological order, each on the machine that idles first, as early as possible. That
// machine stays idle until the task is ready.
func inOrder(order rule) solve {
	return func(_ context.Context, r *run, opt solver.Options) (*made, error) {
		return &made{schedule: graph(r.in).InOrder(order(r, opt), r.in.Nodes)}, nil
	}
}

// known is inOrder under --ties and --plan.
func known(order rule) solve {
	return func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
		switch list := order(r, opt); {
		case r.p.plan == "batches":
			return r.inBatches(ctx, func(_ context.Context, o *online, now model.Time) ([]int32, bool, error) {
				return slices.DeleteFunc(slices.Clone(list), func(u int32) bool { return !o.left(u, now) }), true, nil
			}, opt)
		case r.p.ties == "fit":
			return &made{schedule: graph(r.in).InOrderFit(list, r.in.Nodes)}, nil
		default:
			return &made{schedule: graph(r.in).InOrder(list, r.in.Nodes)}, nil
		}
	}
}

// neverIdle starts, whenever a machine is free, the first task of an order that is available: released, and its
// predecessors' ends and delays have passed.
func neverIdle(order rule) solve {
	return func(_ context.Context, r *run, opt solver.Options) (*made, error) {
		return &made{schedule: graph(r.in).NeverIdle(ranks(order(r, opt)), r.in.Nodes)}, nil
	}
}

func shortest(r *run, opt solver.Options) []int32 {
	expected := r.planner(opt).in.Least
	return model.Ordered(r.in.Tasks, func(a, b int32) int { return cmp.Compare(expected[a], expected[b]) })
}

func heaviest(r *run, _ solver.Options) []int32 {
	return model.Ordered(r.in.Tasks, func(a, b int32) int { return cmp.Compare(r.in.TaskWeight[b], r.in.TaskWeight[a]) })
}

// heaviestReady orders tasks as heaviest does, subject to precedence.
func heaviestReady(r *run, opt solver.Options) []int32 {
	return topological(r.in, ranks(heaviest(r, opt)), model.Indices(r.in.Tasks))
}

func heaviestJob(r *run, _ solver.Options) []int32 {
	jobs := model.Ordered(r.in.Jobs, func(a, b int32) int { return cmp.Compare(r.in.Weight[b], r.in.Weight[a]) })
	return topological(r.in, ranks(jobs), r.in.Job)
}

func firstJob(r *run, _ solver.Options) []int32 {
	w := r.in.Workload()
	jobs := model.Ordered(r.in.Jobs, func(a, b int32) int { return cmp.Compare(w.Jobs[a].Release, w.Jobs[b].Release) })
	return topological(r.in, ranks(jobs), r.in.Job)
}

// dearestJob orders jobs by unit weight, compared exactly. Jobs without work come first.
func dearestJob(r *run, opt solver.Options) []int32 {
	in := r.planner(opt).in
	work := make([]uint64, in.Jobs)
	for u, p := range in.Least {
		work[in.Job[u]] += uint64(p)
	}
	jobs := model.Ordered(in.Jobs, func(a, b int32) int {
		if work[a] == 0 || work[b] == 0 {
			return cmp.Compare(min(work[a], 1), min(work[b], 1))
		}
		h1, l1 := bits.Mul64(uint64(in.Weight[a]), work[b])
		h2, l2 := bits.Mul64(uint64(in.Weight[b]), work[a])
		return cmp.Or(cmp.Compare(h2, h1), cmp.Compare(l2, l1))
	})
	return topological(r.in, ranks(jobs), r.in.Job)
}

// topological lists the tasks by rank[of[task]], predecessors first. Ties: the lower task.
func topological(in *shop.Instance, rank, of []int32) []int32 {
	key := make([]int64, in.Tasks)
	for u := range key {
		key[u] = int64(rank[of[u]])
	}
	return graph(in).Topological(key)
}

// balanced assigns the longest task first, to the machine with the least processing time. Ties: the lower index, of
// tasks and of machines.
func balanced(in *shop.Instance, m int) []int32 {
	tasks := model.Ordered(in.Tasks, func(a, b int32) int { return cmp.Compare(in.Least[b], in.Least[a]) })
	// In this order, without arcs or releases, the machine that idles first has the least processing time.
	independent := graph(in)
	independent.Earliest, independent.Preds = make([]model.Time, in.Tasks), make([]int32, in.Tasks)
	independent.SuccFirst, independent.SuccStep, independent.SuccDelay = make([]int32, in.Tasks+1), nil, nil
	machine := make([]int32, in.Tasks)
	for u, e := range independent.InOrder(tasks, m).Entries {
		machine[u] = e.Machine
	}
	return machine
}
