package spark

import (
	"math"
	"slices"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// taskEvent is what a TaskEnd says.
type taskEvent struct {
	stage, attempt, index, partition, launch, finish int64
	kind, reason, executor, host                     []byte // JSON
	from                                             []byte // JSON, the executor that a fetch failed from
	speculative                                      bool
	metrics                                          metrics
}

// metrics are those of an attempt; -1 if it does not state them.
type metrics struct {
	run, deserialize, serialize      int64
	read, remote, local, put, writes int64 // bytes: input, shuffle read and written, output
	peak                             int64
}

const (
	success     = `"Success"`
	resubmitted = `"Resubmitted"`
	shuffleTask = `"ShuffleMapTask"`
)

// reasons are those for which Spark ends an attempt, as it names them.
var reasons = [...]string{"Success", "FetchFailed", "ExceptionFailure", "TaskKilled", "TaskCommitDenied",
	"ExecutorLostFailure", "TaskResultLost", "UnknownReason", "Resubmitted"}

// maxTasks bounds the attempts, which must fit into memory.
const maxTasks = 50_000_000

func (r *reader) taskEnd() {
	t := taskEvent{stage: unknown, index: unknown, partition: unknown, launch: unknown, finish: unknown,
		metrics: metrics{unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown}}
	r.readTask(&t)
	switch {
	case r.bad:
		return
	case t.stage == unknown:
		r.missing("stage")
	case t.launch == unknown || t.index == unknown || t.index > math.MaxInt32:
		r.missing("task with its index and launch time")
	case t.executor == nil:
		r.missing("executor")
	case t.reason == nil:
		r.missing("reason why the task ended")
	case len(r.ends) == maxTasks:
		r.found.Add(model.Finding{Code: model.CodeOverflow, Pos: r.at(0), Like: "tasks",
			What: "there are more ends of tasks than mrsched keeps", Expected: "at most 50000000"})
		r.bad = true
	}
	if r.bad {
		return
	}
	r.left.ended[reasonAt(t.reason)]++
	if string(t.reason) == resubmitted { // the task of an executor that was lost runs again; its end came before
		r.left.resubmitted++
		return
	}
	r.enterTask(&t)
}

// reasonAt is the place of a reason, which is JSON, among those known; one past the last if it is unknown.
func reasonAt(reason []byte) int {
	name := textpos.Unquote(reason)
	if at := slices.Index(reasons[:], name); at >= 0 {
		return at
	}
	return len(reasons)
}

// readTask reads the event.
func (r *reader) readTask(t *taskEvent) {
	m := membersOf(r.line)
	for key, value, ok := m.next(); ok; key, value, ok = m.next() {
		switch string(key) {
		case "Stage ID":
			t.stage = r.number(value, "the stage's id")
		case "Stage Attempt ID":
			t.attempt = r.number(value, "the stage's attempt")
		case "Task Type":
			t.kind = value
		case "Task End Reason":
			of := membersOf(value)
			for key, value, ok := of.next(); ok; key, value, ok = of.next() {
				switch string(key) {
				case "Reason":
					t.reason = value
				case "Block Manager Address":
					r.each(value, func(key string, value []byte) {
						if key == "Executor ID" {
							t.from = r.name(value, "the executor's id")
						}
					})
				}
			}
		case "Task Info":
			r.readInfo(t, value)
		case "Task Metrics":
			r.readMetrics(&t.metrics, value)
		}
	}
}

func (r *reader) readInfo(t *taskEvent, object []byte) {
	m := membersOf(object)
	for key, value, ok := m.next(); ok; key, value, ok = m.next() {
		switch string(key) {
		case "Index":
			t.index = r.number(value, "the task's index")
		case "Partition ID":
			t.partition = r.partition(value)
		case "Launch Time":
			t.launch = r.number(value, "the launch time")
		case "Finish Time":
			t.finish = r.measure(value, "the finish time")
		case "Executor ID":
			t.executor = r.name(value, "the executor's id")
		case "Host":
			t.host = r.name(value, "the host")
		case "Speculative":
			t.speculative = string(value) == "true"
		}
	}
}

// name checks that a value is a text, and returns it as it stands.
func (r *reader) name(value []byte, what string) []byte {
	if value[0] != '"' || len(value) > trace.MaxID {
		r.wrong(value, what, "a name")
		return nil
	}
	return value
}

// readMetrics reads known metrics by name; versions differ in what they state.
func (r *reader) readMetrics(x *metrics, object []byte) {
	m := membersOf(object)
	for key, value, ok := m.next(); ok; key, value, ok = m.next() {
		switch string(key) {
		case "Executor Run Time":
			x.run = r.measure(value, "the run time")
		case "Executor Deserialize Time":
			x.deserialize = r.measure(value, "the deserialize time")
		case "Result Serialization Time":
			x.serialize = r.measure(value, "the result serialization time")
		case "Peak Execution Memory":
			x.peak = r.measure(value, "the peak of memory")
		case "Input Metrics":
			r.sizes(value, "Bytes Read", &x.read, "", nil)
		case "Output Metrics":
			r.sizes(value, "Bytes Written", &x.writes, "", nil)
		case "Shuffle Read Metrics":
			r.sizes(value, "Remote Bytes Read", &x.remote, "Local Bytes Read", &x.local)
		case "Shuffle Write Metrics":
			r.sizes(value, "Shuffle Bytes Written", &x.put, "", nil)
		}
	}
}

// sizes reads one or two numbers of bytes of an object.
func (r *reader) sizes(object []byte, one string, a *int64, other string, b *int64) {
	m := membersOf(object)
	for key, value, ok := m.next(); ok; key, value, ok = m.next() {
		switch {
		case string(key) == one:
			*a = r.measure(value, one)
		case b != nil && string(key) == other:
			*b = r.measure(value, other)
		}
	}
}

// partition reads the number of a partition; Spark writes -1 for one that it does not know.
func (r *reader) partition(value []byte) int64 {
	if string(value) == "-1" {
		return unknown
	}
	return r.upTo(math.MaxInt32, value, "the partition's id")
}

// enterTask keeps the end of an attempt.
func (r *reader) enterTask(t *taskEvent) {
	x := &t.metrics
	k := r.runOf(t.stage, t.attempt, r.place())
	if string(t.kind) == shuffleTask || t.kind == nil && x.put > 0 {
		r.runs[k].shuffles = true
	}
	e := end{run: k, index: int32(t.index), partition: int32(t.partition),
		executor: r.executor(textpos.Unquote(t.executor)), at: r.place(),
		success: string(t.reason) == success, launch: t.launch, finish: t.finish, in: sum(x.read, x.remote, x.local),
		out: sum(x.put, x.writes), peak: x.peak, processing: unknown}
	if x.run != unknown {
		e.processing = sum(x.run, x.deserialize, x.serialize)
	}
	if x.remote != unknown && x.local == unknown {
		r.left.noLocal++
	}
	if x.run != unknown && x.peak == unknown {
		r.left.noPeak++
	}
	if t.speculative {
		r.left.speculative++
	}
	if host := &r.executors[e.executor].host; *host == "" && t.host != nil {
		*host = textpos.Unquote(t.host)
	}
	if t.from != nil {
		r.lose(r.executor(textpos.Unquote(t.from)), fetchFailed)
	}
	r.runs[k].ended++
	r.ends = append(r.ends, e)
	r.saw(t.launch)
	r.endIsLast = true
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
