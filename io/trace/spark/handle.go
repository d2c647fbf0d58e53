package spark

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// events are those that the import reads, by name.
var events = map[string]func(*importer){
	"SparkListenerLogStart":         func(im *importer) { im.version = string(im.event.Version) },
	"SparkListenerApplicationStart": (*importer).applicationStart,
	"SparkListenerApplicationEnd": func(im *importer) {
		im.ended, im.endedAt = true, im.moment(im.event.Timestamp)
	},
	"SparkListenerEnvironmentUpdate":    (*importer).environment,
	"SparkListenerResourceProfileAdded": (*importer).profileAdded,
	"SparkListenerExecutorAdded":        (*importer).executorAdded,
	"SparkListenerExecutorRemoved":      (*importer).executorRemoved,
	"SparkListenerJobStart":             (*importer).jobStart,
	"SparkListenerJobEnd":               (*importer).jobEnd,
	"SparkListenerStageSubmitted":       func(im *importer) { im.stageEvent(false) },
	"SparkListenerStageCompleted":       func(im *importer) { im.stageEvent(true) },
	"SparkListenerTaskStart":            (*importer).taskStart,
	"SparkListenerTaskEnd":              (*importer).taskEnd,
	"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart": func(im *importer) {
		im.sql[im.event.Execution.or(unknown)] = string(im.event.About)
	},
}

// number is a number of the log, at most so large, or unknown.
func (im *importer) number(n number, most int64) int64 {
	switch {
	case n.impossible, n.known && n.value > most:
		im.count[unusable]++
		return unknown
	case n.known:
		return n.value
	}
	return unknown
}

// moment is a point in time, or unknown.
func (im *importer) moment(n number) int64 {
	at := im.number(n, largest)
	im.saw(at)
	return at
}

// submission is when a job or stage was submitted, or unknown; it cannot be before the application began.
func (im *importer) submission(n number) int64 {
	at := im.moment(n)
	if at != unknown && at < im.startedAt {
		im.count[unusable]++
		return unknown
	}
	return at
}

func (im *importer) applicationStart() {
	if im.begun {
		im.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: im.column(0), What: "a second application begins",
			Expected: "the log of one application", Hint: "import each log by itself"})
		return
	}
	e := &im.event
	im.begun, im.app, im.user, im.startedAt = true, string(e.App), string(e.User), im.number(e.Timestamp, largest)
}

func (im *importer) environment() {
	if v := im.event.Spark.CPUs; v.Raw != "" {
		n, err := strconv.ParseFloat(strings.TrimSpace(textpos.Unquote([]byte(v.Raw))), 64)
		if err != nil || !(n > 0) || n > maxCores {
			im.wrongProperty(v, "spark.task.cpus", "a number of cores")
		} else {
			im.taskCPUs = n
		}
	}
	if v := im.event.Spark.Memory; v.Raw != "" {
		n, ok := memory(textpos.Unquote([]byte(v.Raw)))
		if !ok {
			im.wrongProperty(v, "spark.executor.memory", `a size, such as "4g"`)
		} else {
			im.memory = model.Some(n)
		}
	}
}

func (im *importer) wrongProperty(v trace.Value, name, expected string) {
	im.report(model.Finding{Code: model.CodeTraceObject, Pos: im.column(v.At), What: name + " is " + v.Raw,
		Expected: expected})
}

func (im *importer) profileAdded() {
	const mebibytes = 1 << 42 // that a number of bytes can hold
	p := profile{memory: model.Bytes(im.event.Requested.Memory.value(mebibytes)) << 20}
	p.cpus = im.event.Takes.CPUs.value(maxCores)
	im.profiles[im.event.Profile.or(unknown)] = &p
}

func (im *importer) executorAdded() {
	e := &im.event
	if e.Executor == "" {
		im.missing("executor")
		return
	}
	x := &im.executors[im.executor(e.Executor)]
	x.host, x.profile = string(e.ExecutorInfo.Host), e.ExecutorInfo.Profile.or(0)
	if x.cores = im.number(e.ExecutorInfo.Cores, maxCores); x.cores == 0 {
		x.cores = unknown
	}
	at := im.moment(e.Timestamp)
	if !x.stated {
		x.stated, x.from = true, at
	}
	x.until = unknown
}

func (im *importer) executorRemoved() {
	e := &im.event
	if e.Executor == "" {
		im.missing("executor")
		return
	}
	at := im.moment(e.Timestamp)
	if x := &im.executors[im.executor(e.Executor)]; at != unknown && x.stated {
		x.until = max(at, x.from)
	} else if at != unknown {
		x.stated, x.from, x.until = true, unknown, at
	}
}

// learn keeps what an event says about a stage, and returns the stage.
func (im *importer) learn(x *info) int32 {
	s := im.stage(x.ID.value)
	old := &im.stages[s]
	g := stage{id: old.id, name: string(x.Name), jobs: old.jobs, hasParents: x.Parents != nil, rdd: unknown,
		tasks: max(old.tasks, im.number(x.Tasks, maxTasks)), profile: x.Profile.or(0), runs: old.runs}
	for _, p := range x.Parents {
		g.parents = append(g.parents, p.or(unknown))
	}
	for _, rdd := range x.RDDs {
		g.rdd = max(g.rdd, im.number(rdd.ID, largest))
	}
	if g.rdd == unknown {
		g.rdd = old.rdd
	}
	*old = g
	return s
}

func (im *importer) stageEvent(completed bool) {
	x := &im.event.StageInfo
	if !x.ID.known {
		im.missing("stage")
		return
	}
	im.learn(x)
	r := &im.runs[im.runOf(x.ID.value, x.Attempt.or(0))]
	r.submitted = cmp.Or(max(r.submitted, 0), im.submission(x.Submitted))
	r.size = max(r.size, im.number(x.Tasks, maxTasks))
	done := im.moment(x.Completed)
	if completed {
		r.failed = x.Failure != nil && x.Failure.Kind() != 'n'
		r.over, r.done, r.completed = int32(len(im.ends)), done, !r.failed
	}
}

func (im *importer) jobStart() {
	e := &im.event
	switch _, twice := im.jobAt[e.Job.value]; {
	case !e.Job.known:
		im.missing("job")
		return
	case twice:
		im.b.Findings.Add(model.Finding{Code: model.CodeDuplicate, Pos: im.column(0), Like: "job",
			What: "job " + strconv.FormatInt(e.Job.value, 10) + " starts twice", Expected: "every job once",
			Hint: "name every part of the log once"})
		return
	case slices.ContainsFunc(e.Stages, func(x info) bool { return !x.ID.known }):
		im.missing("stage")
		return
	}
	x := job{id: e.Job.value, submitted: im.submission(e.Submitted), done: unknown, over: math.MaxInt32, sql: unknown,
		at: im.at}
	if n, err := strconv.ParseInt(string(e.Properties.Execution), 10, 64); err == nil {
		x.sql = n
	}
	last := int64(unknown)
	site := summary("") // the call site of a job is that of its last stage
	for i := range e.Stages {
		x.stages = append(x.stages, im.learn(&e.Stages[i]))
		if id := e.Stages[i].ID.value; id > last {
			last, site = id, e.Stages[i].Name
		}
	}
	for _, id := range e.StageIDs {
		if id.known {
			x.stages = append(x.stages, im.stage(id.value))
		}
	}
	slices.SortFunc(x.stages, func(a, b int32) int { return cmp.Compare(im.stages[a].id, im.stages[b].id) })
	x.stages = slices.Compact(x.stages)
	x.class = string(cmp.Or(e.Properties.Description, e.Properties.Site, site))
	for _, s := range x.stages {
		im.stages[s].jobs = append(im.stages[s].jobs, int32(len(im.jobs)))
	}
	im.jobAt[x.id] = int32(len(im.jobs))
	im.jobs = append(im.jobs, x)
}

func (im *importer) jobEnd() {
	e := &im.event
	at := im.moment(e.Completed)
	j, known := im.jobAt[e.Job.value]
	switch result := e.Result.Result; {
	case !e.Job.known:
		im.missing("job")
	case !known:
		im.jobEnds++
	default:
		x := &im.jobs[j]
		x.succeeded = result == "" || result == "JobSucceeded"
		if !x.succeeded {
			im.count[failedJobs]++
		}
		x.done, x.over = max(at, 0), int32(len(im.ends)) // before 1.3, the log does not say when
	}
}

// taskStart counts an attempt of a task.
func (im *importer) taskStart() {
	if !im.event.Stage.known {
		im.missing("stage")
		return
	}
	im.runs[im.runOf(im.event.Stage.value, im.event.Attempt.or(0))].started++
}

// reasons are those for which Spark ends an attempt, as it names them.
var reasons = [...]string{"Success", "FetchFailed", "ExceptionFailure", "TaskKilled", "TaskCommitDenied",
	"ExecutorLostFailure", "TaskResultLost", "UnknownReason", "Resubmitted", "for other reasons"}

const (
	success     = "Success"
	resubmitted = "Resubmitted"
	shuffleTask = "ShuffleMapTask"
)

// Limits against hostile input. No real log comes near them.
const (
	maxTasks = 50_000_000 // attempts, which must fit into memory
	maxCores = 1 << 20    // of an executor or task
)

func (im *importer) taskEnd() {
	e := &im.event
	switch {
	case !e.Stage.known:
		im.missing("stage")
		return
	case !e.Task.Launch.known || !e.Task.Index.known || e.Task.Index.value > math.MaxInt32:
		im.missing("task with its index and launch time")
		return
	case e.Task.Executor == "":
		im.missing("executor")
		return
	case e.End.Reason == "":
		im.missing("reason why the task ended")
		return
	case len(im.ends) == maxTasks:
		im.b.Findings.Add(model.Finding{Code: model.CodeOverflow, Pos: im.column(0), Like: "tasks",
			What: "there are more ends of tasks than mrsched keeps", Expected: "at most 50000000"})
		return
	}
	at := slices.Index(reasons[:], string(e.End.Reason))
	if at < 0 {
		at = len(reasons) - 1
	}
	im.endsBy[at]++
	if e.End.Reason == resubmitted { // the task of an executor that was lost runs again; its end came before
		im.count[resubmissions]++
		return
	}
	im.enterTask(&e.Task, &e.Metrics)
}

// enterTask keeps the end of an attempt.
func (im *importer) enterTask(t *taskInfo, m *metrics) {
	k := im.runOf(im.event.Stage.value, im.event.Attempt.or(0))
	r := &im.runs[k]
	remote, local := im.number(m.Fetched.Remote, largest), im.number(m.Fetched.Local, largest)
	put := im.number(m.Shuffled.Written, largest)
	r.shuffles = r.shuffles || im.event.Kind == shuffleTask || im.event.Kind == "" && put > 0
	r.ended++
	if t.Partition.value == -1 { // Spark writes so if it does not know the partition
		t.Partition = number{}
	}
	e := end{run: k, index: int32(t.Index.value), partition: int32(im.number(t.Partition, math.MaxInt32)),
		executor: im.executor(t.Executor), at: im.at, success: im.event.End.Reason == success, launch: t.Launch.value,
		finish: im.number(t.Finish, largest), in: sum(im.number(m.Input.Read, largest), remote, local),
		out: sum(put, im.number(m.Output.Written, largest)), processing: unknown}
	rest := sum(im.number(m.Deserialize, largest), im.number(m.Serialize, largest))
	if own := im.number(m.Run, largest); own != unknown {
		e.processing = sum(own, rest)
	}
	if remote != unknown && local == unknown {
		im.count[withoutLocal]++
	}
	x := &im.executors[e.executor]
	x.host = cmp.Or(x.host, string(t.Host))
	im.ends = append(im.ends, e)
	im.saw(t.Launch.value)
	im.endIsLast = true
}

// sum adds the known values; unknown if none is known.
func sum(values ...int64) int64 {
	total := int64(unknown)
	for _, v := range values {
		if v != unknown {
			total = min(max(total, 0)+v, largest)
		}
	}
	return total
}
