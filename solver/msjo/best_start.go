package msjo

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// constructor is the run for solver.Start: its Solve makes schedules alone, for which no bound is computed again. What
// cannot cost less than the cheapest schedule so far is left out as soon as that is known.
type constructor struct {
	*run
	limit float64 // cost of the cheapest schedule so far, in weight × seconds
	calls int
	cut   bool // a limit cut some schedule short
}

// Solve makes the schedule of one algorithm; none if it costs no less than another one.
func (c *constructor) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	c.calls++
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	opt.Watch = nil
	var m *made
	switch name {
	case "mares", "h-mares":
		var plan *assignedPlan
		if plan, err = c.assignment(ctx, c.limit, opt); err == nil && plan != nil {
			m = plan.schedule(c.run, name == "mares")
		}
	default:
		m, err = a.Solve(ctx, c.run, opt)
	}
	c.cut = c.cut || ctx.Err() != nil
	if err != nil || m == nil {
		return &solver.Outcome{}, err
	}
	cost, _ := c.in.Evaluate(m.schedule).Value.Float64()
	c.limit = min(c.limit, cost)
	return &solver.Outcome{Algorithm: name, Schedule: m.schedule}, nil
}

// firstSchedule is the cheapest schedule of all algorithms that search nothing and are meant for instances of this
// size; nil if ctx ended before there was one. cut says that a limit left some of them no time.
func (r *run) firstSchedule(ctx context.Context, opt solver.Options) (s *model.Schedule, cut bool) {
	list := r.candidates()
	c := &constructor{run: r, limit: math.Inf(1)}
	out, _ := solver.Start(ctx, c, list, r.in.Tasks, opt)
	if out != nil {
		s = out.Schedule
	}
	return s, c.cut || c.calls < len(list)
}

// candidates lists those algorithms, the cheap ones first: rules, then what the LP of the objective orders, then what
// needs another LP, or many.
func (r *run) candidates() []solver.Algorithm {
	jobs, tasks := 1, 2
	if r.in.Objective == msjo.TaskObjective {
		jobs, tasks = 2, 1
	}
	class := map[string]int{"mars": jobs, "mars-list": jobs, "tmars": tasks, "tmars-list": tasks,
		"h-mares": 3, "mares": 3, "so-mars": 4}
	list := slices.DeleteFunc(algorithms().Algorithms(), func(a solver.Algorithm) bool {
		return a.Search || a.Exhaustive || a.BoundOnly || a.SizeLimit > 0 && r.in.Tasks > a.SizeLimit
	})
	slices.SortStableFunc(list, func(a, b solver.Algorithm) int { return class[a.Name] - class[b.Name] })
	return list
}

// starts are the start times of a schedule, by task.
func starts(in *msjo.Instance, s *model.Schedule) []model.Time {
	list := make([]model.Time, in.Tasks)
	for _, e := range s.Entries {
		list[e.Task] = e.Start
	}
	return list
}
