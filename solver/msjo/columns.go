package msjo

import (
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	return slices.Concat(
		solver.Always("", "machines"),
		solver.Always(model.TableJobs, "release", "weight"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "shuffle_delay", "weight", "release"),
		solver.Always(model.TableDelays, "from", "to", "delay"),
		solver.Sometimes("unless `machines` says how many there are", func(u solver.Use) bool {
			return !u.Workload.Machines.Known && u.Params.Int("machines") == 0
		}, model.TableTopology, "kind", "map_slots", "reduce_slots"),
	)
}
