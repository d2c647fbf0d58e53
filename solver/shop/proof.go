package shop

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

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
	// engineCells is the most pairs of a task and a node that it takes.
	engineCells = 50_000_000
	// boundConflicts is how many the bound has without a time limit on 60 tasks; on more, fewer by the square. Bundles
	// share them.
	boundConflicts, boundTasks = 20_000, 60
	// sumPart divides them for other objectives than the makespan, which have better bounds.
	sumPart = 20
	// leastPatience is the least number of conflicts after which a limit above the proven one is given up.
	leastPatience = 1000
	// maxLog bounds a log before it is trimmed, in bytes. Beyond it, the search goes on without a proof.
	maxLog = 1 << 29
)

// engine proves bounds by package lcg, and finds schedules.
type engine struct {
	*lcg.Engine
	in   *shop.Instance
	m    *shop.ClauseModel
	unit *big.Int // of costs
	last int64    // the most that a schedule costs
	best *model.Schedule
}

// newEngine prepares the engine for schedules that cost less than one, or for any; nil if it does not take the
// instance.
func newEngine(in *shop.Instance, s *model.Schedule) *engine {
	x := &engine{in: in, best: s, unit: in.CostUnit()}
	if in.Tasks > engineTasks || in.Tasks > engineCells/in.Nodes || x.unit.Sign() == 0 {
		return nil
	}
	x.last = x.end()
	m, err := in.ClauseModel(x.last)
	if err != nil {
		return nil
	}
	x.m, x.Engine = m, lcg.New(m.Model)
	x.Log = &proof.Log{}
	x.MaxLog = maxLog
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

// above looks for better schedules until there is none. It returns false if it ended before.
func (x *engine) above(ctx context.Context, conflicts int) bool {
	for until := x.Conflicts + conflicts; ; {
		limit := x.end()
		if x.best != nil {
			limit--
		}
		switch x.Try(ctx, limit, until-x.Conflicts) {
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

// clauses is the bound of the engine; nil if it does not take the instance, or proves nothing more. A better schedule
// that it finds becomes the one to begin with.
func (r *run) clauses(ctx context.Context) (*shop.Certificate, error) {
	if r.first.schedule == nil {
		return nil, nil
	}
	if r.engine = newEngine(r.in, r.first.schedule); r.engine == nil {
		return nil, nil
	}
	n, x := max(boundTasks, r.in.Tasks), r.engine
	conflicts := boundConflicts * boundTasks / n * boundTasks / n / len(x.m.Bundles)
	if _, timed := ctx.Deadline(); r.in.Objective != shop.Makespan {
		conflicts /= sumPart
	} else if timed {
		conflicts = unlimited
	}
	unit, _ := new(big.Float).SetInt(x.unit).Float64()
	from := int64(math.Round(r.least() / unit))
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
