package shop

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// InOrder lists the tasks as a schedule starts them. Of tasks that start together, those that others wait for come
// first, then the lower one. The schedule may be of another instance: no task comes before one that it waits for.
func (in *Instance) InOrder(s *model.Schedule) []int32 {
	start, place := make([]model.Time, in.Steps), make([]int32, in.Steps)
	for k, u := range in.Topo {
		if place[u] = int32(k); int(u) < in.Tasks {
			start[u] = max(start[u], s.Entries[u].Start)
		}
		for _, v := range in.SuccStep[in.SuccFirst[u]:in.SuccFirst[u+1]] {
			start[v] = max(start[v], start[u])
		}
	}
	order := model.Indices(in.Tasks)
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(place[a], place[b]))
	})
	return order
}

// Anywhere says whether every node may run task u and has, when it is empty, room for it.
func (in *Instance) Anywhere(u int32) bool {
	for k := range int32(in.Classes) {
		if int(in.AllowedNodes(u, k)) < len(in.ClassNodes(k)) || !in.Fits(u, k) ||
			in.RowLength(u, k, model.Remote) < 0 {
			return false
		}
	}
	return true
}

// Awaited lists, by step, the tasks that it waits for, through barriers, but those that another of the list waits for.
func (in *Instance) Awaited() [][]int32 {
	list, among := make([][]int32, in.Steps), slices.Repeat([]int32{model.None}, in.Steps)
	for _, s := range in.Topo {
		slices.Sort(list[s])
		list[s] = slices.Compact(list[s])
		for _, u := range list[s] {
			among[u] = s
		}
		list[s] = slices.DeleteFunc(list[s], func(u int32) bool {
			return slices.ContainsFunc(in.SuccStep[in.SuccFirst[u]:in.SuccFirst[u+1]], func(v int32) bool {
				return among[v] == s
			})
		})
		for _, v := range in.SuccStep[in.SuccFirst[s]:in.SuccFirst[s+1]] {
			if int(s) < in.Tasks {
				list[v] = append(list[v], s)
			} else {
				list[v] = append(list[v], list[s]...)
			}
		}
	}
	return list[:in.Tasks]
}
