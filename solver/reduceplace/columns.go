package reduceplace

import (
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	from := func(sources ...string) func(u solver.Use) bool {
		return func(u solver.Use) bool {
			return slices.Contains(sources, u.View.(*reduceplace.Instance).SlotCost())
		}
	}
	return slices.Concat(
		solver.Sometimes("without --max-running-jobs", func(u solver.Use) bool {
			return solver.Bind[params](u.Params).maxRunningJobs == 0
		}, "", "max_running_jobs"),
		solver.Always(model.TableJobs, "release", "reduces", "map_work"),
		solver.Taken("unless all reduces of the job state input_bytes", model.TableJobs, "intermediate_bytes"),
		solver.Taken("if neither intermediate_bytes, nor input_bytes of all reduces, nor output_bytes of all maps are stated",
			model.TableJobs, "shuffle_ratio"),
		solver.Always(model.TableTasks, "job", "kind"),
		solver.Taken("of maps, in jobs without map_work; of reduces with --slot-cost measured", model.TableTasks,
			"processing_time"),
		solver.Taken("of reduces, where all of a job state it; of maps where shuffle_ratio counts", model.TableTasks,
			"input_bytes"),
		solver.Sometimes("of maps, where neither intermediate_bytes nor input_bytes of all reduces are stated; with "+
			"--slot-cost data or --estimate", func(u solver.Use) bool {
			return u.Takes("tasks.output_bytes") || solver.Bind[params](u.Params).estimate > 0 &&
				slices.Contains(u.Algorithm.Params, estimateParam)
		}, model.TableTasks, "output_bytes"),
		solver.Taken("with --slot-cost data or measured", model.TableTasks, "recorded_node"),
		solver.Always(model.TableSlots, "node"),
		solver.Sometimes("with --slot-cost given", from("given"), model.TableSlots, "cost"),
		solver.Sometimes("with --slot-cost hops or data", from("hops", "data"), model.TableTopology, "parent"),
		solver.Always(model.TableTopology, "kind"),
		solver.Taken("if there are jobs without map_work", model.TableTopology, "map_slots"),
		solver.Sometimes("without the table slots", func(u solver.Use) bool {
			return len(u.Workload.ReduceSlots) == 0
		}, model.TableTopology, "reduce_slots"),
	)
}
