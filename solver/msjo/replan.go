package msjo

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/list"
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
// tasks hold their machines. Then, if changes have a cost, another search changes a few jobs at a time. The result
// never costs more than the repaired plan, penalty included.
func (r *run) replan(ctx context.Context, opt solver.Options) (*made, error) {
	keys, due, err := r.left.firstKeys(ctx, opt)
	if err != nil {
		return nil, err
	}
	if simple := r.left.firstSchedule(); simple != nil {
		keys = append(keys, starts(r.left.in, simple))
	}
	best := repaired(r.in)
	least := r.in.Evaluate(best).Total()
	improve := func(s *model.Schedule, by string) {
		if cost := r.in.Evaluate(s).Total(); by == "" || cost.Cmp(least) < 0 {
			best, least = s, cost
			value, _ := cost.Float64()
			opt.Watch.Incumbent(value, by)
		}
	}
	improve(best, "")
	m := &made{}
	penalty := r.in.Replan().Penalty > 0
	share := 1.0
	if penalty {
		share = replanShare
	}
	phase, end := opt.Phase(ctx, solver.PhaseSearch, share)
	watched := opt
	if penalty {
		watched = silent(opt) // this search does not count the penalty
	}
	s := newAnnealing(r.left.in, due, r.left.least, opt.Seed)
	for _, c := range s.List {
		c.e.hold(frozen(r.in))
	}
	construct(phase, s, keys, onlyRemaining(r.in, best), watched)
	limited := s.Run(phase, watched) || r.left.first.cut
	end()
	improve(sticky(r.in, s.Best().start), solver.PhaseSearch)
	tried := s.Done
	if penalty && (r.left.least == nil || least.Cmp(r.left.least) > 0) {
		phase, end := opt.Phase(ctx, phasePatch, 1)
		p := newPatch(r.in, best, opt.Seed)
		for k := 0; k < opt.Iterations && phase.Err() == nil; k++ {
			p.step()
			tried++
			opt.Report(k+1, opt.Iterations)
		}
		limited = limited || phase.Err() != nil
		end()
		improve(p.schedule(), phasePatch)
	}
	m.limited(limited)
	m.schedule, m.facts.Iterations = best, new(tried)
	return m, nil
}

// frozen lists the frozen tasks.
func frozen(in *msjo.Instance) (tasks []int32) {
	for u := range int32(in.Tasks) {
		if in.Replan().Frozen(model.TaskIndex(u)) != nil {
			tasks = append(tasks, u)
		}
	}
	return tasks
}

// onlyRemaining is a schedule in which frozen tasks start as in the remaining instance.
func onlyRemaining(in *msjo.Instance, s *model.Schedule) *model.Schedule {
	out := &model.Schedule{Entries: slices.Clone(s.Entries)}
	for k := range out.Entries {
		if e := &out.Entries[k]; in.Replan().Frozen(e.Task) != nil {
			e.Start = in.Remaining().Earliest[e.Task]
		}
	}
	return out
}

// repaired keeps the rows of the earlier plan that can stay. The other tasks follow in the order of that plan, new ones
// last: each as soon as it is ready, on the machine that idles first.
//
// Complexity: O(N log N + arcs + machines). Ties: the lower index.
func repaired(in *msjo.Instance) *model.Schedule {
	p := in.Replan()
	s := &model.Schedule{Entries: make([]model.Entry, in.Tasks)}
	key := make([]int64, in.Tasks)
	last := slices.Repeat([]model.Time{p.Until}, in.Nodes)
	for u := range in.Tasks {
		switch r := p.Row(model.TaskIndex(u)); {
		case r == nil:
			key[u] = math.MaxInt64
		case !r.Stands:
			key[u] = int64(r.Start)
		default:
			key[u] = -1
			e := model.Entry{Task: r.Index, Machine: r.At, Start: r.Start, End: r.Start + in.Least[u]}
			s.Entries[u] = e
			last[r.At] = max(last[r.At], e.End)
		}
	}
	idle := make(list.Heap, 0, in.Nodes)
	for i, t := range last {
		idle.Push(list.Item{Key: t, Index: int32(i)})
	}
	e := newEngine(in)
	e.begin()
	for _, u := range e.graph.Topological(key) {
		if key[u] >= 0 {
			start := max(e.ready[u], idle[0].Key)
			end := start + in.Least[u]
			s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: idle[0].Index, Start: start, End: end}
			idle.ReplaceTop(list.Item{Key: end, Index: idle[0].Index})
		}
		e.release(e.graph, u, s.Entries[u].End, false)
	}
	return s
}
