package lcg

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model/proof"
)

// table is the time table of a limit: what tasks need that run for sure.
type table struct {
	capacity    int64
	tasks       []proof.Need
	number      int
	most        int64   // that a task needs
	part        []int32 // tasks that run for sure at some time
	from, until []int64 // by task: it runs for sure between them
	rise, fall  []int32 // tasks by from, and by until
	pieces      []piece
	tall        []piece // that leave no room for some task
	highest     int64
	list        []literal
	energy      *energy
}

// newTable prepares the table of a limit.
func newTable(l *proof.Limit, number int) table {
	n := len(l.Tasks)
	x := table{capacity: l.Capacity, tasks: l.Tasks, number: number, from: make([]int64, n), until: make([]int64, n)}
	for k := range l.Tasks {
		x.rise, x.fall = append(x.rise, int32(k)), append(x.fall, int32(k))
		x.most = max(x.most, l.Tasks[k].Amount)
	}
	return x
}

// piece is a part of the profile with one height.
type piece struct{ from, until, height int64 }

// profile builds the pieces, unless the same tasks run for sure as the last time.
func (e *Engine) profile(x *table) {
	same, parts := true, 0
	for k := range x.tasks {
		n := &x.tasks[k]
		from, until := e.most(n.Variable), e.least(n.Variable)+n.Length
		if from >= until || !e.runs(n) {
			from, until = math.MaxInt64, math.MaxInt64
		} else {
			parts++
		}
		if from != x.from[k] || until != x.until[k] {
			x.from[k], x.until[k], same = from, until, false
		}
	}
	if same {
		return
	}
	order(x.rise, x.from)
	order(x.fall, x.until)
	x.part, x.pieces, x.tall, x.highest = x.rise[:parts], x.pieces[:0], x.tall[:0], 0
	height := int64(0)
	for i, j := 0, 0; j < parts; {
		t := x.until[x.fall[j]]
		if i < parts {
			t = min(t, x.from[x.rise[i]])
		}
		if n := len(x.pieces); n > 0 {
			x.pieces[n-1].until = t
		}
		for ; i < parts && x.from[x.rise[i]] == t; i++ {
			height += x.tasks[x.rise[i]].Amount
		}
		for ; j < parts && x.until[x.fall[j]] == t; j++ {
			height -= x.tasks[x.fall[j]].Amount
		}
		if j < parts {
			x.pieces = append(x.pieces, piece{t, 0, height})
			x.highest = max(x.highest, height)
		}
	}
	for _, p := range x.pieces {
		if p.height > x.capacity-x.most {
			x.tall = append(x.tall, p)
		}
	}
}

// order sorts a list that is nearly sorted already.
func order(list []int32, key []int64) {
	moves := 0
	for i := 1; i < len(list); i++ {
		k, at := list[i], i
		for v := key[k]; at > 0 && key[list[at-1]] > v; at-- {
			list[at] = list[at-1]
		}
		list[at] = k
		if moves += i - at; moves > 20*len(list) {
			slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(key[a], key[b]) })
			return
		}
	}
}

// behind is the first piece that ends after a time.
func behind(list []piece, t int64) int {
	low, high := 0, len(list)
	for low < high {
		if m := (low + high) / 2; list[m].until <= t {
			low = m + 1
		} else {
			high = m
		}
	}
	return low
}

// timetable pushes the tasks of a limit to where the profile has room for them.
func (e *Engine) timetable(x *table) bool {
	e.profile(x)
	if x.highest > x.capacity {
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
		case n.Amount+x.highest <= x.capacity || n.If != 0 && e.most(n.If) < 1:
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
	for _, p := range x.tall {
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
	most := e.most(v)
	for i := behind(x.tall, e.least(v)); i < len(x.tall); i++ {
		p := &x.tall[i]
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
	for i := min(behind(x.tall, e.most(v)+n.Length), len(x.tall)-1); i >= 0; i-- {
		p := &x.tall[i]
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
