package shop

import "mrsched/model"

// Recorded is the schedule that the workload's tasks.recorded_start and recorded_node state; nil if some task states
// none, or a node that is not there or cannot run it. Check says whether it keeps all constraints.
func (in *Instance) Recorded() *model.Schedule {
	s := &model.Schedule{Entries: make([]model.Entry, in.Tasks)}
	for u := range in.workload.Tasks {
		x := &in.workload.Tasks[u]
		i, there := in.Machine(x.RecordedNode)
		if !there || !x.RecordedStart.Known {
			return nil
		}
		length := in.Length(int32(u), i)
		if length < 0 {
			return nil
		}
		start := x.RecordedStart.Value
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: start, End: start + length}
	}
	return s
}
