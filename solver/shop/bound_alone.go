package shop

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// Limits of the search for bounds of jobs and steps alone.
const (
	// aloneWork bounds the heads tried for one set, times the number of its tasks and the pools. setsWork does so for all
	// sets of steps, and for all sets of jobs, together.
	aloneWork, setsWork = 20_000_000, 400_000_000
	// countEffort is the cost of one count, for each of its tasks, in these steps.
	countEffort = 10
)

// poolClock tells when a pool has done some area.
type poolClock struct {
	from  []float64 // microseconds
	speed []float64
	done  []float64 // until from
}

func newPoolClock(x *shop.Pooled) *poolClock {
	c := &poolClock{}
	for i, s := range x.Speeds {
		done := 0.0
		if i > 0 {
			done = c.done[i-1] + c.speed[i-1]*(float64(s.From)-c.from[i-1])
		}
		c.from, c.speed, c.done = append(c.from, float64(s.From)), append(c.speed, float64(s.Speed)), append(c.done, done)
	}
	return c
}

// after is the first time by which the pool has done some area since a time.
func (c *poolClock) after(from, area float64) float64 {
	k, found := slices.BinarySearch(c.from, from)
	if !found {
		k--
	}
	area += c.done[k] + c.speed[k]*(from-c.from[k])
	k, found = slices.BinarySearch(c.done, area)
	if !found || k == len(c.done) {
		k--
	}
	for k > 0 && c.speed[k] == 0 {
		k--
	}
	if c.speed[k] == 0 {
		return from
	}
	return c.from[k] + (area-c.done[k])/c.speed[k]
}

// aloneSearch looks for the set of tasks that proves the largest end.
type aloneSearch struct {
	*Pricing
	ctx        context.Context
	clocks     []*poolClock
	head, tail []model.Time // by task
	tasks      []int32
	best       shop.AloneSet
	value      model.Time
}

func (b *Pricing) newAloneSearch(ctx context.Context) *aloneSearch {
	s := &aloneSearch{Pricing: b, ctx: ctx}
	for _, x := range b.pooled {
		s.clocks = append(s.clocks, newPoolClock(x))
	}
	return s
}

// raise finds bounds of steps and then of jobs, until ctx ends, and what they prove.
func (b *Pricing) raise(ctx context.Context) (err error) {
	in := b.In
	s := b.newAloneSearch(ctx)
	b.Ends = s.steps(in)
	if in.Identical && len(b.pooled) > 0 && !in.AnyFixed() {
		b.Starts = s.steps(in.Backwards())
	}
	w, err := b.windows(&shop.Bounds{Pools: b.Pools, Ends: b.Ends, Starts: b.Starts})
	if err != nil {
		return err
	}
	tasks := make([][]int32, in.Jobs)
	var all []int32
	for u := range int32(in.Tasks) {
		if !in.Fixed(u) && in.Least[u] > 0 {
			tasks[in.Job[u]] = append(tasks[in.Job[u]], u)
			all = append(all, u)
		}
	}
	if in.Objective == shop.Makespan && s.find(all, w.Head, b.E.All, w.All, setsWork) {
		b.Alone = append(b.Alone, shop.AloneBound{Job: shop.AllJobs, AloneSet: s.best})
	}
	for j := int32(0); j < int32(in.Jobs) && ctx.Err() == nil; j++ {
		if s.find(tasks[j], w.Head, w.Tail, w.Job[j], setsWork/in.Jobs) {
			b.Alone = append(b.Alone, shop.AloneBound{Job: j, AloneSet: s.best})
		}
	}
	b.Windows, err = b.windows(&b.Bounds)
	return err
}

// windows are what bounds prove. Later heads, which calendars cause, add tasks to a set, and with them classes, so that
// a count may fail; then bounds that count are left out.
func (b *Pricing) windows(x *shop.Bounds) (*shop.Windows, error) {
	w, err := b.E.Windows(x, b.pooled)
	if err == nil {
		return w, nil
	}
	x.Ends = slices.DeleteFunc(x.Ends, func(s shop.StepBound) bool { return s.Count > 0 })
	x.Alone = slices.DeleteFunc(x.Alone, func(s shop.AloneBound) bool { return s.Count > 0 })
	b.Ends = x.Ends
	return b.E.Windows(x, b.pooled)
}

// find looks for a set of tasks that proves a later end than the known one.
func (s *aloneSearch) find(tasks []int32, head, tail []model.Time, known model.Time, work int) bool {
	if len(tasks) < 2 || len(s.pooled) == 0 || s.In.Identical && len(tasks) <= s.In.Nodes { // paths prove as much
		return false
	}
	s.tasks, s.head, s.tail, s.value = slices.Clone(tasks), head, tail, known
	slices.SortStableFunc(s.tasks, func(a, b int32) int { return cmp.Compare(tail[b], tail[a]) })
	n := len(tasks)
	work = min(work, aloneWork) / len(s.pooled)
	heads, tails := distinct(s.tasks, head), distinct(s.tasks, tail)
	side := int(math.Sqrt(float64(work / (countEffort * n))))
	for r := range s.pooled {
		for _, h := range sampled(heads, work/n) {
			if s.ctx.Err() != nil {
				break
			}
			s.areas(r, h)
		}
		if s.Pools[r].Least == 0 {
			continue
		}
		for _, h := range sampled(heads, side) {
			for _, t := range sampled(tails, side) {
				if s.ctx.Err() != nil {
					break
				}
				lengths, lanes := s.lengths(r, h, t)
				s.counts(r, h, t, lengths, lanes)
			}
		}
	}
	return s.value > known
}

// distinct lists the different values of the tasks, rising.
func distinct(tasks []int32, value []model.Time) (list []model.Time) {
	for _, u := range tasks {
		list = append(list, value[u])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sampled returns at most the given number of values, at least one, evenly spread, including the first.
func sampled[T any](list []T, most int) []T {
	if most = max(most, 1); len(list) <= most {
		return list
	}
	some := make([]T, most)
	for i := range some {
		some[i] = list[i*len(list)/most]
	}
	return some
}

func (s *aloneSearch) offer(value model.Time, b shop.AloneSet) {
	if value > s.value {
		s.best, s.value = b, value
	}
}

// areas tries the areas in a pool of the tasks with at least a head, for every tail.
func (s *aloneSearch) areas(r int, head model.Time) {
	var sum float64
	area := s.pooled[r].Area
	for i, u := range s.tasks {
		if s.head[u] >= head {
			sum += float64(area[u])
		}
		if sum == 0 || i+1 < len(s.tasks) && s.tail[s.tasks[i+1]] == s.tail[u] {
			continue
		}
		end := s.clocks[r].after(float64(head), sum) + float64(s.tail[u])
		s.offer(model.Time(math.Ceil(end)), shop.AloneSet{Head: head, Tail: s.tail[u], Pool: int32(r)})
	}
}

// lengths lists, falling, the lengths of the tasks between two thresholds that a pool counts, and how many run at a
// time.
func (s *aloneSearch) lengths(r int, head, tail model.Time) (list []model.Time, lanes int64) {
	in, p := s.In, &s.Pools[r]
	runs := make([]bool, in.Classes)
	for _, u := range s.tasks {
		if s.head[u] >= head && s.tail[u] >= tail && s.pooled[r].Counts(in, p, u) {
			list = append(list, in.Least[u])
			for k, length := range s.E.Lengths(u) {
				runs[k] = runs[k] || length >= 0
			}
		}
	}
	slices.SortFunc(list, func(a, b model.Time) int { return cmp.Compare(b, a) })
	return list, in.Lanes(p, runs, int64(len(list)))
}

// counts tries bounds by the number of tasks that run one after another.
func (s *aloneSearch) counts(r int, head, tail model.Time, lengths []model.Time, lanes int64) {
	n := int64(len(lengths))
	if lanes == 0 || n <= lanes {
		return
	}
	sum := make([]model.Time, n+1)
	for i, x := range lengths {
		sum[i+1] = sum[i] + x
	}
	for k := int64(1); k*lanes < n; k++ {
		s.offer(head+tail+sum[k*lanes+1]-sum[k*lanes-k], shop.AloneSet{Head: head, Tail: tail, Pool: int32(r), Count: k})
	}
}
