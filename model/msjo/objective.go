package msjo

import (
	"math/big"
	"slices"

	"mrsched/model"
)

// unitsPerWeightSecond converts millionths of a weight times microseconds to weight × seconds.
var unitsPerWeightSecond = big.NewInt(int64(model.UnitWeight) * int64(model.Second))

// Completions are the jobs' completion times in a schedule.
func (in *Instance) Completions(s *model.Schedule) []model.Time {
	done := make([]model.Time, in.Jobs)
	for _, e := range s.Entries {
		j := in.Job[e.Task]
		done[j] = max(done[j], e.End)
	}
	return done
}

// WeightedSum is Σ w_j t_j in weight × seconds, exactly.
func (in *Instance) WeightedSum(t []model.Time) *big.Rat {
	sum, term, w := new(big.Int), new(big.Int), new(big.Int)
	for j, x := range t {
		sum.Add(sum, term.Mul(w.SetInt64(int64(in.Weight[j])), term.SetInt64(int64(x))))
	}
	return new(big.Rat).SetFrac(sum, unitsPerWeightSecond)
}

// TaskSum is TWTCT, Σ W_u C_u over the tasks, in weight × seconds, exactly.
func (in *Instance) TaskSum(s *model.Schedule) *big.Rat {
	sum, term, w := new(big.Int), new(big.Int), new(big.Int)
	for _, e := range s.Entries {
		sum.Add(sum, term.Mul(w.SetInt64(int64(in.TaskWeight[e.Task])), term.SetInt64(int64(e.End))))
	}
	return new(big.Rat).SetFrac(sum, unitsPerWeightSecond)
}

// Evaluate recomputes the objective, in weight × seconds, and the metrics. The metrics include both objectives.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	done := in.Completions(s)
	var makespan model.Time
	sum, busy, x := new(big.Int), new(big.Int), new(big.Int)
	for _, c := range done {
		makespan = max(makespan, c)
		sum.Add(sum, x.SetInt64(int64(c)))
	}
	for _, e := range s.Entries {
		busy.Add(busy, x.SetInt64(int64(e.End-e.Start)))
	}
	jobs, tasks := in.WeightedSum(done), in.TaskSum(s)
	metrics := map[string]any{
		string(JobObjective):  model.ExactNumber(jobs),
		string(TaskObjective): model.ExactNumber(tasks),
		"makespan":            model.Number(makespan.String()),
		"mean_job_completion": model.LowerNumber(new(big.Rat).SetFrac(sum, big.NewInt(int64(in.Jobs)*int64(model.Second)))),
	}
	if capacity := new(big.Int).Mul(big.NewInt(int64(makespan)), big.NewInt(int64(in.Machines))); capacity.Sign() > 0 {
		metrics["utilisation"] = model.LowerNumber(new(big.Rat).SetFrac(busy, capacity))
	}
	value := jobs
	if in.Objective == TaskObjective {
		value = tasks
	}
	e := model.Evaluation{Name: string(in.Objective), Value: value, Metrics: metrics}
	in.replan.Account(&e, s)
	return e
}

// Objective is the objective of schedules.
type Objective string

// The objectives, by the names that results state.
const (
	// JobObjective is TWJCT, Σ w_j C_j over the jobs.
	JobObjective Objective = "twjct"
	// TaskObjective is TWTCT, Σ W_u C_u over the tasks.
	TaskObjective Objective = "twtct"
)

// Under is the same instance under another objective. It shares all data that does not depend on the objective.
func (in *Instance) Under(o Objective) *Instance {
	other := *in
	other.Objective = o
	return &other
}

// Lasting is the same instance with other processing times, by task. It shares the names of tasks and jobs. Times are
// at most twice those of the workload, so that sums fit.
func (in *Instance) Lasting(processing []model.Time) *Instance {
	other := *in
	other.Processing = slices.Clone(in.Processing)
	copy(other.Processing, processing)
	other.refuted = &refutations{}
	other.paths()
	return &other
}
