package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// bestPlan knows all true times and arrivals. It begins with the schedules of the policies. Then it places jobs in an
// order, each map and partition on the slot where it ends first, also in gaps; jobs that are given up come last. The
// first orders are by due date, latest start, release and work, each also with late jobs last, and those of the
// policies' schedules. Local search changes the best of them step by step (planSearch), in rounds that begin with the
// best so far.
//
// Guarantee: fewer misses than every policy, or as many with no more tardiness, unless a limit stops the policies.
// Complexity: O(tasks·slots) for an order; steps take a part of it.   Ties: the first slot, the first order.
// Source: mrsched.
func bestPlan(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	bound := r.lateBound()
	out, missed := r.plan(ctx, opt, bound, 1)
	switch {
	case missed <= bound:
		out.Status = model.StatusOptimal
	case ctx.Err() != nil:
		out.Status = model.StatusLimit
	}
	return out, nil
}

// plan is bestPlan in a share of what is left of a time limit.
func (r *run) plan(ctx context.Context, opt solver.Options, bound int, share float64) (*solver.Outcome, int) {
	out := &solver.Outcome{Status: model.StatusFeasible}
	least := cost{missed: r.in.Jobs + 1}
	plans := r.firstSchedules(ctx, opt, func(s *model.Schedule) bool { return r.costOf(s).missed <= bound })
	for _, s := range plans {
		if c := r.costOf(s); c.compare(least) < 0 {
			least, out.Schedule = c, s
		}
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, share)
	defer end()
	s := newPlanSearch(newPlanner(r.in), opt.Seed)
	s.watch = opt.Watch
	steps := 0
	if s.first(ctx, bound, plans); least.missed > bound {
		steps = s.run(ctx, opt, bound)
	}
	if s.least.compare(least) <= 0 {
		least, out.Schedule = s.least, s.schedule()
	}
	out.Facts = Facts{Iterations: &steps}
	return out, least.missed
}

// lateBound is how many jobs are proven to be late.
func (r *run) lateBound() int { return int(strongest(r.bounds).Num().Int64()) }

// first places the jobs in each of the first orders and remembers the best schedule. After ctx has ended it tries the
// first order only, which is often better than policies that were cut short.
func (s *planSearch) first(ctx context.Context, bound int, plans []*model.Schedule) {
	in := s.in
	all := make([]int32, in.Jobs)
	for j := range all {
		all[j] = int32(j)
	}
	by := func(key func(j int32) model.Time) []int32 {
		order := slices.Clone(all)
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
		return order
	}
	due := func(j int32) model.Time { return in.Due[j] }
	orders := [][]int32{by(due), by(func(j int32) model.Time { return in.Due[j] - s.path[j] }),
		by(func(j int32) model.Time { return in.Release[j] }),
		by(func(j int32) model.Time { return s.work[j] })}
	for _, p := range plans {
		orders = append(orders, lateLast(in, p, by))
	}
	for _, order := range orders {
		for _, admit := range []bool{true, false} {
			if s.least.missed <= bound || s.least.missed <= in.Jobs && ctx.Err() != nil {
				return
			}
			s.list(order, admit)
		}
	}
}

// lateLast is the order in which jobs end in a schedule, the late ones last.
func lateLast(in *realtime.Instance, p *model.Schedule, by func(key func(j int32) model.Time) []int32) []int32 {
	end := in.Ends(p).Job
	order := by(func(j int32) model.Time { return end[j] })
	slices.SortStableFunc(order, func(a, b int32) int {
		late := func(j int32) int {
			if end[j] > in.Due[j] {
				return 1
			}
			return 0
		}
		return cmp.Compare(late(a), late(b))
	})
	return order
}

// schedule is the best schedule, in the order of the tasks.
func (s *planSearch) schedule() *model.Schedule {
	out := &model.Schedule{}
	for j := range s.best {
		out.Entries = append(out.Entries, s.best[j].entries...)
	}
	slices.SortFunc(out.Entries, func(a, b model.Entry) int { return cmp.Compare(a.Task, b.Task) })
	return out
}
