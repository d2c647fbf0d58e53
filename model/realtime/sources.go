package realtime

import "mrsched/model"

// noteSources notes from which columns the bytes, times and shuffle delays come that count: none of maps under goal
// Partitions.
func (in *Instance) noteSources(w *model.Workload, o Options) {
	for t := range int32(in.Tasks) {
		if in.IsMap(t) && in.Goal == Partitions {
			continue
		}
		j := in.jobOf[t]
		if in.IsMap(t) && in.Shuffle[t] > 0 && in.SetsOf(j)[0].Count > 0 {
			in.Take("tasks.shuffle_delay")
		}
		if !in.IsMap(t) && in.Task(t) != nil && in.Bytes[t] > 0 { // metrics tell how even they are
			in.Take("tasks.input_bytes")
		}
		if in.base[t] >= 0 && (!in.allGiven(t) || in.setsDeadline(w, o, t)) {
			in.noteBase(&w.Jobs[j], t)
		}
	}
}

// noteBase notes what the base time of a task follows from, as listedBase and baseTime compute it.
func (in *Instance) noteBase(job *model.Job, t int32) {
	row, rate, column := in.Task(t), job.ReduceRate, "jobs.reduce_bytes_per_s"
	if in.IsMap(t) {
		rate, column = job.MapRate, "jobs.map_bytes_per_s"
	}
	if row != nil && row.Processing.Known {
		in.Take("tasks.processing_time")
		return
	}
	if job.TaskOverhead.Known {
		in.Take("jobs.task_overhead")
	}
	if rate.Known && (in.Bytes[t] > 0 || !job.TaskOverhead.Known) {
		in.Take(column)
	}
	if row != nil && in.Bytes[t] > 0 {
		in.Take("tasks.input_bytes")
	}
}

// allGiven says whether the table times states what a task takes on every worker that could run it.
func (in *Instance) allGiven(t int32) bool {
	if !in.Given(t) {
		return false
	}
	for _, s := range in.SlotsFor(in.KindOf(t)) {
		if _, ok := in.givenAt(t, in.WorkerOf[s]); !ok {
			return false
		}
	}
	return true
}

// setsDeadline says whether a task's base time may decide when its job is due.
func (in *Instance) setsDeadline(w *model.Workload, o Options, t int32) bool {
	j := in.jobOf[t]
	return in.Goal == Deadlines && o.DeadlineFactor > 0 && !w.Jobs[j].Deadline.Known &&
		(in.IsMap(t) || t < in.SetsOf(j)[0].First+in.SetsOf(j)[0].Count)
}
