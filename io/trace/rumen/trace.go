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
	id                      textpos.Ident
	user, priority, outcome string
	name, queue             string    // only if traceReader.classes is set
	submit, finish          int64     // ms, or unknown
	tasks                   [2][]task // by model.TaskKind, in file order
	ignored                 ignored
	impossible              int // numbers that cannot be
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

var jobFields = textpos.NewFields("jobID", "user", "priority", "outcome", "jobName", "queue", "submitTime",
	"finishTime", "mapTasks", "reduceTasks", "otherTasks")

// job reads one job. It returns nil if the job has a finding.
func (r *traceReader) job() (*job, error) {
	at := r.PeekPosition()
	j := &job{submit: unknown, finish: unknown, impossible: -r.impossible}
	ok, err := r.Object("the job", jobFields, func(key string) (err error) {
		switch key {
		case "jobID":
			j.id, err = r.ID(key)
		case "user":
			j.user, err = r.Text(key)
		case "priority":
			j.priority, err = r.word(key)
		case "outcome":
			j.outcome, err = r.word(key)
		case "jobName":
			j.name, err = r.classText(key)
		case "queue":
			j.queue, err = r.classText(key)
		case "submitTime":
			j.submit, err = r.millis(key)
		case "finishTime":
			j.finish, err = r.millis(key)
		case "mapTasks":
			err = r.taskList(j, model.Map, key)
		case "reduceTasks":
			err = r.taskList(j, model.Reduce, key)
		case "otherTasks":
			var n int
			n, err = r.Count(key)
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
	j.impossible += r.impossible
	return j, nil
}

// classText reads the name or queue of a job, or skips it if classes are not needed.
func (r *traceReader) classText(key string) (string, error) {
	if !r.classes {
		return "", r.Skip()
	}
	return r.Text(key)
}

func (r *traceReader) taskList(j *job, kind model.TaskKind, key string) error {
	return r.Array(key, func() error {
		r.In.Release(r.Dec.InputOffset())
		if r.tasks++; r.tasks > maxTasks {
			return textpos.StopAt(r.PeekPosition(), fmt.Sprintf("the trace has more than %d tasks", maxTasks),
				"a smaller trace")
		}
		t, err := r.task(&j.ignored, kind)
		if t != nil {
			j.tasks[kind] = append(j.tasks[kind], *t)
		}
		return err
	})
}
