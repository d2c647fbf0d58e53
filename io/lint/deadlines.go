package lint

import (
	"fmt"

	"mrsched/io/show"
	"mrsched/model"
)

// mostDeadlines is how many deadlines a report lists.
const mostDeadlines = 8

// deadlines says when each job with a deadline is due or, if they are many, how many there are and when the first one
// is due: a plain number counts from the release, but people take it for a point in time.
func deadlines(w *model.Workload) (lines []string) {
	n, first, unit := 0, "", ""
	if w.Origin.Known() {
		unit = " s" // beside clock times
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if !j.Deadline.Known {
			continue
		}
		if n++; n > mostDeadlines {
			continue
		}
		due, _ := model.AddTime(j.Release, j.Deadline.Value) // two times fit, as MaxTime bounds each
		line := fmt.Sprintf("%s: released at %s, due at %s (%s%s after its release)", j.ID, w.At(j.Release), w.At(due),
			j.Deadline.Value, unit)
		lines = append(lines, line)
		if first == "" {
			first = line
		}
	}
	if n > mostDeadlines {
		return []string{fmt.Sprintf("%s, and of %s more", first, show.Counted(n-1, "job"))}
	}
	return lines
}
