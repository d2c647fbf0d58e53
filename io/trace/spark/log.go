package spark

import (
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

// unknown stands for a number that the log does not state.
const unknown = -1

// eventLog is what is kept of a log. Times are milliseconds since 1970; jobs, stages and runs are in the order in
// which the log first names them.
type eventLog struct {
	version, app, user string
	begun, ended       bool  // the application
	startedAt, endedAt int64 // or unknown
	latest             int64 // the latest time of an event, but for the ends of tasks; or unknown
	endIsLast          bool  // no event with a time follows the last end of a task
	taskCPUs           float64
	memory             model.Optional[model.Bytes] // of an executor
	profiles           map[int64]*profile
	jobs               []job
	jobAt              map[int64]int32
	stages             []stage
	stageAt            map[int64]int32
	runs               []run
	runAt              map[runKey]int32
	ends               []end
	names              trace.Numbering // of executors
	executors          []executor
	sql                map[int64]string // descriptions by execution
	files              []string
	left               left
}

// left counts the parts of a log that are not imported.
type left struct {
	resubmitted int
	bad         int  // lines, with Options.SkipBadLines
	cut         bool // the log ends within an event or a packed frame
	files       int  // after the one where it ends
	jobEnds     int  // of unknown jobs
	failedJobs  int
	speculative int
	unmeasured  int // attempts without a run time
	unfinished  int // attempts without a finish that can be: the end of their stage counts, or of what else is over
	misplaced   int // attempts with a launch that cannot be: see limitLaunches
	unlimited   int // attempts without such a finish, of which nothing says when they were over at the latest
	longer      int // attempts whose metrics are longer than from launch to finish
	unusable    int // numbers that cannot be
	noLocal     int // tasks whose metrics do not state local bytes
	noPeak      int // tasks whose metrics do not state their peak of memory
	// ended are the ends of tasks by reason, in the order of reasons; the last are those of other reasons.
	ended [len(reasons) + 1]int
}

// profile is a resource profile; 0 stands for what it does not state.
type profile struct {
	cpus   float64 // of a task
	memory model.Bytes
	custom bool // it asks for other resources too
}

// job is a Spark job.
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
	barrier    bool
	profile    int64
	runs       []int32
}

type runKey struct{ stage, attempt int64 }

// run is an attempt of a stage.
type run struct {
	stage, job int32 // job may be model.None
	attempt    int64
	submitted  int64 // or unknown
	done       int64 // or unknown
	shuffles   bool  // it writes what other stages read
	at         place
	// size is how many tasks the log states, or unknown. The attempt was submitted after begun ends of the log and, if
	// completed or failed, completed after over of them.
	size                    int64
	begun, over             int32
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
	launch, finish       int64 // the finish may be unknown or wrong until limitTimes
	processing           int64 // until then what the metrics state, or unknown
	in, out, peak        int64 // bytes, or unknown
}

// recordedEnd is when the attempt ended by the executor's own measure.
func (e *end) recordedEnd() int64 { return e.launch + e.processing }

// executor is an executor; the until of its last time is unknown if it stayed.
type executor struct {
	host    string
	cores   int64 // or unknown
	profile int64
	up      []interval
	lost    [causes][]int32 // after how many ends of the log its outputs may have been lost
}

type interval struct{ from, until int64 }

// place is a line of a file.
type place struct{ file, line int32 }

func (g *eventLog) position(p place) model.Position {
	return model.Position{File: g.files[p.file], Line: p.line, Column: 1}
}

func newLog() *eventLog {
	return &eventLog{taskCPUs: 1, profiles: map[int64]*profile{}, jobAt: map[int64]int32{}, stageAt: map[int64]int32{},
		runAt: map[runKey]int32{}, sql: map[int64]string{}, startedAt: unknown, endedAt: unknown, latest: unknown}
}

// saw notes the time of an event that is no end of a task.
func (g *eventLog) saw(at int64) {
	if at != unknown {
		g.latest, g.endIsLast = max(g.latest, at), false
	}
}

// stage is the stage of an id.
func (g *eventLog) stage(id int64) int32 {
	s, known := g.stageAt[id]
	if !known {
		s = int32(len(g.stages))
		g.stageAt[id] = s
		g.stages = append(g.stages, stage{id: id, rdd: unknown, tasks: unknown})
	}
	return s
}

// runOf is the attempt of a stage. If the log names it for the first time, it belongs to the first job that lists the
// stage and has not ended.
func (g *eventLog) runOf(id, attempt int64, at place) int32 {
	key := runKey{id, attempt}
	if r, known := g.runAt[key]; known {
		return r
	}
	s := g.stage(id)
	x := run{stage: s, job: model.None, attempt: attempt, submitted: unknown, done: unknown, at: at, size: unknown,
		begun: int32(len(g.ends)), over: math.MaxInt32}
	for _, j := range g.stages[s].jobs {
		if x.job = j; g.jobs[j].done == unknown {
			break
		}
	}
	r := int32(len(g.runs))
	g.runAt[key] = r
	g.runs = append(g.runs, x)
	g.stages[s].runs = append(g.stages[s].runs, r)
	return r
}

// executor is the executor of a name.
func (g *eventLog) executor(name string) int32 {
	x := g.names.Of(name)
	if int(x) == len(g.executors) {
		g.executors = append(g.executors, executor{cores: unknown})
	}
	return x
}

// Causes for which what an executor has written may be lost. A shuffle service keeps it when the executor goes.
const (
	fetchFailed = iota
	removed
	causes
)

// lose says that what an executor had written may be lost.
func (g *eventLog) lose(x int32, cause int) {
	lost := &g.executors[x].lost[cause]
	if n := int32(len(g.ends)); len(*lost) == 0 || (*lost)[len(*lost)-1] < n {
		*lost = append(*lost, n)
	}
}
