package shop

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/model/proof"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lcg"
)

const (
	// conflictsPerIteration is how many conflicts of the engine one iteration of exact counts.
	conflictsPerIteration = 1000
	// engineTasks is the most tasks that the engine takes.
	engineTasks = 20_000
	// boundConflicts is how many the bound has without a time limit on 60 tasks; on more, fewer by the square.
	boundConflicts, boundTasks = 20_000, 60
	// leastPatience is the least number of conflicts after which a limit above the proven one is given up.
	leastPatience = 1000
	// maxLog bounds a log before it is trimmed, in bytes. Beyond it, the search goes on without a proof.
	maxLog = 1 << 29
)

// engine proves makespans by package lcg, and finds schedules.
type engine struct {
	*lcg.Engine
	in   *shop.Instance
	unit model.Time
	last int64 // the end of all windows
	best *model.Schedule
}

// newEngine prepares the engine for makespans below that of a schedule; nil if it does not take the instance.
func newEngine(in *shop.Instance, s *model.Schedule) *engine {
	if in.Objective != shop.Makespan || s == nil || in.Tasks > engineTasks {
		return nil
	}
	x := &engine{in: in, best: s, unit: max(1, in.TimeUnit())}
	x.last = x.end()
	m, _, err := in.ClauseModel(x.last)
	if err != nil {
		return nil
	}
	x.Engine = lcg.New(m)
	x.Log = &proof.Log{}
	x.MaxLog = maxLog
	x.Aim(x.starts())
	return x
}

// end is the makespan of the best schedule in units.
func (x *engine) end() int64 {
	var end model.Time
	for _, e := range x.best.Entries {
		end = max(end, e.End)
	}
	return int64(end / x.unit)
}

// starts are the tasks' starts in the best schedule; other variables have 0.
func (x *engine) starts() []int64 {
	list := make([]int64, x.Variables())
	for _, e := range x.best.Entries {
		list[e.Task] = int64(e.Start / x.unit)
	}
	return list
}

// above looks for better schedules until there is none. It returns false if it ended before.
func (x *engine) above(ctx context.Context, conflicts int) bool {
	for until := x.Conflicts + conflicts; ; {
		switch x.Try(ctx, x.end()-1, until-x.Conflicts) {
		case lcg.Refuted:
			return true
		case lcg.Open:
			return false
		}
		x.best = x.schedule()
	}
}

// below raises the proven bound, in units: it refutes limits from one on, in steps that grow as long as that
// succeeds. A schedule that it finds instead becomes the best one.
func (x *engine) below(ctx context.Context, from int64, conflicts int) {
	step := int64(0)
	for until := x.Conflicts + conflicts; ctx.Err() == nil; {
		low, left := max(x.Bound(), from), until-x.Conflicts
		if x.Bound() >= x.end() || left <= 0 {
			return
		}
		limit := min(low+step, x.end()-1)
		if limit > low {
			left = min(left, max(leastPatience, left/8))
		}
		switch x.Try(ctx, limit, left) {
		case lcg.Refuted:
			step = 2*step + 1
		case lcg.Found:
			x.best = x.schedule()
			step /= 2
		case lcg.Open:
			step /= 4
		}
	}
}

// schedule is the schedule that the search found.
func (x *engine) schedule() *model.Schedule {
	s := &model.Schedule{}
	for _, e := range x.best.Entries {
		if u := int32(e.Task); !x.in.Fixed(u) {
			e.Start = model.Time(x.Starts()[u]) * x.unit
			e.End = e.Start + x.in.Least[u]
		}
		s.Entries = append(s.Entries, e)
	}
	return s
}

// certificate is the proof so far; nil if it is too long to be kept.
func (x *engine) certificate() (*shop.Certificate, error) {
	if x.Log == nil {
		return nil, nil
	}
	c := &shop.Certificate{Claim: model.Claim{Method: shop.MethodEngine, Kind: shop.KindClauses}}
	var err error
	if c.Clauses, err = shop.NewClauses(x.last, x.Log); err != nil {
		return nil, nil
	}
	return c, x.in.Sign(c)
}

// clauses is the bound of the engine; nil if it does not take the instance, or proves nothing more. A better schedule
// that it finds becomes the one to begin with.
func (r *run) clauses(ctx context.Context) (*shop.Certificate, error) {
	if r.engine = newEngine(r.in, r.first.schedule); r.engine == nil {
		return nil, nil
	}
	n := max(boundTasks, r.in.Tasks)
	x, conflicts := r.engine, boundConflicts*boundTasks/n*boundTasks/n
	if _, timed := ctx.Deadline(); timed {
		conflicts = unlimited
	}
	from := int64(math.Round(r.least() / float64(x.unit)))
	x.below(ctx, from, conflicts)
	if cheaper(r.in, x.best, r.first.schedule) {
		r.first.schedule = x.best
	}
	if x.Bound() <= from {
		return nil, nil
	}
	return x.certificate()
}

// solveByEngine is exact where the engine takes the instance.
func solveByEngine(ctx context.Context, x *engine, opt solver.Options) (*made, error) {
	conflicts := 0
	m := &made{status: model.StatusLimit, facts: Facts{Conflicts: &conflicts}}
	closed := x.above(ctx, conflictsPerIteration*min(opt.Iterations, unlimited/conflictsPerIteration))
	conflicts, m.schedule = x.Conflicts, x.best
	c, err := x.certificate()
	if err == nil && c != nil {
		if closed {
			m.status = model.StatusOptimal
		}
		m.bound = &solver.Bound{Method: c.Method, Certificate: c}
	}
	return m, err
}
