package realtime

import (
	"cmp"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
)

// workOf is c_j of job j, at most 2⁶².
func (l *Lateness) workOf(k int, j int32) uint64 {
	in := l.in
	kind := l.prices[k].TaskKind()
	if !l.Has[kind][j] {
		return 0
	}
	if kind == model.Reduce {
		length, least := in.Due[j]-l.Head[kind][j], uint64(mostWork)
		for _, s := range in.SetsOf(j) {
			least = min(least, l.sum(k, s.First, s.First+s.Count, func(int32) model.Time { return length }))
		}
		return least
	}
	return l.sum(k, in.FirstMap[j], in.FirstMap[j+1], func(t int32) model.Time { return l.Latest(t) - in.TaskRelease[t] })
}

// sum adds up the work of tasks first … end−1, each within an interval of a length; at most 2⁶².
func (l *Lateness) sum(k int, first, end int32, length func(t int32) model.Time) (sum uint64) {
	in := l.in
	within, same := model.Time(-1), uint64(0)
	for t := first; t < end && sum < mostWork; t++ {
		n := length(t)
		if t == first || n != within || !in.Alike(t, t-1) {
			within, same = n, l.work(k, t, n)
		}
		sum = min(mostWork, sum+same)
	}
	return sum
}

// Alike reports whether two tasks take equally long everywhere, because no table states their times and they have the
// same base time.
func (in *Instance) Alike(a, b int32) bool {
	return in.base[a] == in.base[b] && !in.Given(a) && !in.Given(b)
}

// work is c_t within an interval of a length, at most 2⁶².
func (l *Lateness) work(k int, t int32, length model.Time) uint64 {
	p, least := &l.prices[k], uint64(mostWork)
	if l.in.Resplit.Known && !l.in.IsMap(t) {
		length = NoDeadline
	}
	for w, n := range l.slots[p.TaskKind()] {
		if n == 0 {
			continue
		}
		if x := l.in.Time(t, int32(w)); x <= length {
			least = min(least, divideDown(p.Worker[w], x, p.Unit))
		}
	}
	return least
}

// divideDown is ⌊y·x/unit⌋, at most 2⁶².
func divideDown(y int64, x model.Time, unit int64) uint64 {
	high, low := bits.Mul64(uint64(y), uint64(x))
	if high == 0 && unit == 1 {
		return min(low, mostWork)
	}
	if high >= uint64(unit) {
		return mostWork
	}
	q, _ := bits.Div64(high, low, uint64(unit))
	return min(q, mostWork)
}

// Room is C(length) of prices k, at most 2⁶²; 0 for negative lengths.
func (l *Lateness) Room(k int, length model.Time) int64 {
	if length <= 0 {
		return 0
	}
	p, kind := &l.prices[k], l.prices[k].TaskKind()
	split, total, sum := kind == model.Reduce && l.in.Resplit.Known, int64(0), uint64(0)
	for w, n := range l.slots[kind] {
		if split {
			total += n * p.Worker[w] // below 2⁶², by checkPrices
			continue
		}
		high, low := bits.Mul64(uint64(n), divideDown(p.Worker[w], length, p.Unit))
		if sum += low; high > 0 || low >= mostWork || sum >= mostWork {
			return mostWork
		}
	}
	if split {
		sum = divideDown(total, length, p.Unit)
	}
	return int64(sum)
}

// Inside lists the jobs of a window. Jobs that are due on arrival are in no window: they have no work or surely miss.
func (l *Lateness) Inside(w Window) (jobs []int32) {
	kind := l.prices[w.Price].TaskKind()
	for j := range int32(l.in.Jobs) {
		if l.in.Due[j] != NoDeadline && !l.Sure[j] && l.Has[kind][j] && l.in.Release[j] >= w.From &&
			l.in.Due[j] > l.in.Release[j] && l.in.Due[j] <= w.Until {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// Misses is the number of a window's jobs that must be late.
func (l *Lateness) Misses(w Window, jobs []int32) int {
	kind := l.prices[w.Price].TaskKind()
	from := NoDeadline
	for _, j := range jobs {
		from = min(from, l.Head[kind][j])
	}
	type dated struct{ room, work int64 }
	list := make([]dated, len(jobs))
	for i, j := range jobs {
		list[i] = dated{l.Room(w.Price, l.End[kind][j]-from), l.Work[w.Price][j]}
	}
	slices.SortFunc(list, func(a, b dated) int { return cmp.Or(cmp.Compare(a.room, b.room), cmp.Compare(a.work, b.work)) })
	var h Hodgson
	for _, x := range list {
		h.Add(x.work, x.room)
	}
	return h.Late
}

// Hodgson counts late jobs on one machine: jobs come by rising due dates, and after each Late is the least number of
// those so far that must miss theirs.
//
// The jobs that are kept are a largest feasible set of the least total length, by induction: a new job is kept; if the
// total then exceeds its due date, no set of one job more is feasible, and without the longest one the rest is
// feasible, since the others end no later, and it is as short as any set of its size.
type Hodgson struct {
	Late int
	kept heap.Heap[int64] // by length, negated: the longest first
	sum  int64
}

// Add adds a job; lengths add up to less than 2⁶².
func (h *Hodgson) Add(length, due int64) {
	h.kept.Push(heap.Item[int64]{Key: -length})
	if h.sum += length; h.sum > due {
		h.sum += h.kept.Pop().Key
		h.Late++
	}
}
