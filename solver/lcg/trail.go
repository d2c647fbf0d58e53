package lcg

// change is a step of the trail: the bound of a side has risen.
type change struct {
	side, level int32
	last        int32 // the change of the same side before it, or none
	reason      reason
	old, new    int64
}

// reason says why a side rose.
type reason struct {
	kind  reasonKind
	at, n int32 // of a clause its start; of an arc the side at its other end; of literals their place
	delay int64 // of an arc
}

type reasonKind int8

const (
	byDecision reasonKind = iota
	byClause
	byArc
	byLiterals
)

const none = -1

// is reports whether a literal is true.
func (e *Engine) is(l literal) bool { return e.bound[l.side] >= l.t }

// isNot reports whether a literal is false.
func (e *Engine) isNot(l literal) bool { return e.bound[l.side^1] > -l.t }

// least and most are the ends of a variable's window.
func (e *Engine) least(v int32) int64 { return e.bound[2*v] }
func (e *Engine) most(v int32) int64  { return -e.bound[2*v+1] }

func (e *Engine) level() int32 { return int32(len(e.levels)) }

// raise makes a literal true. If it is false, it states the conflict and returns false.
func (e *Engine) raise(l literal, why reason) bool {
	if e.is(l) {
		return true
	}
	if e.isNot(l) {
		e.conflict = append(e.explained(e.conflict[:0], l, why), l.not())
		return false
	}
	e.trail = append(e.trail, change{l.side, e.level(), e.last[l.side], why, e.bound[l.side], l.t})
	e.last[l.side] = int32(len(e.trail) - 1)
	e.bound[l.side] = l.t
	return true
}

// explained appends the literals that force l.
func (e *Engine) explained(list []literal, l literal, why reason) []literal {
	switch why.kind {
	case byClause:
		for _, c := range e.clause(why.at) {
			if x := e.literal(c); x.side != l.side || x.t < l.t {
				list = append(list, x.not())
			}
		}
	case byArc:
		list = append(list, literal{why.at, l.t - why.delay})
	case byLiterals:
		list = append(list, e.reasons[why.at:why.at+why.n]...)
	}
	return list
}

// because stores literals as a reason.
func (e *Engine) because(list []literal) reason {
	at := len(e.reasons)
	e.reasons = append(e.reasons, list...)
	return reason{kind: byLiterals, at: int32(at), n: int32(len(list))}
}

// decide opens a level in which a literal is true.
func (e *Engine) decide(l literal) {
	e.levels = append(e.levels, mark{int32(len(e.trail)), int32(len(e.reasons))})
	e.raise(l, reason{})
}

// mark is where a level begins in trail and reasons.
type mark struct{ trail, reasons int32 }

// backTo takes back all levels above one.
func (e *Engine) backTo(level int32) {
	if e.level() <= level {
		return
	}
	to := e.levels[level]
	for k := len(e.trail) - 1; k >= int(to.trail); k-- {
		c := &e.trail[k]
		e.bound[c.side], e.last[c.side] = c.old, c.last
		e.release(c.side)
	}
	e.trail, e.reasons, e.levels = e.trail[:to.trail], e.reasons[:to.reasons], e.levels[:level]
	e.head = len(e.trail)
}

// settle forgets how the bounds of the root came about.
func (e *Engine) settle() {
	for _, c := range e.trail {
		e.last[c.side] = none
	}
	e.trail, e.reasons, e.head = e.trail[:0], e.reasons[:0], 0
	copy(e.root, e.bound)
}

// cause is the change that made a literal true; none if it is true at the root.
func (e *Engine) cause(l literal) int32 {
	if e.root[l.side] >= l.t {
		return none
	}
	k := e.last[l.side]
	for e.trail[k].old >= l.t {
		k = e.trail[k].last
	}
	return k
}
