package rumen

import (
	"cmp"
	"slices"
	"strconv"

	"mrsched/model"
)

// duration is the processing time in ms, or unknown.
func (t *task) duration(kind model.TaskKind) int64 {
	start := t.start
	if kind == model.Reduce {
		start = t.shuffled
	}
	if t.bad || start < 0 || t.finish < start {
		return unknown
	}
	return t.finish - start
}

// times is what the trace says about when a task ran.
func (t *task) times(j *job, kind model.TaskKind) string {
	text := "startTime " + shown(t.start) + ", finishTime " + shown(t.finish)
	if kind == model.Reduce {
		text += ", shuffleFinished " + shown(t.shuffled)
	}
	return text + ", in a job from " + shown(j.submit) + " to " + shown(j.finish)
}

// shown is a time as the trace states it.
func shown(ms int64) string {
	if ms == tooLarge {
		return "too large"
	}
	return strconv.FormatInt(ms, 10)
}

// span is how long a job took, or unknown.
func (j *job) span() int64 {
	if j.submit < 0 || j.finish < 0 {
		return unknown
	}
	return j.finish - j.submit
}

// eachTimed calls do for the tasks of known duration.
func (j *job) eachTimed(do func(t *task, d int64)) {
	for _, kind := range kinds {
		for i := range j.tasks[kind] {
			t := &j.tasks[kind][i]
			if d := t.duration(kind); d >= 0 {
				do(t, d)
			}
		}
	}
}

// limitTimes finds times that cannot be, and counts them. A shuffle that ended before its reduce began counts from
// there. Times of an attempt that finished before it began or took longer than its whole job are unknown. A submission
// or finish of the job that most of its tasks contradict, or that is a year away from them, is unknown.
func (j *job) limitTimes() (impossible int) {
	for _, kind := range kinds {
		for i := range j.tasks[kind] {
			t := &j.tasks[kind][i]
			begun := t.start
			if kind == model.Reduce {
				if t.shuffled >= 0 && t.shuffled < t.start {
					t.shuffled = t.start
					impossible++
				}
				begun = max(begun, t.shuffled)
			}
			if t.finish >= 0 && t.finish < begun {
				t.bad = true
				impossible++
			}
		}
	}
	impossible += j.forgetFar() + j.checkSpan()
	j.eachTimed(func(t *task, d int64) {
		if span := j.span(); span >= 0 && d > span {
			t.bad = true
			impossible++
		}
	})
	return impossible
}

// farthest is more than a job waits for its tasks or goes on after them: a year.
const farthest = 365 * model.DaySeconds * 1000

// forgetFar forgets a submission that is as long before the job's tasks, and a finish that is as long after them, by
// their medians. It counts what it forgets.
func (j *job) forgetFar() (impossible int) {
	var starts, finishes []int64
	j.eachTimed(func(t *task, _ int64) { starts, finishes = append(starts, t.start), append(finishes, t.finish) })
	if len(starts) == 0 {
		return 0
	}
	if j.submit >= 0 && median(starts)-j.submit > farthest {
		j.submit = unknown
		impossible++
	}
	if j.finish-median(finishes) > farthest {
		j.finish = unknown
		impossible++
	}
	return impossible
}

// checkSpan forgets the submission or finish of a job if the time between them cannot be: it is negative, or 0 although
// a task took longer, or shorter than most of its tasks took. It counts what it forgets.
func (j *job) checkSpan() int {
	if j.submit < 0 || j.finish < 0 {
		return 0
	}
	known, long, early := 0, 0, 0
	span := j.span()
	j.eachTimed(func(t *task, d int64) {
		known++
		if d > span {
			long++
		}
		if t.start >= 0 && t.start < j.submit {
			early++
		}
	})
	switch {
	case span >= 0 && long == 0, span > 0 && (long == 1 || 2*long <= known):
		return 0
	case 2*early > known:
		j.submit = unknown
	default:
		j.finish = unknown
	}
	return 1
}

// absurd is how many times longer an attempt must be than any other of the trace to be taken for a mistake, if no job
// says how long it took.
const absurd = 100_000

// limitRest limits attempts of jobs that do not say how long they took: to the time of all jobs that do, from the first
// submission to the last finish. If no job does, they are compared with each other. Only durations count, as the clocks
// of hosts differ.
func (im *importer) limitRest() {
	first, last := int64(unknown), int64(unknown)
	type timed struct {
		*task
		d int64
	}
	var list []timed
	for _, j := range im.jobs {
		if j.span() >= 0 {
			if first < 0 || j.submit < first {
				first = j.submit
			}
			last = max(last, j.finish)
			continue
		}
		j.eachTimed(func(t *task, d int64) { list = append(list, timed{t, d}) })
	}
	slices.SortFunc(list, func(a, b timed) int { return cmp.Compare(a.d, b.d) })
	longest := int64(0)
	for _, t := range list {
		switch {
		case last >= 0 && t.d > last-first, last < 0 && longest > 0 && t.d/absurd > longest:
			t.bad = true
			im.report.Impossible++
		default:
			longest = t.d
		}
	}
	im.report.Unlimited = last < 0 && len(list) == 1
}
