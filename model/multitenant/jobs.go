package multitenant

import (
	"fmt"
	"math"

	"mrsched/model"
)

// maxReduces bounds the reduces of an instance.
const maxReduces = 100_000_000

// jobs reads what belongs to jobs and numbers their tasks.
func (in *Instance) jobs(w *model.Workload, found *model.Findings) {
	n := len(w.Jobs)
	in.Arrival, in.UserOf, in.Shuffled, in.Ratio = make([]model.Time, n), make([]int32, n), make([]model.Bytes, n),
		make([]float64, n)
	in.FirstMap = make([]int32, n+1)
	listed := make([]int64, n) // reduces
	for u := range w.Tasks {
		if j := w.Tasks[u].Job; w.Tasks[u].Kind == model.Map {
			in.FirstMap[j+1]++
		} else {
			listed[j]++
		}
	}
	users := map[string]int32{}
	first, total := make([]int32, n+1), int64(0)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		in.FirstMap[j+1] += in.FirstMap[j]
		in.Arrival[j] = job.Release
		id, ok := users[job.Tenant]
		if !ok {
			id = int32(len(in.Users))
			users[job.Tenant] = id
			in.Users = append(in.Users, job.Tenant)
		}
		in.UserOf[j] = id
		r := job.Reduces.Or(listed[j])
		if listed[j] > 0 && r != listed[j] {
			found.Add(model.OtherReduceCount(w, j, r, listed[j]))
			r = listed[j]
		}
		if total += r; total > maxReduces {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, j),
				What:     fmt.Sprintf("up to job %q there are %d reduces", job.ID, total),
				Expected: fmt.Sprintf("at most %d", maxReduces)})
			return
		}
		first[j+1] = int32(total)
	}
	in.Maps = int(in.FirstMap[n])
	in.Tasks = in.Maps + int(total)
	in.reduces = model.NewReduceTasks(w, first, found)
	in.tasks(w, found)
	in.replicas(w)
}

// tasks reads maps and reduces.
func (in *Instance) tasks(w *model.Workload, found *model.Findings) {
	in.Input, in.Output, in.listed = make([]model.Bytes, in.Maps), make([]model.Bytes, in.Maps),
		make([]model.TaskIndex, in.Maps)
	in.base, in.CPU, in.Memory = make([]float64, in.Tasks), make([]float64, in.Tasks), make([]model.Bytes, in.Tasks)
	in.mapAt = make(map[string]int32, in.Maps)
	next := append([]int32(nil), in.FirstMap[:in.Jobs]...)
	for u := range w.Tasks {
		x := &w.Tasks[u]
		if x.Kind != model.Map {
			continue
		}
		t := next[x.Job]
		next[x.Job]++
		in.listed[t], in.mapAt[x.ID] = model.TaskIndex(u), t
		in.Input[t] = x.InputBytes.Or(0)
		in.CPU[t], in.Memory[t] = x.CPU.Or(1), x.MemoryBytes.Or(0)
		in.base[t] = in.timeOf(w, int32(x.Job), model.TaskIndex(u), in.Input[t], found)
	}
	for j := range int32(in.Jobs) {
		in.outputs(w, j, found)
		n := in.Reduces(j)
		for r := range n {
			t := in.FirstReduce(j) + r
			bytes := in.Shuffled[j] / model.Bytes(n)
			in.CPU[t] = 1
			row := in.reduces.Row(in.reduces.First[j] + r)
			if row == model.None && r == 0 && in.FirstMap[j] == in.FirstMap[j+1] { // the data comes from nowhere
				bytes = in.workOf(w, j, found) / model.Bytes(n)
				if w.Jobs[j].ReduceRate.Known {
					in.Take("jobs.intermediate_bytes")
				}
			}
			if row == model.None && r > 0 { // one finding for all of them
				in.base[t] = in.base[t-1]
				continue
			}
			in.base[t] = in.timeOf(w, j, row, bytes, found)
			if row != model.None {
				x := &w.Tasks[row]
				in.CPU[t], in.Memory[t] = x.CPU.Or(1), x.MemoryBytes.Or(0)
			}
		}
	}
}

// workOf is what the reduces of a job without maps process, which its intermediate_bytes say.
func (in *Instance) workOf(w *model.Workload, j int32, found *model.Findings) model.Bytes {
	job := &w.Jobs[j]
	if in.Reduces(j) > 0 && job.ReduceRate.Known && !job.IntermediateBytes.Known && found.Empty() {
		found.Add(model.Finding{Code: model.CodeJobData, Pos: w.Where(model.TableJobs, int(j)),
			What:     fmt.Sprintf("job %q has reduces and no maps, and nothing says how much data they process", job.ID),
			Expected: "maps, or intermediate_bytes", Hint: "the tables partitions and keys are those of problem realtime"})
	}
	return job.IntermediateBytes.Or(0)
}

// timeOf is what a task computes at speed 1: its processing_time, else o + bytes/rate of its job. The row is none for
// reduces that are not listed.
func (in *Instance) timeOf(w *model.Workload, j int32, row model.TaskIndex, bytes model.Bytes,
	found *model.Findings) float64 {
	job := &w.Jobs[j]
	speed := job.ReduceRate
	if row != model.None {
		x := &w.Tasks[row]
		if x.Processing.Known {
			return float64(x.Processing.Value)
		}
		if x.Kind == model.Map {
			speed = job.MapRate
		}
	}
	if !speed.Known && !job.TaskOverhead.Known {
		what, pos := fmt.Sprintf("the reduces of job %q have", job.ID), w.Where(model.TableJobs, int(j))
		if row != model.None {
			what, pos = fmt.Sprintf("task %q has", w.Tasks[row].ID), w.Where(model.TableTasks, int(row))
		}
		found.Add(model.Finding{Code: model.CodeNoTime, Pos: pos, What: what + " no time",
			Expected: "processing_time, or task_overhead and the rates of the job", Like: "processing_time"})
		return 0
	}
	base := float64(job.TaskOverhead.Or(0))
	if speed.Known {
		base += float64(bytes) * float64(model.Second) / speed.Value
	}
	in.noteRates(job, bytes, speed.Known, row != model.None && w.Tasks[row].Kind == model.Map)
	if base > float64(model.MaxHorizon) {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, int(j)),
			What:     fmt.Sprintf("a task of job %q takes more than %s s", job.ID, model.MaxHorizon),
			Expected: "a time that can be kept"})
		return 0
	}
	return base
}

// noteRates notes that a task's time follows from what its job states; the rate counts only if there is data.
func (in *Instance) noteRates(job *model.Job, bytes model.Bytes, rated, isMap bool) {
	if job.TaskOverhead.Known {
		in.Take("jobs.task_overhead")
	}
	switch {
	case !rated || bytes == 0 && job.TaskOverhead.Known:
	case isMap:
		in.Take("jobs.map_bytes_per_s")
	default:
		in.Take("jobs.reduce_bytes_per_s")
	}
}

// noteOutputs notes which columns state the output of the job's maps; known: all of them state it.
func (in *Instance) noteOutputs(job *model.Job, known bool, input model.Bytes) {
	switch {
	case known:
		in.Take("tasks.output_bytes")
	case job.IntermediateBytes.Known:
		in.Take("jobs.intermediate_bytes")
	case job.ShuffleRatio.Known && input > 0:
		in.Take("jobs.shuffle_ratio")
	}
}

// outputs is the output of a job's maps for its reduces: their output_bytes; else intermediate_bytes of the job in
// proportion to their input; else shuffle_ratio times their input. Without reduces it is 0.
func (in *Instance) outputs(w *model.Workload, j int32, found *model.Findings) {
	job := &w.Jobs[j]
	first, end := in.FirstMap[j], in.FirstMap[j+1]
	input, known := model.Bytes(0), true
	for t := first; t < end; t++ {
		if in.Input[t] > math.MaxInt64-input {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, int(j)),
				What:     fmt.Sprintf("what the maps of job %q read adds up to more than can be kept", job.ID),
				Expected: "less than 2^63 bytes"})
			return
		}
		input += in.Input[t]
		known = known && w.Tasks[in.listed[t]].OutputBytes.Known
	}
	if in.Reduces(j) == 0 {
		return
	}
	volume := job.IntermediateBytes
	if !known && !volume.Known && job.ShuffleRatio.Known {
		v := float64(input) * job.ShuffleRatio.Value
		if v >= 1<<62 {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, int(j)),
				What: fmt.Sprintf("job %q shuffles %g times the %d bytes that its maps read", job.ID, job.ShuffleRatio.Value,
					input), Expected: "less than 2^62 bytes"})
			return
		}
		volume = model.Some(model.Bytes(math.Round(v)))
	}
	if end > first {
		in.noteOutputs(job, known, input)
	}
	for t, before := first, model.Bytes(0); t < end; t++ {
		x := &w.Tasks[in.listed[t]]
		switch {
		case known:
			in.Output[t] = x.OutputBytes.Value
		case input > 0: // differences of rounded prefixes add up to the volume
			upTo := before + in.Input[t]
			in.Output[t] = volume.Or(0).Share(upTo, input) - volume.Or(0).Share(before, input)
			before = upTo
		default:
			upTo := model.Bytes(t - first + 1)
			in.Output[t] = volume.Or(0).Share(upTo, model.Bytes(end-first)) - volume.Or(0).Share(upTo-1, model.Bytes(end-first))
		}
		if in.Output[t] > math.MaxInt64-in.Shuffled[j] {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, int(j)),
				What:     fmt.Sprintf("the output of the maps of job %q adds up to more than can be kept", job.ID),
				Expected: "less than 2^63 bytes"})
			return
		}
		in.Shuffled[j] += in.Output[t]
	}
	if input > 0 {
		in.Ratio[j] = float64(in.Shuffled[j]) / float64(input)
	}
}

// replicas finds the workers that hold each map's block. It counts replicas on nodes without slots, which cannot be
// read from in this model.
func (in *Instance) replicas(w *model.Workload) {
	first, holders := model.CompressedRows(len(w.Blocks), len(w.Placements), func(k int) (block, holder int32) {
		p := w.Placements[k]
		if worker, ok := in.workerAt[p.Node]; ok {
			return int32(p.Block), worker
		}
		return model.None, model.None
	})
	in.lostReplicas = len(w.Placements) - len(holders)
	in.firstReplica = make([]int32, in.Maps+1)
	for t := range in.Maps {
		if b := w.Tasks[in.listed[t]].Block; b != model.None {
			in.replica = append(in.replica, holders[first[b]:first[b+1]]...)
			if first[b] == first[b+1] {
				in.unplacedTasks++
			}
		} else if in.Input[t] > 0 {
			in.unplacedTasks++
		}
		in.firstReplica[t+1] = int32(len(in.replica))
	}
}
