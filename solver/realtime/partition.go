package realtime

import (
	"mrsched/model"
	"mrsched/model/realtime"
)

// assignment says which of its sets a job's data is put into, and the reduce slot of each partition.
type assignment struct {
	set  realtime.Set
	slot []int32 // by partition of the set
}

// phases is the schedule of goal partitions: the jobs' reduce phases one after another. On each slot the largest
// partition comes first; ties: the first.
func phases(in *realtime.Instance, list []assignment) *model.Schedule {
	var entries []model.Entry
	begin := model.Time(0)
	for _, a := range list {
		end, last := map[int32]model.Time{}, begin
		own := make([]model.Entry, len(a.slot))
		for _, k := range descending(in, a.set) {
			s, t := a.slot[k], a.set.First+k
			start, ok := end[s]
			if !ok {
				start = begin
			}
			end[s] = start + in.Time(t, in.WorkerOf[s])
			own[k] = model.Entry{Task: model.TaskIndex(t), Machine: s, Start: start, End: end[s]}
			last = max(last, end[s])
		}
		entries, begin = append(entries, own...), last
	}
	return &model.Schedule{Entries: entries}
}
