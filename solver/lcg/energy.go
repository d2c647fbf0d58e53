package lcg

import (
	"math"
	"slices"

	"mrsched/model/proof"
)

// energy looks for intervals in which the tasks of a limit need more than there is: time-table edge finding.
//
// Of an interval [a, b) it counts what runs there for sure, and all of the tasks whose windows lie inside. Then a task
// that starts from a on and may end after b has to start so late that the rest of the interval has room for it.
//
// Complexity: O(n²) for n tasks.   Source: Vilím, CPAIOR 2011; Schutt, Feydy and Stuckey, CPAIOR 2013.
type energy struct {
	fits    bool // sums do not overflow, and there are not too many tasks
	pause   int  // so many times it is not looked at
	idle    int  // the pause after the last time, which grows as long as nothing follows
	view    []window
	byBegin []int32 // tasks by falling begin
	byEnd   []int32 // tasks by rising end
	list    []literal
}

// maxEdges is how many tasks a limit may have; time is quadratic.
const maxEdges = 5000

// maxPause is the longest pause: energy costs more than all else and mostly says nothing new.
const maxPause = 255

// window is where a task runs, with what is sure to run before its ends. Time may run backwards.
type window struct {
	begin, end         int64
	from, until        int64 // of its part that runs for sure; empty unless from < until
	length, amount     int64
	toBegin, toEnd     int64 // what runs for sure up to begin and end
	free               int64 // what it needs beside that part
	variable, backward int32
}

// newEnergy prepares a limit with windows within a horizon.
func newEnergy(x *table, horizon float64) *energy {
	sum := float64(x.capacity)
	for _, n := range x.tasks {
		sum += float64(n.Amount)
	}
	y := &energy{fits: sum*(horizon+1) < math.MaxInt64/8 && len(x.tasks) <= maxEdges, view: make([]window, len(x.tasks))}
	for k := range x.tasks {
		y.byBegin, y.byEnd = append(y.byBegin, int32(k)), append(y.byEnd, int32(k))
	}
	return y
}

// edges checks the intervals of a limit whose profile is up to date, forwards and backwards.
func (e *Engine) edges(x *table) bool {
	y := x.energy
	if !y.fits {
		return true
	}
	for k := range x.tasks {
		n := &x.tasks[k]
		least, most := e.least(n.Variable), e.most(n.Variable)
		y.view[k] = window{begin: least, end: most + n.Length, from: most, until: least + n.Length, length: n.Length,
			amount: n.Amount, variable: n.Variable}
		if !e.runs(n) {
			y.view[k].amount = 0
		}
	}
	y.sort()
	y.sure(x)
	if !e.sweep(x) {
		return false
	}
	for k := range y.view {
		w := &y.view[k]
		w.begin, w.end, w.from, w.until = -w.end, -w.begin, -w.until, -w.from
		w.toBegin, w.toEnd, w.backward = -w.toEnd, -w.toBegin, 1
	}
	y.sort()
	return e.sweep(x)
}

// sort orders the tasks; they are nearly in order.
func (y *energy) sort() {
	insertion(y.byBegin, func(k int32) int64 { return -y.view[k].begin })
	insertion(y.byEnd, func(k int32) int64 { return y.view[k].end })
}

func insertion(list []int32, key func(k int32) int64) {
	for i := 1; i < len(list); i++ {
		k, at := list[i], i
		for v := key(k); at > 0 && key(list[at-1]) > v; at-- {
			list[at] = list[at-1]
		}
		list[at] = k
	}
}

// sure fills in what runs for sure up to the ends of windows.
func (y *energy) sure(x *table) {
	walk := func(order func(i int) *window, time func(w *window) int64, set func(w *window, v int64)) {
		p, sum := 0, int64(0)
		for i := range y.view {
			w := order(i)
			t := time(w)
			for p < len(x.pieces) && x.pieces[p].until <= t {
				sum += x.pieces[p].height * (x.pieces[p].until - x.pieces[p].from)
				p++
			}
			part := int64(0)
			if p < len(x.pieces) && x.pieces[p].from < t {
				part = x.pieces[p].height * (t - x.pieces[p].from)
			}
			set(w, sum+part)
		}
	}
	n := len(y.view)
	walk(func(i int) *window { return &y.view[y.byBegin[n-1-i]] }, func(w *window) int64 { return w.begin },
		func(w *window, v int64) { w.toBegin = v })
	walk(func(i int) *window { return &y.view[y.byEnd[i]] }, func(w *window) int64 { return w.end },
		func(w *window, v int64) { w.toEnd = v })
	for k := range y.view {
		w := &y.view[k]
		w.free = w.amount * (w.length - max(0, w.until-w.from))
	}
}

// sweep checks all intervals from a begin to an end.
func (e *Engine) sweep(x *table) bool {
	y := x.energy
	last := int64(math.MinInt64)
	for _, i := range y.byEnd {
		b := y.view[i].end
		if b == last {
			continue
		}
		last = b
		inside, most, who := int64(0), int64(0), int32(none)
		for _, k := range y.byBegin {
			w := &y.view[k]
			a := w.begin
			if a >= b {
				continue
			}
			if w.end <= b {
				inside += w.free
			} else if need := w.amount * (min(w.length, b-a) - y.part(w, a, b)); need > most {
				most, who = need, k
			}
			left := x.capacity*(b-a) - inside - (y.view[i].toEnd - w.toBegin)
			if left < 0 || who != none && most > left {
				if !e.tooMuch(x, a, b, left, who) {
					return false
				}
				if left >= 0 {
					most, who = 0, none
				}
			}
		}
	}
	return true
}

// part is how long a task runs for sure within an interval.
func (y *energy) part(w *window, a, b int64) int64 { return max(0, min(w.until, b)-max(w.from, a)) }

// tooMuch states a conflict, or pushes a task of which the interval has less left than it would take from its begin.
func (e *Engine) tooMuch(x *table, a, b, left int64, who int32) bool {
	w := &x.energy.view[max(0, who)]
	from, until := a, b
	if w.backward == 1 {
		from, until = -b, -a
	}
	if left < 0 {
		rule := proof.Hint{Kind: proof.ByEnergy, At: x.number, From: from, Until: until, To: literal{Side: none}}
		e.conflict, e.clash = append(e.conflict[:0], e.busy(x, from, until, none, 0)...), rule
		return false
	}
	stay := left/w.amount + x.energy.part(w, a, b) // so long it may run inside
	to, cut := proof.AtLeast(w.variable, b-stay), proof.AtLeast(w.variable, a+stay+1-w.length)
	if w.backward == 1 {
		to, cut = proof.AtMost(w.variable, stay-b-w.length), proof.AtMost(w.variable, until-stay-1)
	}
	if e.is(to) {
		return true
	}
	rule := proof.Hint{Kind: proof.ByEnergy, At: x.number, From: from, Until: until, To: to}
	why := given(append(e.busy(x, from, until, who, stay+1), cut), &x.tasks[who])
	return e.raise(to, e.because(why, rule))
}

// busy lists why tasks need too much of an interval if task who runs there for a time. It claims no more than needed.
func (e *Engine) busy(x *table, a, b int64, who int32, stay int64) []literal {
	list := x.energy.list[:0]
	spare := -x.capacity*(b-a) - 1
	inside := func(n *proof.Need) int64 {
		if !e.runs(n) {
			return 0
		}
		return max(0, min(n.Length, b-a, e.least(n.Variable)+n.Length-a, b-e.most(n.Variable)))
	}
	for k := range x.tasks {
		if n := &x.tasks[k]; int32(k) == who {
			spare += n.Amount * stay
		} else {
			spare += n.Amount * inside(n)
		}
	}
	for k := range x.tasks {
		n := &x.tasks[k]
		time := inside(n)
		if int32(k) == who || time == 0 {
			continue
		}
		less := min(time, spare/n.Amount)
		begin, end := proof.AtLeast(n.Variable, a+time-n.Length), proof.AtMost(n.Variable, b-time)
		if less == 0 || e.root[begin.Side] >= begin.T && e.root[end.Side] >= end.T && (n.If == 0 || e.root[2*n.If] == 1) {
			list = given(append(list, begin, end), n)
			continue
		}
		if spare -= less * n.Amount; less < time {
			list = append(list, proof.AtLeast(n.Variable, begin.T-less), proof.AtMost(n.Variable, b-time+less))
			list = given(list, n)
		}
	}
	x.energy.list = list
	return slices.Clip(list)
}
