package model

import (
	"cmp"
	"fmt"
	"math"
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
	before, days := Time(0), w.releasedInDays()
	noDate := func(j Job) bool { return j.Release.inDateRange() && !j.Release.spreadsheetDate() }
	dated := !slices.ContainsFunc(w.Jobs, noDate)
	for _, j := range order {
		job := &w.Jobs[j]
		gap := (job.Release - before).Seconds()
		before = job.Release
		if days(job.Release) || dated && job.Release.spreadsheetDate() {
			found = tally(found, func() Finding {
				return Finding{Code: CodeFarRelease, Pos: w.Where(TableJobs, int(j)),
					What: fmt.Sprintf("job %q is released at %s s, which looks like a date or a time of day of a spreadsheet: it "+
						"counts days", job.ID, job.Release),
					Expected: "seconds after time 0, when the first job can start",
					Hint:     "format the column as text and " + asClockTime}
			})
		} else if gap > least {
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

// inDateRange says whether a time in seconds is from the days since 1900 of 2000-01-01 to those of 2099-12-31.
func (t Time) inDateRange() bool { return t.Seconds() > 36526 && t.Seconds() < 73051 }

// spreadsheetDate says whether a time in seconds looks like the days since 1900 with which spreadsheets write a date of
// this century and a time of day, in whole minutes.
func (t Time) spreadsheetDate() bool {
	const minutes = DaySeconds / 60
	_, day := math.Modf(t.Seconds())
	minute := day * minutes
	return t.inDateRange() && minute > 0.5 && math.Abs(minute-math.Round(minute)) < 0.01
}

// releasedInDays says for which releases in seconds are probably the days with which spreadsheets write moments: whole
// days of one year since 1900 for all jobs, or a part of a day in whole minutes where tasks take minutes.
func (w *Workload) releasedInDays() func(release Time) bool {
	const from, to, year, minutes = 43831 * Second, 54789 * Second, 366 * Second, DaySeconds / 60 // 2020 to 2049
	var released, lengths []Time
	for i := range w.Jobs {
		released = append(released, w.Jobs[i].Release)
	}
	for i := range w.Tasks {
		lengths = append(lengths, w.Tasks[i].Processing.Or(0))
	}
	slices.Sort(lengths)
	dates := len(released) > 1 && slices.Min(released) >= from && slices.Max(released) <= to &&
		slices.Max(released)-slices.Min(released) <= year &&
		!slices.ContainsFunc(released, func(t Time) bool { return t%Second != 0 })
	long := len(lengths) > 0 && middle(lengths) >= 60*Second
	return func(release Time) bool {
		minute := release.Seconds() * minutes
		return dates || long && release > 0 && release < Second && release%(Second/20) != 0 && // people write 0.5 s
			math.Abs(minute-math.Round(minute)) < 0.01
	}
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
