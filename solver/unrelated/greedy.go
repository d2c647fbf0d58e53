package unrelated

import (
	"cmp"

	"mrsched/model"
	"mrsched/solver/list"
)

// sorted lists the tasks, the longest shortest time first; ties: the first.
func (in *Instance) sorted() []int32 {
	return model.Ordered(in.n, func(a, b int32) int { return cmp.Compare(in.least[b], in.least[a]) })
}

// Greedy is list scheduling: each task, the longest first, goes to the machine on which it ends first; ties: the
// shorter time, then the first class, then the first machine. Unused machines are opened as long as that is allowed.
//
// Complexity: O(tasks · (classes + log machines)).
func (in *Instance) Greedy() Assignment {
	a := make(Assignment, in.n)
	open := make([]list.Heap, len(in.speed)) // by class: its used machines, by load
	used := 0
	for _, i := range in.sorted() {
		best, end, own := -1, model.Time(0), model.Time(0)
		for c, machines := range in.members {
			at := model.Time(0)
			if len(open[c]) == len(machines) || used == in.most {
				if len(open[c]) == 0 {
					continue
				}
				at = open[c][0].Key
			}
			t := in.time(int(i), c)
			if best < 0 || at+t < end || at+t == end && t < own {
				best, end, own = c, at+t, t
			}
		}
		heap := &open[best]
		if len(*heap) < len(in.members[best]) && used < in.most {
			a[i] = in.members[best][len(*heap)]
			heap.Push(list.Item{Key: own, Index: a[i]})
			used++
			continue
		}
		a[i] = (*heap)[0].Index
		heap.ReplaceTop(list.Item{Key: end, Index: a[i]})
	}
	return a
}
