package realtime

import (
	"iter"

	"mrsched/model"
)

// Tables returns the table jobs: the outcome of each job.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	return []model.ResultTable{{Name: "jobs", Rows: in.jobRows(s),
		Columns: []string{"job", "class", "arrival", "deadline", "first_start", "completion", "laxity", "tardiness", "late"}}}
}

// jobRows has a row per job, in the workload's order. Cells that do not apply to a job, because it has no deadline or
// no tasks in the schedule, are empty; so are arrivals and deadlines under goal Partitions, where phases run one after
// another regardless of arrivals. Laxity is deadline − completion: negative if the job is late.
func (in *Instance) jobRows(s *model.Schedule) iter.Seq[[]string] {
	done := in.Ends(s).Job
	first := s.FirstStarts(in.Jobs, func(t model.TaskIndex) int32 { return in.jobOf[t] })
	return func(yield func([]string) bool) {
		for j := range in.Jobs {
			row := []string{in.work.Jobs[j].ID, in.Class[j], "", "", "", "", "", "", ""}
			if in.Goal == Deadlines {
				row[2] = in.Release[j].String()
			}
			if first[j].Known {
				row[4], row[5] = first[j].Value.String(), done[j].String()
			}
			if due := in.Due[j]; due != NoDeadline {
				late := "0"
				if done[j] > due {
					late = "1"
				}
				row[3], row[6], row[7], row[8] = due.String(), (due - done[j]).String(), max(0, done[j]-due).String(), late
			}
			if !yield(row) {
				return
			}
		}
	}
}
