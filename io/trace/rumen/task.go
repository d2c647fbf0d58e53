package rumen

import (
	"fmt"
	"slices"

	"mrsched/io/textpos"
	"mrsched/model"
)

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

// attempt is one attempt of a task.
type attempt struct {
	result                  string
	node                    hostIndex
	start, finish, shuffled int64
	hdfsRead, hdfsWritten   int64
	mapInput, mapOutput     int64
	shuffleBytes            int64
}

var newAttempt = attempt{node: noHost, start: unknown, finish: unknown, shuffled: unknown, hdfsRead: unknown,
	hdfsWritten: unknown, mapInput: unknown, mapOutput: unknown, shuffleBytes: unknown}

func (a *attempt) successful() bool { return a.result == success || a.result == succeeded }

// earlier says whether a finished before b.
func (a *attempt) earlier(b *attempt) bool {
	return a.finish >= 0 && (b.finish < 0 || a.finish < b.finish)
}

// inputOutput are the bytes that the attempt read and wrote.
func (a *attempt) inputOutput(kind model.TaskKind) (input, output int64) {
	if kind == model.Reduce {
		return a.shuffleBytes, a.hdfsWritten
	}
	if a.hdfsRead >= 0 {
		return a.hdfsRead, a.mapOutput
	}
	return a.mapInput, a.mapOutput
}

var taskFields = textpos.NewFields("taskID", "taskType", "inputBytes", "outputBytes", "preferredLocations", "attempts")

// The types of tasks.
const (
	typeMap    = "MAP"
	typeReduce = "REDUCE"
)

// setupTypes are the types of tasks that are neither map nor reduce.
var setupTypes = []string{"SETUP", "CLEANUP", "JOB_SETUP", "JOB_CLEANUP", "TASK_CLEANUP"}

// task reads one task. It returns nil for a setup task, and for one that has a finding.
func (r *traceReader) task(count *ignored, kind model.TaskKind) (*task, error) {
	at := r.PeekPosition()
	var name textpos.Ident
	var typ string
	var typeAt model.Position
	var seen ignored
	done, input, output := newAttempt, int64(unknown), int64(unknown)
	t := &task{}
	ok, err := r.Object("the task", taskFields, func(key string) (err error) {
		switch key {
		case "taskID":
			name, err = r.ID(key)
		case "taskType":
			typeAt = r.PeekPosition()
			typ, err = r.word(key)
		case "inputBytes":
			input, err = r.number(key)
		case "outputBytes":
			output, err = r.number(key)
		case "preferredLocations":
			t.replicas, err = r.locations(&seen, kind)
		case "attempts":
			done, err = r.attempts(&seen)
		}
		return err
	})
	if !ok || err != nil {
		return nil, err
	}
	if slices.Contains(setupTypes, typ) {
		count.setupTasks++
		return nil, nil
	}
	if expected := [...]string{typeMap, typeReduce}[kind]; typ != "" && typ != expected {
		r.Report(typeAt, fmt.Sprintf("taskType is %.80q", typ), expected)
	}
	if name.Text == "" {
		r.Missing(name, at, "the task", "taskID")
		return nil, nil
	}
	count.attempts += seen.attempts
	count.replicas += seen.replicas
	count.repeats += seen.repeats
	t.id, t.line, t.column = name.Text, name.Pos.Line, name.Pos.Column
	t.node, t.start, t.finish, t.shuffled = done.node, done.start, done.finish, done.shuffled
	t.input, t.output = done.inputOutput(kind)
	if t.input < 0 {
		t.input = input
	}
	if t.output < 0 && kind == model.Reduce {
		t.output = output
	}
	return t, nil
}

var attemptFields = textpos.NewFields("result", "hostName", "startTime", "finishTime", "shuffleFinished",
	"hdfsBytesRead", "hdfsBytesWritten", "mapInputBytes", "mapOutputBytes", "reduceShuffleBytes")

// attempts reads the attempts of a task and returns the successful one, or newAttempt if there is none.
func (r *traceReader) attempts(count *ignored) (best attempt, err error) {
	best = newAttempt
	found := false
	err = r.Array("attempts", func() error {
		a := newAttempt
		ok, err := r.attempt(&a)
		switch {
		case !ok || err != nil:
		case !a.successful():
			count.attempts++
		case !found:
			best, found = a, true
			r.hosts.confirm(a.node)
		default:
			count.attempts++
			r.hosts.confirm(a.node)
			if a.earlier(&best) {
				best = a
			}
		}
		return err
	})
	return best, err
}

func (r *traceReader) attempt(a *attempt) (bool, error) {
	return r.Object("the attempt", attemptFields, func(key string) (err error) {
		switch key {
		case "result":
			a.result, err = r.word(key)
		case "hostName":
			var raw []byte
			raw, err = r.Raw(key)
			a.node = r.hosts.host(raw)
		case "startTime":
			a.start, err = r.millis(key)
		case "finishTime":
			a.finish, err = r.millis(key)
		case "shuffleFinished":
			a.shuffled, err = r.millis(key)
		case "hdfsBytesRead":
			a.hdfsRead, err = r.number(key)
		case "hdfsBytesWritten":
			a.hdfsWritten, err = r.number(key)
		case "mapInputBytes":
			a.mapInput, err = r.number(key)
		case "mapOutputBytes":
			a.mapOutput, err = r.number(key)
		case "reduceShuffleBytes":
			a.shuffleBytes, err = r.number(key)
		}
		return err
	})
}

var locationFields = textpos.NewFields("layers")

// locations reads the preferred locations of a task. It returns the usable hosts of a map, each once; none of a reduce.
func (r *traceReader) locations(count *ignored, kind model.TaskKind) (hosts []hostIndex, err error) {
	err = r.Array("preferredLocations", func() error {
		path := append(r.path[:0], '"')
		_, err := r.Object("the location", locationFields, func(key string) error {
			path = path[:1]
			return r.Array(key, func() error {
				raw, err := r.Raw("the layer")
				if len(path) > maxID { // no sensible path: keep its end
					path = path[:1]
				}
				if path = append(path, '/'); raw != nil {
					path = append(path, raw[1:len(raw)-1]...)
				}
				return err
			})
		})
		path = append(path, '"')
		last := r.hosts.host(path)
		r.hosts.confirm(last)
		r.path = path
		switch {
		case err != nil || kind == model.Reduce:
		case last == noHost || !r.usable(last) || len(hosts) >= maxReplicas:
			count.replicas++
		case slices.Contains(hosts, last):
			count.repeats++
		default:
			hosts = append(hosts, last)
		}
		return err
	})
	return hosts, err
}
