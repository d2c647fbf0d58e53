package realtime

import (
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	deadlines := func(table model.Table, names ...string) []solver.Column {
		return solver.Sometimes("with --goal deadlines", func(u solver.Use) bool {
			return u.View.(*realtime.Instance).Goal == realtime.Deadlines
		}, table, names...)
	}
	estimates := func(table model.Table, names ...string) []solver.Column {
		return solver.Sometimes("if times are estimated from the table history", func(u solver.Use) bool {
			return len(u.Workload.History) > 0 && u.Params.Text(estimatesParam) != "true"
		}, table, names...)
	}
	return slices.Concat(
		solver.Always("", "machines"),
		solver.Always(model.TableJobs, "release", "deadline", "reduces", "intermediate_bytes", "partitions", "task_overhead",
			"reduce_bytes_per_s"),
		deadlines(model.TableJobs, "map_bytes_per_s"),
		estimates(model.TableJobs, "class"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "input_bytes"),
		deadlines(model.TableTasks, "shuffle_delay", "release", "block"),
		estimates(model.TableTasks, "cpu", "memory_bytes"),
		deadlines(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "kind", "map_slots", "reduce_slots", "speed"),
		solver.Always(model.TablePartitions, "job", "partition", "bytes"),
		solver.Always(model.TableKeys, "job", "key", "bytes"),
		solver.Always(model.TableTimes, "job", "task", "worker", "seconds"),
		estimates(model.TableHistory, "class", "worker", "kind", "bytes", "cpu", "memory_bytes", "seconds"),
	)
}
