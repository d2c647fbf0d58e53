package rumen

import (
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

// span is how long a job took; unknown, 0 or less if the trace does not tell.
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
// or finish of the job that is a year away from its tasks is unknown.
func (j *job) limitTimes() (n int) {
	for _, kind := range kinds {
		for i := range j.tasks[kind] {
			t := &j.tasks[kind][i]
			begun := t.start
			if kind == model.Reduce {
				if t.shuffled >= 0 && t.shuffled < t.start {
					t.shuffled = t.start
					n++
				}
				begun = max(begun, t.shuffled)
			}
			if t.finish >= 0 && t.finish < begun {
				t.bad = true
				n++
			}
		}
	}
	n += j.forgetFar()
	j.eachTimed(func(t *task, d int64) {
		if span := j.span(); span > 0 && d > span {
			t.bad = true
			n++
		}
	})
	return n
}

// farthest is more than a job waits for its tasks or goes on after them: a year.
const farthest = 365 * model.DaySeconds * 1000

// forgetFar forgets a submission that is as long before the job's tasks, and a finish that is as long after them, by
// their medians. It counts what it forgets.
func (j *job) forgetFar() (n int) {
	var starts, finishes []int64
	j.eachTimed(func(t *task, _ int64) { starts, finishes = append(starts, t.start), append(finishes, t.finish) })
	if len(starts) == 0 {
		return 0
	}
	if j.submit >= 0 && median(starts)-j.submit > farthest {
		j.submit = unknown
		n++
	}
	if j.finish-median(finishes) > farthest {
		j.finish = unknown
		n++
	}
	return n
}
