package realtime

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// given holds the times that the table times states, by task, then by worker.
type given struct {
	first  []int32 // by task; nil: none are given
	worker []int32
	time   []model.Time
}

// Time is the true time of a task on a worker.
func (in *Instance) Time(task, worker int32) model.Time {
	if t, ok := in.givenAt(task, worker); ok {
		return t
	}
	return scaled(in.base[task], in.Speed[worker])
}

// scaled is a base time divided by a worker's speed, rounded to microseconds.
func scaled(base, speed float64) model.Time { return model.Time(math.Round(base / speed)) }

// Given says whether the table times has rows of a task; otherwise its times are its base time divided by the workers'
// speeds.
func (in *Instance) Given(task int32) bool {
	return in.given.first != nil && in.given.first[task] < in.given.first[task+1]
}

// Least is the least time of a task over the workers that have slots for it, Most the largest; 0 without such workers.
func (in *Instance) Least(task int32) model.Time {
	least, _ := in.span(task)
	return least
}

// Most is the largest time of a task over the workers that have slots for it.
func (in *Instance) Most(task int32) model.Time {
	_, most := in.span(task)
	return most
}

func (in *Instance) span(task int32) (least, most model.Time) {
	last := int32(-1)
	for k, s := range in.SlotsFor(in.KindOf(task)) {
		w := in.WorkerOf[s]
		if w == last {
			continue
		}
		last = w
		p := in.Time(task, w)
		if k == 0 {
			least = p
		}
		least, most = min(least, p), max(most, p)
	}
	return least, most
}

// times reads the table times and requires that every task has a time on every worker that could run it; under goal
// Partitions, maps need none.
func (in *Instance) times(w *model.Workload, found *model.Findings) {
	if len(w.Times) > 0 {
		in.readTimes(w, found)
	}
	worker := map[model.TaskKind][]int32{}
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		for _, s := range in.SlotsFor(kind) {
			worker[kind] = append(worker[kind], in.WorkerOf[s])
		}
		worker[kind] = slices.Compact(worker[kind])
	}
	for t := range int32(in.Tasks) {
		if in.base[t] >= 0 && in.base[t] <= float64(model.MaxTime) || in.IsMap(t) && in.Goal == Partitions {
			continue
		}
		id, job, kind := in.TaskName(model.TaskIndex(t))
		if in.base[t] >= 0 {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: in.where(w, t),
				What: fmt.Sprintf("%s %q takes more than %s s", kind, id, model.MaxTime), Expected: "a time that can be kept"})
			continue
		}
		for _, m := range worker[in.KindOf(t)] {
			if _, ok := in.givenAt(t, m); !ok {
				found.Add(model.Finding{Code: model.CodeNoTime, Pos: in.where(w, t),
					What:     fmt.Sprintf("nothing says what %s %q of job %q takes on worker %q", kind, id, job, in.WorkerName(m)),
					Expected: "processing_time, or its bytes and the job's rate, or a row of the table times",
					Like:     "processing_time"})
				break
			}
		}
	}
}

// givenAt finds a stated time.
func (in *Instance) givenAt(task, worker int32) (model.Time, bool) {
	if in.given.first == nil {
		return 0, false
	}
	first := in.given.first[task]
	list := in.given.worker[first:in.given.first[task+1]]
	if len(list) == 0 {
		return 0, false
	}
	k := int(worker - list[0]) // mostly the workers of a task are adjacent
	if k < 0 || k >= len(list) || list[k] != worker {
		var ok bool
		if k, ok = slices.BinarySearch(list, worker); !ok {
			return 0, false
		}
	}
	return in.given.time[int(first)+k], true
}

// where is the position of the row that a task comes from.
func (in *Instance) where(w *model.Workload, task int32) model.Position {
	if k := in.listed[task]; k != model.None {
		return w.Where(model.TableTasks, int(k))
	}
	return w.Where(model.TableJobs, int(in.jobOf[task]))
}

func (in *Instance) readTimes(w *model.Workload, found *model.Findings) {
	worker := map[model.NodeIndex]int32{}
	for id, node := range in.Node {
		worker[node] = int32(id)
	}
	type cell struct {
		task, worker int32
		row          int
	}
	cells := make([]cell, 0, len(w.Times))
	for i := range w.Times {
		r := &w.Times[i]
		job := w.Jobs[r.Job].ID
		t, ok := in.FindTask(r.Task)
		if !ok || in.jobOf[t] != int32(r.Job) {
			t, ok = in.FindTask(job + "/" + r.Task)
		}
		if !ok || in.jobOf[t] != int32(r.Job) {
			found.Add(model.Finding{Code: model.CodeUnknownTask, Pos: w.Where(model.TableTimes, i),
				What: fmt.Sprintf("job %q has no task or partition %q", job, r.Task), Expected: "the id of one"})
			continue
		}
		if m, runs := worker[r.Worker]; runs { // others run nothing
			cells = append(cells, cell{int32(t), m, i})
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.worker, b.worker))
	})
	in.given.first = make([]int32, in.Tasks+1)
	for k, c := range cells {
		if k > 0 && cells[k-1].task == c.task && cells[k-1].worker == c.worker {
			found.Add(model.Finding{Code: model.CodeDuplicate, Pos: w.Where(model.TableTimes, c.row),
				What: "the time of this task on this worker is stated twice", Expected: "one row"})
		}
		in.given.first[c.task+1]++
		in.given.worker, in.given.time = append(in.given.worker, c.worker), append(in.given.time, w.Times[c.row].Time)
	}
	for t := range in.Tasks {
		in.given.first[t+1] += in.given.first[t]
	}
}

// tooLong reports whether a task takes longer than Time can hold on some worker for which no time is stated.
func (in *Instance) tooLong(task int32) bool {
	for _, s := range in.SlotsFor(in.KindOf(task)) {
		w := in.WorkerOf[s]
		if _, stated := in.givenAt(task, w); !stated && in.base[task]/in.Speed[w] > float64(model.MaxHorizon) {
			return true
		}
	}
	return false
}

// checkHorizon requires that Time can hold the end of any schedule: the tasks one after another, each where it takes
// longest.
func (in *Instance) checkHorizon(w *model.Workload, found *model.Findings) {
	var h model.Horizon
	h.Add(mostOf(in.Release))
	slowest := math.Inf(1)
	for _, v := range in.Speed {
		slowest = min(slowest, v)
	}
	longest := func(first, end int32) {
		for t := first; t < end && !h.Over; t++ {
			switch {
			case in.Given(t) && in.tooLong(t):
				h.Over = true
			case in.Given(t) || in.base[t] < 0: // the latter where no worker has a slot for it
				h.Add(in.Most(t))
			case in.base[t]/slowest > float64(model.MaxHorizon):
				h.Over = true
			default:
				h.Add(scaled(in.base[t], slowest))
			}
		}
	}
	if in.Goal == Deadlines {
		for t := range in.Maps {
			h.Add(in.TaskRelease[t])
			h.Add(in.Shuffle[t])
		}
		for t := in.Maps; t < in.Tasks; t++ {
			if at := in.ReleaseOf(int32(t)); at > in.Release[in.jobOf[t]] {
				h.Add(at)
			}
		}
		longest(0, int32(in.Maps))
	}
	for _, s := range in.Sets {
		longest(s.First, s.First+s.Count)
		if in.Resplit.Known && in.Resplit.Value > model.MaxHorizon/model.Time(max(1, in.Slots)) {
			h.Over = true
		}
	}
	if h.Over {
		found.Add(model.BeyondHorizon(w.File(model.TableJobs),
			"releases and the tasks' times on the slowest worker", "are times given in milliseconds?"))
	}
}

// noteSources notes the columns from which the bytes, times and shuffle delays come: none of maps under goal
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

// noteBase notes the columns that determine the base time of a task, as listedBase and baseTime compute it.
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

// allGiven reports whether the table times states the time of a task on every worker that could run it.
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
