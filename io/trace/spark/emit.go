package spark

import (
	"fmt"
	"strconv"

	"mrsched/io/trace"
	"mrsched/model"
)

// maxRows bounds the rows of delays and dependencies, which must fit into memory.
const maxRows = 50_000_000

// emit enters jobs, tasks and precedence.
func (im *importer) emit() {
	var waits []wait
	if im.opt.Jobs == Recorded {
		list, fits := im.waits(maxRows)
		if !fits {
			im.tooMany("dependencies")
			return
		}
		waits = list
	}
	tasks := 0
	for i := range im.runs {
		tasks += len(im.runs[i].tasks)
	}
	im.b.Reserve(tasks)
	for _, j := range im.order {
		if !im.emitJob(j, waits) {
			return
		}
	}
	for i, j := range im.order {
		w := wait{after: im.plans[j].after}
		if waits != nil {
			w = waits[i]
		}
		for _, k := range w.after {
			im.b.Dependency(im.plans[j].name, im.plans[k].name, trace.Millis(w.delay), im.locus(im.jobs[j].at))
		}
	}
}

func (im *importer) tooMany(table model.Table) {
	im.b.Findings.Add(model.Finding{Code: model.CodeOverflow, Pos: model.Position{File: im.files[0]},
		What: fmt.Sprintf("there are more than %d rows of %s", maxRows, table), Expected: "fewer",
		Hint: "--jobs free has rows only where a job reads another one's data"})
}

func (im *importer) locus(at place) model.Locus { return model.Locus{Pos: im.position(at)} }

// emitJob enters a job with its tasks and delays; false if there are too many rows.
func (im *importer) emitJob(j int32, waits []wait) bool {
	x, p := &im.jobs[j], &im.plans[j]
	row := model.Job{ID: p.name, Weight: model.UnitWeight, Tenant: im.user, Class: x.class,
		RecordedCompletion: model.Some(im.origin.Time(p.last))}
	if waits != nil && len(waits[p.place].after) == 0 {
		row.Release = im.origin.Time(p.submitted)
	}
	im.b.Job(row, im.locus(x.at))
	sizes, stages := make([]int64, len(p.runs)), make([]trace.Stage, len(p.runs))
	place := make(map[int32]int32, len(p.runs))
	for i, k := range p.runs {
		r := &im.runs[k]
		sizes[i], place[k] = int64(len(r.tasks)), int32(i)
		stages[i] = trace.Stage{Tasks: im.emitRun(p, k), At: im.locus(r.at), Done: model.Task{
			ID: im.runName(p, k) + ".done", RecordedNode: nodePrefix + im.names.IDs[r.on],
			RecordedStart: model.Some(im.origin.Time(r.last))}}
	}
	if !im.shape(p) {
		return true
	}
	edges := make([][2]int32, 0, len(p.edges))
	for _, e := range p.edges {
		edges = append(edges, [2]int32{place[e[0]], place[e[1]]})
	}
	joined, rows := trace.PlanWaits(sizes, edges)
	if im.rows += rows; im.rows > maxRows {
		im.tooMany(model.TableDelays)
		return false
	}
	im.count[joins] += trace.EnterWaits(im.b, p.name, stages, edges, joined)
	return true
}

// runName is the name of an attempt of a stage. A job that stands for a stage has its name.
func (im *importer) runName(p *plan, k int32) string {
	r := &im.runs[k]
	name := p.name
	if im.jobs[r.job].id != unknown {
		name += "/stage-" + strconv.FormatInt(im.stages[r.stage].id, 10)
	}
	if r.attempt > 0 {
		name += "." + strconv.FormatInt(r.attempt, 10)
	}
	return name
}

// emitRun enters the tasks of an attempt of a stage, and returns their ids.
func (im *importer) emitRun(p *plan, k int32) []string {
	r := &im.runs[k]
	s := &im.stages[r.stage]
	name := im.runName(p, k) + "/"
	ids := make([]string, len(r.tasks))
	cpus := im.cpusOf(s.profile)
	for i, t := range r.tasks {
		e := &im.ends[t]
		ids[i] = name + strconv.FormatInt(int64(e.index), 10)
		row := model.Task{ID: ids[i], Kind: r.kind(), Processing: model.Some(trace.Millis(e.processing)),
			InputBytes: bytesOf(e.in), OutputBytes: bytesOf(e.out), CPU: model.Some(cpus),
			RecordedNode: nodePrefix + im.names.IDs[e.executor], RecordedStart: model.Some(im.origin.Time(e.launch))}
		im.b.Task(row, p.name, "", im.locus(e.at))
	}
	return ids
}

// kind is that of the tasks: those that write a shuffle are maps.
func (r *run) kind() model.TaskKind {
	if r.shuffles {
		return model.Map
	}
	return model.Reduce
}

func bytesOf(n int64) model.Optional[model.Bytes] {
	return model.Optional[model.Bytes]{Value: model.Bytes(max(n, 0)), Known: n >= 0}
}

// shape says whether a job needs rows of delays: not if nothing waits and all tasks are of one kind, nor if all its
// reduces wait for all its maps and for nothing else.
func (im *importer) shape(p *plan) bool {
	var maps, reduces int
	for _, k := range p.runs {
		if im.runs[k].shuffles {
			maps++
		} else {
			reduces++
		}
	}
	for _, e := range p.edges {
		if !im.runs[e[0]].shuffles || im.runs[e[1]].shuffles {
			return true
		}
	}
	return len(p.edges) != maps*reduces
}
