package shop

import (
	"context"

	"mrsched/model"
	"mrsched/model/proof"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lcg"
)

// conflictsPerIteration is how many conflicts of the engine one iteration counts.
const conflictsPerIteration = 1000

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
	if in.Objective != shop.Makespan || s == nil {
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
	c := &shop.Certificate{Claim: model.Claim{Method: shop.MethodEngine, Kind: shop.KindClauses}}
	var err error
	if c.Clauses, err = shop.NewClauses(x.last, x.Log); err != nil {
		return nil, nil
	}
	return c, x.in.Sign(c)
}

// solveByEngine is exact where the engine takes the instance.
func solveByEngine(ctx context.Context, x *engine, opt solver.Options) (*made, error) {
	conflicts := 0
	m := &made{status: model.StatusLimit, facts: Facts{Conflicts: &conflicts}}
	if x.above(ctx, conflictsPerIteration*min(opt.Iterations, unlimited/conflictsPerIteration)) {
		m.status = model.StatusFeasible
	}
	conflicts, m.schedule = x.Conflicts, x.best
	c, err := x.certificate()
	if c != nil {
		m.bound = &solver.Bound{Method: c.Method, Certificate: c}
	}
	return m, err
}
