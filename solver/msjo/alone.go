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
	// aloneWork bounds the heads tried for each job, times the number of its tasks.
	aloneWork = 20_000_000
	// countEffort is the cost of one step of counting, in these steps, for each pair of a head and a tail.
	countEffort = 5
	// countMost is the largest number of tasks in a row on one machine, less one, that counting looks for.
	countMost = 8
)

// aloneBounds finds, for each job, the set that proves the largest bound whatever the other jobs do. It leaves out
// bounds that do not exceed the critical path. Heads and tails are by node. If ctx ends, it returns the best sets so
// far.
//
// Complexity: O(tasks · distinct heads) per job, within aloneWork.
func aloneBounds(ctx context.Context, in *msjo.Instance, heads, tails []model.Time) (list []msjo.AloneBound) {
	for j := range in.Jobs {
		s := aloneSearch{ctx: ctx, machines: in.Nodes, p: in.Least, head: heads, tail: tails, work: aloneWork,
			packing: packingWork / in.Jobs}
		for u := range tasksOf(in, j) {
			s.tasks = append(s.tasks, u)
			s.value = max(s.value, heads[u]+in.Least[u]+tails[u])
		}
		path := s.value
		s.run()
		if s.value > path {
			list = append(list, msjo.AloneBound{Job: int32(j), AloneSet: s.best})
		}
	}
	return list
}

// aloneSearch looks for the set of tasks that proves the largest end.
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

// distinct lists the different values of the tasks, rising.
func distinct(tasks []int32, value []model.Time) (list []model.Time) {
	for _, u := range tasks {
		list = append(list, value[u])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sampled returns at most the given number of values, evenly spread, including the first.
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

// areas tries the total work of the tasks with at least head a, for every tail.
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

// counts tries bounds by the number of tasks that some machine must run.
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
