package shop

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"mrsched/model"
	"mrsched/model/proof"
)

// maxPairs bounds the pairs of an interval's begin and a task that one search of a limit looks at.
const maxPairs = 200_000

// reasons finds out how large an objective one reason alone excludes: the longest chains, or an interval of a limit.
type reasons struct {
	m    *proof.Model
	arcs []proof.Arc // in topological order
}

// overload is an interval of a limit.
type overload struct {
	limit       int
	from, until int64
}

// newReasons takes a model whose first variables are steps; topo is their topological order.
func newReasons(m *proof.Model, topo []int32) *reasons {
	at := make([]int, len(m.Least))
	for k, u := range topo {
		at[u] = 2 * k
	}
	x := &reasons{m: m}
	for _, a := range m.Arcs {
		if a.To > m.Objective { // the end of a task, or that of a job
			at[a.To] = at[a.From] + 1
		}
		if a.If == 0 {
			x.arcs = append(x.arcs, a)
		}
	}
	slices.SortStableFunc(x.arcs, func(a, b proof.Arc) int { return cmp.Compare(at[a.From], at[b.From]) })
	return x
}

// windows are the ends of the windows of all variables, as arcs and sums leave them if the objective is at most k.
func (x *reasons) windows(k int64) (least, most []int64) {
	least, most = slices.Clone(x.m.Least), slices.Clone(x.m.Most)
	most[x.m.Objective] = min(most[x.m.Objective], k)
	for _, a := range x.arcs {
		least[a.To] = max(least[a.To], least[a.From]+a.Delay)
	}
	for i := range x.m.Sums {
		s := &x.m.Sums[i]
		for _, t := range s.Terms {
			least[s.Of] += t.Of(least[t.Variable])
		}
		for _, t := range s.Terms {
			room := max(0, most[s.Of]-least[s.Of]) + t.Of(least[t.Variable])
			if t.Step && room >= t.Factor {
				continue
			}
			most[t.Variable] = min(most[t.Variable], t.Due+room/t.Factor)
		}
	}
	for _, a := range slices.Backward(x.arcs) {
		most[a.From] = min(most[a.From], most[a.To]-a.Delay)
	}
	return least, most
}

// inside is how long a task runs within [a, b) at least; 0 if it may be elsewhere.
func inside(n *proof.Need, least, most []int64, a, b int64) int64 {
	if n.If != 0 {
		return 0
	}
	return max(0, min(n.Length, b-a, least[n.Variable]+n.Length-a, b-most[n.Variable]))
}

// largest is the largest objective below end that chains or an interval alone refute; o is nil if no interval refutes
// more than the longest chains. Intervals refute less the larger the objective is.
//
// Complexity: O(log end) searches; see find.
func (x *reasons) largest(end int64) (k int64, o *overload) {
	least, _ := x.windows(end)
	k = least[x.m.Objective] - 1
	k += int64(sort.Search(int(max(0, end-1-k)), func(i int) bool { return x.find(k+1+int64(i)) == nil }))
	return k, x.find(k)
}

// find is an interval that is too short for what must run in it with an objective of at most k; nil: there is none. It
// leaves out limits whose sums do not fit, and intervals if a limit has more than some 300 tasks.
//
// For a fixed begin, the excess is largest at an end where a task stops to add to it. Some largest excess has a begin
// that is an end of a window of starts, or, with time reversed, such an end.
//
// Complexity: O(n² log n) for a limit of n tasks.   Source: Baptiste, Le Pape and Nuijten, Ann. Oper. Res. 92, 1999.
func (x *reasons) find(k int64) *overload {
	least, most := x.windows(k)
	if least[x.m.Objective] > k {
		return nil
	}
	for limit := range x.m.Limits {
		l := &x.m.Limits[limit]
		g := max(1, l.Capacity)
		for _, n := range l.Tasks {
			g = model.GCD(n.Amount, g)
		}
		tasks, backward := []work{}, []work{}
		sum, first, last := float64(l.Capacity/g), int64(0), int64(0)
		for _, n := range l.Tasks {
			if n.If != 0 {
				continue
			}
			w := work{least[n.Variable], most[n.Variable], n.Length, n.Amount / g}
			tasks = append(tasks, w)
			backward = append(backward, work{-w.most - w.length, -w.least - w.length, w.length, w.rate})
			sum, first, last = sum+float64(w.rate), min(first, w.least), max(last, w.most+w.length)
		}
		if sum*float64(last-first+1) > math.MaxInt64/4 {
			continue
		}
		if from, until, ok := overfull(l.Capacity/g, tasks); ok {
			return &overload{limit, from, until}
		}
		if from, until, ok := overfull(l.Capacity/g, backward); ok {
			return &overload{limit, -until, -from}
		}
	}
	return nil
}

// work is a task with the window of its start.
type work struct{ least, most, length, rate int64 }

// overfull is an interval from an end of a window of starts on in which tasks need more than there is.
func overfull(capacity int64, tasks []work) (from, until int64, ok bool) {
	var begins []int64
	for _, w := range tasks {
		begins = append(begins, w.least, w.most)
	}
	slices.Sort(begins)
	begins = slices.Compact(begins)
	type step struct{ at, rate int64 } // the rate at which the need grows with the end changes
	var steps []step
	for i := 0; i < len(begins); i += 1 + len(begins)*len(tasks)/maxPairs {
		a := begins[i]
		steps = steps[:0]
		for _, w := range tasks {
			if long := min(w.length, w.least+w.length-a); long > 0 {
				steps = append(steps, step{max(a, w.most), w.rate}, step{max(a, w.most) + long, -w.rate})
			}
		}
		slices.SortFunc(steps, func(x, y step) int { return cmp.Compare(x.at, y.at) })
		need, rate, b := int64(0), int64(0), a
		for _, s := range steps {
			need += rate * (s.at - b)
			if b, rate = s.at, rate+s.rate; need > capacity*(b-a) {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// chain are the tasks of the longest chain, the first one first.
func (x *reasons) chain(tasks int) (list []int32) {
	least, _ := x.windows(math.MaxInt64)
	v := x.m.Objective
	for _, a := range slices.Backward(x.arcs) {
		if a.To != v || least[a.From]+a.Delay < least[v] || v != x.m.Objective && least[v] == x.m.Least[v] {
			continue
		}
		if v = a.From; int(v) < tasks {
			list = append(list, v)
		}
	}
	slices.Reverse(list)
	return list
}
