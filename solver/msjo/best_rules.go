package msjo

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// rule is a schedule of one of the simple algorithms, with its cost.
type rule struct {
	schedule *model.Schedule
	cost     *big.Rat
}

// bestRule is the cheapest schedule of mars, mars-list and the priority rules; ties: the first. After ctx ends it looks at no
// further one.
//
// Complexity: O(N log N).
func (r *run) bestRule(ctx context.Context, relax *relaxation) rule {
	in, g := r.in, graph(r.in)
	midpoints, units := r.midpointOrder(relax), orderByJob(in, byUnitWeight(in))
	heavy := everyJob(in)
	slices.SortStableFunc(heavy, func(a, b int32) int { return cmp.Compare(in.Weight[b], in.Weight[a]) })
	sorted := func(order func(a, b int32) int) []int32 {
		tasks := everyTask(in)
		slices.SortStableFunc(tasks, order)
		return ranks(tasks)
	}
	var best rule
	for _, make := range []func() *model.Schedule{
		func() *model.Schedule { return g.NeverIdle(ranks(midpoints), in.Machines) },
		func() *model.Schedule { return g.InOrder(midpoints, in.Machines) },
		func() *model.Schedule { return g.NeverIdle(ranks(units), in.Machines) },
		func() *model.Schedule { return g.InOrder(units, in.Machines) },
		func() *model.Schedule { return g.InOrder(orderByJob(in, heavy), in.Machines) },
		func() *model.Schedule {
			return g.NeverIdle(sorted(func(a, b int32) int { return cmp.Compare(in.Processing[a], in.Processing[b]) }), in.Machines)
		},
		func() *model.Schedule {
			return g.NeverIdle(sorted(func(a, b int32) int { return cmp.Compare(in.TaskWeight[b], in.TaskWeight[a]) }), in.Machines)
		},
	} {
		s := make()
		if cost := in.Evaluate(s).Value; best.cost == nil || cost.Cmp(best.cost) < 0 {
			best = rule{s, cost}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return best
}

// starts are the start times of a schedule, by task.
func starts(in *msjo.Instance, s *model.Schedule) []model.Time {
	list := make([]model.Time, in.Tasks)
	for _, e := range s.Entries {
		list[e.Task] = e.Start
	}
	return list
}

// offer lets every chain whose first schedule costs more begin with this one, justified.
func (s *search) offer(first *model.Schedule) {
	at, done := starts(s.in, first), s.in.Completions(first)
	for _, c := range s.chains {
		cost := 0.0
		for j, t := range done {
			cost += c.e.weight[j] * float64(t)
		}
		if cost >= c.best {
			continue
		}
		for u, t := range at {
			c.e.key[u] = int64(t)
		}
		c.e.neverIdle()
		if c.polish(math.Inf(1)) < c.best {
			c.adopt()
		}
	}
}
