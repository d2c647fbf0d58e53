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
	for _, j := range order {
		job := &w.Jobs[j]
		gap := (job.Release - before).Seconds()
		before = job.Release
		if days(job.Release) {
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

// wholeMinutes says whether a release in seconds would be whole minutes if it counted days.
func (t Time) wholeMinutes() bool {
	minutes := t.Seconds() * DaySeconds / 60
	return math.Abs(minutes-math.Round(minutes)) < 0.01
}

// releasedInDays says for which releases in seconds are probably the days since 1900 with which spreadsheets write
// dates and times of day. Dates are whole days for all jobs, or whole minutes for most jobs and a part of a day for
// some, always of one year. A time of day alone is in whole minutes where tasks take minutes.
func (w *Workload) releasedInDays() func(release Time) bool {
	const from, to, year = 36526 * Second, 73051 * Second, 366 * Second // 2000 to 2099
	const fromWhole, toWhole = 43831 * Second, 54789 * Second           // 2020 to 2049
	date := func(t Time) bool { return t > from && t < to && t.wholeMinutes() }
	var dates, lengths []Time
	later, parts := 0, false
	for i := range w.Jobs {
		release := w.Jobs[i].Release
		if release > 0 {
			later++
		}
		if date(release) {
			dates, parts = append(dates, release), parts || release%Second != 0
		}
	}
	for i := range w.Tasks {
		lengths = append(lengths, w.Tasks[i].Processing.Or(0))
	}
	slices.Sort(dates)
	slices.Sort(lengths)
	n := len(dates)
	dated := 2*n > later && n > 0 && dates[n-1]-dates[0] <= year &&
		(parts || n == len(w.Jobs) && n > 1 && dates[0] >= fromWhole && dates[n-1] <= toWhole)
	long := len(lengths) > 0 && middle(lengths) >= 60*Second
	return func(release Time) bool {
		return dated && date(release) || long && release > 0 && release < Second &&
			release%(Second/20) != 0 && release.wholeMinutes() // people write 0.5 s
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
