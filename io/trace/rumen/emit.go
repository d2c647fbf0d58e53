package rumen

import (
	"fmt"
	"math"
	"slices"
	"strconv"

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
	origin := im.origin()
	whole := im.wholeTrace()
	for _, j := range im.jobs {
		im.job(j, origin)
		delay := im.shuffleDelay(j)
		for _, kind := range kinds {
			im.tasks(j, kind, delay, whole[kind])
		}
	}
	if im.opt.History {
		im.history()
	}
}

// origin is the earliest known submission, or unknown.
func (im *importer) origin() int64 {
	first := int64(unknown)
	for _, j := range im.jobs {
		if j.submit >= 0 && (first < 0 || j.submit < first) {
			first = j.submit
		}
	}
	if first >= 0 {
		im.report.FirstSubmit = model.Some(first)
	}
	return first
}

func (im *importer) job(j *job, origin int64) {
	row := model.Job{ID: j.id.Text, Tenant: j.user, Reduces: model.Some(int64(len(j.tasks[model.Reduce])))}
	var assumed bool
	if row.Weight, assumed = im.opt.weight(j); assumed {
		im.report.UnknownPriority++
	}
	if j.submit >= 0 {
		row.Release = model.Time(j.submit-origin) * millisecond
	} else {
		im.report.UnknownSubmit++
	}
	if origin >= 0 && j.finish >= origin {
		row.RecordedCompletion = model.Some(model.Time(j.finish-origin) * millisecond)
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
			im.report.UnknownIntermediate++
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
		im.report.UnknownShuffle++
		return 0
	}
	return model.Time(median(waits)) * millisecond
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
	fallback, assumed := median(known), &im.report.FromJob
	if len(known) == 0 {
		fallback, assumed = whole, &im.report.FromTrace
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
			*assumed++
		}
		row.Processing = model.Some(im.unitTime(t, kind, model.Time(d)*millisecond))
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
		im.report.MapsWithoutBlock++
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

// renameRepeats gives every job that has the id of an earlier one an id of its own: ID.2, ID.3, … Its tasks, whose
// ids derive from the job's, get the same ending. Endings that would give a job or task the id of another are
// skipped. Rumen's Folder writes such traces: it samples jobs, some of them several times.
func (im *importer) renameRepeats() {
	next := make(map[string]int, len(im.jobs)) // by id: the number that its next copy tries first
	var repeats []*job
	for _, j := range im.jobs {
		if _, known := next[j.id.Text]; known {
			repeats = append(repeats, j)
		}
		next[j.id.Text] = 2
	}
	if len(repeats) == 0 {
		return
	}
	tasks := map[string]bool{}
	for _, j := range im.jobs {
		j.eachTask(func(t *task) { tasks[t.id] = true })
	}
	for _, j := range repeats {
		id := j.id.Text
		k := next[id]
		for !j.canEnd("."+strconv.Itoa(k), next, tasks) {
			k++
		}
		ending := "." + strconv.Itoa(k)
		next[id] = k + 1
		j.id.Text += ending
		next[j.id.Text] = 2
		j.eachTask(func(t *task) {
			t.id += ending
			tasks[t.id] = true
		})
	}
	im.report.RepeatedJobs = len(repeats)
}

// canEnd says whether the ids of the job and of all its tasks are free once they have this ending.
func (j *job) canEnd(ending string, jobs map[string]int, tasks map[string]bool) bool {
	if _, taken := jobs[j.id.Text+ending]; taken {
		return false
	}
	free := true
	j.eachTask(func(t *task) { free = free && !tasks[t.id+ending] })
	return free
}

// eachTask calls do for the job's maps and reduces.
func (j *job) eachTask(do func(*task)) {
	for _, kind := range kinds {
		for i := range j.tasks[kind] {
			do(&j.tasks[kind][i])
		}
	}
}
