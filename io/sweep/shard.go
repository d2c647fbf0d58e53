package sweep

import (
	"cmp"
	"container/heap"
	"slices"
)

// Divide assigns runs of estimated costs to n shards, by the rule of the longest processing time first (Graham 1969):
// the most expensive run left goes to the shard with the least load. It returns the shard of each run, from 0.
//
// The largest load is at most (4/3 − 1/(3n)) times that of the best division. Ties: the earlier run, the lower shard;
// the result depends on the costs alone, so that processes that share nothing divide alike. Complexity: O(R log R).
func Divide(costs []int64, n int) []int {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(costs[b], costs[a]), cmp.Compare(a, b)) })
	loads := make(shards, n)
	for i := range loads {
		loads[i].index = i
	}
	of := make([]int, len(costs))
	for _, i := range order {
		of[i] = loads[0].index
		loads[0].load += costs[i]
		heap.Fix(&loads, 0)
	}
	return of
}

// shards is a heap with the least load first.
type shards []struct {
	index int
	load  int64
}

func (s shards) Len() int { return len(s) }
func (s shards) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(s[a].load, s[b].load), cmp.Compare(s[a].index, s[b].index)) < 0
}
func (s shards) Swap(a, b int) { s[a], s[b] = s[b], s[a] }

// Push and Pop complete heap.Interface; the heap keeps its size.
func (s *shards) Push(any) {}

// Pop does nothing.
func (s *shards) Pop() any { return nil }
