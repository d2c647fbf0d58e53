package realtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// planPolicies are the algorithms whose schedules bestPlan begins with.
var planPolicies = []string{"llf", "edf", "fifo", "fair", "admit"}

// bestPlan plans with all true times and arrivals known. Jobs are placed in an order, each map and partition on the slot
// where it ends first, in free times between those that are taken; jobs that are given up come last. It begins with the
// orders by due date, latest start, release and work, each also with the jobs put last that would be late, and the
// orders of the policies' schedules; the best of them is changed step by step (planSearch).
//
// Guarantee: no more misses than any policy; fewer, or the same with no more tardiness.
// Complexity: O(tasks·slots) for an order; steps take a part of it.   Ties: the first slot, the first order.
// Source: mrsched.
func bestPlan(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	bound, err := r.lateBound()
	if err != nil {
		return nil, err
	}
	plans, err := r.policyPlans(ctx, opt, bound)
	if err != nil {
		return nil, err
	}
	s := newPlanSearch(newPlanner(r.in), opt.Seed)
	order := s.first(ctx, bound, plans)
	s.restore(order)
	out := &solver.Outcome{Status: model.StatusFeasible}
	steps, limited := s.run(ctx, opt, bound)
	out.Found = map[string]any{"iterations": steps}
	cost := s.least
	out.Schedule = s.schedule()
	for _, p := range plans {
		if c := costOf(r.in, p); c.compare(cost) < 0 {
			cost, out.Schedule = c, p
		}
	}
	switch {
	case cost.missed <= bound:
		out.Status = model.StatusOptimal
	case limited:
		out.Status = model.StatusLimit
	}
	return out, nil
}

// lateBound is how many jobs are proven to be late.
func (r *run) lateBound() (most int, err error) {
	for _, b := range r.bounds {
		c, ok := b.Certificate.(*realtime.Certificate)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(c.Value)
		if err != nil {
			return 0, fmt.Errorf("bound %s: %w", c.Value, err)
		}
		most = max(most, n)
	}
	return most, nil
}

// policyPlans are the schedules of the policies that the instance admits, until one reaches the bound.
func (r *run) policyPlans(ctx context.Context, opt solver.Options, bound int) (list []*model.Schedule, err error) {
	opt.Watch = nil
	for _, name := range planPolicies {
		m, err := methods().Find(name)
		if err != nil || r.Excludes(name) != "" {
			continue
		}
		out, err := m.Solve(ctx, r, opt)
		if ctx.Err() != nil {
			break
		}
		if err != nil { // it needs a history, for instance
			continue
		}
		if list = append(list, out.Schedule); costOf(r.in, out.Schedule).missed <= bound {
			break
		}
	}
	return list, nil
}

// costOf is what a schedule costs.
func costOf(in *realtime.Instance, s *model.Schedule) planCost {
	e := in.Ends(s)
	return planCost{e.Missed, e.Late}
}

// first places the jobs in each of the first orders and returns the best, with the best schedule remembered.
func (s *planSearch) first(ctx context.Context, bound int, plans []*model.Schedule) (best []int32) {
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
	orders := [][]int32{by(due), by(func(j int32) model.Time { return in.Due[j] - s.path[j] }), by(func(j int32) model.Time { return in.Release[j] }),
		by(func(j int32) model.Time { return s.work[j] })}
	for _, p := range plans {
		orders = append(orders, lateLast(in, p, by))
	}
	for _, order := range orders {
		for _, admit := range []bool{true, false} {
			if s.least.missed <= bound || best != nil && ctx.Err() != nil {
				return best
			}
			least := s.least
			if s.list(order, admit); s.least != least {
				best = slices.Clone(s.order)
			}
		}
	}
	return best
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
