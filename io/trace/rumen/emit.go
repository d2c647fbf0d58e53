package rumen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
)

// kinds are the two kinds of task.
var kinds = [...]model.TaskKind{model.Map, model.Reduce}

// emit adds the jobs to the workload.
func (im *importer) emit() {
	tasks := 0
	for _, j := range im.jobs {
		tasks += j.size()
	}
	im.b.Reserve(tasks)
	for _, j := range im.jobs {
		if j.submit >= 0 {
			im.origin.Saw(j.submit)
		}
	}
	whole := im.wholeTrace()
	for _, j := range im.jobs {
		im.job(j)
		delay := im.shuffleDelay(j)
		for _, kind := range kinds {
			im.tasks(j, kind, delay, whole[kind])
		}
	}
	if im.opt.History {
		im.history()
	}
}

func (im *importer) job(j *job) {
	row := model.Job{ID: j.id.Text, Tenant: j.user, Reduces: model.Some(int64(len(j.tasks[model.Reduce])))}
	var assumed bool
	if row.Weight, assumed = j.weight(); assumed {
		im.count[unknownPriority]++
	}
	if j.submit >= 0 {
		row.Release = im.origin.Time(j.submit)
	} else {
		im.count[unknownSubmit]++
	}
	if im.origin.Known && j.finish >= im.origin.Zero {
		row.RecordedCompletion = model.Some(im.origin.Time(j.finish))
	}
	row.IntermediateBytes = im.intermediate(j)
	if im.opt.History {
		row.Class = j.class()
	}
	im.b.Job(row, model.Locus{Pos: j.id.Pos})
}

// intermediate is the total map output of the job; it is unknown if there is nothing to shuffle or if the output of
// some map is unknown.
func (im *importer) intermediate(j *job) (sum model.Optional[model.Bytes]) {
	maps := j.tasks[model.Map]
	if len(maps) == 0 || len(j.tasks[model.Reduce]) == 0 {
		return sum
	}
	for i := range maps {
		if maps[i].output < 0 {
			im.count[unknownIntermediate]++
			return model.Optional[model.Bytes]{}
		}
		if int64(sum.Value) > math.MaxInt64-maps[i].output {
			im.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: j.id.Pos,
				What: fmt.Sprintf("the mapOutputBytes of job %.80q add up to 2^63 or more", j.id.Text), Expected: "a smaller sum"})
			return model.Optional[model.Bytes]{}
		}
		sum.Value += model.Bytes(maps[i].output)
	}
	sum.Known = true
	return sum
}

// shuffleDelay is the median over the job's reduces of the time from the end of the last map to the end of
// the reduce's shuffle.
func (im *importer) shuffleDelay(j *job) model.Time {
	if len(j.tasks[model.Map]) == 0 || len(j.tasks[model.Reduce]) == 0 {
		return 0
	}
	lastMap := int64(unknown)
	for i := range j.tasks[model.Map] {
		if t := &j.tasks[model.Map][i]; !t.bad {
			lastMap = max(lastMap, t.finish)
		}
	}
	var waits []int64
	for _, t := range j.tasks[model.Reduce] {
		if t.shuffled >= 0 && lastMap >= 0 && !t.bad {
			waits = append(waits, max(0, t.shuffled-lastMap))
		}
	}
	if len(waits) == 0 {
		im.count[unknownShuffle]++
		return 0
	}
	return trace.Millis(median(waits))
}

// wholeTrace is the median duration of each kind over all jobs, unknown if no duration is known.
func (im *importer) wholeTrace() (medians [len(kinds)]int64) {
	for _, kind := range kinds {
		var all []int64
		for _, j := range im.jobs {
			all = appendDurations(all, j.tasks[kind], kind)
		}
		medians[kind] = median(all)
	}
	return medians
}

func appendDurations(to []int64, tasks []task, kind model.TaskKind) []int64 {
	for i := range tasks {
		if d := tasks[i].duration(kind); d >= 0 {
			to = append(to, d)
		}
	}
	return to
}

// median is the lower median of the values, or unknown if there are none. It sorts values.
func median(values []int64) int64 {
	if len(values) == 0 {
		return unknown
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// tasks adds the job's tasks of one kind. Those without a duration take the median of their job, else that of the
// whole trace.
func (im *importer) tasks(j *job, kind model.TaskKind, delay model.Time, whole int64) {
	list := j.tasks[kind]
	known := appendDurations(nil, list, kind)
	fallback, assumed := median(known), fromJob
	if len(known) == 0 {
		fallback, assumed = whole, fromTrace
	}
	for i := range list {
		t := &list[i]
		pos := model.Position{File: j.id.Pos.File, Line: t.line, Column: t.column}
		row := model.Task{ID: t.id, Kind: kind, InputBytes: bytesOf(t.input), OutputBytes: bytesOf(t.output)}
		if t.node != noHost {
			row.RecordedNode = im.hosts.names[t.node]
		}
		d := t.duration(kind)
		if d < 0 {
			if d = fallback; d < 0 {
				im.noDuration(j, t, kind, pos)
				d = 0
			}
			im.count[assumed]++
		}
		row.Processing = model.Some(trace.Millis(d))
		if kind == model.Map {
			row.ShuffleDelay = delay
		}
		im.b.Task(row, j.id.Text, im.block(t, kind, pos), model.Locus{Pos: pos})
	}
}

// block adds the placements of the task's own block and returns the block's id, empty if there is no placement.
func (im *importer) block(t *task, kind model.TaskKind, pos model.Position) string {
	if kind != model.Map {
		return ""
	}
	if len(t.replicas) == 0 {
		im.count[withoutBlock]++
		return ""
	}
	name := "block_" + t.id
	for _, host := range t.replicas {
		im.b.Placement(name, im.hosts.names[host], model.Locus{Pos: pos})
	}
	return name
}

// noDuration reports that no task of a kind has a duration. It does so only if there is no other finding.
func (im *importer) noDuration(j *job, t *task, kind model.TaskKind, pos model.Position) {
	if !im.b.Findings.Empty() {
		return
	}
	what := fmt.Sprintf("this %s has no recorded duration", kind)
	if t.bad || t.start < unknown || t.finish < unknown || t.shuffled < unknown {
		what = fmt.Sprintf("the times of this %s cannot be (%s)", kind, t.times(j, kind))
	}
	im.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: pos,
		What:     fmt.Sprintf("%s, and no other %s of the trace has a duration", what, kind),
		Expected: "a successful attempt with its times"})
}

func bytesOf(n int64) model.Optional[model.Bytes] {
	return model.Optional[model.Bytes]{Value: model.Bytes(max(n, 0)), Known: n >= 0}
}

// renameRepeats gives a job that has the id of an earlier one that id and a number: ID.2, ID.3, … Its tasks, whose ids
// derive from the job's, get the same ending. Rumen's Folder writes such traces: it samples jobs, some several times.
func (im *importer) renameRepeats() {
	times := make(map[string]int, len(im.jobs))
	for _, j := range im.jobs {
		times[j.id.Text]++
	}
	seen := make(map[string]int, len(times))
	for _, j := range im.jobs {
		id := j.id.Text
		if seen[id]++; seen[id] == 1 {
			continue
		}
		for times[fmt.Sprintf("%s.%d", id, seen[id])] > 0 {
			seen[id]++
		}
		ending := "." + strconv.Itoa(seen[id])
		j.id.Text += ending
		j.eachTask(func(t *task) { t.id += ending })
		im.count[repeatedJobs]++
	}
}

// eachTask calls do for the job's maps and reduces.
func (j *job) eachTask(do func(*task)) {
	for _, kind := range kinds {
		for i := range j.tasks[kind] {
			do(&j.tasks[kind][i])
		}
	}
}

// class is the kind of job that past runs are grouped by: the job's name, else its user, else its queue.
func (j *job) class() string { return cmp.Or(j.name, j.user, j.queue) }

// history adds the successful attempts as past runs, in the order of the tasks.
func (im *importer) history() {
	for _, j := range im.jobs {
		class := j.class()
		for _, kind := range kinds {
			for i := range j.tasks[kind] {
				t := &j.tasks[kind][i]
				d := t.duration(kind)
				switch {
				case d < 0: // no successful attempt, or not all of its times
					im.count[runsWithoutTime]++
					continue
				case t.node == noHost || class == "":
					im.count[runsWithoutName]++
					continue
				}
				if t.input < 0 {
					im.count[runsWithoutBytes]++
				}
				im.runs++
				im.b.PastRun(model.PastRun{Class: class, Worker: im.hosts.names[t.node], Kind: kind,
					Bytes: model.Bytes(max(t.input, 0)), Time: trace.Millis(d)},
					model.Locus{Pos: model.Position{File: j.id.Pos.File, Line: t.line, Column: t.column}})
			}
		}
	}
}
