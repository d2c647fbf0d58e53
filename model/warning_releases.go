package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A release that comes so many days after the one before it, or a deadline so many days after its release, is probably
// in another unit.
const (
	farGapDays = 5
	farDays    = 30
)

// farReleases finds releases that are probably moments in another unit.
func (w *Workload) farReleases() (found []Finding) {
	order := Indices(len(w.Jobs))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(w.Jobs[a].Release, w.Jobs[b].Release) })
	before := Time(0)
	for _, j := range order {
		job := &w.Jobs[j]
		gap := (job.Release - before).Seconds()
		before = job.Release
		if gap > farGapDays*DaySeconds {
			found = tally(found, func() Finding {
				return Finding{Code: CodeFarRelease, Pos: w.Where(TableJobs, int(j)),
					What: fmt.Sprintf("job %q is released at %s s, %.1f days after time 0 and %.1f days after the release before it",
						job.ID, job.Release, job.Release.Seconds()/DaySeconds, gap/DaySeconds),
					Expected: "seconds after time 0, when the first job can start", Hint: job.Release.otherUnit()}
			})
		}
	}
	return found
}

// dueTimes are deadlines that look like moments, else those that are far, or too short for a task.
func (w *Workload) dueTimes() []Finding {
	if found := w.moments(); len(found) > 0 {
		return found
	}
	return append(w.farDeadlines(), w.hopeless()...)
}

// hopeless finds deadlines that are shorter than the longest task of their job on the fastest node, where the table
// tasks alone says how long tasks take and none has begun.
func (w *Workload) hopeless() (found []Finding) {
	if len(w.Times)+len(w.Keys)+len(w.Parts)+len(w.History)+len(w.Fixed)+len(w.State) > 0 {
		return nil
	}
	fastest, longest := 0.0, make([]TaskIndex, len(w.Jobs))
	for i := range w.Topology {
		if n := &w.Topology[i]; n.Kind == HostNode {
			fastest = max(fastest, n.Speed.Or(1))
		}
	}
	for u := range w.Tasks {
		j := w.Tasks[u].Job
		if t := &w.Tasks[longest[j]]; t.Job != j || t.Processing.Or(0) < w.Tasks[u].Processing.Or(0) {
			longest[j] = TaskIndex(u)
		}
	}
	for j := range w.Jobs {
		job, took := &w.Jobs[j], 0.0
		if len(w.Tasks) > 0 && w.Tasks[longest[j]].Job == JobIndex(j) {
			took = w.Tasks[longest[j]].Processing.Or(0).Seconds() / cmp.Or(fastest, 1)
		}
		if !job.Deadline.Known || job.Deadline.Value.Seconds() >= took || took >= MaxTime.Seconds() {
			continue
		}
		found = tally(found, func() Finding {
			return Finding{Code: CodeHopeless, Pos: w.Where(TableJobs, j), Expected: "a deadline that a schedule can meet",
				What: fmt.Sprintf("the deadline %s of job %q cannot be met: task %q alone takes %s s on the fastest node",
					job.Deadline.Value, job.ID, w.Tasks[longest[j]].ID, TimeOf(took)), Hint: w.dueHint()}
		})
	}
	return found
}

// farDeadlines finds deadlines that are probably in another unit.
func (w *Workload) farDeadlines() (found []Finding) {
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if days := job.Deadline.Or(0).Seconds() / DaySeconds; days > farDays {
			found = tally(found, func() Finding {
				return Finding{Code: CodeLoose, Pos: w.Where(TableJobs, j),
					What: fmt.Sprintf("the deadline %s of job %q is %.1f days after its release", job.Deadline.Value, job.ID,
						days),
					Expected: "a deadline that a schedule can miss", Hint: w.dueHint()}
			})
		}
	}
	return found
}

// asClockTime says how to state a moment.
const asClockTime = "write a clock time, such as 2026-11-23T22:00, and state \"origin\" in the workload"

// otherUnit says what a release far from all others may be.
func (t Time) otherUnit() string {
	if s := t.Seconds(); s > 1e9 && s < 4e9 {
		return "if it is in seconds since 1970, subtract the first release from all of them, or " + asClockTime
	}
	return fmt.Sprintf("if it is in milliseconds, write the unit: %sms", t)
}

// oddIDs finds ids with blanks around them, or with control characters.
func (w *Workload) oddIDs() (found []Finding) {
	look := func(table Table, n int, id func(i int) string) {
		var here []Finding
		for i := range n {
			s := id(i)
			outer, control := strings.TrimSpace(s) != s, strings.ContainsFunc(s, unicode.IsControl)
			if !outer && !control {
				continue
			}
			what, hint := "begins or ends with a blank", "delete the blank"
			if control {
				what, hint = "holds a control character, such as a carriage return or a tab", "delete the character"
			}
			here = tally(here, func() Finding {
				return Finding{Code: CodeOddID, Pos: w.Where(table, i), What: fmt.Sprintf("the id %q %s", s, what),
					Expected: "an id as it is shown", Hint: hint}
			})
		}
		found = append(found, here...)
	}
	look(TableJobs, len(w.Jobs), func(i int) string { return w.Jobs[i].ID })
	look(TableTopology, len(w.Topology), func(i int) string { return w.Topology[i].ID })
	look(TableTasks, len(w.Tasks), func(i int) string { return w.Tasks[i].ID })
	return found
}
