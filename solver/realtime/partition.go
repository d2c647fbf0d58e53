package realtime

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// assignment says which of its sets a job's data is put into, and the reduce slot of each partition.
type assignment struct {
	set  realtime.Set
	slot []int32 // by partition of the set
}

// finish is when b expects an assignment's last slot to end if the job is alone.
func (a assignment) finish(in *realtime.Instance, b belief) (last model.Time) {
	end := map[int32]model.Time{}
	for k, s := range a.slot {
		end[s] += b.Time(a.set.First+int32(k), in.WorkerOf[s])
		last = max(last, end[s])
	}
	return last
}

// phases is the schedule of goal partitions: the jobs' reduce phases one after another. On each slot the largest
// partition comes first; ties: the first.
func phases(in *realtime.Instance, list []assignment) *model.Schedule {
	var entries []model.Entry
	begin := model.Time(0)
	for _, a := range list {
		order := make([]int32, len(a.slot))
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(i, k int32) int {
			return cmp.Compare(in.Bytes[a.set.First+k],
				in.Bytes[a.set.First+i])
		})
		end, last := map[int32]model.Time{}, begin
		own := make([]model.Entry, len(a.slot))
		for _, k := range order {
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
