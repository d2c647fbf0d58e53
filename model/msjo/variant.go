package msjo

import (
	"slices"

	"mrsched/model"
)

// Objective is the objective of schedules.
type Objective string

// The objectives, by the names that results state.
const (
	// JobObjective is TWJCT, Σ w_j C_j over the jobs.
	JobObjective Objective = "twjct"
	// TaskObjective is TWTCT, Σ W_u C_u over the tasks.
	TaskObjective Objective = "twtct"
)

// Under is the same instance under another objective. It shares everything that does not depend on it.
func (in *Instance) Under(o Objective) *Instance {
	other := *in
	other.Objective = o
	return &other
}

// Lasting is the same instance with other processing times, by task; what tasks and jobs are called is
// shared. Times are at most twice those of the workload, so that sums fit.
func (in *Instance) Lasting(processing []model.Time) *Instance {
	other := *in
	other.Processing = slices.Clone(in.Processing)
	copy(other.Processing, processing)
	other.paths()
	return &other
}
