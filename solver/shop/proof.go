package shop

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/lcg"
)

// conflictsPerIteration is how many conflicts of the engine one iteration of exact counts.
const conflictsPerIteration = 1000

// proof proves makespans of one node by package lcg.
//
// Variables are the steps and, last, the makespan. Times are in units of the greatest common divisor of all times that
// starts derive from, as docs/mathematics.md shows for the rounding of bounds: some optimal schedule starts every task
// at a multiple of it.
type proof struct {
	in     *shop.Instance
	best   *model.Schedule
	unit   model.Time
	model  *lcg.Model
	engine *lcg.Engine
}

// newProof prepares the engine for schedules below a given one; nil if it does not take the instance.
func newProof(in *shop.Instance, s *model.Schedule) *proof {
	if in.Objective != shop.Makespan || in.Nodes != 1 || s == nil || in.Replan() != nil || in.Sets() > 0 {
		return nil
	}
	p := &proof{in: in, best: s, unit: in.TimeUnit()}
	if p.unit == 0 {
		return nil
	}
	last := p.cost(s)
	m := &lcg.Model{Objective: int32(in.Steps)}
	for u := range int32(in.Steps) {
		earliest, latest := int64(in.Earliest[u]/p.unit), last
		if int(u) < in.Tasks && in.Fixed(u) {
			earliest = floor(in.FixedStart(u), p.unit)
			latest = earliest
		}
		m.Least, m.Most = append(m.Least, earliest), append(m.Most, latest)
		m.Arcs = append(m.Arcs, lcg.Arc{From: u, To: m.Objective, Delay: p.length(u)})
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			m.Arcs = append(m.Arcs, lcg.Arc{From: u, To: in.SuccStep[a],
				Delay: p.length(u) + int64(in.SuccDelay[a]/p.unit)})
		}
	}
	m.Least, m.Most = append(m.Least, 0), append(m.Most, last)
	if p.model = m; !p.limits() {
		return nil
	}
	p.engine = lcg.New(m)
	p.engine.Aim(p.starts())
	return p
}

// limits adds the resources of the node and its absences. It returns false if sums of demands could overflow.
func (p *proof) limits() bool {
	in := p.in
	for r, c := range in.Capacities(0) {
		if c == shop.Unlimited {
			continue
		}
		sum := p.limit(c, func(u int32) int64 { return in.Demands(u)[r] })
		if sum > math.MaxInt64/4 {
			return false
		}
	}
	if len(in.AwayFrom) == 0 {
		return true
	}
	all := int64(in.Tasks) + 1 // an absence leaves no room for a task
	p.limit(all, func(int32) int64 { return 1 })
	l := &p.model.Limits[len(p.model.Limits)-1]
	for k, from := range in.AwayFrom {
		from, until := floor(from, p.unit), floor(min(in.AwayUntil[k], model.MaxHorizon), p.unit)
		if from < until {
			v := int32(len(p.model.Least))
			p.model.Least, p.model.Most = append(p.model.Least, from), append(p.model.Most, from)
			l.Tasks = append(l.Tasks, lcg.Need{Variable: v, Length: until - from, Amount: all})
		}
	}
	return true
}

// limit adds a limit of which every task takes an amount. It returns the sum of the amounts.
func (p *proof) limit(capacity int64, amount func(u int32) int64) (sum float64) {
	l := lcg.Limit{Capacity: capacity}
	for u := range int32(p.in.Tasks) {
		if a, t := amount(u), p.length(u); a > 0 && t > 0 {
			l.Tasks = append(l.Tasks, lcg.Need{Variable: u, Length: t, Amount: a})
			sum += float64(a)
		}
	}
	p.model.Limits = append(p.model.Limits, l)
	return sum
}

// length is the length of a step in units. A fixed task begins with the unit of its start.
func (p *proof) length(u int32) int64 {
	if int(u) < p.in.Tasks && p.in.Fixed(u) {
		return int64((p.in.FixedStart(u)+p.in.Least[u])/p.unit) - floor(p.in.FixedStart(u), p.unit)
	}
	return int64(p.in.Least[u] / p.unit)
}

// cost is the makespan of a schedule in units.
func (p *proof) cost(s *model.Schedule) (end int64) {
	for _, e := range s.Entries {
		end = max(end, floor(e.End, p.unit))
	}
	return end
}

// starts are the variables' values in the best schedule: barriers as early as can be.
func (p *proof) starts() []int64 {
	in := p.in
	list := slices.Clone(p.model.Least)
	for _, e := range p.best.Entries {
		list[e.Task] = max(list[e.Task], floor(e.Start, p.unit))
	}
	for _, u := range in.Topo {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if v := in.SuccStep[a]; int(v) >= in.Tasks {
				list[v] = max(list[v], list[u]+p.length(u)+int64(in.SuccDelay[a]/p.unit))
			}
		}
	}
	return list
}

// solve looks for better schedules until there is none, with an engine each, so that check can repeat the last search.
func (p *proof) solve(ctx context.Context, iterations int) *made {
	m := &made{schedule: p.best, facts: Facts{Nodes: new(int)}, status: model.StatusLimit}
	left := conflictsPerIteration * min(iterations, unlimited/conflictsPerIteration)
	for {
		v := p.engine.Try(ctx, p.cost(p.best)-1, left)
		left -= p.engine.Conflicts
		*m.facts.Nodes = max(1, p.engine.Conflicts)
		if v == lcg.Found {
			p.best = p.schedule(p.engine.Starts())
			m.schedule = p.best
			p.engine = lcg.New(p.model)
			p.engine.Aim(p.starts())
			continue
		}
		if v == lcg.Refuted {
			m.status = model.StatusOptimal
		}
		return m
	}
}

// schedule is the schedule with these starts.
func (p *proof) schedule(start []int64) *model.Schedule {
	s := &model.Schedule{}
	for _, e := range p.best.Entries {
		if !p.in.Fixed(int32(e.Task)) {
			e.Start = model.Time(start[e.Task]) * p.unit
			e.End = e.Start + p.in.Least[e.Task]
		}
		s.Entries = append(s.Entries, e)
	}
	return s
}

// floor is t in whole units, rounded down.
func floor(t, unit model.Time) int64 {
	n := t / unit
	if t%unit < 0 {
		n--
	}
	return int64(n)
}
