package msjo

import (
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	flagged := func(u solver.Use) bool { return solver.Bind[params](u.Params).machines > 0 }
	return slices.Concat(
		solver.Sometimes("without --machines", func(u solver.Use) bool { return !flagged(u) }, "", "machines"),
		solver.Always(model.TableJobs, "release", "weight"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "weight", "release"),
		solver.Taken("of maps, in jobs with reduces and without rows in `delays`", model.TableTasks, "shuffle_delay"),
		solver.Always(model.TableDelays, "from", "to", "delay"),
		solver.Sometimes("unless `machines` or --machines says how many there are", func(u solver.Use) bool {
			return !u.Workload.Machines.Known && !flagged(u)
		}, model.TableTopology, "kind", "map_slots", "reduce_slots"),
	)
}
