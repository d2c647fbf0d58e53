package lcg

import (
	"context"
	"slices"

	"mrsched/model/proof"
)

// Engine searches for schedules of a model and learns from conflicts. It is not safe for concurrent use.
type Engine struct {
	model  *proof.Model
	arcs   [][]int32 // by side: the arcs that its rise follows, as in hints; of an option, those that it opens, too
	of     [][]int32 // by variable: the tables of its limits
	sums   [][]int32 // by side: the sums that its rise concerns
	tables []table
	turns  []turn

	bound, root []int64 // by side: now, and at the root
	last        []int32 // by side: its last change, or none
	trail       []change
	levels      []mark
	reasons     []literal
	head        int  // changes before it are propagated
	due         todo // tables whose profile has to be looked at
	energetic   todo // those whose energy has
	unbalanced  todo // sums to be looked at
	conflict    []literal
	clash       proof.Hint // what raises a side that cannot rise
	rules       []proof.Hint
	hints       []proof.Hint
	begun       bool
	Log         *proof.Log // nil: none is written
	MaxLog      int        // bytes after which it is trimmed, or given up; 0: any number

	atoms    []atom
	literals []literal // by code
	atomsOf  [][]int32 // by variable, in rising order of time
	passed   []int32   // by variable: its atoms that are true, and those that are not false, as propagated so far
	watch    [][]watcher
	store    []int32
	clauses  []int32
	queue    []int32
	step     float64
	room     int // for clauses, beside one for twenty conflicts

	analysis  analysis
	best      []int64 // the best starts so far
	Conflicts int
	Decisions int
}

// New prepares an engine.
func New(m *proof.Model) *Engine {
	n := len(m.Least)
	e := &Engine{model: m, step: 1, room: 4000, arcs: make([][]int32, 2*n), of: make([][]int32, n),
		sums: make([][]int32, 2*n), bound: make([]int64, 2*n),
		last: slices.Repeat([]int32{none}, 2*n), atomsOf: make([][]int32, n), passed: make([]int32, 2*n)}
	e.analysis.strong = slices.Repeat([]int32{none}, 2*n)
	e.analysis.levels = map[int32]bool{}
	for v := range n {
		e.bound[2*v], e.bound[2*v+1] = m.Least[v], -m.Most[v]
	}
	e.root = slices.Clone(e.bound)
	for k, a := range m.Arcs {
		for back := range int32(2) {
			from, _ := a.Ends(back)
			e.arcs[from] = append(e.arcs[from], int32(2*k)+back)
			if a.If != 0 {
				e.arcs[2*a.If] = append(e.arcs[2*a.If], int32(2*k)+back)
			}
		}
	}
	e.addTurns()
	e.addSums()
	for k, l := range m.Limits {
		x := newTable(&l, k)
		horizon := 0.0
		for _, t := range l.Tasks {
			e.of[t.Variable] = append(e.of[t.Variable], int32(k))
			if t.If != 0 {
				e.of[t.If] = append(e.of[t.If], int32(k))
			}
			horizon = max(horizon, float64(m.Most[t.Variable]+t.Length), -float64(m.Least[t.Variable]))
		}
		x.energy = newEnergy(&x, 2*horizon)
		e.tables = append(e.tables, x)
	}
	return e
}

// propagate draws all consequences of the changes since the last time. It returns false if there is a conflict.
func (e *Engine) propagate() bool {
	ok := e.drain()
	for ok && len(e.unbalanced.list)+len(e.due.list)+len(e.energetic.list) > 0 {
		if len(e.unbalanced.list) > 0 {
			ok = e.balance(e.unbalanced.pop()) && e.drain()
		} else if len(e.due.list) > 0 {
			ok = e.timetable(&e.tables[e.due.pop()]) && e.drain()
		} else {
			ok = e.late() && e.drain()
		}
	}
	if !ok {
		e.due.clear()
		e.energetic.clear()
		e.unbalanced.clear()
	}
	return ok
}

// late looks at the energy of tables that have changed, until something follows.
func (e *Engine) late() bool {
	for e.head == len(e.trail) && len(e.energetic.list) > 0 {
		x := &e.tables[e.energetic.pop()]
		if y := x.energy; y.pause > 0 {
			y.pause--
			continue
		}
		if !e.edges(x) {
			x.energy.idle = 0
			return false
		}
		if e.head < len(e.trail) {
			x.energy.idle = 0
		} else {
			x.energy.idle = min(2*x.energy.idle+1, maxPause)
		}
		x.energy.pause = x.energy.idle
	}
	return true
}

// tables in a queue, each at most once.
type todo struct {
	list []int32
	is   []bool
}

func (q *todo) push(k int32) {
	for int(k) >= len(q.is) {
		q.is = append(q.is, false)
	}
	if !q.is[k] {
		q.is[k] = true
		q.list = append(q.list, k)
	}
}

func (q *todo) pop() int32 {
	k := q.list[len(q.list)-1]
	q.list, q.is[k] = q.list[:len(q.list)-1], false
	return k
}

func (q *todo) clear() {
	for len(q.list) > 0 {
		q.pop()
	}
}

// drain follows arcs and clauses.
func (e *Engine) drain() bool {
	for e.head < len(e.trail) {
		side := e.trail[e.head].side
		e.head++
		if !e.follow(side) || !e.pass(side) {
			return false
		}
		for _, k := range e.of[side>>1] {
			e.due.push(k)
			e.energetic.push(k)
		}
		for _, k := range e.sums[side] {
			e.unbalanced.push(k)
		}
	}
	return true
}

// follow follows the arcs of a side.
func (e *Engine) follow(side int32) bool {
	for _, k := range e.arcs[side] {
		a := &e.model.Arcs[k>>1]
		from, to := a.Ends(k & 1)
		l := literal{Side: to, T: e.bound[from] + a.Delay}
		if a.If != 0 && !e.is(proof.AtLeast(a.If, 1)) {
			if !e.is(proof.AtMost(a.If, 0)) && e.isNot(l) && !e.rule(proof.AtMost(a.If, 0),
				proof.Hint{Kind: proof.ByArc, At: int(k)}, literal{Side: from, T: e.bound[from]}, l.Not()) {
				return false
			}
			continue
		}
		if !e.raise(l, reason{kind: byArc, at: k}) {
			return false
		}
	}
	return true
}

// Verdict is the result of a search.
type Verdict int

// The verdicts.
const (
	Open    Verdict = iota // a limit stopped the search
	Refuted                // there is no schedule with that objective
	Found                  // Starts has a schedule
)

// Starts are the values of the variables in the schedule found last.
func (e *Engine) Starts() []int64 { return e.best }

// Variables is the number of variables.
func (e *Engine) Variables() int { return len(e.model.Least) }

// Bound is the least value of the objective that is not refuted.
func (e *Engine) Bound() int64 { return e.root[2*e.model.Objective] }

// Aim sets the schedule whose sides decisions take first.
func (e *Engine) Aim(start []int64) { e.best = slices.Clone(start) }

// Try looks for a schedule with an objective of at most limit, for a number of conflicts.
func (e *Engine) Try(ctx context.Context, limit int64, conflicts int) Verdict {
	if ctx.Err() != nil {
		return Open
	}
	until := e.Conflicts + conflicts
	e.backTo(0)
	if !e.begun {
		e.begun = true
		for k := range e.tables {
			e.due.push(int32(k))
			e.energetic.push(int32(k))
		}
		for k := range e.model.Sums {
			e.unbalanced.push(int32(k))
		}
		for side := range int32(len(e.bound)) {
			if !e.follow(side) {
				return e.refute()
			}
		}
		if !e.drain() || !e.addChoices() {
			return e.refute()
		}
	}
	most := proof.AtMost(e.model.Objective, limit)
	for round := 1; ; round++ {
		e.backTo(0)
		if !e.propagate() {
			return e.refute()
		}
		e.settle()
		if len(e.clauses) > e.room+e.Conflicts/20 {
			e.reduce()
		}
		e.trim()
		if v := e.dive(ctx, most, min(until, e.Conflicts+100*luby(round)), round%2 == 0); v != Open {
			return v
		}
		if e.Conflicts >= until || ctx.Err() != nil {
			return Open
		}
	}
}

// refute logs that there is no solution, as the conflict at the root shows.
func (e *Engine) refute() Verdict {
	e.backTo(0)
	e.settle()
	e.log(nil, nil, e.clash)
	return Refuted
}

// dive searches until a number of conflicts.
func (e *Engine) dive(ctx context.Context, most literal, until int, byAtoms bool) Verdict {
	for {
		if !e.propagate() {
			e.Conflicts++
			if !e.learn() {
				return e.refute()
			}
			continue
		}
		if e.level() == 0 {
			e.settle()
		}
		if e.isNot(most) {
			return Refuted
		}
		if e.Conflicts >= until || ctx.Err() != nil {
			return Open
		}
		if e.level() == 0 && !e.is(most) {
			e.decide(most)
			continue
		}
		l, ok := e.choose(byAtoms)
		if !ok {
			e.best = e.best[:0]
			for v := range e.model.Least {
				e.best = append(e.best, e.least(int32(v)))
			}
			return Found
		}
		e.Decisions++
		e.decide(l)
	}
}

// choose picks the next decision: the most active atom, on the side of the best schedule, or the task that can start
// first, at its least start.
func (e *Engine) choose(byAtoms bool) (literal, bool) {
	for byAtoms && len(e.queue) > 0 {
		a := e.pop()
		l := e.literal(2 * a)
		if e.is(l) || e.isNot(l) {
			continue
		}
		if len(e.best) == 0 || e.best[l.Side>>1] < l.T {
			return l.Not(), true
		}
		return l, true
	}
	return e.next()
}

// luby is the sequence 1, 1, 2, 1, 1, 2, 4, …, from i = 1 on.
func luby(i int) int {
	for {
		k := 1
		for 1<<k-1 < i {
			k++
		}
		if 1<<k-1 == i {
			return 1 << (k - 1)
		}
		i -= 1<<(k-1) - 1
	}
}
