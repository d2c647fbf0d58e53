package realtime

import (
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/list"
)

// placeLB gives each partition, the largest first, to the reducer that has the least data; see seats. Empty partitions
// go to the reducers in turn. The cost is the most data of a reducer. All rows of a sketch hold the same data, so the
// least cost has the best Balance.
//
// Complexity: O(p log p).   Ties: the first partition, the first reducer.
// Source: Gufler, Augsten, Reiser, Kemper, CLOSER 2011, fine partitioning; DynamicShare, §5, with sketches.
func (r *run) placeLB(set realtime.Set, _ belief, free []model.Time) ([]int32, int64) {
	seats, slot := r.seats(set, free), make([]int32, set.Count)
	least := make(list.Heap, len(seats)) // reducers, by bytes
	for k := range least {
		least[k].Index = int32(k)
	}
	most := model.Time(0)
	for i, k := range descending(r.in, set) {
		if r.in.Bytes[set.First+k] == 0 {
			slot[k] = seats[i%len(seats)]
			continue
		}
		x := least[0]
		slot[k] = seats[x.Index]
		x.Key += model.Time(r.in.Bytes[set.First+k])
		most = max(most, x.Key)
		least.ReplaceTop(x)
	}
	return slot, int64(most)
}
