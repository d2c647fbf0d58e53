package unrelated

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
)

const (
	// splitCells is how many loads of a machine split distinguishes; nearer ones count as one.
	splitCells = 4096
	// splitCore is how many tasks of two machines it may move.
	splitCore = 56
	// splitMost is for how many overloaded machines it is tried.
	splitMost = 3
	// splitPause is after how many steps it is tried again where excess is the least so far.
	splitPause = 8
	// splitShare is the part of all moves, one in this many, that splits may cost.
	splitShare = 4
	// splitCost is how many cells cost as much as one move.
	splitCost = 4
)

// splitter distributes the tasks of two machines again. For each load of the first machine it finds the least load of
// the second one.
type splitter struct {
	core   []splitTask
	least  []model.Time // by cell: the least load of the second machine
	choice [][]bool     // by task of the core, then cell: it goes to the first machine
}

// splitTask is a task of two machines.
type splitTask struct {
	task int32
	rank model.Time
	a, b model.Time // on the first and second machine
	cell int        // a in cells
}

// splitAll tries to split the tasks of each overloaded machine and another one so that excess falls.
func (x *tabu) splitAll() {
	var list []int32
	for k, load := range x.load {
		if load > x.limit {
			list = append(list, int32(k))
		}
	}
	if len(list) > splitMost {
		return
	}
	for _, a := range list {
		first := int32(x.random.IntN(x.m))
		for k := range int32(x.m) {
			if b := (first + k) % int32(x.m); b != a && x.load[a] > x.limit && len(x.tasks[b]) > 0 && !x.ended() {
				x.split(a, b)
			}
		}
	}
}

// split distributes the tasks of two machines so that their excess is least, if that is less than it is. Only tasks
// that waste about as much on one machine as on the other may move.
//
// Complexity: O(splitCore · splitCells + tasks · log tasks).
func (x *tabu) split(a, b int32) {
	loadA, loadB := x.pickCore(a, b)
	s := &x.splitter
	sum := model.Time(0)
	for _, t := range s.core {
		sum += t.a
	}
	cell := max(x.unit, (x.limit+splitCells-1)/splitCells)
	room := min(sum, max(0, x.limit-loadA)+(x.load[a]-x.limit))
	top := int(room/cell) + 1
	last := s.fill(top, cell, loadB)
	x.moves -= (len(s.core)*last + len(x.tasks[a]) + len(x.tasks[b])) / splitCost
	best, excess := -1, x.over(a, x.load[a])+x.over(b, x.load[b])
	for j := last; j >= 0; j-- {
		if s.least[j] == model.MaxTime {
			continue
		}
		if e := x.over(a, loadA+model.Time(j)*cell) + x.over(b, s.least[j]); e < excess {
			best, excess = j, e
		}
	}
	if best < 0 {
		return
	}
	for k := len(s.core) - 1; k >= 0; k-- {
		t, to := s.core[k], b
		if s.choice[k][best] {
			to = a
			best -= t.cell
		}
		if x.machine[t.task] != to {
			x.move(t.task, to)
		}
	}
}

// pickCore chooses the tasks that may move, and returns the loads of the others.
func (x *tabu) pickCore(a, b int32) (loadA, loadB model.Time) {
	s := &x.splitter
	s.core = s.core[:0]
	ca, cb := int(x.class[a]), int(x.class[b])
	for _, from := range []int32{a, b} {
		for _, i := range x.tasks[from] {
			t := splitTask{task: i, a: x.on(int(i), a), b: x.on(int(i), b)}
			t.rank = x.wasted(i, ca) - x.wasted(i, cb)
			if t.rank < 0 {
				t.rank = -t.rank
			}
			switch on, other := x.on(int(i), from), t.a+t.b-x.on(int(i), from); {
			case on > x.limit: // it has to leave
				t.rank = 0
			case other > x.limit: // it has to stay
				t.rank = model.MaxTime
			}
			s.core = append(s.core, t)
		}
	}
	slices.SortFunc(s.core, func(p, q splitTask) int {
		return cmp.Or(cmp.Compare(p.rank, q.rank), cmp.Compare(p.task, q.task))
	})
	n := 0
	for n < min(len(s.core), splitCore) && s.core[n].rank < model.MaxTime {
		n++
	}
	for _, t := range s.core[n:] {
		if x.machine[t.task] == a {
			loadA += t.a
		} else {
			loadB += t.b
		}
	}
	s.core = s.core[:n]
	return loadA, loadB
}

// fill computes the least loads of the second machine, which begins with a load, and returns the last cell in use.
func (s *splitter) fill(top int, cell, load model.Time) (last int) {
	for len(s.least) < top {
		s.least = append(s.least, 0)
	}
	for j := range s.least[:top] {
		s.least[j] = model.MaxTime
	}
	s.least[0] = load
	for len(s.choice) < len(s.core) {
		s.choice = append(s.choice, nil)
	}
	for k := range s.core {
		t := &s.core[k]
		t.cell = int(math.Round(float64(t.a) / float64(cell)))
		if len(s.choice[k]) < top {
			s.choice[k] = make([]bool, top)
		}
		last = min(top-1, last+t.cell)
		choice, least := s.choice[k][:last+1], s.least[:last+1]
		for j := last; j >= t.cell; j-- {
			stay, move := least[j], least[j-t.cell]
			if stay < model.MaxTime {
				stay += t.b
			}
			if choice[j] = move < stay; choice[j] {
				stay = move
			}
			least[j] = stay
		}
		for j := min(t.cell, last+1) - 1; j >= 0; j-- {
			if choice[j] = false; least[j] < model.MaxTime {
				least[j] += t.b
			}
		}
	}
	return last
}
