package lcg

import "mrsched/model/proof"

type literal = proof.Literal

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
	at, n int32 // of a clause its start; of an arc as in hints; of a rule where its literals are, and their number
	rule  int32 // its place
}

type reasonKind int8

const (
	byDecision reasonKind = iota
	byClause
	byArc
	byRule
)

const none = -1

// is reports whether a literal is true.
func (e *Engine) is(l literal) bool { return e.bound[l.Side] >= l.T }

// isNot reports whether a literal is false.
func (e *Engine) isNot(l literal) bool { return e.bound[l.Side^1] > -l.T }

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
		e.conflict, e.clash = append(e.explained(e.conflict[:0], l, why), l.Not()), e.hint(why)
		return false
	}
	e.trail = append(e.trail, change{l.Side, e.level(), e.last[l.Side], why, e.bound[l.Side], l.T})
	e.last[l.Side] = int32(len(e.trail) - 1)
	e.bound[l.Side] = l.T
	return true
}

// explained appends the literals that force l.
func (e *Engine) explained(list []literal, l literal, why reason) []literal {
	switch why.kind {
	case byClause:
		for _, c := range e.clause(why.at) {
			if x := e.literal(c); x.Side != l.Side {
				list = append(list, x.Not())
			}
		}
	case byArc:
		a := &e.model.Arcs[why.at>>1]
		from, _ := a.Ends(why.at & 1)
		if list = append(list, literal{Side: from, T: l.T - a.Delay}); a.If != 0 {
			list = append(list, proof.AtLeast(a.If, 1))
		}
	case byRule:
		list = append(list, e.reasons[why.at:why.at+why.n]...)
	}
	return list
}

// because stores a rule, and the literals that make it apply, as a reason.
func (e *Engine) because(list []literal, rule proof.Hint) reason {
	at := len(e.reasons)
	e.reasons, e.rules = append(e.reasons, list...), append(e.rules, rule)
	return reason{byRule, int32(at), int32(len(list)), int32(len(e.rules) - 1)}
}

// rule makes a literal true by a rule that some literals make apply.
func (e *Engine) rule(l literal, h proof.Hint, why ...literal) bool {
	return e.raise(l, e.because(why, h))
}

// decide opens a level in which a literal is true.
func (e *Engine) decide(l literal) {
	e.levels = append(e.levels, mark{int32(len(e.trail)), int32(len(e.reasons)), int32(len(e.rules))})
	e.raise(l, reason{})
}

// mark is where a level begins.
type mark struct{ trail, reasons, rules int32 }

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
	e.trail, e.levels = e.trail[:to.trail], e.levels[:level]
	e.reasons, e.rules = e.reasons[:to.reasons], e.rules[:to.rules]
	e.head = len(e.trail)
}

// settle logs what holds at the root, and forgets how it came about.
func (e *Engine) settle() {
	for k := range e.trail {
		c := &e.trail[k]
		if c.reason.kind != byDecision {
			e.log([]literal{{Side: c.side, T: c.new}}, nil, e.hint(c.reason))
		}
		e.last[c.side] = none
	}
	e.trail, e.reasons, e.rules, e.head = e.trail[:0], e.reasons[:0], e.rules[:0], 0
	copy(e.root, e.bound)
}

// log adds a step: a clause, which follows from the reasons of changes in order, then from the conflict.
func (e *Engine) log(clause []literal, changes []int32, clash proof.Hint) int32 {
	if e.Log == nil {
		return 0
	}
	e.hints = e.hints[:0]
	for _, k := range changes {
		e.hints = append(e.hints, e.hint(e.trail[k].reason))
	}
	return int32(e.Log.Add(clause, append(e.hints, clash)))
}

// hint is how the checker draws the consequence of a reason.
func (e *Engine) hint(why reason) proof.Hint {
	switch why.kind {
	case byClause:
		return proof.Hint{Kind: proof.ByClause, At: int(e.store[why.at-3])}
	case byArc:
		return proof.Hint{Kind: proof.ByArc, At: int(why.at)}
	case byRule:
		return e.rules[why.rule]
	}
	return proof.Hint{} // a decision, which no analysis follows
}

// cause is the change that made a literal true; none if it is true at the root.
func (e *Engine) cause(l literal) int32 {
	if e.root[l.Side] >= l.T {
		return none
	}
	k := e.last[l.Side]
	for e.trail[k].old >= l.T {
		k = e.trail[k].last
	}
	return k
}
