package spark

import (
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

const unknown = trace.Unknown

// profile is a resource profile; 0 stands for what it does not state.
type profile struct {
	cpus   float64 // of a task
	memory model.Bytes
}

// job is a Spark job. Times are milliseconds since 1970; jobs, stages and runs are in the order in which the log first
// names them.
type job struct {
	id              int64 // unknown: a stage whose job the log does not name
	stage           int64 // if id is unknown
	submitted, done int64 // or unknown
	stages          []int32
	over            int32 // after how many ends of the log it was done
	succeeded       bool
	class           string // or empty
	sql             int64  // SQL execution, or unknown
	at              place
}

// stage is a stage, however often it runs.
type stage struct {
	id         int64
	name       string
	jobs       []int32 // that list it
	parents    []int64
	hasParents bool
	rdd        int64 // the last one, or unknown
	tasks      int64 // the most that an attempt has, or unknown
	profile    int64
	runs       []int32
}

type runKey struct{ stage, attempt int64 }

// run is an attempt of a stage.
type run struct {
	stage, job      int32 // job may be model.None
	attempt         int64
	submitted, done int64 // or unknown
	shuffles        bool  // it writes what other stages read
	at              place
	// size is how many tasks the log states, or unknown. If completed or failed, the attempt was so after over ends of
	// tasks of the log.
	size                    int64
	over                    int32
	completed, failed       bool
	started, ended, success int32 // attempts of its tasks; different tasks that succeeded

	tasks       []int32 // indices of ends, by their index in the stage: those that are imported
	first, last int64   // recorded start and end of these
	on          int32   // the executor of the last one to end
}

// end is the end of an attempt of a task.
type end struct {
	run, index, executor int32
	partition            int32 // or unknown
	at                   place
	success, chosen      bool
	launch, finish       int64 // the finish may be unknown or wrong until settleTimes
	processing           int64 // until then what the metrics state, or unknown
	in, out              int64 // bytes, or unknown
}

// recordedEnd is when the attempt ended by the executor's own measure.
func (e *end) recordedEnd() int64 { return e.launch + e.processing }

// executor is an executor, which was there from some time until another, unknown if it stayed. The log need not say so.
type executor struct {
	host        string
	cores       int64 // or unknown
	profile     int64
	stated      bool // the times are known
	from, until int64
}

// saw notes the time of an event that is no end of a task.
func (im *importer) saw(at int64) {
	if at != unknown {
		im.latest, im.endIsLast = max(im.latest, at), false
	}
}

// stage is the stage of an id.
func (im *importer) stage(id int64) int32 {
	s, known := im.stageAt[id]
	if !known {
		s = int32(len(im.stages))
		im.stageAt[id] = s
		im.stages = append(im.stages, stage{id: id, rdd: unknown, tasks: unknown})
	}
	return s
}

// runOf is the attempt of a stage. If the log names it for the first time, it belongs to the first job that lists the
// stage and has not ended.
func (im *importer) runOf(id, attempt int64) int32 {
	key := runKey{id, attempt}
	if r, known := im.runAt[key]; known {
		return r
	}
	s := im.stage(id)
	x := run{stage: s, job: model.None, attempt: attempt, submitted: unknown, done: unknown, at: im.at, size: unknown,
		over: math.MaxInt32}
	for _, j := range im.stages[s].jobs {
		if x.job = j; im.jobs[j].done == unknown {
			break
		}
	}
	r := int32(len(im.runs))
	im.runAt[key] = r
	im.runs = append(im.runs, x)
	im.stages[s].runs = append(im.stages[s].runs, r)
	return r
}

// executor is the executor of a name.
func (im *importer) executor(name text) int32 {
	x := im.names.Of(string(name))
	if int(x) == len(im.executors) {
		im.executors = append(im.executors, executor{cores: unknown, until: unknown})
	}
	return x
}
