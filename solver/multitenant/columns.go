package multitenant

import (
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	return slices.Concat(
		solver.Always("", "machines"),
		solver.Always(model.TableJobs, "release", "tenant", "reduces", "intermediate_bytes", "shuffle_ratio", "task_overhead",
			"map_bytes_per_s", "reduce_bytes_per_s"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "release", "block", "input_bytes", "output_bytes",
			"cpu", "memory_bytes"),
		solver.Always(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "parent", "kind", "map_slots", "reduce_slots", "speed", "bandwidth_bytes_per_s",
			"cpu", "memory_bytes"),
	)
}
