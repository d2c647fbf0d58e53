package engine

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// realtimeColumns are metrics for the goals deadlines and partitions.
var realtimeColumns = []string{"miss_rate", "tardiness", "balance"}

// realtimeNotes reports a goal that was chosen by default.
func realtimeNotes(view model.View, p solver.Params) []string {
	in, ok := view.(*realtime.Instance)
	if !ok || p.Text("goal") != "auto" || in.Goal != realtime.Partitions {
		return nil
	}
	return []string{"no job has a deadline, so the goal is partitions, the makespan of the reduce phases; --goal says " +
		"which, --deadline-factor gives deadlines"}
}

// smallRealtime makes instances of both goals and solves them with estimated and with true times.
func smallRealtime() *smallInstances {
	return &smallInstances{
		Generate: func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallRealtime(r, k) },
		Variants: []map[string]string{{"partitioner": "dp"}, {"partitioner": "hash"}},
	}
}
