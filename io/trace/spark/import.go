package spark

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Import reads the parts of one log in their order, each plain, gzip or zstd. The workload's notes count all
// assumptions.
//
// Errors: *model.InputError with every finding.
//
// The workload is for problem cluster.
//
// Complexity: O(bytes + rows), plus sorting the attempts. Memory: about a hundred bytes per attempt, and the workload.
func Import(files []File, opt Options) (*model.Workload, error) {
	im := &importer{eventLog: newLog(), b: model.NewBuilder(), opt: opt}
	found := &im.b.Findings
	return trace.Build(im.b, func() { opt.check(found) }, func() {
		for i, f := range files {
			if !im.readFile(f, &im.opt, found) {
				im.left.files = len(files) - i - 1
				return
			}
		}
	}, im.limitTimes, im.settlePartitions, im.chooseTasks, im.settleJobs, func() {
		if len(im.order) == 0 {
			im.nothingLeft(files)
		}
	}, im.connect, func() {
		machines := im.enterNodes()
		im.emit()
		name := cmp.Or(im.app, textpos.Stem(files[0].Name, ".gz", ".zstd", ".zst", ".json"))
		im.b.Scalars(name, shop.Cluster, model.Some(machines), im.notes(machines, files))
	})
}

// importer is an import under way.
type importer struct {
	*eventLog
	b     *model.Builder
	opt   Options
	plans []plan  // by job
	order []int32 // jobs that are imported, by their submission
	zero  int64   // the first submission
	// retried are the ends of tasks by stage, of stages with several attempts.
	retried [][]int32

	// What was assumed.
	repeated, failed        int // successes that are not imported; attempts without success
	unplaced                int // attempts of retried stages whose partitions are unknown
	emptied, orphans        int // jobs without tasks; stages without jobs
	unsubmitted             int // jobs whose submission is that of their first stage
	skipped, unmatched      int // stages that a job lists and that did not run
	contrary, concurrent    int // waits that the run broke; waits for stages of jobs at the same time
	inSequence              int // jobs whose stages state no parents
	joins, rows, barriers   int
	peaks, widened, crowded int // executors: with cores by peak; up for longer; with more tasks than cores
	gone                    int // executors that were gone before time 0
	dependencies            int
}

// nothingLeft reports a log of which nothing is imported.
func (im *importer) nothingLeft(files []File) {
	what := "the log is empty"
	switch {
	case len(im.ends) > 0:
		what = fmt.Sprintf("no task of the log succeeded (attempts: %d)", len(im.ends))
	case im.left.bad > 0:
		what = fmt.Sprintf("no task of the log is left (malformed lines: %d)", im.left.bad)
	case im.begun || im.version != "":
		what = fmt.Sprintf("no task of the log has ended (jobs: %d; tasks that started: %d)", len(im.jobs), im.started())
	}
	if im.left.cut {
		what += "; the log is cut short"
	}
	trace.NothingLeft(&im.b.Findings, files, what, "an application that ran at least one task")
}

// File is one part of a log.
type File = trace.File

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
	History          bool   // attempts that are not imported become the table history
	Memory           bool   // tasks demand their peaks of execution memory
	SkipBadLines     bool
	Executors, Cores model.Optional[int64] // this many executors of this many cores instead of the log's; both or none
}

// DefaultOptions import the jobs as the driver submitted them.
func DefaultOptions() Options { return Options{Jobs: Recorded} }

// maxExecutors bounds Options.Executors.
const maxExecutors = 1 << 20

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	if !slices.Contains(Jobs(), o.Jobs) {
		check.Bad(fmt.Sprintf("jobs %q", o.Jobs), "recorded or free")
	}
	check.Count(o.Executors.Or(1), maxExecutors, "executors", "1 or more, and sensibly many")
	check.Count(o.Cores.Or(1), maxCores, "cores", "1 or more, and sensibly many")
	if o.Executors.Known != o.Cores.Known {
		check.Bad("executors without their cores, or cores without executors", "both or none")
	}
}

// seconds is a time of the log, relative to time 0.
func (im *importer) seconds(ms int64) model.Time { return model.Time(max(0, ms-im.zero)) * millisecond }

// duration is a number of milliseconds.
func duration(ms int64) model.Time {
	return model.Time(min(ms, math.MaxInt64/int64(millisecond))) * millisecond
}
