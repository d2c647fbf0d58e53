package lcg

import (
	"slices"

	"mrsched/model/proof"
)

// atom is a literal S_v ≥ t of some clause, and its negation. Codes of its two literals are 2·atom and 2·atom+1.
type atom struct {
	v        int32
	heap     int32 // place in the heap, or none
	t        int64
	activity float64
}

// watcher is a clause that watches a literal, and another literal of it.
type watcher struct{ at, other int32 }

// literal decodes a literal of a clause.
func (e *Engine) literal(code int32) literal { return e.literals[code] }

// code finds the code of a literal, and makes its atom if there is none. Bounds must have been propagated.
func (e *Engine) code(l literal) int32 {
	v, t, negative := l.Side>>1, l.T, l.Side&1
	if negative == 1 {
		t = 1 - t
	}
	list := e.atomsOf[v]
	k, found := slices.BinarySearchFunc(list, t, func(a int32, t int64) int {
		if e.atoms[a].t < t {
			return -1
		} else if e.atoms[a].t > t {
			return 1
		}
		return 0
	})
	if found {
		return 2*list[k] + negative
	}
	a := int32(len(e.atoms))
	e.addAtom(atom{v: v, t: t, heap: none})
	e.watch = append(e.watch, nil, nil)
	e.atomsOf[v] = slices.Insert(list, k, a)
	e.place(v)
	if e.least(v) < t && t <= e.most(v) {
		e.push(a)
	}
	return 2*a + negative
}

func (e *Engine) addAtom(a atom) {
	e.atoms = append(e.atoms, a)
	e.literals = append(e.literals, proof.AtLeast(a.v, a.t), proof.AtMost(a.v, a.t-1))
}

// place counts the atoms of a variable that are true, and those that are not false.
func (e *Engine) place(v int32) {
	list := e.atomsOf[v]
	lo, hi := 0, len(list)
	for lo < len(list) && e.atoms[list[lo]].t <= e.least(v) {
		lo++
	}
	for hi > 0 && e.atoms[list[hi-1]].t > e.most(v) {
		hi--
	}
	e.passed[2*v], e.passed[2*v+1] = int32(lo), int32(hi)
}

// release takes back what is passed of a side whose bound has fallen.
func (e *Engine) release(side int32) {
	v := side >> 1
	list := e.atomsOf[v]
	k := e.passed[side]
	if side&1 == 0 {
		for ; k > 0 && e.atoms[list[k-1]].t > e.bound[side]; k-- {
			e.push(list[k-1])
		}
	} else {
		for ; int(k) < len(list) && e.atoms[list[k]].t <= -e.bound[side]; k++ {
			e.push(list[k])
		}
	}
	e.passed[side] = k
}

// clause is the list of literals that begins at a place of the store.
func (e *Engine) clause(at int32) []int32 {
	return e.store[at : at+e.store[at-1]]
}

// add keeps a clause with at least two literals: the first two are watched. step is its number in the log, lbd its
// number of levels.
func (e *Engine) add(codes []int32, step, lbd int32) int32 {
	e.store = append(e.store, step, lbd, int32(len(codes)))
	at := int32(len(e.store))
	e.store = append(e.store, codes...)
	e.watch[codes[0]] = append(e.watch[codes[0]], watcher{at, codes[1]})
	e.watch[codes[1]] = append(e.watch[codes[1]], watcher{at, codes[0]})
	e.clauses = append(e.clauses, at)
	return at
}

// pass visits the clauses that watch literals which the rise of a side made false.
func (e *Engine) pass(side int32) bool {
	v := side >> 1
	list := e.atomsOf[v]
	if side&1 == 0 {
		for k := e.passed[side]; int(k) < len(list) && e.atoms[list[k]].t <= e.bound[side]; k++ {
			e.passed[side] = k + 1
			if !e.visit(2*list[k] + 1) {
				return false
			}
		}
		return true
	}
	for k := e.passed[side]; k > 0 && e.atoms[list[k-1]].t > -e.bound[side]; k-- {
		e.passed[side] = k - 1
		if !e.visit(2 * list[k-1]) {
			return false
		}
	}
	return true
}

// visit looks for other literals to watch in the clauses that watch a false one.
func (e *Engine) visit(code int32) bool {
	list := e.watch[code]
	kept, ok := 0, true
	for k := 0; k < len(list); k++ {
		w := list[k]
		if !ok || e.is(e.literal(w.other)) {
			list[kept] = w
			kept++
			continue
		}
		c := e.clause(w.at)
		if c[0] == code {
			c[0], c[1] = c[1], c[0]
		}
		first := e.literal(c[0])
		if c[0] != w.other && e.is(first) {
			list[kept] = watcher{w.at, c[0]}
			kept++
			continue
		}
		if e.rewatch(c, w.at) {
			continue
		}
		list[kept] = watcher{w.at, c[0]}
		kept++
		ok = e.raise(first, reason{kind: byClause, at: w.at})
	}
	e.watch[code] = list[:kept]
	return ok
}

// rewatch moves the second watch of a clause to a literal that is not false.
func (e *Engine) rewatch(c []int32, at int32) bool {
	for k := 2; k < len(c); k++ {
		if !e.isNot(e.literal(c[k])) {
			c[1], c[k] = c[k], c[1]
			e.watch[c[1]] = append(e.watch[c[1]], watcher{at, c[0]})
			return true
		}
	}
	return false
}

// reduce keeps the better half of the clauses that span more than two levels, and all others, at the root.
func (e *Engine) reduce() {
	var short, long []int32
	for _, at := range e.clauses {
		if slices.ContainsFunc(e.clause(at), func(c int32) bool { return e.is(e.literal(c)) }) {
			continue
		}
		if e.store[at-2] <= 2 {
			short = append(short, at)
		} else {
			long = append(long, at)
		}
	}
	slices.SortStableFunc(long, func(a, b int32) int { return int(e.store[a-2] - e.store[b-2]) })
	long = long[:len(long)/2]
	keep := append(short, long...)
	slices.Sort(keep)
	e.rebuild(keep)
}

// trim shortens a log that is too long. Where nearly all of it stays, it gives up the log.
func (e *Engine) trim() {
	if e.Log == nil || e.MaxLog == 0 || e.Log.Size() <= e.MaxLog {
		return
	}
	if e.shorten(); e.Log.Size() > e.MaxLog/8*7 {
		e.Log = nil
	}
}

// shorten keeps the steps of the log that clauses and the root's bounds rest on.
func (e *Engine) shorten() {
	var steps []int
	for _, at := range e.clauses {
		steps = append(steps, int(e.store[at-3]))
	}
	number := e.Log.Trim(steps)
	for _, at := range e.clauses {
		e.store[at-3] = int32(number[e.store[at-3]])
	}
}

// rebuild keeps some clauses and their atoms.
func (e *Engine) rebuild(keep []int32) {
	store, atoms := e.store, e.atoms
	e.store, e.clauses = nil, nil
	number := make([]int32, len(atoms))
	e.atoms, e.literals = nil, nil
	for v := range e.atomsOf {
		e.atomsOf[v] = e.atomsOf[v][:0]
	}
	var codes []int32
	for _, at := range keep {
		for _, c := range store[at : at+store[at-1]] {
			number[c>>1] = 1
		}
	}
	for a := range atoms {
		if number[a] == 0 {
			continue
		}
		number[a] = int32(len(e.atoms))
		x := atoms[a]
		x.heap = none
		e.addAtom(x)
		e.atomsOf[x.v] = append(e.atomsOf[x.v], number[a])
	}
	e.watch = make([][]watcher, 2*len(e.atoms))
	e.queue = e.queue[:0]
	for v := range e.atomsOf {
		slices.SortFunc(e.atomsOf[v], func(a, b int32) int {
			if e.atoms[a].t < e.atoms[b].t {
				return -1
			}
			return 1
		})
		e.place(int32(v))
	}
	for _, at := range keep {
		codes = codes[:0]
		for _, c := range store[at : at+store[at-1]] {
			if code := 2*number[c>>1] + c&1; !e.isNot(e.literal(code)) {
				codes = append(codes, code)
			}
		}
		e.add(codes, store[at-3], store[at-2])
	}
	for a := range e.atoms {
		if l := e.literal(int32(2 * a)); !e.is(l) && !e.isNot(l) {
			e.push(int32(a))
		}
	}
}
