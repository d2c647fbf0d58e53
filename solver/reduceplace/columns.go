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
		solver.Always("", "max_running_jobs"),
		solver.Always(model.TableJobs, "release", "reduces", "intermediate_bytes", "map_work", "shuffle_ratio"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "input_bytes", "output_bytes"),
		solver.Sometimes("with --slot-cost data or measured", from("data", "measured"), model.TableTasks, "recorded_node"),
		solver.Always(model.TableSlots, "node"),
		solver.Sometimes("with --slot-cost given", from("given"), model.TableSlots, "cost"),
		solver.Sometimes("with --slot-cost hops or data", from("hops", "data"), model.TableTopology, "parent"),
		solver.Always(model.TableTopology, "kind", "map_slots"),
		solver.Sometimes("without the table slots", func(u solver.Use) bool {
			return len(u.Workload.ReduceSlots) == 0
		}, model.TableTopology, "reduce_slots"),
	)
}
