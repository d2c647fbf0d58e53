package rumen

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// rawJob is what is read of a job.
type rawJob struct {
	ID       trace.Value             `json:"jobID"`
	User     trace.Value             `json:"user"`
	Name     trace.Value             `json:"jobName"`
	Queue    trace.Value             `json:"queue"`
	Priority trace.Value             `json:"priority"`
	Outcome  trace.Value             `json:"outcome"`
	Submit   trace.Value             `json:"submitTime"`
	Finish   trace.Value             `json:"finishTime"`
	Maps     []trace.Placed[rawTask] `json:"mapTasks"`
	Reduces  []trace.Placed[rawTask] `json:"reduceTasks"`
	Others   []struct{}              `json:"otherTasks"`
}

type rawTask struct {
	ID        trace.Value `json:"taskID"`
	Type      trace.Value `json:"taskType"`
	Input     trace.Value `json:"inputBytes"`
	Output    trace.Value `json:"outputBytes"`
	Locations []struct {
		Layers []trace.Value `json:"layers"`
	} `json:"preferredLocations"`
	Attempts []rawAttempt `json:"attempts"`
}

type rawAttempt struct {
	Result    trace.Value `json:"result"`
	Host      trace.Value `json:"hostName"`
	Start     trace.Value `json:"startTime"`
	Finish    trace.Value `json:"finishTime"`
	Shuffled  trace.Value `json:"shuffleFinished"`
	Read      trace.Value `json:"hdfsBytesRead"`
	Written   trace.Value `json:"hdfsBytesWritten"`
	MapInput  trace.Value `json:"mapInputBytes"`
	MapOutput trace.Value `json:"mapOutputBytes"`
	Fetched   trace.Value `json:"reduceShuffleBytes"`
}

// job is what is kept of a job of the trace.
type job struct {
	id                      textpos.Ident
	user, priority, outcome string
	name, queue             string    // only with Options.History
	submit, finish          int64     // ms, or unknown
	tasks                   [2][]task // by model.TaskKind, in file order
	count                   counts
}

// task is what is kept of a map or reduce: its id, its replicas, and the record of its successful attempt.
type task struct {
	id            string
	line, column  int32
	node          hostIndex // of the successful attempt, or noHost
	bad           bool      // the times cannot be: they count as unknown
	start, finish int64     // ms, or unknown
	shuffled      int64     // when a reduce had its whole input, ms, or unknown
	input, output int64     // bytes, or unknown
	replicas      []hostIndex
}

// counts are of doubts.
type counts [len(doubts)]int

func (j *job) size() int { return len(j.tasks[model.Map]) + len(j.tasks[model.Reduce]) }

// The outcomes of jobs and the results of attempts. The first two mean the same.
const (
	success   = "SUCCESS"
	succeeded = "SUCCEEDED"
	failed    = "FAILED"
	killed    = "KILLED"
)

func (j *job) failed() bool { return j.outcome == failed || j.outcome == killed }

// Limits against hostile input. No real trace comes near them.
const (
	maxID       = 64 << 10 // bytes of a rack's name, including the names above it
	maxReplicas = 1 << 10  // preferred locations that are kept of a map
)

// unknown stands for a number that the trace does not know. Rumen writes it so.
const unknown = trace.Unknown

// tooLarge stands for a number that does not fit. Like all negative numbers, it counts as unknown.
const tooLarge = math.MinInt64

// reader takes over the jobs of a trace.
type reader struct {
	*trace.Document
	*importer
	count *counts // of the job
}

// job takes over a job. It returns nil if the job has no id, which is a finding.
func (r *reader) job(x *rawJob, at int64) *job {
	j := &job{id: r.ID(x.ID, "jobID", "the job", at), user: r.Text(x.User, "user"),
		priority: r.Text(x.Priority, "priority"), outcome: r.Text(x.Outcome, "outcome")}
	r.count = &j.count
	j.submit, j.finish = r.millis(x.Submit, "submitTime"), r.millis(x.Finish, "finishTime")
	if r.opt.History {
		j.name, j.queue = r.Text(x.Name, "jobName"), r.Text(x.Queue, "queue")
	}
	j.count[setupTasks] += len(x.Others)
	for kind, list := range [][]trace.Placed[rawTask]{x.Maps, x.Reduces} {
		for i := range list {
			if t := r.task(&list[i].Of, model.TaskKind(kind), list[i].At); t != nil {
				j.tasks[kind] = append(j.tasks[kind], *t)
			}
		}
	}
	if j.id.Text == "" {
		return nil
	}
	return j
}

// number is a whole number; null and negative numbers are unknown. One that is too large is unknown, too.
func (r *reader) number(v trace.Value, what string) int64 {
	switch {
	case v.Raw == "":
		return unknown
	case jsontext.Value(v.Raw).Kind() != jsontext.KindNumber:
		r.Wrong(v, what, "a number")
		return unknown
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	if err != nil {
		n, err = model.ParseFixed(v.Raw, 0)
	}
	if err != nil || n < unknown {
		r.count[impossible]++
	}
	if err != nil {
		return tooLarge
	}
	return n
}

// millis is a point in time.
func (r *reader) millis(v trace.Value, what string) int64 {
	n := r.number(v, what)
	if n > trace.MaxMillis {
		r.count[impossible]++
		return tooLarge
	}
	return n
}

// setupTypes are the types of tasks that are neither map nor reduce.
var setupTypes = []string{"SETUP", "CLEANUP", "JOB_SETUP", "JOB_CLEANUP", "TASK_CLEANUP"}

// task takes over a task. It returns nil for a setup task, and for one that has no id.
func (r *reader) task(x *rawTask, kind model.TaskKind, at int64) *task {
	typ := r.Text(x.Type, "taskType")
	if slices.Contains(setupTypes, typ) {
		r.count[setupTasks]++
		return nil
	}
	if expected := [...]string{"MAP", "REDUCE"}[kind]; typ != "" && typ != expected {
		r.Report(r.Position(x.Type), fmt.Sprintf("taskType is %.80q", typ), expected)
	}
	id := r.ID(x.ID, "taskID", "the task", at)
	t := &task{id: id.Text, line: id.Pos.Line, column: id.Pos.Column, node: noHost, start: unknown, finish: unknown,
		shuffled: unknown, input: unknown, output: unknown}
	found := false
	for i := range x.Attempts {
		a := &x.Attempts[i]
		if result := r.Text(a.Result, "result"); result != success && result != succeeded {
			r.count[otherAttempts]++
			r.hosts.host(r.raw(a.Host, "hostName"))
			continue
		}
		try := r.attempt(a, kind)
		r.hosts.confirm(try.node)
		if found {
			r.count[otherAttempts]++
		}
		if !found || try.finish >= 0 && (t.finish < 0 || try.finish < t.finish) {
			try.id, try.line, try.column = t.id, t.line, t.column
			*t, found = try, true
		}
	}
	t.replicas = r.locations(x, kind)
	if input := r.number(x.Input, "inputBytes"); t.input < 0 {
		t.input = input
	}
	if output := r.number(x.Output, "outputBytes"); t.output < 0 && kind == model.Reduce {
		t.output = output
	}
	if t.id == "" {
		return nil
	}
	return t
}

// attempt is what a successful attempt says about its task.
func (r *reader) attempt(a *rawAttempt, kind model.TaskKind) task {
	t := task{node: r.hosts.host(r.raw(a.Host, "hostName")), start: r.millis(a.Start, "startTime"),
		finish: r.millis(a.Finish, "finishTime"), shuffled: r.millis(a.Shuffled, "shuffleFinished")}
	read, written := r.number(a.Read, "hdfsBytesRead"), r.number(a.Written, "hdfsBytesWritten")
	mapInput, mapOutput := r.number(a.MapInput, "mapInputBytes"), r.number(a.MapOutput, "mapOutputBytes")
	fetched := r.number(a.Fetched, "reduceShuffleBytes")
	switch {
	case kind == model.Reduce:
		t.input, t.output = fetched, written
	case read >= 0:
		t.input, t.output = read, mapOutput
	default:
		t.input, t.output = mapInput, mapOutput
	}
	return t
}

// raw is a string as it stands in the file; empty after a finding.
func (r *reader) raw(v trace.Value, what string) string {
	if v.Raw != "" && v.Raw[0] != '"' {
		r.Wrong(v, what, "a string")
		return ""
	}
	return v.Raw
}

// locations are the usable hosts among the preferred locations of a map, each once; none of a reduce.
func (r *reader) locations(x *rawTask, kind model.TaskKind) (hosts []hostIndex) {
	for _, location := range x.Locations {
		path := []byte{'"'}
		for _, layer := range location.Layers {
			if len(path) > maxID { // no sensible path: keep its end
				path = path[:1]
			}
			path = append(path, '/')
			if raw := r.raw(layer, "the layer"); raw != "" {
				path = append(path, raw[1:len(raw)-1]...)
			}
		}
		host := r.hosts.host(string(append(path, '"')))
		r.hosts.confirm(host)
		switch {
		case kind == model.Reduce:
		case host == noHost || !r.usable(host) || len(hosts) >= maxReplicas:
			r.count[outsideReplicas]++
		case slices.Contains(hosts, host):
			r.count[repeatedReplicas]++
		default:
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// usable says whether a replica may lie on a host: on any, unless there is a topology file.
func (im *importer) usable(h hostIndex) bool {
	_, known := im.at[h]
	return known || !im.stated
}
