package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A release is far if nothing is released for a day before it, and for farWork times as long as all tasks take one
// after another; if that is unknown, for farDays.
const (
	farWork = 10
	farDays = 30
)

// farReleases finds releases that are probably moments in another unit.
func (w *Workload) farReleases() (found []Finding) {
	order := Indices(len(w.Jobs))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(w.Jobs[a].Release, w.Jobs[b].Release) })
	_, work, known := w.horizon()
	least := float64(farDays * DaySeconds)
	if known {
		least = max(DaySeconds, farWork*work)
	}
	before := Time(0)
	for _, j := range order {
		job := &w.Jobs[j]
		gap := (job.Release - before).Seconds()
		before = job.Release
		if gap > least {
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
