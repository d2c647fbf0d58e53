package lcg

import "slices"

// decay is what an atom's activity is worth at the next conflict.
const decay = 0.95

// unwanted marks changes that a conflict does not rest on.
const unwanted = -1 << 63

// analysis is what the analysis of a conflict works with.
type analysis struct {
	want     []int64 // by change: the least bound that the conflict rests on, or unwanted
	touched  []int32
	open     int     // wanted changes of the conflict's level
	below    []int32 // wanted changes of lower levels
	used     []int32 // changes whose reasons the clause follows from
	strong   []int32 // by side: the last wanted change of the clause, or none
	seen     []int8  // by change, when the clause is minimised: 1 implied by the others, 2 not
	reached  []int32 // changes that are seen
	literals []literal
	codes    []int32
	levels   map[int32]bool
}

// rest notes that the conflict rests on a literal.
func (e *Engine) rest(l literal) {
	k := e.cause(l)
	if k == none || e.trail[k].level == 0 {
		return
	}
	a := &e.analysis
	if a.want[k] == unwanted {
		a.touched = append(a.touched, k)
		if e.trail[k].level == e.level() {
			a.open++
		} else {
			a.below = append(a.below, k)
		}
		a.want[k] = l.T
		return
	}
	a.want[k] = max(a.want[k], l.T)
}

// learn turns the conflict into a clause, goes back to where it is unit, and makes that literal true. It returns false
// if the conflict holds at the root.
func (e *Engine) learn() bool {
	deep := int32(0)
	for _, l := range e.conflict {
		if k := e.cause(l); k != none {
			deep = max(deep, e.trail[k].level)
		}
	}
	if deep == 0 {
		return false
	}
	e.backTo(deep)
	a := &e.analysis
	for len(a.want) < len(e.trail) {
		a.want, a.seen = append(a.want, unwanted), append(a.seen, 0)
	}
	a.open, a.below, a.touched, a.used = 0, a.below[:0], a.touched[:0], a.used[:0]
	for _, l := range e.conflict {
		e.rest(l)
	}
	first := e.resolve()
	back, lbd := e.minimise(first)
	slices.Sort(a.used)
	step := e.log(a.literals, a.used, e.clash)
	e.backTo(back)
	for _, k := range a.touched {
		a.want[k] = unwanted
	}
	l := a.literals[0]
	if len(a.literals) == 1 {
		return e.raise(l, reason{})
	}
	a.codes = a.codes[:0]
	for _, x := range a.literals {
		c := e.code(x)
		a.codes = append(a.codes, c)
		e.bump(c >> 1)
	}
	at := e.add(a.codes, step, lbd)
	e.step /= decay
	return e.raise(l, reason{kind: byClause, at: at})
}

// resolve replaces wanted changes of the conflict's level by their reasons, the last first, until one is left.
func (e *Engine) resolve() int32 {
	a := &e.analysis
	for k := int32(len(e.trail) - 1); ; k-- {
		if a.want[k] == unwanted {
			continue
		}
		if a.open == 1 {
			return k
		}
		a.open--
		a.used = append(a.used, k)
		c := &e.trail[k]
		if c.reason.kind == byClause {
			for _, code := range e.clause(c.reason.at) {
				e.bump(code >> 1)
			}
		}
		a.literals = e.explained(a.literals[:0], literal{Side: c.side, T: a.want[k]}, c.reason)
		a.want[k] = unwanted
		for _, l := range a.literals {
			e.rest(l)
		}
	}
}

// minimise fills in the clause's literals, the one of the last level first, then one of the level to go back to. It
// leaves out what the others imply.
func (e *Engine) minimise(first int32) (back, lbd int32) {
	a := &e.analysis
	list := append(a.below, first)
	for _, k := range list {
		s := e.trail[k].side
		if a.strong[s] == none || a.strong[s] < k {
			a.strong[s] = k
		}
	}
	a.literals = append(a.literals[:0], literal{Side: e.trail[first].side, T: a.want[first]}.Not())
	clear(a.levels)
	at := 0
	for _, k := range a.below {
		c := &e.trail[k]
		if a.strong[c.side] != k {
			continue
		}
		if e.implied(k, 0) {
			a.used = append(a.used, k)
			continue
		}
		a.literals = append(a.literals, literal{Side: c.side, T: a.want[k]}.Not())
		a.levels[c.level] = true
		if c.level > back {
			back, at = c.level, len(a.literals)-1
		}
	}
	if at > 0 {
		a.literals[1], a.literals[at] = a.literals[at], a.literals[1]
	}
	for _, k := range list {
		a.strong[e.trail[k].side] = none
	}
	for _, k := range a.reached {
		a.seen[k] = 0
	}
	a.reached, a.below = a.reached[:0], a.below[:0]
	return back, int32(len(a.levels)) + 1
}

// maxDepth bounds the recursion of implied.
const maxDepth = 50

// implied reports whether the reasons of a wanted change follow from earlier literals of the clause.
func (e *Engine) implied(k int32, depth int) bool {
	a := &e.analysis
	c := &e.trail[k]
	if c.reason.kind == byDecision || depth > maxDepth {
		return false
	}
	t := a.want[k]
	if t == unwanted {
		t = c.new
	}
	list := e.explained(nil, literal{Side: c.side, T: t}, c.reason)
	return !slices.ContainsFunc(list, func(l literal) bool { return !e.follows(l, k, depth) })
}

// follows reports whether a literal follows from literals of the clause that became true before change k.
func (e *Engine) follows(l literal, k int32, depth int) bool {
	a := &e.analysis
	j := e.cause(l)
	if j == none || e.trail[j].level == 0 {
		return true
	}
	if s := a.strong[l.Side]; s != none && s < k && (s > j || s == j && a.want[j] >= l.T) {
		return true
	}
	if a.want[j] != unwanted {
		return false
	}
	if a.seen[j] != 0 {
		return a.seen[j] == 1
	}
	a.seen[j] = 2
	if e.implied(j, depth+1) {
		a.seen[j] = 1
		a.used = append(a.used, j)
	}
	a.reached = append(a.reached, j)
	return a.seen[j] == 1
}
