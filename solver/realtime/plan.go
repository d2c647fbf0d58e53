package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// bestPlan knows all true times and arrivals. It begins with the schedules of the policies. Then it places jobs in an
// order, each map and partition on the slot where it ends first, also in gaps; abandoned jobs come last. The first
// orders are by due date, latest start, release and work, and those of the policies' schedules, each also with late
// jobs last. Local search (planSearch) improves the best order, in rounds that begin with the best so far.
//
// Guarantee: fewer misses than every policy, or as many with no more tardiness, unless a limit stops the policies.
// Complexity: O(tasks·slots) for an order; steps take a part of it.   Ties: the first slot, the first order.
// Source: mrsched.
func bestPlan(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	bound := r.lateBound()
	out, missed, err := r.plan(ctx, opt, bound, 1)
	switch {
	case err != nil:
		return nil, err
	case missed <= bound:
		out.Status = model.StatusOptimal
	case ctx.Err() != nil:
		out.Status = model.StatusLimit
	}
	return out, nil
}

// plan is bestPlan in a share of the remaining time limit.
func (r *run) plan(ctx context.Context, opt solver.Options, bound int, share float64) (*solver.Outcome, int, error) {
	out := &solver.Outcome{Status: model.StatusFeasible}
	least := cost{missed: r.in.Jobs + 1}
	plans, err := r.firstSchedules(ctx, opt, func(s *model.Schedule) bool { return r.costOf(s).missed <= bound })
	if err != nil {
		return nil, 0, err
	}
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
	return out, least.missed, nil
}

// lateBound is how many jobs are proven to be late.
func (r *run) lateBound() int {
	if len(r.bounds) == 0 {
		return 0
	}
	return int(r.bounds[0].Value().Num().Int64())
}

// first places the jobs in each of the first orders and remembers the best schedule. After ctx has ended it tries the
// first order only, which is often better than policies that were cut short.
func (s *planSearch) first(ctx context.Context, bound int, plans []*model.Schedule) {
	in := s.in
	by := func(key func(j int32) model.Time) []int32 { return sortBy(numbers(0, int32(in.Jobs)), key) }
	orders := [][]int32{by(func(j int32) model.Time { return in.Due[j] }),
		by(func(j int32) model.Time { return in.Due[j] - s.path[j] }),
		by(func(j int32) model.Time { return in.Release[j] }),
		by(func(j int32) model.Time { return s.work[j] })}
	for _, p := range plans { // in the order in which their jobs end, the late ones last
		end := in.Ends(p).Job
		orders = append(orders, sortBy(by(func(j int32) model.Time { return end[j] }), func(j int32) int {
			if end[j] > in.Due[j] {
				return 1
			}
			return 0
		}))
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

// schedule is the best schedule, in the order of the tasks.
func (s *planSearch) schedule() *model.Schedule {
	var entries []model.Entry
	for j := range s.best {
		entries = append(entries, s.best[j].entries...)
	}
	return &model.Schedule{Entries: byTask(entries)}
}

// byTask sorts entries by task, start and slot.
func byTask(entries []model.Entry) []model.Entry {
	slices.SortFunc(entries, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Machine, b.Machine))
	})
	return entries
}
