package spark

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Import reads the parts of one log in their order, each plain, gzip or zstd, for problem cluster. The workload's notes
// count all assumptions.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes + rows), plus sorting the attempts. Memory: about a hundred bytes per attempt, and the workload.
func Import(files []trace.File, opt Options) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder(), opt: opt, taskCPUs: 1, profiles: map[int64]*profile{},
		jobAt: map[int64]int32{}, stageAt: map[int64]int32{}, runAt: map[runKey]int32{}, sql: map[int64]string{},
		startedAt: unknown, endedAt: unknown, latest: unknown}
	return trace.Build(im.b, im.checkOptions, func() { im.readFiles(files) }, im.settleTimes, im.chooseTasks,
		im.settleJobs, im.requireTasks, im.connect, func() {
			machines := im.enterNodes()
			im.emit()
			name := cmp.Or(im.app, textpos.Stem(files[0].Name, ".gz", ".zstd", ".zst", ".json"))
			im.b.Scalars(name, shop.Cluster, model.Some(machines), im.notes(machines))
		})
}

// importer is an import under way: what is kept of the log, and what becomes of it.
type importer struct {
	b     *model.Builder
	opt   Options
	event event // that is read
	at    place // of the event
	bad   bool  // its line has a finding, or would have

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
	cut                bool              // the log ends within an event or a packed frame
	unread             int               // parts after that
	jobEnds            int               // of jobs without a start
	endsBy             [len(reasons)]int // ends of tasks by reason

	plans  []plan  // by job
	order  []int32 // jobs that are imported, by their submission
	origin trace.Origin
	rows   int64 // of delays
	count  [len(doubts)]int
}

// requireTasks reports a log of which nothing is imported.
func (im *importer) requireTasks() {
	if len(im.order) > 0 {
		return
	}
	what := "the log is empty"
	switch {
	case len(im.ends) > 0:
		what = fmt.Sprintf("no task of the log succeeded (attempts: %d)", len(im.ends))
	case im.count[badLines] > 0:
		what = fmt.Sprintf("no task of the log is left (malformed lines: %d)", im.count[badLines])
	case im.begun || im.version != "":
		started := int32(0)
		for i := range im.runs {
			started += im.runs[i].started
		}
		what = fmt.Sprintf("no task of the log has ended (jobs: %d; tasks that started: %d)", len(im.jobs), started)
	}
	if im.cut {
		what += "; the log is cut short"
	}
	f := model.Finding{Code: model.CodeNothingLeft, What: what, Expected: "an application that ran at least one task"}
	if len(im.files) > 0 {
		f.Pos.File = im.files[0]
	}
	im.b.Findings.Add(f)
}

// Values of Options.Jobs.
const (
	Recorded = "recorded" // a job waits for those that ended before its submission
	Free     = "free"     // a job waits for those whose data it reads
)

// Jobs lists the values of Options.Jobs; the first is the default.
func Jobs() []string { return []string{Recorded, Free} }

// Options say what to import, and on which nodes.
type Options struct {
	Jobs             string // Recorded or Free
	SkipBadLines     bool
	Executors, Cores model.Optional[int64] // this many executors of this many cores instead of the log's; both or none
}

// maxExecutors bounds Options.Executors.
const maxExecutors = 1 << 20

// checkOptions reports options that make no sense.
func (im *importer) checkOptions() {
	o, check := &im.opt, trace.Options{Found: &im.b.Findings}
	if !slices.Contains(Jobs(), o.Jobs) {
		check.Bad(fmt.Sprintf("jobs %q", o.Jobs), "recorded or free")
	}
	check.Count(o.Executors.Or(1), maxExecutors, "executors", "1 or more, and sensibly many")
	check.Count(o.Cores.Or(1), maxCores, "cores", "1 or more, and sensibly many")
	if o.Executors.Known != o.Cores.Known {
		check.Bad("executors without their cores, or cores without executors", "both or none")
	}
}
