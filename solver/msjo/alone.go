package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// Limits of the search for bounds of jobs alone.
const (
	// aloneWork bounds, for each job, the number of heads that are tried times the number of its tasks.
	aloneWork = 20_000_000
	// countWork does the same for counting, which takes some more steps for each pair of a head and a tail.
	countWork = 4_000_000
	// countMost is the most tasks in a row on one machine that counting looks for, less one.
	countMost = 8
)

// aloneBounds finds, for each job, the thresholds of the largest bound that holds whatever the other jobs do; those
// that its critical path exceeds are left out.
//
// Complexity: O(tasks · distinct heads) a job, within aloneWork.
func aloneBounds(in *msjo.Instance) (list []msjo.AloneBound) {
	for j := range in.Jobs {
		s := aloneSearch{in: in, best: msjo.AloneBound{Job: int32(j)}, value: in.Alone[j]}
		for u := range tasksOf(in, j) {
			s.tasks = append(s.tasks, u)
		}
		s.run()
		if s.value > in.Alone[j] {
			list = append(list, s.best)
		}
	}
	return list
}

// aloneSearch looks for the best bound of one job.
type aloneSearch struct {
	in    *msjo.Instance
	tasks []int32
	best  msjo.AloneBound
	value model.Time
}

func (s *aloneSearch) run() {
	in := s.in
	slices.SortStableFunc(s.tasks, func(a, b int32) int { return cmp.Compare(in.Tail[b], in.Tail[a]) })
	var heads []model.Time
	for _, u := range s.tasks {
		heads = append(heads, in.Head[u])
	}
	slices.Sort(heads)
	heads = slices.Compact(heads)
	n := len(s.tasks)
	for _, a := range sampled(heads, aloneWork/max(1, n)) {
		s.areas(a)
	}
	if n > in.Machines && n*n <= countWork {
		for _, a := range sampled(heads, countWork/(n*n)) {
			s.counts(a)
		}
	}
}

// sampled are at most so many of the values, evenly spread, the first among them.
func sampled(list []model.Time, most int) []model.Time {
	if most = max(most, 1); len(list) <= most {
		return list
	}
	var some []model.Time
	for i := range most {
		some = append(some, list[i*len(list)/most])
	}
	return some
}

func (s *aloneSearch) offer(value model.Time, b msjo.AloneBound) {
	if value > s.value {
		b.Job = s.best.Job
		s.best, s.value = b, value
	}
}

// areas tries the work of the tasks from a head on, with every tail.
func (s *aloneSearch) areas(a model.Time) {
	in, m := s.in, model.Time(s.in.Machines)
	var work model.Time
	for _, u := range s.tasks {
		if in.Head[u] < a {
			continue
		}
		work += in.Processing[u]
		s.offer(a+(work+m-1)/m+in.Tail[u], msjo.AloneBound{Head: a, Tail: in.Tail[u]})
	}
}

// counts tries the numbers of tasks that some machine must run.
func (s *aloneSearch) counts(a model.Time) {
	in, m := s.in, s.in.Machines
	var lengths []model.Time // falling, of the tasks so far
	for i, u := range s.tasks {
		if in.Head[u] < a {
			continue
		}
		p := in.Processing[u]
		at, _ := slices.BinarySearchFunc(lengths, p, func(x, p model.Time) int { return cmp.Compare(p, x) })
		lengths = slices.Insert(lengths, at, p)
		if i+1 < len(s.tasks) && in.Tail[s.tasks[i+1]] == in.Tail[u] {
			continue
		}
		for k := 1; k <= countMost && k*m < len(lengths); k++ {
			value := a + in.Tail[u]
			for _, p := range lengths[k*m-k : k*m+1] {
				value += p
			}
			s.offer(value, msjo.AloneBound{Head: a, Tail: in.Tail[u], Count: k})
		}
	}
}
