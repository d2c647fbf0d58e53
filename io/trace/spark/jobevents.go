package spark

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"mrsched/model"
)

// info is what an event says about an attempt of a stage.
type info struct {
	stage
	attempt, submitted, done int64
	failed                   bool
}

// stageInfo reads such an object.
func (r *reader) stageInfo(object []byte) info {
	x := info{stage: stage{id: unknown, rdd: unknown, tasks: unknown}, submitted: unknown, done: unknown}
	r.each(object, func(key string, value []byte) {
		switch key {
		case "Stage ID":
			x.id = r.number(value, "the stage's id")
		case "Stage Attempt ID":
			x.attempt = r.number(value, "the stage's attempt")
		case "Stage Name":
			x.name = description(value)
		case "Number of Tasks":
			x.tasks = r.upTo(maxTasks, value, "the number of tasks")
		case "Failure Reason":
			x.failed = string(value) != "null"
		case "Parent IDs":
			x.hasParents = true
			r.list(value, func(value []byte) { x.parents = append(x.parents, r.number(value, "the id of a parent")) })
		case "Submission Time":
			x.submitted = r.moment(value, "the submission time")
		case "Completion Time":
			x.done = r.moment(value, "the completion time")
		case "Resource Profile Id":
			x.profile = r.number(value, "the profile's id")
		case "RDD Info":
			r.list(value, func(value []byte) {
				r.each(value, func(key string, value []byte) {
					switch key {
					case "RDD ID":
						x.rdd = max(x.rdd, r.measure(value, "the RDD's id"))
					case "Barrier":
						x.barrier = x.barrier || string(value) == "true"
					}
				})
			})
		}
	})
	if x.id == unknown && !r.bad {
		r.missing("stage")
	}
	return x
}

// learn keeps what an event says about a stage.
func (g *eventLog) learn(x *info) int32 {
	s := g.stage(x.id)
	known := &g.stages[s]
	x.jobs, x.runs = known.jobs, known.runs
	if x.rdd == unknown {
		x.rdd = known.rdd
	}
	size := max(known.tasks, x.tasks)
	*known = x.stage
	known.tasks = size
	return s
}

// stageEvent reads that an attempt of a stage was submitted or completed.
func (r *reader) stageEvent(completed bool) {
	var x info
	x.id = unknown
	r.each(r.line, func(key string, value []byte) {
		if key == "Stage Info" {
			x = r.stageInfo(value)
		}
	})
	if x.id == unknown && !r.bad {
		r.missing("stage")
	}
	if r.bad {
		return
	}
	r.learn(&x)
	run := &r.runs[r.runOf(x.id, x.attempt, r.place())]
	run.submitted = cmp.Or(max(run.submitted, 0), x.submitted)
	run.size = max(run.size, x.tasks)
	if completed {
		run.over, run.done, run.completed, run.failed = int32(len(r.ends)), x.done, !x.failed, x.failed
	}
}

// taskStart counts an attempt of a task.
func (r *reader) taskStart() {
	id, attempt := int64(unknown), int64(0)
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Stage ID":
			id = r.number(value, "the stage's id")
		case "Stage Attempt ID":
			attempt = r.number(value, "the stage's attempt")
		}
	})
	if id == unknown && !r.bad {
		r.missing("stage")
	}
	if !r.bad {
		r.runs[r.runOf(id, attempt, r.place())].started++
	}
}

func (r *reader) jobStart() {
	x := job{id: unknown, submitted: unknown, done: unknown, over: math.MaxInt32, sql: unknown, at: r.place()}
	var infos []info
	var ids []int64
	site := ""
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Job ID":
			x.id = r.number(value, "the job's id")
		case "Submission Time":
			x.submitted = r.moment(value, "the submission time")
		case "Stage Infos":
			r.list(value, func(value []byte) { infos = append(infos, r.stageInfo(value)) })
		case "Stage IDs":
			r.list(value, func(value []byte) { ids = append(ids, r.number(value, "the stage's id")) })
		case "Properties":
			r.each(value, func(name string, value []byte) {
				switch name {
				case "spark.job.description":
					x.class = description(value)
				case "callSite.short":
					site = description(value)
				case "spark.sql.execution.id":
					if n, err := strconv.ParseInt(r.text(value, name), 10, 64); err == nil {
						x.sql = n
					}
				}
			})
		}
	})
	x.class = cmp.Or(x.class, site)
	if x.id == unknown && !r.bad {
		r.missing("job")
	}
	if _, twice := r.jobAt[x.id]; twice && !r.bad {
		r.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: r.at(0), Like: "job",
			What: "job " + strconv.FormatInt(x.id, 10) + " starts twice", Expected: "every job once",
			Hint: "name every part of the log once"})
		return
	}
	if r.bad {
		return
	}
	r.enterJob(x, infos, ids)
}

// enterJob keeps a job and its stages. The call site of a job is that of its last stage.
func (g *eventLog) enterJob(x job, infos []info, ids []int64) {
	j := int32(len(g.jobs))
	last := int64(unknown)
	site := ""
	for i := range infos {
		x.stages = append(x.stages, g.learn(&infos[i]))
		if infos[i].id > last {
			last, site = infos[i].id, infos[i].name
		}
	}
	for _, id := range ids {
		if id != unknown {
			x.stages = append(x.stages, g.stage(id))
		}
	}
	slices.SortFunc(x.stages, func(a, b int32) int { return cmp.Compare(g.stages[a].id, g.stages[b].id) })
	x.stages = slices.Compact(x.stages)
	x.class = cmp.Or(x.class, site)
	for _, s := range x.stages {
		g.stages[s].jobs = append(g.stages[s].jobs, j)
	}
	g.jobAt[x.id] = j
	g.jobs = append(g.jobs, x)
}

func (r *reader) jobEnd() {
	id, at := int64(unknown), int64(unknown)
	failed := false
	r.each(r.line, func(key string, value []byte) {
		switch key {
		case "Job ID":
			id = r.number(value, "the job's id")
		case "Completion Time":
			at = r.moment(value, "the completion time")
		case "Job Result":
			r.each(value, func(key string, value []byte) {
				failed = failed || key == "Result" && string(value) != `"JobSucceeded"`
			})
		}
	})
	if id == unknown && !r.bad {
		r.missing("job")
	}
	if r.bad {
		return
	}
	j, known := r.jobAt[id]
	if !known {
		r.left.jobEnds++
		return
	}
	if failed {
		r.left.failedJobs++
	}
	r.jobs[j].succeeded = !failed
	r.jobs[j].done, r.jobs[j].over = max(at, 0), int32(len(r.ends)) // before 1.3, the log does not say when
}
