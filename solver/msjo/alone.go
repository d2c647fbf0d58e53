package msjo

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// Limits of the search for bounds of jobs and nodes alone.
const (
	// aloneWork bounds, for each job, the number of heads that are tried times the number of its tasks.
	aloneWork = 20_000_000
	// countEffort is how many of these steps one of counting takes, for each pair of a head and a tail.
	countEffort = 5
	// countMost is the most tasks in a row on one machine that counting looks for, less one.
	countMost = 8
)

// aloneBounds finds, for each job, the set of the largest bound that holds whatever the other jobs do; those that its
// critical path exceeds are left out. Heads and tails are by node. If ctx ends, it takes the best so far.
//
// Complexity: O(tasks · distinct heads) per job, within aloneWork.
func aloneBounds(ctx context.Context, in *msjo.Instance, heads, tails []model.Time) (list []msjo.AloneBound) {
	for j := range in.Jobs {
		s := aloneSearch{ctx: ctx, machines: in.Machines, p: in.Processing, head: heads, tail: tails, work: aloneWork,
			packing: packingWork / in.Jobs}
		for u := range tasksOf(in, j) {
			s.tasks = append(s.tasks, u)
			s.value = max(s.value, heads[u]+in.Processing[u]+tails[u])
		}
		path := s.value
		s.run()
		if s.value > path {
			list = append(list, msjo.AloneBound{Job: int32(j), AloneSet: s.best})
		}
	}
	return list
}

// aloneSearch looks for the set of tasks that bounds an end best.
type aloneSearch struct {
	ctx           context.Context
	machines      int
	p, head, tail []model.Time // by task
	tasks         []int32
	work, packing int // limits of the steps for areas and for packings
	best          msjo.AloneSet
	value         model.Time
}

func (s *aloneSearch) run() {
	slices.SortStableFunc(s.tasks, func(a, b int32) int { return cmp.Compare(s.tail[b], s.tail[a]) })
	heads := distinct(s.tasks, s.head)
	n := len(s.tasks)
	for _, a := range sampled(heads, s.work/max(1, n)) {
		if s.ctx.Err() != nil {
			break
		}
		s.areas(a)
	}
	if n <= s.machines {
		return
	}
	if steps := s.work / countEffort; n*n <= steps {
		for _, a := range sampled(heads, steps/(n*n)) {
			if s.ctx.Err() != nil {
				break
			}
			s.counts(a)
		}
	}
	s.packings(heads)
}

// distinct are the values of tasks, rising.
func distinct(tasks []int32, value []model.Time) (list []model.Time) {
	for _, u := range tasks {
		list = append(list, value[u])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sampled are at most this many of the values, evenly spread, the first among them.
func sampled[T any](list []T, most int) []T {
	if most = max(most, 1); len(list) <= most {
		return list
	}
	var some []T
	for i := range most {
		some = append(some, list[i*len(list)/most])
	}
	return some
}

func (s *aloneSearch) offer(value model.Time, b msjo.AloneSet) {
	if value > s.value {
		s.best, s.value = b, value
	}
}

// areas tries the work of the tasks from a head on, with every tail.
func (s *aloneSearch) areas(a model.Time) {
	m := model.Time(s.machines)
	var work model.Time
	for _, u := range s.tasks {
		if s.head[u] < a {
			continue
		}
		work += s.p[u]
		s.offer(a+(work+m-1)/m+s.tail[u], msjo.AloneSet{Head: a, Tail: s.tail[u]})
	}
}

// counts tries the numbers of tasks that some machine must run.
func (s *aloneSearch) counts(a model.Time) {
	m := s.machines
	var lengths []model.Time // falling, of the tasks so far
	for i, u := range s.tasks {
		if s.head[u] < a {
			continue
		}
		p := s.p[u]
		at, _ := slices.BinarySearchFunc(lengths, p, func(x, p model.Time) int { return cmp.Compare(p, x) })
		lengths = slices.Insert(lengths, at, p)
		if i+1 < len(s.tasks) && s.tail[s.tasks[i+1]] == s.tail[u] {
			continue
		}
		for k := 1; k <= countMost && k*m < len(lengths); k++ {
			value := a + s.tail[u]
			for _, p := range lengths[k*m-k : k*m+1] {
				value += p
			}
			s.offer(value, msjo.AloneSet{Head: a, Tail: s.tail[u], Count: k})
		}
	}
}
