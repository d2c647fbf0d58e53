package alibaba

import (
	"fmt"
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
)

// emit enters a job, its tasks and its delays.
func (im *importer) emit(j *job) {
	origin := im.chosen[0].start
	name := im.jobs.IDs[j.index]
	at := model.Locus{Pos: im.position(&im.rows[j.rows[0]])}
	im.b.Job(model.Job{ID: name, Weight: model.UnitWeight, Release: j.start - origin,
		RecordedCompletion: model.Some(j.end - origin)}, at)
	ends := make([][]string, len(j.rows)) // by task: the ids that what waits for it has to wait for
	starts := make([][]string, len(j.rows))
	for i, r := range j.rows {
		row, s := &im.rows[r], &j.stages[i]
		at := model.Locus{Pos: im.position(row)}
		task := model.Task{Kind: model.Map, Processing: model.Some(s.duration)}
		if len(j.waits[i]) > 0 {
			task.Kind = model.Reduce
		}
		if row.cpu > 0 {
			task.CPU = model.Some(row.cpu)
		}
		ids := instanceIDs(name+"/"+row.name, s.instances)
		for _, id := range ids {
			task.ID = id
			im.b.Task(task, name, "", at)
		}
		if j.shape != stageGraph {
			continue
		}
		starts[i], ends[i] = ids, ids
		if s.joined() {
			done := name + "/" + row.name + ".done"
			im.b.Task(model.Task{ID: done, Kind: model.Reduce, Processing: model.Some(model.Time(0)),
				Weight: model.Some(model.Weight(0))}, name, "", at)
			for _, id := range ids {
				im.b.Delay(id, done, 0, at)
			}
			ends[i] = []string{done}
		}
	}
	if j.shape == stageGraph {
		im.connectIDs(j, starts, ends)
	}
}

// connectIDs enters what the tasks of a stage graph wait for.
func (im *importer) connectIDs(j *job, starts, ends [][]string) {
	for i, list := range j.waits {
		at := model.Locus{Pos: im.position(&im.rows[j.rows[i]])}
		for _, w := range list {
			for _, from := range ends[w] {
				for _, to := range starts[i] {
					im.b.Delay(from, to, 0, at)
				}
			}
		}
	}
}

// instanceIDs are the ids of a task's instances: its name, numbered if there are several.
func instanceIDs(name string, n int64) []string {
	if n == 1 {
		return []string{name}
	}
	ids := make([]string, n)
	for k := range ids {
		ids[k] = name + "." + strconv.Itoa(k+1)
	}
	return ids
}

// notes says what was imported and assumed; counts of 0 are left out.
func (im *importer) notes(machines int64) (notes trace.Notes) {
	notes.Add("imported from Alibaba's batch_task.csv: %s of %d, in the order of their starts",
		model.Counted(len(im.chosen), "job"), len(im.jobs.IDs))
	notes.Add("time 0 is the first start, at %s s of the trace", im.chosen[0].start)
	if im.opt.Instances == One {
		notes.Add("every task of the trace is one task, however many instances it has")
	} else {
		notes.Add("every instance is a task; all instances of a task take the same time")
	}
	if im.opt.Durations == Net {
		notes.Add("a task's time counts from its start or the end of the last task that it waits for, whichever " +
			"is later (--durations net)")
	} else {
		notes.Add("a task's time counts from its start, waiting included (--durations gross)")
	}
	if !im.opt.Machines.Known {
		notes.Add("%s: as many as were under way at once by these times", model.Counted(machines, "machine"))
	}
	im.noteLeftOut(&notes)
	im.noteAssumed(&notes)
	return notes
}

func (im *importer) noteLeftOut(notes *trace.Notes) {
	notes.Count(im.left.status, "task", "that {is|are} not Terminated {is|are} left out")
	notes.Count(im.left.instances, "task", "without a number of instances {is|are} left out")
	notes.Count(im.left.times, "task", "without a start or end inside the trace {is|are} left out")
	notes.Count(im.left.outside, "task", "{starts or ends|start or end} more than eight days, the trace's length, from "+
		"the median start and {is|are} left out")
	notes.Count(im.left.reversed, "task", "that {ends before it starts is|end before they start are} left out")
	notes.Count(im.emptied, "job", "of which nothing is left {is|are} left out")
	notes.Count(im.unchosen, "later job", "{is|are} left out (--jobs)")
	if n := len(im.cyclic); n > 0 {
		notes.Count(n, "job", "whose names form a cycle {is|are} left out")
		last := &(*notes)[len(*notes)-1]
		if *last += fmt.Sprintf(": %.80q", im.cyclic[0]); n > 1 {
			*last += ", …"
		}
	}
}

func (im *importer) noteAssumed(notes *trace.Notes) {
	notes.Count(im.missing, "number",
		"that {a name waits for is that|names wait for are those} of no task and {is|are} dropped")
	notes.Count(im.shared, "number",
		"that {a name waits for is that|names wait for are those} of several tasks, all of which are meant")
	notes.Count(im.unnamed, "task",
		"{has a name that says|have names that say} nothing of precedence and {waits|wait} for nothing")
	notes.Count(im.staged, "task", "{has a name|have names} with a stage, such as Stg4, which is ignored: the trace does "+
		"not tell what it means")
	notes.Count(im.contrary, "task", "ended before {a task that it waits for and takes all its|"+
		"tasks that they wait for and take all their} recorded time")
	notes.Count(im.timeless, "task", "{takes|take} no time, which is recorded in whole seconds")
	notes.Count(im.capped, "task", fmt.Sprintf("{has|have} more than %d instances and {becomes|become} so many longer "+
		"ones of the same work", im.opt.MaxInstances.Value))
	notes.Count(im.phases[twoPhases], "job", "{has|have} maps and reduces without rows of delays")
	notes.Count(im.phases[stageGraph], "job", "{is a stage graph|are stage graphs}; there, tasks that wait are reduces")
	notes.Count(int(im.joins), "task", "of length 0, .done, {marks the end of all instances of a task|"+
		"mark the ends of all instances of tasks}")
}
