package multitenant

import (
	"math"

	"mrsched/model"
)

// readWrites reads what reduces write: the output_bytes of their rows.
func (in *Instance) readWrites(w *model.Workload, found *model.Findings) {
	sum := model.Bytes(0)
	for t := int32(in.Maps); t < int32(in.Tasks); t++ {
		row := in.row(t)
		if row == model.None || in.Racks == 1 {
			continue
		}
		bytes := w.Tasks[row].OutputBytes.Or(0)
		if bytes == 0 {
			continue
		}
		if bytes > math.MaxInt64-sum {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableTasks, int(row)),
				What: "what reduces write adds up to more than can be kept", Expected: "less than 2^63 bytes"})
			return
		}
		if in.written == nil {
			in.written = make([]model.Bytes, in.Tasks-in.Maps)
			in.Take("tasks.output_bytes")
		}
		in.written[t-int32(in.Maps)] = bytes
		sum += bytes
	}
	in.Written = sum
}

// Writing says whether some reduce writes to another rack.
func (in *Instance) Writing() bool { return in.written != nil }

// Writes is what a task writes to another rack: as in HDFS, a reduce's output has one copy on its node and the others
// in one other rack. With a single rack it writes nothing.
func (in *Instance) Writes(task int32) model.Bytes {
	if in.written == nil || in.IsMap(task) {
		return 0
	}
	return in.written[task-int32(in.Maps)]
}

// CopyRack is the rack to which a reduce in a rack writes: one of the others, chosen round-robin by the task's number.
func (in *Instance) CopyRack(task, rack int32) int32 {
	racks := int32(in.Racks)
	return (rack + 1 + task%(racks-1)) % racks
}

// WriteTime is the least time in which a task on a worker writes to another rack, over the slowest of the otherwise
// idle links.
func (in *Instance) WriteTime(task, worker int32) model.Time {
	bytes := in.Writes(task)
	if bytes == 0 {
		return 0
	}
	rack := in.RackOf[worker]
	to := in.CopyRack(task, rack)
	return max(transfer(bytes, in.Bandwidth[worker]), transfer(bytes, in.Uplink[rack]), transfer(bytes, in.Uplink[to]),
		transfer(bytes, in.Fabric[to]))
}

// Work is the least time from when a task has all its data until its end: computing, then writing.
func (in *Instance) Work(task, worker int32) model.Time {
	return in.Compute(task, worker) + in.WriteTime(task, worker)
}
