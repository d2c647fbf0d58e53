package realtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// run is one opened instance.
type run struct {
	solver.Unmodelled
	in   *realtime.Instance
	p    params
	goal *goal

	bounds   []solver.Bound                // nil: not yet known; the strongest first
	cut      bool                          // a limit cut bounds short: they are valid for the current algorithm only
	proven   []jobBounds                   // of goal partitions: what bounds follow from
	phases   map[realtime.Set]*reducePhase // of goal partitions
	expected expectation                   // nil: not yet made
}

// goal is what a goal means for algorithms and explanations.
type goal struct {
	best, exact solve
	// prove computes the bounds, the strongest first, and sets run.cut.
	prove func(r *run, ctx context.Context, opt solver.Options) ([]solver.Bound, error)
	// optimal says whether a search of at most so many nodes shows that nothing is cheaper than a schedule.
	optimal func(ctx context.Context, r *run, s *model.Schedule, nodes int) (bool, error)
	// cost is what best minimises, and value its first part in the objective's unit.
	cost  func(e realtime.Ends) cost
	value func(c cost) float64
	// serial says that the reduce phases of the jobs run one after another. Then no job has a release or is due.
	serial bool
}

var goals = map[realtime.Goal]*goal{
	realtime.Deadlines: {best: bestPlan, exact: exactPlan, prove: (*run).proveLate, optimal: optimalPlan,
		cost:  func(e realtime.Ends) cost { return cost{e.Missed, e.Late} },
		value: func(c cost) float64 { return float64(c.missed) }},
	realtime.Partitions: {best: bestPartitions, exact: exactPartitions, prove: (*run).provePhases,
		optimal: optimalPartitions,
		cost:    func(e realtime.Ends) cost { return cost{late: e.Last} },
		value:   func(c cost) float64 { return c.late.Seconds() }, serial: true},
}

func newRun(in *realtime.Instance, p params) *run { return &run{in: in, p: p, goal: goals[in.Goal]} }

func (r *run) View() model.View { return r.in }

// Solve proves the bounds of the goal and runs one algorithm. If a time limit cut the bounds short and the algorithm
// left time, it proves them again.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	if _, err := r.find(name); err != nil {
		return nil, err
	}
	if err := r.prove(ctx, opt, solver.BoundShare); err != nil {
		return nil, err
	}
	out, err := r.SolveBare(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	if r.cut && ctx.Err() == nil { // the algorithm has left some time
		before := r.bounds
		if err := r.prove(ctx, opt, 1); err != nil {
			return nil, err
		}
		// Provers list the strongest bound first.
		if r.cut && before[0].Value().Cmp(r.bounds[0].Value()) > 0 { // less time than before
			r.bounds = before
		}
	}
	r.tellCost(opt, out.Schedule, name)
	out.CutShort(r.cut)
	out.Bounds = append(out.Bounds, r.bounds...)
	return out, nil
}

// SolveBare is Solve without the bounds, which take longer than most algorithms.
func (r *run) SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	m, err := r.find(name)
	if err != nil {
		return nil, err
	}
	if !m.Search && !m.Exhaustive { // searches begin their own phases
		var end func()
		ctx, end = opt.Phase(ctx, solver.PhaseStart, 1)
		defer end()
	}
	out, err := m.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out.Algorithm = name
	return out, nil
}

// find finds an algorithm that can run on the instance.
func (r *run) find(name string) (m solver.Method[*run, *solver.Outcome], err error) {
	if m, err = methods().Find(name); err != nil {
		return m, err
	}
	if why := r.Excludes(name).Why; why != "" {
		return m, model.NewInputError(model.Finding{Code: model.CodeParameter, What: name + ": " + why})
	}
	return m, nil
}

// Excludes says why an algorithm cannot run on the instance.
func (r *run) Excludes(name string) (x solver.Exclusion) {
	for _, m := range table() {
		if m.Name != name {
			continue
		}
		if m.goal != "" && m.goal != r.in.Goal {
			return solver.Exclusion{Unoffered: true,
				Why: fmt.Sprintf("is for --goal %s alone, and the goal is %s", m.goal, r.in.Goal)}
		}
		if m.needs != nil {
			x.Why = m.needs(r)
		}
		return x
	}
	return solver.Exclusion{Unoffered: true}
}

// Guarantee is the proven guarantee of an algorithm on this instance.
func (r *run) Guarantee(name string, limited bool) *model.Guarantee {
	return methods().Promise(r, name, limited)
}

// prove computes the bounds of the goal in a share of a time limit. Later algorithms use them too, unless the limit cut
// them short.
func (r *run) prove(ctx context.Context, opt solver.Options, share float64) (err error) {
	if r.bounds == nil || r.cut {
		ctx, end := opt.Phase(ctx, solver.PhaseBound, share)
		defer end()
		r.bounds, err = r.goal.prove(r, ctx, opt)
	}
	opt.Tell(r.bounds...)
	return err
}

// tellCost reports the cost of a schedule and its source.
func (r *run) tellCost(opt solver.Options, s *model.Schedule, by string) {
	if s != nil {
		opt.Watch.Incumbent(r.goal.value(r.goal.cost(r.in.Ends(s))), by)
	}
}

// firstSchedules runs all algorithms that construct a schedule, as solver.Start does, and returns their schedules. It
// stops early when enough, which may be nil, accepts one.
func (r *run) firstSchedules(ctx context.Context, opt solver.Options, enough func(*model.Schedule) bool) (
	made []*model.Schedule, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	_, err = solver.Start(ctx, bare{r, func(s *model.Schedule) {
		if made = append(made, s); enough != nil && enough(s) {
			stop()
		}
	}}, methods().Algorithms(), r.in.TaskCount(), 1, opt)
	return made, err
}

// bare is a run that skips bounds, which are already known, and reports its schedules.
type bare struct {
	*run
	seen func(*model.Schedule)
}

// Solve replaces run.Solve.
func (b bare) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	out, err := b.SolveBare(ctx, name, opt)
	if err == nil && out.Schedule != nil {
		b.seen(out.Schedule)
	}
	return out, err
}

// oneOf gives the first of n pieces of work an equal part of the remaining time.
func oneOf(ctx context.Context, n int) (part context.Context, end context.CancelFunc) {
	until, limited := ctx.Deadline()
	if !limited || n <= 1 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(until)/time.Duration(n))
}

// numbers lists first … end−1.
func numbers(first, end int32) []int32 {
	list := make([]int32, end-first)
	for k := range list {
		list[k] = first + int32(k)
	}
	return list
}

// sortBy sorts a list stably by a key, the least first.
func sortBy[T any, K cmp.Ordered](list []T, key func(x T) K) []T {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	return list
}

// workersFor are the workers with slots for tasks of a kind.
func workersFor(in *realtime.Instance, kind model.TaskKind) (list []int32) {
	for _, slot := range in.SlotsFor(kind) { // the slots of a worker are adjacent
		if w := in.WorkerOf[slot]; len(list) == 0 || list[len(list)-1] != w {
			list = append(list, w)
		}
	}
	return list
}
