package spark

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// What an import counts; doubts has the words.
const (
	badLines = iota
	emptied
	orphans
	failedJobs
	unsubmitted
	failed
	repeated
	resubmissions
	running
	unplaced
	unusable
	misplaced
	unmeasured
	longer
	unfinished
	unlimited
	withoutLocal
	replaced
	unmatched
	inSequence
	contrary
	concurrent
	joins
	peaks
	gone
	widened
	crowded
)

var doubts = [...]trace.Doubt{
	badLines: {Noun: "malformed line", Text: "{is|are} left out (--skip-bad-lines)"},
	emptied:  {Noun: "job", Text: "without a successful task {is|are} left out"},
	orphans: {Noun: "stage", Text: "of {a job that the log does not state becomes a job of its own|jobs that the log " +
		"does not state become jobs of their own}"},
	failedJobs:  {Noun: "job", Text: "failed: {it has|they have} the tasks that succeeded"},
	unsubmitted: {Noun: "job", Text: "without a recorded submission {comes|come} with {its|their} first stage or task"},
	failed:      {Noun: "failed or killed attempt", Text: "{is|are} left out"},
	repeated: {Noun: "successful attempt", Text: "of {a task that succeeded|tasks that succeeded} again later {is|are} " +
		"left out"},
	resubmissions: {Noun: "task", Text: "{was|were} resubmitted, as {its executor was|their executors were} lost: no " +
		"{attempt|attempts}"},
	running: {Noun: "task", Text: "{was|were} running when the log ends and {is|are} left out"},
	unplaced: {Noun: "attempt", Text: "of {a retried stage does|retried stages do} not state {its|their} partitions: " +
		"what {it repeats|they repeat} counts twice"},
	unusable: {Noun: "number", Text: "{is|are} negative, too large, a fraction, before the application began, or after " +
		"it ended, and {counts|count} as not stated"},
	misplaced: {Noun: "attempt", Text: "{states|state} a launch before the submission of {its stage|their stages} or " +
		"after its end: {it counts|they count} as launched when {its|their} run time {asks|ask} for"},
	unmeasured: {Noun: "attempt", Text: "without metrics {counts|count} from launch to finish"},
	longer:     {Noun: "attempt", Text: "whose metrics state more than from launch to finish {counts|count} as that"},
	unfinished: {Noun: "attempt", Text: "{states|state} no finish between {its|their} launch and the end of {its " +
		"stage|their stages}, or of what else was over later: {it counts|they count} as finished then"},
	unlimited: {Lack: true, Noun: "attempt", Text: "{lacks|lack} a finish, and nothing later is in the log: a run time " +
		"that is too long would not be noticed"},
	withoutLocal: {Noun: "attempt", Text: "{states|state} only what {it|they} read from other executors: the bytes read " +
		"lack what was local"},
	replaced: {Noun: "skipped stage", Text: "whose output existed {is|are} replaced by the {stage|stages} that ran with " +
		"the same last RDD"},
	unmatched: {Noun: "skipped stage", Text: "{has|have} no stage that ran with the same last RDD: what waits for " +
		"{it|them} waits for {its|their} parents"},
	inSequence: {Noun: "job", Text: "without stated parents of {its|their} stages {runs|run} them in the order of their " +
		"ids"},
	contrary: {Noun: "attempt", Text: "of {a stage|stages} started before some tasks of {its|their} parents had ended " +
		"and {does|do} not wait for those attempts"},
	concurrent: {Noun: "attempt", Text: "of {a stage reads|stages read} data of {a job that was|jobs that were} not " +
		"over at {its job's|their jobs'} submission: no row says so"},
	joins: {Noun: "task", Text: "of length 0, .done, {marks the end of a stage|mark the ends of stages}"},
	peaks: {Noun: "executor", Text: "whose cores the log does not state {has|have} as many as {its|their} tasks took at " +
		"once"},
	gone: {Noun: "executor", Text: "that {was|were} gone before time 0 {is|are} left out"},
	widened: {Noun: "executor", Text: "{is|are} there for as long as {its|their} tasks, which is longer than the log " +
		"states"},
	crowded: {Noun: "executor", Text: "ran more tasks at once than {its|their} cores permit: the recorded schedule does " +
		"not fit"},
}

// notes says what was imported and assumed.
func (im *importer) notes(machines int64) (notes trace.Notes) {
	jobs := im.count[orphans]
	for j := range im.jobs {
		if im.jobs[j].id != unknown {
			jobs++
		}
	}
	notes.Add("imported from the event log of %s, Spark %s: %s of %d", cmp.Or(im.app, "an application without id"),
		cmp.Or(im.version, "of an unknown version"), model.Counted(len(im.order), "job"), jobs)
	im.noteLost(&notes)
	im.origin.Note(&notes)
	if im.opt.Jobs == Recorded {
		notes.Add("a job waits for those that were over at its submission, and as long after the last task of these as the " +
			"driver took (--jobs recorded): bounds hold under this reading")
	} else {
		notes.Add("a job waits only for those whose data it reads, and comes at time 0 (--jobs free)")
	}
	notes.Add("a task takes its run, deserialize and result serialization time; its recorded end is its launch plus " +
		"that time")
	if im.opt.Executors.Known {
		notes.Add("%s of %s in place of the %d of the log (--executors, --cores)",
			model.Counted(int(im.opt.Executors.Value), "executor"), model.Counted(int(im.opt.Cores.Value), "core"),
			len(im.executors))
	}
	notes.Add("%s: as many tasks run at once when all executors are present", model.Counted(machines, "machine"))
	im.noteEnd(&notes)
	notes.Doubts(doubts[:failed], im.count[:failed])
	im.noteReasons(&notes)
	notes.Doubts(doubts[failed:], im.count[failed:])
	var used []int64
	for i := range im.runs {
		if id := im.stages[im.runs[i].stage].profile; !slices.Contains(used, id) {
			used = append(used, id)
		}
	}
	if n := len(used); n > 1 {
		notes.Add("%d resource profiles: each task takes the cores of its own, on any executor", n)
	}
	return notes
}

// noteEnd is about the end of the log. One that ends before its application does lacks what ran then, if anything did.
func (im *importer) noteEnd(notes *trace.Notes) {
	last := im.files[len(im.files)-1]
	_, rolling := partNumber(path.Base(last))
	switch early := "the log ends before the application does: it was running, or its driver was killed"; {
	case im.cut && im.unread > 0:
		notes.Lack("%s is cut short; of the %s after it nothing is imported", last, model.Counted(im.unread, "part"))
	case im.cut:
		notes.Lack("the log is cut short and imported up to there: the application was running, or its driver was killed")
	case !im.ended && rolling:
		notes.Lack("the rolling log ends before the application does: further parts are missing, or it was running, or " +
			"its driver was killed")
	case !im.ended && im.count[running] > 0:
		notes.Lack("%s", early)
	case !im.ended:
		notes.Add("%s", early)
	}
}

// noteReasons says how many tasks ended for which reason.
func (im *importer) noteReasons(notes *trace.Notes) {
	total, list := 0, []string{}
	for k, n := range im.endsBy {
		if total += n; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, reasons[k]))
		}
	}
	notes.Add("%s of tasks in the log: %s", model.Counted(total, "end"), strings.Join(list, ", "))
}

// noteLost is about events that the log lacks: parts of it, ends of tasks by what else the log says, starts of jobs.
func (im *importer) noteLost(notes *trace.Notes) {
	if text, n := gaps(im.files); n == 1 {
		notes.Lack("part %s of the rolling log is missing", text)
	} else if n > 1 {
		notes.Lack("%d parts of the rolling log are missing: %s", n, text)
	}
	const most = 3 // stages that are named
	var stages []string
	tasks, of, ended := int64(0), int64(0), 0
	for k := range im.runs {
		r := &im.runs[k]
		size := r.size
		if size == unknown && r.attempt == 0 {
			size = im.stages[r.stage].tasks
		}
		missing, complete := int64(0), im.complete(int32(k))
		if complete && len(im.stages[r.stage].runs) == 1 { // else other attempts may have run its partitions
			missing = max(0, size-int64(r.success))
		}
		if missing > 0 {
			name := strconv.FormatInt(im.stages[r.stage].id, 10)
			if r.attempt > 0 {
				name += "." + strconv.FormatInt(r.attempt, 10)
			}
			stages = append(stages, fmt.Sprintf("%d of %d tasks of stage %s", missing, size, name))
			tasks, of = tasks+missing, of+size
		}
		switch open := max(0, int(r.started-r.ended)-int(missing)); {
		case !im.ended:
			im.count[running] += open
		case complete && size != unknown: // other attempts of their tasks succeeded
		default:
			ended += open
		}
	}
	switch n := len(stages); {
	case n == 1:
		notes.Lack("%s %s no end in the log", stages[0], map[bool]string{true: "has", false: "have"}[tasks == 1])
	case n > most:
		notes.Lack("%d of %d tasks of %d stages have no end in the log, such as %s", tasks, of, n,
			strings.Join(stages[:most], ", "))
	case n > 1:
		notes.Lack("%d of %d tasks of %d stages have no end in the log: %s", tasks, of, n, strings.Join(stages, ", "))
	}
	notes.Doubts(lost, []int{ended, im.jobEnds})
}

// lost are what a log lacks.
var lost = []trace.Doubt{
	{Lack: true, Noun: "task", Text: "started and never ended, although the application ended"},
	{Lack: true, Noun: "job", Text: "{ends|end} without a start in the log"},
}

// complete says whether each task of an attempt of a stage must have succeeded: the stage was completed, or it has no
// end in the log and was the last attempt of a job that succeeded or of an application that ended.
func (im *importer) complete(k int32) bool {
	r := &im.runs[k]
	if r.completed || r.failed {
		return r.completed
	}
	runs := im.stages[r.stage].runs
	j := &im.jobs[r.job]
	return runs[len(runs)-1] == k && (j.succeeded || j.done == unknown && im.ended)
}
