package msjo

import (
	"cmp"
	"iter"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/list"
)

// graph is the instance in the form of package list; it shares the instance's arrays.
func graph(in *shop.Instance) *list.Graph {
	return &list.Graph{Tasks: in.Tasks, Processing: in.Least, Earliest: in.Earliest,
		SuccFirst: in.SuccFirst, SuccStep: in.SuccStep, SuccDelay: in.SuccDelay, Preds: in.Preds}
}

// tasksOf visits the tasks of a job, each after its predecessors.
func tasksOf(in *shop.Instance, j int) iter.Seq[int32] {
	return func(yield func(u int32) bool) {
		for _, u := range in.JobSteps(j) {
			if u < int32(in.Tasks) && !yield(u) {
				return
			}
		}
	}
}

// ranks inverts an order: the place of every task in it.
func ranks(order []int32) []int32 {
	rank := make([]int32, len(order))
	for k, u := range order {
		rank[u] = int32(k)
	}
	return rank
}

// byTime lists the tasks by a time in seconds, rounded to half a microsecond. Ties: predecessors first, then the lower
// index.
func byTime(in *shop.Instance, time []float64) []int32 {
	key := make([]int64, in.Tasks)
	for u, t := range time {
		key[u] = int64(t*2*float64(model.Second) + 0.5)
	}
	return graph(in).Topological(key)
}

// starts are the tasks' starts in a schedule.
func starts(in *shop.Instance, s *model.Schedule) []model.Time {
	list := make([]model.Time, in.Tasks)
	for _, e := range s.Entries {
		list[e.Task] = e.Start
	}
	return list
}

// assign gives machines to tasks of known start times: by start, each to the machine that idles first. Ties between
// machines: the lower index. At most m tasks run at any time, so a machine is always free.
func assign(in *shop.Instance, start []model.Time) *model.Schedule {
	order := model.Ordered(in.Tasks, func(a, b int32) int {
		return cmp.Or(cmp.Compare(start[a], start[b]),
			cmp.Compare(in.Least[a], in.Least[b])) // tasks of length 0 first: they take no machine time
	})
	return graph(in).Fixed(order, start, in.Nodes)
}
