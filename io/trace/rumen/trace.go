package rumen

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/model"
)

// job is what is kept of a job of the trace.
type job struct {
	id                      ident
	user, priority, outcome string
	name, queue             string    // only if traceReader.classes is set
	submit, finish          int64     // ms, or unknown
	tasks                   [2][]task // by model.TaskKind, in file order
	ignored                 ignored
}

// ignored counts what is left out of a job or task.
type ignored struct{ setupTasks, attempts, replicas, repeats int }

func (j *job) size() int { return len(j.tasks[model.Map]) + len(j.tasks[model.Reduce]) }

// The outcomes of jobs and the results of attempts. The first two mean the same.
const (
	success   = "SUCCESS"
	succeeded = "SUCCEEDED"
	failed    = "FAILED"
	killed    = "KILLED"
)

func (j *job) failed() bool { return j.outcome == failed || j.outcome == killed }

// traceReader reads the jobs of a trace.
type traceReader struct {
	*decoder
	hosts  *hostTable
	usable func(hostIndex) bool // whether a replica may lie on this host
	tasks  int                  // of all jobs so far
	path   []byte               // of a preferred location; kept for its memory
	// classes says whether names and queues of jobs are read.
	classes bool
}

// read reads the whole trace and calls keep for every job. It returns the number of objects.
func (r *traceReader) read(keep func(*job)) (objects int, err error) {
	for {
		if r.Dec.PeekKind() == jsontext.KindInvalid {
			if _, err = r.Dec.ReadToken(); err == io.EOF {
				err = nil
			}
			return objects, err
		}
		objects++
		r.In.Release(r.Dec.InputOffset())
		j, err := r.job()
		if err != nil {
			return objects, err
		}
		if j != nil {
			keep(j)
		}
	}
}

// Fields of a job.
const (
	jobID uint = iota
	jobUser
	jobPriority
	jobOutcome
	jobName
	jobQueue
	jobSubmit
	jobFinish
	jobMaps
	jobReduces
	jobOthers
)

var jobFields = fields{"jobID": jobID, "user": jobUser, "priority": jobPriority, "outcome": jobOutcome,
	"jobName": jobName, "queue": jobQueue,
	"submitTime": jobSubmit,
	"finishTime": jobFinish, "mapTasks": jobMaps, "reduceTasks": jobReduces, "otherTasks": jobOthers}

// job reads one job. It returns nil if the job has a finding.
func (r *traceReader) job() (*job, error) {
	at := r.PeekPosition()
	j := &job{submit: unknown, finish: unknown}
	ok, err := r.Object("the job", jobFields, func(field uint) (err error) {
		switch field {
		case jobID:
			j.id, err = r.ID("jobID")
		case jobUser:
			j.user, err = r.Text("user")
		case jobPriority:
			j.priority, err = r.word("priority")
		case jobOutcome:
			j.outcome, err = r.word("outcome")
		case jobName, jobQueue:
			return r.classText(j, field)
		case jobSubmit:
			j.submit, err = r.millis("submitTime")
		case jobFinish:
			j.finish, err = r.millis("finishTime")
		case jobMaps:
			err = r.taskList(j, model.Map, "mapTasks")
		case jobReduces:
			err = r.taskList(j, model.Reduce, "reduceTasks")
		case jobOthers:
			var n int
			n, err = r.Count("otherTasks")
			j.ignored.setupTasks += n
		}
		return err
	})
	if !ok || err != nil {
		return nil, err
	}
	if j.id.Text == "" {
		r.Missing(j.id, at, "the job", "jobID")
		return nil, nil
	}
	return j, nil
}

// classText reads the name or queue of a job, or skips it if classes are not needed.
func (r *traceReader) classText(j *job, field uint) (err error) {
	switch {
	case !r.classes:
		err = r.Skip()
	case field == jobName:
		j.name, err = r.Text("jobName")
	default:
		j.queue, err = r.Text("queue")
	}
	return err
}

func (r *traceReader) taskList(j *job, kind model.TaskKind, key string) error {
	return r.Array(key, func() error {
		r.In.Release(r.Dec.InputOffset())
		if r.tasks++; r.tasks > maxTasks {
			return &textpos.Stop{Finding: model.Finding{Code: model.CodeTraceObject, Pos: r.PeekPosition(),
				What: fmt.Sprintf("the trace has more than %d tasks", maxTasks), Expected: "a smaller trace"}}
		}
		t, err := r.task(&j.ignored, kind)
		if t != nil {
			j.tasks[kind] = append(j.tasks[kind], *t)
		}
		return err
	})
}
