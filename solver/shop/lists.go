package shop

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/list"
)

// graph is the instance as the list schedulers see it; fixed tasks are part of it.
func graph(in *shop.Instance) *list.Graph {
	return &list.Graph{Tasks: in.Tasks, Processing: in.Least, Earliest: in.Earliest, SuccFirst: in.SuccFirst,
		SuccStep: in.SuccStep, SuccDelay: in.SuccDelay, Preds: in.Preds}
}

// free lists the tasks of an order that are not fixed.
func free(in *shop.Instance, order []int32) []int32 {
	return slices.DeleteFunc(order, func(u int32) bool { return in.Fixed(u) })
}

// byKey lists the tasks by key as far as precedence allows, without fixed ones. Ties: the lower task.
func byKey(in *shop.Instance, key []float64) []int32 {
	order := model.Indices(in.Tasks)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(key[a], key[b]) })
	return topological(in, positions(order))
}

// topological lists the tasks by rank as far as precedence allows, without fixed ones.
func topological(in *shop.Instance, rank []int32) []int32 {
	ranks := make([]int64, in.Steps)
	for u, k := range rank {
		if ranks[u] = int64(k); in.Fixed(int32(u)) {
			ranks[u] = -1 // nothing waits for it to be placed
		}
	}
	return free(in, graph(in).Topological(ranks))
}

// inserted places the tasks of an order one after another, each where it ends first, gaps included.
func inserted(ctx context.Context, in *shop.Instance, order []int32, opt solver.Options) *model.Schedule {
	b := newBoard(in)
	if !b.insert(ctx, order, opt) {
		return nil
	}
	return b.schedule()
}

// heft places the tasks in the order of falling upward rank, each on the node where it ends first, in gaps where there
// are any. The rank of a task is its mean length over the nodes that may run it, plus the largest sum of delay and rank
// of a successor.
//
// Source: Topcuoglu et al., TPDS 2002.   Differs: nodes run as many tasks as fit; reading is part of the mean; ranks
// run through dependencies between jobs, too.   Ties: the lower task, the lower node.   Complexity: O(N · nodes · tasks
// of a node).
func heft(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	key := make([]float64, r.in.Tasks)
	for u, rank := range upwardRanks(r.in)[:r.in.Tasks] {
		key[u] = -rank
	}
	return &made{schedule: inserted(ctx, r.in, byKey(r.in, key), opt)}, nil
}

// upwardRanks are heft's, by step, in microseconds.
func upwardRanks(in *shop.Instance) []float64 {
	rank := make([]float64, in.Steps)
	for k := len(in.Topo) - 1; k >= 0; k-- {
		u := in.Topo[k]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			rank[u] = max(rank[u], float64(in.SuccDelay[a])+rank[in.SuccStep[a]])
		}
		if int(u) < in.Tasks {
			rank[u] += meanLength(in, u)
		}
	}
	return rank
}

// meanLength is the mean length of a task over the nodes that may run it, as if none of them held its block.
func meanLength(in *shop.Instance, u int32) float64 {
	sum, count := 0.0, 0.0
	for k := range int32(in.Classes) {
		if n := float64(in.AllowedNodes(u, k)); n > 0 && in.Fits(u, k) {
			if p := in.RowLength(u, k, model.Remote); p >= 0 {
				sum, count = sum+n*float64(p), count+n
			}
		}
	}
	if count == 0 || in.Fixed(u) {
		return float64(in.Least[u])
	}
	return sum / count
}

// graphene places each job's troublesome tasks first, together with their predecessors, and the rest around them. Tasks
// are troublesome if their length or a demand is large, or if they lie between two troublesome ones. Jobs come in the
// order of price-list. It tries several thresholds and keeps the cheapest schedule.
//
// Source: Grandl et al., OSDI 2016, §4. Differs: one order of all tasks instead of a plan for each job that an online
// scheduler follows; predecessors of troublesome tasks are placed before them, not backwards from them; four thresholds
// instead of a search over all. Ties: as heft. Complexity: as heft.
func graphene(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	in := r.in
	base, ranks := midpoints(in), upwardRanks(in)
	var best *model.Schedule
	var cost price
	thresholds := []float64{0.25, 0.5, 0.75, 0.9}
	for k, threshold := range thresholds {
		opt.Report(k, len(thresholds))
		needed := troublesome(in, threshold)
		order := model.Indices(in.Tasks)
		slices.SortStableFunc(order, func(a, b int32) int {
			x, y := in.Job[a], in.Job[b]
			return cmp.Or(cmp.Compare(base.completion[x], base.completion[y]), cmp.Compare(x, y),
				-cmp.Compare(one(needed[a]), one(needed[b])), cmp.Compare(ranks[b], ranks[a]))
		})
		s := inserted(ctx, in, topological(in, positions(order)), solver.Options{})
		if s == nil {
			break
		}
		if p := priceOf(in, in.Completions(s)); best == nil || p.less(cost) {
			best, cost = s, p
		}
	}
	return &made{schedule: best}, nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// troublesome says which tasks are, or must end before one of their job that is. A task's score is the largest of its
// length over the longest one of its job, and of its demands over the capacities of the largest node. A task is
// troublesome if its score reaches the threshold.
func troublesome(in *shop.Instance, threshold float64) []bool {
	longest := make([]model.Time, in.Jobs)
	for u, p := range in.Least[:in.Tasks] {
		longest[in.Job[u]] = max(longest[in.Job[u]], p)
	}
	most := make([]int64, in.Resources)
	for k := range int32(in.Classes) {
		for r, c := range in.Capacities(k) {
			most[r] = max(most[r], c)
		}
	}
	needed := make([]bool, in.Steps)
	for u := range int32(in.Tasks) {
		score := 0.0
		if l := longest[in.Job[u]]; l > 0 {
			score = float64(in.Least[u]) / float64(l)
		}
		for r, d := range in.Demands(u) {
			if most[r] > 0 && most[r] != shop.Unlimited {
				score = max(score, float64(d)/float64(most[r]))
			}
		}
		needed[u] = score >= threshold
	}
	for k := len(in.Topo) - 1; k >= 0; k-- {
		u := in.Topo[k]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if v := in.SuccStep[a]; in.Job[v] == in.Job[u] {
				needed[u] = needed[u] || needed[v]
			}
		}
	}
	return needed[:in.Tasks]
}
