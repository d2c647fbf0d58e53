package model

import (
	"fmt"
	"math"
	"strings"
)

// dueHint says how deadlines count. The workload no longer knows whether the file has a clock time or a number of
// seconds.
func (w *Workload) dueHint() string {
	if w.Origin.Known() {
		return "look for a wrong date or unit: a clock time is the time itself, a number counts from the release"
	}
	return "look for a wrong unit in deadline, processing_time or shuffle_delay: a number in deadline counts seconds " +
		"from the release; " + MomentHint
}

// MomentHint says how to write a deadline that is a point in time.
const MomentHint = `for a moment write a clock time, such as 22:30, and state "origin" in the workload`

// moments finds deadlines that look like points in time: most of those of jobs with a release are larger than it by at
// most a quarter. The message names the others too, and says what each one larger than its release would be.
func (w *Workload) moments() []Finding {
	if w.Origin.Known() { // whoever states it writes points in time as clock times
		return nil
	}
	all, near, first := 0, 0, None
	var alike, instead []string
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if job.Release == 0 || !job.Deadline.Known {
			continue
		}
		all++
		past := job.Deadline.Value - job.Release
		if past > 0 {
			instead = append(instead, fmt.Sprintf("%s for %q", past, job.ID))
		}
		if past > 0 && past <= job.Release/4 {
			if near++; near == 1 {
				first = j
				continue
			}
		}
		alike = append(alike, fmt.Sprintf("%q (%s, released at %s)", job.ID, job.Deadline.Value, job.Release))
	}
	if 2*near <= all {
		return nil
	}
	job := &w.Jobs[first]
	due, fits := AddTime(job.Release, job.Deadline.Value)
	if !fits {
		return nil
	}
	more := ""
	if len(alike) > 0 {
		more = "; see also " + strings.Join(shortList(alike), ", ")
	}
	return []Finding{{Code: CodeMoment, Pos: w.Where(TableJobs, first),
		What: fmt.Sprintf("the deadline %s of job %q is little more than its release %s, and counts from there: it is "+
			"due at %s%s", job.Deadline.Value, job.ID, job.Release, due, more),
		Expected: "seconds after the release",
		Hint:     "if these are points in time, write " + strings.Join(shortList(instead), ", ") + ", or " + MomentHint}}
}

// maxListed is how many things a message lists by name.
const maxListed = 5

// shortList cuts a list for a message, and says how much is left out.
func shortList(list []string) []string {
	if n := len(list); n > maxListed {
		return append(list[:maxListed:maxListed], fmt.Sprintf("%d more", n-maxListed))
	}
	return list
}

// Later says when a deadline is due that counts from a release above 0, in a workload that cannot state points in time:
// the one most like its release. It is empty if there is none.
func (w *Workload) Later() string {
	n, text, nearest := 0, "", math.Inf(1)
	for j := range w.Jobs {
		job := &w.Jobs[j]
		due, fits := AddTime(job.Release, job.Deadline.Value)
		if !job.Deadline.Known || job.Release == 0 || !fits {
			continue
		}
		n++
		past := math.Abs(job.Deadline.Value.Seconds()/job.Release.Seconds() - 1) // 0: as a point in time it is the release
		if past < nearest {
			nearest = past
			text = fmt.Sprintf("a deadline counts from the release: %s is due at %s", job.ID, due)
		}
	}
	switch {
	case w.Origin.Known():
		return ""
	case n > 1:
		text += fmt.Sprintf(" (and %s)", Counted(n-1, "more job"))
	}
	return text
}
