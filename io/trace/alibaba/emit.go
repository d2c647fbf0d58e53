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
	stages := make([]trace.Stage, len(j.rows))
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
		stages[i] = trace.Stage{Tasks: ids, At: at, Done: model.Task{ID: name + "/" + row.name + ".done"}}
	}
	if j.shape == stageGraph {
		im.count[joins] += trace.EnterWaits(im.b, name, stages, j.edges, j.joined)
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
	notes.Add("a task's time counts from its start or the end of the last task that it waits for, whichever is later")
	if !im.opt.Machines.Known {
		notes.Add("%s: as many as were under way at once by these times", model.Counted(machines, "machine"))
	}
	notes.Doubts(doubts[:cyclic], im.count[:cyclic])
	if n := len(im.cyclic); n > 0 {
		im.count[cyclic] = n
		notes.Doubts(doubts[cyclic:cyclic+1], im.count[cyclic:cyclic+1])
		last := &notes[len(notes)-1]
		if *last += fmt.Sprintf(": %.80q", im.cyclic[0]); n > 1 {
			*last += ", …"
		}
	}
	notes.Doubts(doubts[cyclic+1:], im.count[cyclic+1:])
	return notes
}

// What an import counts; doubts has the words.
const (
	notTerminated = iota
	withoutInstances
	withoutTimes
	reversed
	emptied
	unchosen
	cyclic
	missing
	shared
	unnamed
	withStage
	contrary
	phased
	graphs
	joins
)

var doubts = [...]trace.Doubt{
	notTerminated:    {Noun: "task", Text: "that {is|are} not Terminated {is|are} left out"},
	withoutInstances: {Noun: "task", Text: "without a number of instances {is|are} left out"},
	withoutTimes:     {Noun: "task", Text: "without a start or end inside the trace {is|are} left out"},
	reversed:         {Noun: "task", Text: "that {ends before it starts is|end before they start are} left out"},
	emptied:          {Noun: "job", Text: "of which nothing is left {is|are} left out"},
	unchosen:         {Noun: "later job", Text: "{is|are} left out (--jobs)"},
	cyclic:           {Noun: "job", Text: "whose names form a cycle {is|are} left out"},
	missing: {Noun: "number", Text: "that {a name waits for is that|names wait for are those} of no task and " +
		"{is|are} dropped"},
	shared: {Noun: "number", Text: "that {a name waits for is that|names wait for are those} of several tasks, all of " +
		"which are meant"},
	unnamed: {Noun: "task", Text: "{has a name that says|have names that say} nothing of precedence and {waits|wait} " +
		"for nothing"},
	withStage: {Noun: "task", Text: "{has a name|have names} with a stage, such as Stg4, which is ignored: the trace " +
		"does not say what it means"},
	contrary: {Noun: "task", Text: "ended before {a task that it waits for and takes all its|tasks that they wait for " +
		"and take all their} recorded time"},
	phased: {Noun: "job", Text: "{has|have} maps and reduces without rows of delays"},
	graphs: {Noun: "job", Text: "{is a stage graph|are stage graphs}; there, tasks that wait are reduces"},
	joins: {Noun: "task", Text: "of length 0, .done, {marks the end of all instances of a task|mark the ends of all " +
		"instances of tasks}"},
}
