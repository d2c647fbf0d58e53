package lcg

import (
	"slices"

	"mrsched/model/proof"
)

// table is the time table of a limit: what tasks need that run for sure.
type table struct {
	capacity int64
	tasks    []proof.Need
	number   int
	part     []int32 // tasks that run for sure at some time
	events   []event
	pieces   []piece
	list     []literal
	energy   *energy
}

// event changes the height of the profile.
type event struct{ t, amount int64 }

// piece is a part of the profile with one height.
type piece struct{ from, until, height int64 }

// profile builds the pieces.
func (e *Engine) profile(x *table) (highest int64) {
	x.part, x.events, x.pieces = x.part[:0], x.events[:0], x.pieces[:0]
	for k := range x.tasks {
		n := &x.tasks[k]
		if from, until := e.most(n.Variable), e.least(n.Variable)+n.Length; from < until && e.runs(n) {
			x.part = append(x.part, int32(k))
			x.events = append(x.events, event{from, n.Amount}, event{until, -n.Amount})
		}
	}
	slices.SortFunc(x.events, func(a, b event) int {
		if a.t < b.t {
			return -1
		} else if a.t > b.t {
			return 1
		}
		return 0
	})
	height := int64(0)
	for k := 0; k < len(x.events); {
		t := x.events[k].t
		for ; k < len(x.events) && x.events[k].t == t; k++ {
			height += x.events[k].amount
		}
		if n := len(x.pieces); n > 0 {
			x.pieces[n-1].until = t
		}
		if k < len(x.events) {
			x.pieces = append(x.pieces, piece{t, 0, height})
			highest = max(highest, height)
		}
	}
	return highest
}

// timetable pushes the tasks of a limit to where the profile has room for them.
func (e *Engine) timetable(x *table) bool {
	highest := e.profile(x)
	if highest > x.capacity {
		for _, p := range x.pieces {
			if p.height > x.capacity {
				t := p.from + (p.until-p.from)/2
				e.conflict = append(e.conflict[:0], e.running(x, t, t+1, none, x.capacity)...)
				e.clash = x.rule(t, t+1, literal{Side: none})
				return false
			}
		}
	}
	for k := range x.tasks {
		n := &x.tasks[k]
		switch {
		case n.Amount+highest <= x.capacity || n.If != 0 && e.most(n.If) < 1:
		case !e.runs(n):
			if !e.leave(x, int32(k)) {
				return false
			}
		case e.least(n.Variable) < e.most(n.Variable):
			if !(e.later(x, int32(k)) && e.earlier(x, int32(k))) {
				return false
			}
		}
	}
	return true
}

// runs says whether a task is sure to be one of its limit's.
func (e *Engine) runs(n *proof.Need) bool { return n.If == 0 || e.least(n.If) == 1 }

// given appends the literal that makes a task one of its limit's.
func given(list []literal, n *proof.Need) []literal {
	if n.If != 0 {
		list = append(list, proof.AtLeast(n.If, 1))
	}
	return list
}

// leave excludes a task from a limit of which it would need too much at a time at which it runs for sure.
func (e *Engine) leave(x *table, k int32) bool {
	n := &x.tasks[k]
	from, until := e.most(n.Variable), e.least(n.Variable)+n.Length
	for _, p := range x.pieces {
		a, b := max(from, p.from), min(until, p.until)
		if a >= b || p.height+n.Amount <= x.capacity {
			continue
		}
		a += (b - a) / 2
		why := append(e.running(x, a, a+1, k, x.capacity-n.Amount),
			proof.AtMost(n.Variable, a), proof.AtLeast(n.Variable, a+1-n.Length))
		l := proof.AtMost(n.If, 0)
		return e.rule(l, x.rule(a, a+1, l), why...)
	}
	return true
}

// later raises the least start of a task behind the pieces that leave no room for it.
func (e *Engine) later(x *table, k int32) bool {
	n := &x.tasks[k]
	v := n.Variable
	i, _ := slices.BinarySearchFunc(x.pieces, e.least(v), func(p piece, t int64) int {
		if p.until <= t {
			return -1
		}
		return 1
	})
	most := e.most(v)
	for ; i < len(x.pieces); i++ {
		p := &x.pieces[i]
		start := e.least(v)
		if p.from >= start+n.Length {
			break
		}
		if p.height+n.Amount <= x.capacity || p.until <= start || most <= p.from && most < start+n.Length {
			continue // the task itself runs here for sure
		}
		for e.least(v) < p.until {
			start = e.least(v)
			from := p.until - 1
			to := p.until
			if start+n.Length < p.until { // the task ends inside the piece
				from = start + n.Length - 1
				if n.Length >= p.until-p.from {
					to = from + 1
				}
			}
			why := e.running(x, from, to, k, x.capacity-n.Amount)
			why = given(append(why, proof.AtLeast(v, from-n.Length+1)), n)
			if l := proof.AtLeast(v, to); !e.raise(l, e.because(why, x.rule(from, to, l))) {
				return false
			}
		}
	}
	return true
}

// earlier is later with time running backwards.
func (e *Engine) earlier(x *table, k int32) bool {
	n := &x.tasks[k]
	v := n.Variable
	least := e.least(v)
	i, _ := slices.BinarySearchFunc(x.pieces, e.most(v)+n.Length, func(p piece, t int64) int {
		if p.from < t {
			return -1
		}
		return 1
	})
	for i--; i >= 0; i-- {
		p := &x.pieces[i]
		start := e.most(v)
		if p.until <= start {
			break
		}
		if p.height+n.Amount <= x.capacity || p.from >= start+n.Length ||
			p.until <= least+n.Length && start < least+n.Length {
			continue
		}
		for e.most(v)+n.Length > p.from {
			start = e.most(v)
			from, to := p.from, p.from+1
			if start > p.from {
				to = start + 1
				if n.Length >= p.until-p.from {
					from = start
				}
			}
			why := e.running(x, from, to, k, x.capacity-n.Amount)
			why = given(append(why, proof.AtMost(v, to-1)), n)
			if l := proof.AtMost(v, from-n.Length); !e.raise(l, e.because(why, x.rule(from, to, l))) {
				return false
			}
		}
	}
	return true
}

// running lists why tasks other than k run all the time from a to b and need more than is left for them. It leaves out
// tasks that are not needed, those with free reasons last.
func (e *Engine) running(x *table, a, b int64, k int32, left int64) []literal {
	list := x.list[:0]
	spare := -left - 1
	for _, i := range x.part {
		n := &x.tasks[i]
		if i != k && e.most(n.Variable) <= a && e.least(n.Variable)+n.Length >= b {
			spare += n.Amount
		}
	}
	for _, i := range x.part {
		n := &x.tasks[i]
		if i == k || e.most(n.Variable) > a || e.least(n.Variable)+n.Length < b {
			continue
		}
		from, until := proof.AtMost(n.Variable, a), proof.AtLeast(n.Variable, b-n.Length)
		if e.root[from.Side] >= from.T && e.root[until.Side] >= until.T && (n.If == 0 || e.root[2*n.If] == 1) {
			continue
		}
		if n.Amount <= spare {
			spare -= n.Amount
			continue
		}
		list = given(append(list, from, until), n)
	}
	x.list = list
	return list
}

// rule is the time-table rule of an interval.
func (x *table) rule(from, until int64, to literal) proof.Hint {
	return proof.Hint{Kind: proof.ByTable, At: x.number, From: from, Until: until, To: to}
}
