package shop

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"time"

	"mrsched/model"
	"mrsched/model/proof"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lcg"
	"mrsched/solver/search"
)

const (
	// conflictsPerIteration is how many conflicts of the engine one iteration of exact counts.
	conflictsPerIteration = 1000
	// engineTasks is the most tasks that the engine takes.
	engineTasks = 20_000
	// engineCells is the most pairs of a task and a node that it takes.
	engineCells = 50_000_000
	// boundConflicts is how many the bound has without a time limit on 60 tasks; on more, fewer by the square. Bundles
	// share them.
	boundConflicts, boundTasks = 40_000, 60
	// sumPart divides them for other objectives than the makespan, which have better bounds.
	sumPart = 40
	// besideTasks is the most tasks of which the engine works beside the search for schedules, in partCount parts without
	// a time limit; one of partsAbove looks for better schedules. On more tasks, it works for the bound alone.
	besideTasks, partCount, partsAbove = 150, 5, 4
	// patience is the number of conflicts after which a limit above the proven one is given up.
	patience = 1000
	// proofShare is the share of a time limit after which the engine stops, so that its proof can be checked in time.
	proofShare = 0.88
)

// engine proves bounds by package lcg, and finds schedules.
type engine struct {
	*lcg.Engine
	in   *shop.Instance
	m    *shop.ClauseModel
	unit *big.Int // of costs
	last int64    // the most that a schedule costs
	best *model.Schedule

	step, from int64 // below tries a limit so far above the proven one, or above what other bounds prove
	watch      *solver.Watch
	proven     *shop.Certificate // the proof after proofAt conflicts
	proofAt    int
}

// newEngine prepares the engine for schedules that cost less than one, or for any; nil if it does not take the
// instance. least is what other bounds prove, in the objective's unit.
func newEngine(in *shop.Instance, s *model.Schedule, least float64, watch *solver.Watch) *engine {
	x := &engine{in: in, best: s, unit: in.CostUnit(), watch: watch}
	if in.Tasks > engineTasks || in.Tasks > engineCells/in.Nodes || x.unit.Sign() == 0 {
		return nil
	}
	x.last, x.from = x.end(), x.units(least)
	m, err := in.ClauseModel(x.last)
	if err != nil {
		return nil
	}
	x.m, x.Engine = m, lcg.New(m.Model)
	x.Log = &proof.Log{}
	x.MaxLog = shop.MaxLog
	if s != nil {
		x.Aim(x.starts())
	}
	return x
}

// end is what the best schedule costs, in units, or without one, what some schedule costs at the most.
func (x *engine) end() int64 {
	done := slices.Repeat([]model.Time{x.in.Horizon()}, x.in.Jobs)
	if x.best != nil {
		done = x.in.Completions(x.best)
	}
	cost := x.in.Cost(x.in.Objective, done)
	if cost.Quo(cost, x.unit); cost.IsInt64() {
		return cost.Int64()
	}
	return math.MaxInt64
}

// starts are the tasks' starts and options in the best schedule; other variables have 0.
func (x *engine) starts() []int64 {
	list := make([]int64, x.Variables())
	for _, e := range x.best.Entries {
		list[e.Task] = int64(e.Start / x.m.Unit)
		if options := x.m.Options[e.Task]; options != nil {
			k := slices.IndexFunc(x.m.Bundles, func(b shop.Bundle) bool { return slices.Contains(b.Nodes, e.Machine) })
			list[options[k]] = 1
		}
	}
	return list
}

// units are a cost in the objective's unit, in the engine's units. cost is the reverse, for comparisons.
func (x *engine) units(cost float64) int64 { return int64(min(math.Round(cost/x.cost(1)), unlimited)) }

func (x *engine) cost(units int64) float64 {
	v, _ := x.in.Objective.Rat(new(big.Int).Mul(big.NewInt(units), x.unit)).Float64()
	return v
}

// told is a cost in the objective's unit as people see it.
func (x *engine) told(units int64) float64 {
	less, _ := x.in.Less().Float64()
	return x.cost(units) - less
}

// found takes the schedule that the search found.
func (x *engine) found() {
	x.best = x.schedule()
	x.watch.Incumbent(x.told(x.end()), shop.MethodEngine)
}

// above looks for schedules below an end in units, and better than the best one, until there is none. It returns false
// if it ended before.
func (x *engine) above(ctx context.Context, end int64, conflicts int) bool {
	for until := x.Conflicts + conflicts; ; {
		limit := x.end()
		if x.best != nil {
			limit = min(limit, end) - 1
		}
		switch x.Try(ctx, limit, until-x.Conflicts) {
		case lcg.Refuted:
			return true
		case lcg.Open:
			return false
		}
		x.found()
	}
}

// below raises the proven bound up to an end in units: it refutes limits in steps that grow as long as that succeeds. A
// schedule that it finds instead becomes the best one.
func (x *engine) below(ctx context.Context, end int64, conflicts int) {
	for until := x.Conflicts + conflicts; ctx.Err() == nil && x.Conflicts < until; {
		if end = min(end, x.end()); x.Bound() >= end {
			return
		}
		limit, left := min(max(x.Bound(), x.from)+x.step, end-1), until-x.Conflicts
		if x.step > 0 {
			left = min(left, patience)
		}
		switch x.Try(ctx, limit, left) {
		case lcg.Refuted:
			x.step = 2*x.step + 1
			x.watch.Bound(x.told(x.Bound()), shop.MethodEngine)
		case lcg.Found:
			x.found()
			x.step /= 2
		case lcg.Open:
			if x.Conflicts < until {
				x.step /= 4
			}
		}
	}
}

// schedule is the schedule that the search found. The tasks of a bundle fit by count, so in the order of their starts
// each finds a node with a lane that is free.
func (x *engine) schedule() *model.Schedule {
	in, s := x.in, &model.Schedule{}
	list := make([][]int, len(x.m.Bundles)) // by bundle: its entries
	for u := range int32(in.Tasks) {
		e := model.Entry{Task: model.TaskIndex(u), Machine: in.FixedNode(u)}
		if in.Fixed(u) {
			e.Start = in.FixedStart(u)
		} else {
			at := x.bundle(u)
			e.Start, e.Machine = model.Time(x.Starts()[u])*x.m.Unit, x.m.Bundles[at].Nodes[0]
			if in.Length(u, e.Machine) > 0 {
				list[at] = append(list[at], int(u))
			}
		}
		e.End = e.Start + in.Length(u, e.Machine)
		s.Entries = append(s.Entries, e)
	}
	for at, entries := range list {
		b := &x.m.Bundles[at]
		if len(b.Nodes) == 1 {
			continue
		}
		slices.SortStableFunc(entries, func(i, j int) int { return cmp.Compare(s.Entries[i].Start, s.Entries[j].Start) })
		free := make([]model.Time, b.Lanes*int64(len(b.Nodes))) // by lane: when it is free
		for _, k := range entries {
			e := &s.Entries[k]
			lane := slices.IndexFunc(free, func(t model.Time) bool { return t <= e.Start })
			free[lane], e.Machine = e.End, b.Nodes[lane/int(b.Lanes)]
		}
	}
	return s
}

// bundle is where the schedule that the search found has a task.
func (x *engine) bundle(u int32) int {
	if options := x.m.Options[u]; options != nil {
		return slices.IndexFunc(options, func(o int32) bool { return o > 0 && x.Starts()[o] == 1 })
	}
	return slices.IndexFunc(x.m.Bundles, func(b shop.Bundle) bool { return x.in.Runs(u, b.Nodes[0]) })
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

// proof is the bound that the engine proves; nil if other bounds prove it, too, or it is too long to be kept.
func (x *engine) proof() (*shop.Certificate, error) {
	if x.Bound() <= x.from {
		return nil, nil
	}
	var err error
	if x.proven == nil || x.proofAt != x.Conflicts {
		x.proven, err = x.certificate()
		x.proofAt = x.Conflicts
	}
	return x.proven, err
}

// proven adds the engine's bound, if there is one.
func (m *made) proven(x *engine) error {
	c, err := x.proof()
	if err == nil && c != nil {
		m.bound = &solver.Bound{Method: c.Method, Certificate: c}
	}
	return err
}

// engineBeside reports whether the engine works beside the search.
func (r *run) engineBeside() bool {
	if r.in.Objective != shop.Makespan || r.in.Nodes > 1 || r.in.Tasks > besideTasks || r.first.schedule == nil {
		return false
	}
	_, err := r.in.ClauseModel(0)
	return err == nil
}

// affordable is how many conflicts the bound has without a time limit.
func (x *engine) affordable() int {
	n := max(boundTasks, x.in.Tasks)
	return boundConflicts * boundTasks / n * boundTasks / n / len(x.m.Bundles)
}

// clauses is the bound of the engine where it does not work beside the search; nil if it proves nothing more. A better
// schedule that it finds is kept with the bounds.
func (r *run) clauses(ctx context.Context) (*shop.Certificate, error) {
	if r.first.schedule == nil || r.engineBeside() {
		return nil, nil
	}
	c, best, err := Prove(ctx, r.in, r.first.schedule, r.leastValue())
	if best != nil {
		r.bounded.better = best
	}
	return c, err
}

// Prove raises a bound, given in the objective's unit, by the engine, from a schedule that may be nil. It returns the
// proof, nil if it proves nothing more, and the best schedule; both are nil if the engine does not take the instance.
func Prove(ctx context.Context, in *shop.Instance, first *model.Schedule, least float64) (*shop.Certificate,
	*model.Schedule, error) {
	x := newEngine(in, first, least, nil)
	if x == nil {
		return nil, nil, nil
	}
	conflicts := x.affordable()
	if _, timed := ctx.Deadline(); in.Objective != shop.Makespan && in.Jobs > 1 {
		conflicts /= sumPart
	} else if timed {
		conflicts = unlimited
	}
	x.below(ctx, x.end(), conflicts)
	c, err := x.proof()
	return c, x.best, err
}

// beside lets the engine work beside a search for schedules, mostly from below. They exchange costs only. Under a time
// limit it stops in time for its proof to be checked.
func (x *engine) beside(ctx context.Context, s *search.Chains[walk]) {
	conflicts := x.affordable() / partCount
	until, timed := stop(ctx)
	parts := 0
	s.Beside = func(ctx context.Context, least float64) float64 {
		part, end := ctx, func() {}
		if timed {
			part, end = context.WithDeadline(ctx, until)
		}
		if parts++; parts%partsAbove == 0 {
			x.above(part, x.units(least), conflicts)
		} else {
			x.below(part, x.units(least), conflicts)
		}
		if end(); timed && time.Now().After(until) {
			_, _ = x.proof() // it is kept
		}
		return x.cost(x.Bound()) * (1 + 2e-12)
	}
}

// stop is when the engine stops under a time limit.
func stop(ctx context.Context) (until time.Time, timed bool) {
	until, timed = ctx.Deadline()
	return time.Now().Add(time.Duration(proofShare * float64(time.Until(until)))), timed
}

// solveByEngine is exact where the engine takes the instance.
func solveByEngine(ctx context.Context, x *engine, opt solver.Options) (m *made, err error) {
	if until, timed := stop(ctx); timed {
		var end func()
		ctx, end = context.WithDeadline(ctx, until)
		defer end()
	}
	x.from = -1 // its own proof is wanted in any case
	closed := x.above(ctx, math.MaxInt64, conflictsPerIteration*min(opt.Iterations, unlimited/conflictsPerIteration))
	m = &made{schedule: x.best, status: model.StatusLimit, facts: Facts{Conflicts: &x.Conflicts}}
	if err = m.proven(x); closed && m.bound != nil {
		m.status = model.StatusOptimal
	}
	return m, err
}
