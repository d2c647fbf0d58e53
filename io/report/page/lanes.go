package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// divide gives every machine on which tasks overlap as many lanes as overlap, machine/1, machine/2, …, each of which
// runs one task at a time: charts have a row a lane, whose machine nodes says. A task goes to the first lane
// that is free.
func (s *schedule) divide(names []string) []string {
	order := model.Indices(len(s.id))
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.machine[a], s.machine[b]), cmp.Compare(s.start[a], s.start[b]),
			cmp.Compare(s.end[a], s.end[b]))
	})
	lane, lanes := make([]int32, len(s.id)), make([]int32, len(names))
	var idle []model.Time // by lane of the machine
	for k, u := range order {
		if k == 0 || s.machine[order[k-1]] != s.machine[u] {
			idle = idle[:0]
		}
		free := slices.IndexFunc(idle, func(t model.Time) bool { return t <= s.start[u] })
		if free < 0 {
			free, idle = len(idle), append(idle, 0)
		}
		idle[free] = s.end[u]
		lane[u] = int32(free)
		lanes[s.machine[u]] = max(lanes[s.machine[u]], int32(free)+1)
	}
	first, divided := make([]int32, len(names)), []string{}
	for m, name := range names {
		first[m] = int32(len(divided))
		if lanes[m] == 1 {
			divided, s.nodes = append(divided, name), append(s.nodes, name)
			continue
		}
		for k := range lanes[m] {
			divided, s.nodes = append(divided, fmt.Sprintf("%s/%d", name, k+1)), append(s.nodes, name)
		}
	}
	for u := range s.machine {
		s.machine[u] = first[s.machine[u]] + lane[u]
	}
	return divided
}
