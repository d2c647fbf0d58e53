package cluster

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/cluster"
)

// A bound of a job alone tries thresholdWork/tasks of the heads, and of the tails, as thresholds, within these limits.
const mostThresholds, leastThresholds, thresholdWork = 24, 3, 20_000

// poolClock tells when a pool has done some area.
type poolClock struct {
	from  []float64 // microseconds
	speed []float64
	done  []float64 // until from
}

func newPoolClock(x *cluster.Pooled) *poolClock {
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

// aloneSearch looks for the best bounds of jobs alone.
type aloneSearch struct {
	in     *cluster.Instance
	e      *cluster.Evaluator
	pools  []cluster.Pool
	pooled []*cluster.Pooled
	clocks []*poolClock
}

// aloneBounds finds bounds of jobs alone, until ctx ends, and what they prove.
func aloneBounds(ctx context.Context, in *cluster.Instance, e *cluster.Evaluator, pools []cluster.Pool,
	pooled []*cluster.Pooled) (list []cluster.AloneBound, w *cluster.Windows, err error) {
	s := &aloneSearch{in: in, e: e, pools: pools, pooled: pooled}
	for _, x := range pooled {
		s.clocks = append(s.clocks, newPoolClock(x))
	}
	if w, err = e.Windows(pooled, pools, nil); err != nil {
		return nil, nil, err
	}
	tasks := make([][]int32, in.Jobs)
	var all []int32
	for u := range int32(in.Tasks) {
		if !in.Fixed(u) && in.Least[u] > 0 {
			tasks[in.Job[u]] = append(tasks[in.Job[u]], u)
			all = append(all, u)
		}
	}
	list = []cluster.AloneBound{}
	if b, ok := s.best(cluster.AllJobs, all, w.Head, e.All, w.All); ok && in.Objective == cluster.Makespan {
		list = append(list, b)
	}
	for j := int32(0); j < int32(in.Jobs) && ctx.Err() == nil; j++ {
		if b, ok := s.best(j, tasks[j], w.Head, e.Tail, w.Job[j]); ok {
			list = append(list, b)
		}
	}
	tight, err := e.Windows(pooled, pools, list)
	if err != nil { // later heads add tasks to a set, and with them classes, so a count may fail
		list = slices.DeleteFunc(list, func(b cluster.AloneBound) bool { return b.Count > 0 })
		tight, err = e.Windows(pooled, pools, list)
	}
	return list, tight, err
}

// best finds the best bound of a job that exceeds the known one.
func (s *aloneSearch) best(j int32, tasks []int32, head, tail []model.Time,
	known model.Time) (b cluster.AloneBound, ok bool) {
	if len(tasks) < 2 {
		return b, false
	}
	byTail := slices.Clone(tasks)
	slices.SortFunc(byTail, func(x, y int32) int { return cmp.Or(cmp.Compare(tail[y], tail[x]), cmp.Compare(x, y)) })
	heads, tails := thresholds(tasks, head), thresholds(tasks, tail)
	least := float64(known)
	for r := range s.pools {
		area := s.pooled[r].Area
		for _, h := range heads {
			var sum float64
			for i, u := range byTail {
				if head[u] >= h {
					sum += float64(area[u])
				}
				if sum == 0 || i+1 < len(byTail) && tail[byTail[i+1]] == tail[u] {
					continue
				}
				if end := s.clocks[r].after(float64(h), sum) + float64(tail[u]); end > least {
					least, ok = end, true
					b = cluster.AloneBound{Job: j, Head: h, Tail: tail[u], Pool: int32(r)}
				}
			}
		}
		if s.pools[r].Least == 0 {
			continue
		}
		for _, h := range heads {
			for _, t := range tails {
				if k, end := s.count(r, tasks, head, tail, h, t); end > least {
					least, ok = end, true
					b = cluster.AloneBound{Job: j, Head: h, Tail: t, Pool: int32(r), Count: k}
				}
			}
		}
	}
	return b, ok
}

// count is the best count of the tasks between two thresholds, with the end that it proves.
func (s *aloneSearch) count(r int, tasks []int32, head, tail []model.Time, h, t model.Time) (count int64, end float64) {
	in, p := s.in, &s.pools[r]
	var lengths []model.Time
	runs := make([]bool, in.Classes)
	for _, u := range tasks {
		if head[u] >= h && tail[u] >= t && in.Demands(u)[p.Resource] >= p.Least {
			lengths = append(lengths, in.Least[u])
			for k, length := range s.e.Lengths(u) {
				runs[k] = runs[k] || length >= 0
			}
		}
	}
	n := int64(len(lengths))
	lanes := in.Lanes(p, runs, n)
	if lanes == 0 || n <= lanes {
		return 0, 0
	}
	slices.SortFunc(lengths, func(a, b model.Time) int { return cmp.Compare(b, a) })
	sum := make([]model.Time, n+1)
	for i, x := range lengths {
		sum[i+1] = sum[i] + x
	}
	for k := int64(1); k*lanes < n; k++ {
		if v := float64(h + t + sum[k*lanes+1] - sum[k*lanes-k]); v > end {
			count, end = k, v
		}
	}
	return count, end
}

// thresholds lists some values of tasks, evenly spread and including the least.
func thresholds(tasks []int32, value []model.Time) []model.Time {
	list := make([]model.Time, len(tasks))
	for i, u := range tasks {
		list[i] = value[u]
	}
	slices.Sort(list)
	list = slices.Compact(list)
	most := min(max(thresholdWork/len(tasks), leastThresholds), mostThresholds)
	if n := len(list); n > most {
		some := make([]model.Time, most)
		for i := range some {
			some[i] = list[i*n/most]
		}
		list = some
	}
	return list
}
