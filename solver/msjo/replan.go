package msjo

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	solvershop "mrsched/solver/shop"
)

// replanShare is the share of the remaining time limit for the search that ignores the penalty.
const replanShare = 0.5

// phasePatch names the search that counts the penalty.
const phasePatch = "search for few changes"

// replanned is the run with an earlier plan that its schedules have to keep.
func (r *run) replanned(p *model.Replan) (*run, error) {
	in, err := r.in.Replanned(p)
	if err != nil {
		return nil, err
	}
	again := r.on(in)
	again.left = r.on(in.Remaining())
	return again, nil
}

// replan improves the repaired plan. First the search of best runs on the remaining instance, in which running frozen
// tasks hold their machines. Then, if changes have a cost, the search of problem cluster changes a few tasks at a time;
// frozen tasks are fixed ones there. The result never costs more than the repaired plan, penalty included.
func (r *run) replan(ctx context.Context, opt solver.Options) (*made, error) {
	keys, err := r.left.firstKeys(ctx, opt)
	if err != nil {
		return nil, err
	}
	if simple := r.left.first.schedule; simple != nil {
		keys = append(keys, starts(r.left.in, simple))
	}
	fixed := r.in.Frozen()
	best := solvershop.Repaired(context.WithoutCancel(ctx), fixed)
	least := r.in.Evaluate(best).Total()
	improve := func(s *model.Schedule, by string) {
		if cost := r.in.Evaluate(s).Total(); by == "" || cost.Cmp(least) < 0 {
			best, least = s, cost
			value, _ := cost.Float64()
			opt.Watch.Incumbent(value, by)
		}
	}
	improve(best, "")
	share, watched, penalty := 1.0, opt, r.in.Replan().Penalty > 0
	if penalty {
		share, watched = replanShare, silent(opt) // this search does not count the penalty
	}
	phase, end := opt.Phase(ctx, solver.PhaseSearch, share)
	s := newAnnealing(r.left.in, r.left.least, opt.Seed)
	for _, c := range s.List {
		c.e.hold(r.in)
	}
	construct(phase, s, append([][]model.Time{starts(r.in, best)}, keys...), nil, watched)
	limited := s.Run(phase, watched) || r.left.first.cut
	end()
	order := make([]int64, r.in.Steps)
	for u, t := range s.Best().start {
		order[u] = int64(t)
	}
	improve(solvershop.InOrder(context.WithoutCancel(ctx), fixed, order), solver.PhaseSearch)
	tried := s.Done
	if penalty && (r.left.least == nil || least.Cmp(r.left.least) > 0) {
		phase, end := opt.Phase(ctx, phasePatch, 1)
		aim := 0.0
		if r.left.least != nil {
			aim, _ = r.left.least.Float64()
		}
		found, more, cut := solvershop.Improved(phase, fixed, best, aim, opt)
		end()
		improve(found, phasePatch)
		tried, limited = tried+more, limited || cut
	}
	m := &made{schedule: best, facts: Facts{Iterations: &tried}}
	m.limited(limited)
	return m, nil
}

// hold makes frozen tasks start at their earliest, before all others, whatever their keys.
func (e *engine) hold(in *shop.Instance) {
	for u := range int32(in.Tasks) {
		if in.Replan().Frozen(model.TaskIndex(u)) != nil {
			e.held = append(e.held, u)
		}
	}
	slices.SortStableFunc(e.held, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.in.Earliest[a], e.in.Earliest[b]),
			cmp.Compare(min(e.in.Least[a], 1), min(e.in.Least[b], 1)))
	})
}
