package alibaba

import (
	"fmt"
	"strconv"

	"mrsched/model"
)

// emit enters a job, its tasks and its delays.
func (im *importer) emit(j *job) {
	origin := im.chosen[0].start
	name := im.jobs[j.index]
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

// notes says what was imported and assumed; what did not happen is not mentioned.
func (im *importer) notes(machines int64) []string {
	o := &im.opt
	list := []string{fmt.Sprintf("imported from Alibaba's batch_task.csv: %s of %d, in the order of their starts",
		model.Counted(len(im.chosen), "job"), len(im.jobs)),
		fmt.Sprintf("time 0 is the first start, at %s s of the trace", im.chosen[0].start)}
	if o.Instances == One {
		list = append(list, "every task of the trace is one task, however many instances it has")
	} else {
		list = append(list, "every instance is a task; all instances of a task take the same time")
	}
	if o.Durations == Net {
		list = append(list, "a task's time counts from its start or the end of the last task that it waits for, whichever "+
			"is later (--durations net)")
	} else {
		list = append(list, "a task's time counts from its start, waiting included (--durations gross)")
	}
	if !o.Machines.Known {
		list = append(list, fmt.Sprintf("%s: as many as were under way at once by these times",
			model.Counted(int(machines), "machine")))
	}
	list = append(list, im.leftOut()...)
	return append(list, im.assumed()...)
}

// counted is a sentence about a number of things, many with a place for the number; none of nothing.
type counted struct {
	n         int
	one, many string
}

func sentences(counts []counted) (list []string) {
	for _, c := range counts {
		if c.n == 1 {
			list = append(list, c.one)
		} else if c.n > 1 {
			list = append(list, fmt.Sprintf(c.many, c.n))
		}
	}
	return list
}

// leftOut are the notes on what is not imported.
func (im *importer) leftOut() []string {
	list := sentences([]counted{{im.left.status, "1 task that is not Terminated is left out",
		"%d tasks that are not Terminated are left out"},
		{im.left.instances, "1 task without a number of instances is left out",
			"%d tasks without a number of instances are left out"},
		{im.left.times, "1 task without a start or end inside the trace is left out",
			"%d tasks without a start or end inside the trace are left out"},
		{im.left.reversed, "1 task that ends before it starts is left out",
			"%d tasks that end before they start are left out"},
		{im.emptied, "1 job of which nothing is left is left out", "%d jobs of which nothing is left are left out"},
		{im.unchosen, "1 later job is left out (--jobs)", "%d later jobs are left out (--jobs)"},
		{len(im.cyclic), "1 job whose names form a cycle is left out", "%d jobs whose names form a cycle are left out"}})
	if n := len(im.cyclic); n > 0 {
		list[len(list)-1] += fmt.Sprintf(": %.80q", im.cyclic[0])
		if n > 1 {
			list[len(list)-1] += ", …"
		}
	}
	return list
}

// assumed are the notes on what is imported.
func (im *importer) assumed() []string {
	most := strconv.FormatInt(im.opt.MaxInstances.Value, 10)
	return sentences([]counted{{im.missing, "1 number that a name waits for is that of no task and is dropped",
		"%d numbers that names wait for are those of no task and are dropped"},
		{im.unnamed, "1 task has a name that says nothing of precedence and waits for nothing",
			"%d tasks have names that say nothing of precedence and wait for nothing"},
		{im.contrary, "1 task ended before a task that it waits for and takes all its recorded time",
			"%d tasks ended before tasks that they wait for and take all their recorded time"},
		{im.timeless, "1 task takes no time, which is recorded in whole seconds",
			"%d tasks take no time, which is recorded in whole seconds"},
		{im.capped, "1 task has more than " + most + " instances and becomes so many longer ones of the same work",
			"%d tasks have more than " + most + " instances and become so many longer ones of the same work"},
		{im.phases[twoPhases], "1 job has maps and reduces without rows of delays",
			"%d jobs have maps and reduces without rows of delays"},
		{im.phases[stageGraph], "1 job is a stage graph; there, tasks that wait are reduces",
			"%d jobs are stage graphs; there, tasks that wait are reduces"},
		{int(im.joins), "1 task of no length, .done, stands for the end of all instances of a task",
			"%d tasks of no length, .done, stand for the ends of all instances of tasks"}})
}
