package realtime

import (
	"context"
	"math/big"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// firstSchedules runs all algorithms that construct a schedule, as solver.Start does, and returns their schedules. It
// stops early when enough, which may be nil, accepts one.
func (r *run) firstSchedules(ctx context.Context, opt solver.Options, enough func(*model.Schedule) bool) (
	made []*model.Schedule) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := &beginning{run: r, enough: enough, stop: stop}
	solver.Start(ctx, b, methods().Algorithms(), r.in.TaskCount(), opt)
	return b.made
}

// beginning is a run that keeps its schedules and computes no bounds, which are known by then.
type beginning struct {
	*run
	made   []*model.Schedule
	enough func(*model.Schedule) bool
	stop   context.CancelFunc
}

// Solve runs one algorithm.
func (b *beginning) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	opt.Watch = nil // solver.Start reports for all algorithms together
	out, err := b.SolveBare(ctx, name, opt)
	if err != nil || out.Schedule == nil {
		return out, err
	}
	b.made = append(b.made, out.Schedule)
	if b.enough != nil && b.enough(out.Schedule) {
		b.stop()
	}
	return out, nil
}

// tellCost reports the cost of a schedule.
func (r *run) tellCost(opt solver.Options, s *model.Schedule) {
	if s == nil {
		return
	}
	if e := r.in.Ends(s); r.in.Goal == realtime.Deadlines {
		opt.Watch.Incumbent(float64(e.Missed))
	} else {
		opt.Watch.Incumbent(e.Last.Seconds())
	}
}

// tellBound reports the value of a bound.
func tellBound(opt solver.Options, b solver.Bound) {
	c, ok := b.Certificate.(*realtime.Certificate)
	if !ok || opt.Watch == nil {
		return
	}
	if value, ok := new(big.Rat).SetString(c.Value); ok {
		v, _ := value.Float64()
		opt.Watch.Bound(v)
	}
}
