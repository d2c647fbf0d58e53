package spark

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// notes says what was imported and assumed; counts of 0 are left out.
func (im *importer) notes(machines int64, files []File) (notes trace.Notes) {
	jobs := 0
	for j := range im.jobs {
		if im.jobs[j].id != unknown {
			jobs++
		}
	}
	notes.Add("imported from the event log of %s, Spark %s: %s of %d", cmp.Or(im.app, "an application without id"),
		cmp.Or(im.version, "of an unknown version"), model.Counted(len(im.order), "job"), jobs+im.orphans)
	lost := im.findLost()
	im.noteLost(&notes, files, &lost)
	notes.Add("time 0 is the first submission, %d ms after 1970-01-01T00:00Z", im.zero)
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
	notes.Add("%s: as many tasks run at once when all executors are present",
		model.Counted(machines, "machine"))
	im.noteLog(&notes, lost.running)
	im.noteAttempts(&notes, &lost)
	im.noteStages(&notes)
	im.noteNodes(&notes)
	return notes
}

// noteLog is about the log as a whole. One that ends before its application does lacks what ran then, if anything did.
func (im *importer) noteLog(notes *trace.Notes, running int) {
	ends := notes.Add
	if running > 0 {
		ends = notes.Lack
	}
	_, rolling := partNumber(path.Base(im.files[len(im.files)-1]))
	switch {
	case im.left.cut && im.left.files > 0:
		notes.Lack("%s is cut short; of the %s after it nothing is imported", im.files[len(im.files)-1],
			model.Counted(im.left.files, "part"))
	case im.left.cut:
		notes.Lack("the log is cut short and imported up to there: the application was running, or its driver was killed")
	case !im.ended && rolling:
		notes.Lack("the rolling log ends before the application does: further parts are missing, or it was running, or " +
			"its driver was killed")
	case !im.ended:
		ends("the log ends before the application does: it was running, or its driver was killed")
	}
	notes.Count(im.left.bad, "malformed line", "{is|are} left out (--skip-bad-lines)")
	notes.Count(im.emptied, "job", "without a successful task {is|are} left out")
	notes.Count(im.orphans, "stage", "of {a job that the log does not state becomes a job of its own|"+
		"jobs that the log does not state become jobs of their own}")
	notes.Count(im.left.failedJobs, "job", "failed: {it has|they have} the tasks that succeeded")
	notes.Count(im.unsubmitted, "job", "without a recorded submission {comes|come} with {its|their} first stage or task")
}

// noteAttempts is about tasks.
func (im *importer) noteAttempts(notes *trace.Notes, x *lost) {
	im.noteReasons(notes)
	where := "{is|are} left out (--history)"
	if im.opt.History {
		where = "{is a past run|are past runs}"
	}
	notes.Count(im.failed, "failed or killed attempt", where)
	notes.Count(im.repeated, "successful attempt", "of {a task that succeeded|tasks that succeeded} again later "+where)
	notes.Count(im.left.speculative, "attempt", "{was|were} speculative")
	notes.Count(im.left.resubmitted, "task", "{was|were} resubmitted, as {its executor was|their executors were} lost: "+
		"no {attempt|attempts}")
	notes.Count(x.running, "task", "{was|were} running when the log ends and {is|are} left out")
	notes.Count(x.twins, "attempt", "{has|have} no end in the log, but {its task|their tasks} succeeded")
	notes.Count(im.unplaced, "attempt", "of {a retried stage does|retried stages do} not state {its|their} partitions: "+
		"what {it repeats|they repeat} counts twice")
	notes.Count(im.left.unusable, "number", "{is|are} negative, too large, a fraction, before the application began, or "+
		"at odds with most tasks, and {counts|count} as not stated")
	notes.Count(im.left.misplaced, "attempt", "{states|state} a launch before the submission of {its stage|their stages} "+
		"or after its end: {it counts|they count} as launched when {its|their} run time {asks|ask} for")
	notes.Count(im.left.unmeasured, "attempt", "without metrics {counts|count} from launch to finish")
	notes.Count(im.left.longer, "attempt", "whose metrics state more than from launch to finish {counts|count} as that")
	notes.Count(im.left.unfinished, "attempt", "{states|state} no finish between {its|their} launch and the end of "+
		"{its stage|their stages}, or of what else was over later: {it counts|they count} as finished then")
	if n := im.left.unlimited; n > 0 {
		notes.Lack("%s a finish, and nothing later is in the log: a run time that is too long would not be noticed",
			model.Counted(n, "attempt")+" "+verb(int64(n), "lacks", "lack"))
	}
	notes.Count(im.left.noLocal, "attempt", "{states|state} only what {it|they} read from other executors: the bytes "+
		"read lack what was local")
	if im.opt.Memory {
		notes.Add("a task demands the peak of its execution memory (--memory), though Spark spills when it gets less")
		notes.Count(im.left.noPeak, "attempt", "{states|state} no peak of memory")
	}
}

// noteReasons says how many tasks ended for which reason.
func (im *importer) noteReasons(notes *trace.Notes) {
	total, list := 0, []string{}
	for k, n := range im.left.ended {
		if total += n; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, append(reasons[:], "for other reasons")[k]))
		}
	}
	notes.Add("%s of tasks in the log: %s", model.Counted(total, "end"), strings.Join(list, ", "))
}

// noteStages is about precedence.
func (im *importer) noteStages(notes *trace.Notes) {
	notes.Count(im.skipped-im.unmatched, "skipped stage", "whose output existed {is|are} replaced by the "+
		"{stage|stages} that ran with the same last RDD")
	notes.Count(im.unmatched, "skipped stage", "{has|have} no stage that ran with the same last RDD: what waits for "+
		"{it|them} waits for {its|their} parents")
	notes.Count(im.inSequence, "job", "without stated parents of {its|their} stages {runs|run} them in the order of "+
		"their ids")
	notes.Count(im.contrary, "attempt", "of {a stage|stages} started before some tasks of {its|their} parents had ended "+
		"and {does|do} not wait for those attempts")
	notes.Count(im.concurrent, "attempt", "of {a stage reads|stages read} data of {a job that was|jobs that were} not "+
		"over at {its job's|their jobs'} submission: no row says so")
	notes.Count(im.barriers, "attempt", "of {a stage|stages} in barrier mode: {its|their} tasks may start one by one here")
	notes.Count(im.joins, "task", "of length 0, .done, {marks the end of a stage|mark the ends of stages}")
}

// noteNodes is about executors and their profiles.
func (im *importer) noteNodes(notes *trace.Notes) {
	notes.Count(im.peaks, "executor", "whose cores the log does not state {has|have} as many as {its|their} tasks took "+
		"at once")
	notes.Count(im.gone, "executor", "that {was|were} gone before time 0 {is|are} left out")
	notes.Count(im.widened, "executor", "{is|are} there for as long as {its|their} tasks, which is longer than the log "+
		"states")
	notes.Count(im.crowded, "executor", "ran more tasks at once than {its|their} cores permit: the recorded schedule "+
		"does not fit")
	if n := im.usedProfiles(); n > 1 {
		notes.Add("%d resource profiles: each task takes the cores of its own, on any executor", n)
	}
	notes.Count(im.customProfiles(), "resource profile", "{asks|ask} for resources besides cores and memory, which are "+
		"not imported")
}
