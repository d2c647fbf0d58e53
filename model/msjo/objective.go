package msjo

import (
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/cluster"
)

// unitsPerWeightSecond converts millionths of a weight times microseconds to weight × seconds.
var unitsPerWeightSecond = big.NewInt(int64(model.UnitWeight) * int64(model.Second))

// WeightedSum is Σ w_j t_j in weight × seconds, exactly.
func (in *Instance) WeightedSum(t []model.Time) *big.Rat {
	return JobObjective.Rat(in.Cost(JobObjective, t))
}

// TaskSum is TWTCT, Σ W_u C_u over the tasks, in weight × seconds, exactly.
func (in *Instance) TaskSum(s *model.Schedule) *big.Rat {
	return TaskObjective.Rat(in.TaskCost(s, nil))
}

// Objective is the objective of schedules.
type Objective = cluster.Objective

// The objectives.
const (
	// JobObjective is TWJCT, Σ w_j C_j over the jobs.
	JobObjective = cluster.WeightedEnds
	// TaskObjective is TWTCT, Σ W_u C_u over the tasks.
	TaskObjective = cluster.WeightedTaskEnds
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
	least := slices.Clone(in.Least)
	copy(least, processing)
	return &Instance{Instance: *in.Changed(least, in.Earliest), refuted: &refutations{}}
}
