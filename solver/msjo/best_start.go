package msjo

import (
	"context"
	"errors"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// constructor is the run for solver.Start. Its Solve makes schedules without computing bounds, and abandons a schedule
// that cannot cost less than the cheapest so far.
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
	solve := a.Solve
	if name == "mares" || name == "h-mares" {
		solve = func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
			return r.assigned(ctx, c.limit, name == "mares", opt)
		}
	}
	m, err := solve(ctx, c.run, opt)
	c.cut = c.cut || ctx.Err() != nil
	if err != nil || m == nil {
		return &solver.Outcome{}, err
	}
	cost, _ := c.in.Evaluate(m.schedule).Value.Float64()
	c.limit = min(c.limit, cost)
	return &solver.Outcome{Algorithm: name, Schedule: m.schedule}, nil
}

// quickTasks is the number of tasks up to which the quick candidates take negligible time.
const quickTasks = 20_000

// firstSchedule is the cheapest schedule of all algorithms without search that are meant for instances of this size;
// nil if ctx ended first. cut says that a limit left some of them no time. On small instances the quick ones run
// regardless of a limit.
func (r *run) firstSchedule(ctx context.Context, opt solver.Options) (s *model.Schedule, cut bool) {
	quick, others := r.candidates()
	c := &constructor{run: r, limit: math.Inf(1)}
	brief, end := ctx, context.CancelFunc(func() {})
	if r.in.Tasks <= quickTasks {
		brief, end = untilInterrupted(ctx)
	}
	out, cost := solver.Start(brief, c, quick, r.in.Tasks, opt)
	end()
	if more, value := solver.Start(ctx, c, others, r.in.Tasks, opt); more != nil && (out == nil || value.Cmp(cost) < 0) {
		out = more
	}
	if out != nil {
		s = out.Schedule
	}
	return s, c.cut || c.calls < len(quick)+len(others)
}

// untilInterrupted is a context that ends when ctx is cancelled, and outlasts its deadline.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// candidates lists those algorithms: first the quick ones, which are rules and orders by the LP behind the bound, then
// those that need other LPs, the slowest last.
func (r *run) candidates() (quick, others []solver.Algorithm) {
	list := slices.DeleteFunc(algorithms().Algorithms(), func(a solver.Algorithm) bool {
		return a.Search || a.Exhaustive || a.BoundOnly || a.SizeLimit > 0 && r.in.Tasks > a.SizeLimit
	})
	slices.SortStableFunc(list, func(a, b solver.Algorithm) int { return r.effort(a.Name) - r.effort(b.Name) })
	n := slices.IndexFunc(list, func(a solver.Algorithm) bool { return r.effort(a.Name) > 0 })
	if n < 0 {
		n = len(list)
	}
	return list[:n], list[n:]
}
