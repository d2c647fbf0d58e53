package result

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
)

// clockColumns follow them if the instance has an origin.
var clockColumns = []string{"start_time", "end_time"}

// ownOf are the problem's own columns of a header.
func ownOf(names []string) []string {
	if own := names[len(common):]; len(own) < len(clockColumns) || !slices.Equal(own[:len(clockColumns)], clockColumns) {
		return own
	}
	return names[len(common)+len(clockColumns):]
}

// timed fills in the clock times of a row.
func (r *Row) timed(origin model.Origin) {
	if origin.Known() {
		r.StartTime, r.EndTime = origin.Stamp(r.Start), origin.Stamp(r.End)
	}
}

// judged are the rows; those with other clock times than an origin gives them become violations. Versions before wrote
// none.
func (r Rows) judged(origin model.Origin, found *model.Violations) Rows {
	return func(yield func([]Row) bool) {
		for some := range r {
			for k := range some {
				is, want := &some[k], Row{Start: some[k].Start, End: some[k].End}
				if want.timed(origin); is.StartTime != "" && (is.StartTime != want.StartTime || is.EndTime != want.EndTime) {
					found.Add(model.CodeRowContradicts, "%s", brief(fmt.Sprintf("the row of task %q says from %s to %s; derived "+
						"is from %s to %s", is.Task, is.StartTime, is.EndTime, cmp.Or(want.StartTime, absent),
						cmp.Or(want.EndTime, absent))))
				}
			}
			if !yield(some) {
				return
			}
		}
	}
}
