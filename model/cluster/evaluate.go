package cluster

import (
	"iter"
	"math/big"
	"strconv"

	"mrsched/model"
)

// Evaluate recomputes the objective, in its unit, and the metrics, which include all objectives.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	done := in.Completions(s)
	late, sum, x := 0, new(big.Int), new(big.Int)
	for j, t := range done {
		if t > in.Due[j] {
			late++
		}
		sum.Add(sum, x.SetInt64(int64(t)))
	}
	metrics := map[string]any{
		"late_jobs":           model.Number(strconv.Itoa(late)),
		"mean_job_completion": model.LowerNumber(new(big.Rat).SetFrac(sum, big.NewInt(int64(in.Jobs)*int64(model.Second)))),
	}
	e := model.Evaluation{Name: string(in.Objective), Metrics: metrics}
	for _, name := range Objectives() {
		o := Objective(name)
		value := o.Rat(in.Cost(o, done))
		if metrics[name] = model.ExactNumber(value); o == in.Objective {
			e.Value = value
		}
	}
	in.replan.Account(&e, s)
	return e
}

// Tables returns the table jobs: the outcome of each job, and its share of the objective.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	return append([]model.ResultTable{{Name: "jobs", Rows: in.jobRows(s), Columns: []string{"job", "tenant", "weight",
		"release", "due", "earliest", "first_start", "completion", "late_by", "objective_share"}}},
		in.replan.Tables(s)...)
}

// jobRows has a row per job, in the workload's order. Column earliest is when the job would end if all its tasks ran as
// early and as fast as they can. The shares add up to the objective, except under the makespan: there the jobs that end
// last have all of it, the others 0.
func (in *Instance) jobRows(s *model.Schedule) iter.Seq[[]string] {
	done := in.Completions(s)
	first := s.FirstStarts(in.Jobs, func(u model.TaskIndex) int32 { return in.Job[u] })
	last := in.Cost(Makespan, done)
	return func(yield func([]string) bool) {
		share := new(big.Int)
		for j := range in.Jobs {
			x := &in.workload.Jobs[j]
			start, due := "", ""
			if first[j].Known {
				start = first[j].Value.String()
			}
			if x.Deadline.Known {
				due = in.Due[j].String()
			}
			if in.JobCost(in.Objective, j, done[j], share); in.Objective == Makespan && share.Cmp(last) < 0 {
				share.SetInt64(0)
			}
			if !yield([]string{x.ID, x.Tenant, x.Weight.String(), x.Release.String(), due, in.Alone[j].String(), start,
				done[j].String(), max(0, done[j]-in.Due[j]).String(), string(model.ExactNumber(in.Objective.Rat(share)))}) {
				return
			}
		}
	}
}
