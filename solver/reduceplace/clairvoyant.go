package reduceplace

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"mrsched/model"
	"mrsched/model/reduceplace"
)

// construct fills the slots one by one, or as greedy does if that is cheaper; complete is false if ctx ended before
// this was decided.
func (r *run) construct(ctx context.Context, threads int) (slot []int32, complete bool) {
	slot, complete = successive(ctx, r.in, threads)
	cheapest, _ := play(ctx, r.in, inRanks{greedy{}}, func(int, int) {})
	if !complete || r.in.Fetching(cheapest).Cmp(r.in.Fetching(slot)) < 0 {
		slot = cheapest
	}
	return slot, complete
}

// successive places tasks slot by slot, the cheapest first. Dynamic programming over the points of a busy period gives
// each slot a set of most data that it can hold. No slot may idle at a point at which as many tasks are left as slots,
// so that all tasks find room. Such a set exists, since interval graphs are perfect.
//
// Complexity: O(Σ K·(n + m)) over busy periods of n points, m intervals and K tasks at the busiest point. Ties: the
// earlier task; the result does not depend on threads.
func successive(ctx context.Context, in *reduceplace.Instance, threads int) (slot []int32, complete bool) {
	slot = slices.Repeat([]int32{model.None}, in.Tasks)
	t := in.Occupancy()
	inParallel(ctx, threads, len(t.Periods), func() func(int) {
		f := filler{in: in, slot: slot}
		return func(k int) { f.fill(ctx, &t.Periods[k], t.Intervals) }
	})
	if ctx.Err() != nil {
		return nil, false
	}
	placeInstant(in, slot)
	return slot, true
}

// inParallel hands the numbers below n to workers, one in each of at most that many threads, until ctx ends.
func inParallel(ctx context.Context, threads, n int, worker func() func(k int)) {
	var next atomic.Int64
	var team sync.WaitGroup
	for range max(1, min(threads, n)) {
		team.Go(func() {
			work := worker()
			for k := int(next.Add(1)) - 1; k < n && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				work(k)
			}
		})
	}
	team.Wait()
}

// filler places the tasks of one busy period after another, in the same memory.
type filler struct {
	in   *reduceplace.Instance
	slot []int32 // by task

	arcs []filling // by rising last point
	load []int32   // by point: tasks left
	best []float64 // by node: most data on the slot up to it
	via  []int32   // by node: arc by which it was reached, or −1
}

// filling is an interval some tasks of which are left.
type filling struct {
	reduceplace.Interval
	left   int32
	weight float64
}

// fill places the tasks of a busy period; if ctx ends, only some.
func (f *filler) fill(ctx context.Context, p *reduceplace.Period, all []reduceplace.Interval) {
	n := int(p.Points)
	f.arcs, f.load = f.arcs[:0], sized(f.load, n+1)
	clear(f.load)
	for _, v := range all[p.First:p.Last] {
		count, bytes := f.in.Amount(v)
		f.arcs = append(f.arcs, filling{v, count, float64(bytes) / float64(count)})
		f.load[v.From] += count
		f.load[v.To] -= count
	}
	for t := 1; t < n; t++ {
		f.load[t] += f.load[t-1]
	}
	slices.SortStableFunc(f.arcs, func(a, b filling) int { return int(a.To - b.To) })
	for s := int32(0); len(f.arcs) > 0 && int(s) < f.in.Slots; s++ {
		if s%checkSteps == 0 && ctx.Err() != nil {
			return
		}
		f.take(s, n)
	}
}

// take gives slot s its tasks.
func (f *filler) take(s int32, n int) {
	const never = -1
	f.best, f.via = sized(f.best, n+1), sized(f.via, n+1)
	f.best[0] = 0
	k, slots := 0, int32(f.in.Slots)-s
	for v := int32(1); int(v) <= n; v++ {
		best, via := float64(never), int32(-1)
		if f.load[v-1] < slots {
			best = f.best[v-1]
		}
		for ; k < len(f.arcs) && f.arcs[k].To == v; k++ {
			a := &f.arcs[k]
			if x := f.best[a.From]; x != never && (x+a.weight > best || via < 0 && x+a.weight == best) {
				best, via = x+a.weight, int32(k)
			}
		}
		f.best[v], f.via[v] = best, via
	}
	for v := int32(n); v > 0; {
		if f.via[v] < 0 {
			v--
			continue
		}
		a := &f.arcs[f.via[v]]
		a.left--
		if task := a.Task; task >= 0 {
			f.slot[task] = s
		} else {
			f.slot[f.in.First[a.Job]+a.left] = s
		}
		for t := a.From; t < a.To; t++ {
			f.load[t]--
		}
		v = a.From
	}
	f.arcs = slices.DeleteFunc(f.arcs, func(a filling) bool { return a.left == 0 })
}

// placeInstant puts tasks that hold a slot for no time on the cheapest slot that nothing holds across that moment.
func placeInstant(in *reduceplace.Instance, slot []int32) {
	var holders [][]span
	for i := range int32(in.Jobs) {
		if in.End[i] > in.Start[i] || in.Reduces[i] == 0 {
			continue
		}
		if holders == nil {
			holders = held(in, slot)
		}
		s := slices.IndexFunc(holders, func(list []span) bool {
			return len(overlapping(list, in.Start[i], in.Start[i])) == 0
		})
		for t := in.First[i]; t < in.First[i+1]; t++ {
			slot[t] = int32(s)
		}
	}
}

// span is the time for which a task holds its slot.
type span struct {
	start, end model.Time
	task, job  int32
}

func (a span) compare(b span) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
}

// held lists, by slot, the tasks placed, by their starts and then their ends.
func held(in *reduceplace.Instance, slot []int32) [][]span {
	list := make([][]span, in.Slots)
	for _, i := range in.Order { // starts rise
		for t := in.First[i]; t < in.First[i+1]; t++ {
			if s := slot[t]; s != model.None {
				list[s] = append(list[s], span{in.Start[i], in.End[i], t, i})
			}
		}
	}
	for _, spans := range list { // a task that takes no time may start as another does that takes some
		if !slices.IsSortedFunc(spans, span.compare) {
			slices.SortStableFunc(spans, span.compare)
		}
	}
	return list
}

// overlapping are the tasks of a slot that end after from and start before until.
func overlapping(list []span, from, until model.Time) []span {
	first := sort.Search(len(list), func(k int) bool { return list[k].end > from })
	last := first
	for last < len(list) && list[last].start < until {
		last++
	}
	return list[first:last]
}
