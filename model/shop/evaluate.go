package shop

import (
	"iter"
	"math/big"
	"slices"
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
	e := model.Evaluation{Name: string(in.Stated()), Metrics: map[string]any{
		"mean_job_completion": model.LowerNumber(new(big.Rat).SetFrac(sum, big.NewInt(int64(in.Jobs)*int64(model.Second)))),
	}}
	state := func(o Objective, cost *big.Int) {
		value := o.Rat(cost)
		if e.Metrics[string(o)] = model.ExactNumber(value); o == in.Stated() {
			e.Value = value
		}
	}
	if in.Identical {
		state(WeightedEnds, in.Cost(WeightedEnds, done))
		state(WeightedTaskEnds, in.TaskCost(s, nil))
		state(Makespan, in.Cost(Makespan, done))
		if used := in.utilisation(s, slices.Max(done)); used != nil {
			e.Metrics["utilisation"] = model.LowerNumber(used)
		}
	} else {
		e.Metrics["late_jobs"] = model.Number(strconv.Itoa(late))
		for _, name := range Objectives() {
			if o := Objective(name); o != FlowTime || in.flow {
				state(o, in.Cost(o, done))
			}
		}
		if in.flow {
			in.waits(s, done, e.Metrics)
		}
	}
	in.replan.Account(&e, s)
	return e
}

// utilisation is the share of the machines' time until the makespan in which they run tasks; nil if that is no time.
func (in *Instance) utilisation(s *model.Schedule, makespan model.Time) *big.Rat {
	busy, x := new(big.Int), new(big.Int)
	for _, e := range s.Entries {
		busy.Add(busy, x.SetInt64(int64(e.End-e.Start)))
	}
	capacity := x.Mul(big.NewInt(int64(makespan)), big.NewInt(int64(in.Nodes)))
	if capacity.Sign() <= 0 {
		return nil
	}
	return new(big.Rat).SetFrac(busy, capacity)
}

// Tables returns the table jobs: the outcome of each job, and its share of the objective.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	columns := []string{"job", "tenant", "weight", "release", "due", "earliest", "first_start", "completion", "late_by",
		"objective_share"}
	if in.Identical {
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "tenant" || c == "due" || c == "late_by" })
	}
	return append([]model.ResultTable{{Name: "jobs", Rows: in.jobRows(s), Columns: columns}}, in.replan.Tables(s)...)
}

// jobRows has a row per job, in the workload's order. Column earliest is when the job would end if all its tasks ran as
// early and as fast as they can. The shares add up to the objective, except under the makespan: there the jobs that end
// last have all of it, the others 0.
func (in *Instance) jobRows(s *model.Schedule) iter.Seq[[]string] {
	done := in.Completions(s)
	first := s.FirstStarts(in.Jobs, func(u model.TaskIndex) int32 { return in.Job[u] })
	shares := in.shares(s, done)
	return func(yield func([]string) bool) {
		for j := range in.Jobs {
			x := &in.workload.Jobs[j]
			start, due := "", ""
			if first[j].Known {
				start = first[j].Value.String()
			}
			if x.Deadline.Known {
				due = in.Due[j].String()
			}
			share := string(model.ExactNumber(in.Objective.Rat(shares(j))))
			row := []string{x.ID, x.Tenant, x.Weight.String(), x.Release.String(), due, in.Alone[j].String(), start,
				done[j].String(), max(0, done[j]-in.Due[j]).String(), share}
			if in.Identical {
				row = []string{x.ID, x.Weight.String(), x.Release.String(), in.Alone[j].String(), start, done[j].String(), share}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// shares returns a function of jobs: their parts of the objective, as integers (see JobCost), in memory that it reuses.
func (in *Instance) shares(s *model.Schedule, done []model.Time) func(j int) *big.Int {
	if in.Objective == WeightedTaskEnds {
		list := make([]*big.Int, in.Jobs)
		for j := range list {
			list[j] = new(big.Int)
		}
		in.TaskCost(s, list)
		return func(j int) *big.Int { return list[j] }
	}
	share, last := new(big.Int), in.Cost(Makespan, done)
	return func(j int) *big.Int {
		if in.JobCost(in.Stated(), j, done[j], share); in.Objective == Makespan && share.Cmp(last) < 0 {
			share.SetInt64(0)
		}
		return share
	}
}
