package sweep

import (
	"cmp"
	"slices"
)

// Divide assigns runs to n shards and returns the shard of each, from 0. Runs of one algorithm on instances next to
// each other in the spec take about equally long: of every n such runs each shard gets one, in an order that depends
// only on their ids. So every process divides alike, and a spec that alternates between long and short runs does not
// give all long runs to one shard.
//
// The numbers of runs differ by at most 1. Complexity: O(R log R).
func Divide(runs []Run, n int) []int {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &runs[a], &runs[b]
		return cmp.Or(cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Instance, y.Instance), cmp.Compare(a, b))
	})
	of := make([]int, len(runs))
	for alike := range slices.Chunk(order, n) {
		slices.SortFunc(alike, func(a, b int) int { return cmp.Compare(runs[a].ID, runs[b].ID) })
		for shard, i := range alike {
			of[i] = shard
		}
	}
	return of
}
