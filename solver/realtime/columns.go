package realtime

import (
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	const timed = "without processing_time and rows in `times`"
	const fromHistory = "if times are estimated from the table history"
	deadlines := func(table model.Table, names ...string) []solver.Column {
		return solver.Sometimes("with --goal deadlines", goalDeadlines, table, names...)
	}
	estimates := func(table model.Table, names ...string) []solver.Column {
		return solver.Sometimes(fromHistory, estimated, table, names...)
	}
	return slices.Concat(
		solver.Machines(),
		solver.Always(model.TableJobs, "reduces"),
		deadlines(model.TableJobs, "release", "deadline"),
		solver.Taken("unless partitions, keys or listed reduces say it", model.TableJobs, "intermediate_bytes"),
		solver.Taken("of jobs with keys, without --partitions", model.TableJobs, "partitions"),
		solver.Taken("of tasks "+timed, model.TableJobs, "task_overhead", "reduce_bytes_per_s"),
		solver.Taken("with --goal deadlines, of maps "+timed, model.TableJobs, "map_bytes_per_s"),
		estimates(model.TableJobs, "class"),
		solver.Always(model.TableTasks, "job", "kind"),
		solver.Taken("of reduces; of maps with --goal deadlines; without rows in `times`", model.TableTasks,
			"processing_time"),
		solver.Sometimes("of reduces; with --goal deadlines, of maps without processing_time or of estimated times",
			func(u solver.Use) bool {
				return u.Takes("tasks.input_bytes") || estimatedFrom(u, func(t *model.Task) bool { return t.InputBytes.Known })
			}, model.TableTasks, "input_bytes"),
		solver.Taken("with --goal deadlines, of maps of jobs with reduces", model.TableTasks, "shuffle_delay"),
		deadlines(model.TableTasks, "release"),
		solver.Sometimes("with --goal deadlines, if there are placements", func(u solver.Use) bool {
			return goalDeadlines(u) && len(u.Workload.Placements) > 0
		}, model.TableTasks, "block"),
		solver.Sometimes(fromHistory, func(u solver.Use) bool {
			return estimatedFrom(u, func(t *model.Task) bool { return t.CPU.Known })
		}, model.TableTasks, "cpu"),
		solver.Sometimes(fromHistory, func(u solver.Use) bool {
			return estimatedFrom(u, func(t *model.Task) bool { return t.MemoryBytes.Known })
		}, model.TableTasks, "memory_bytes"),
		deadlines(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "kind", "reduce_slots", "speed"),
		solver.Sometimes("with --goal deadlines, or where a node has one reduce slot, which is named after the node if it "+
			"has no other", func(u solver.Use) bool { return goalDeadlines(u) || nameSlots(u.Workload) },
			model.TableTopology, "map_slots"),
		solver.Always(model.TablePartitions, "job", "partition", "bytes"),
		solver.Always(model.TableKeys, "job", "key", "bytes"),
		solver.Always(model.TableTimes, "job", "task", "worker", "seconds"),
		estimates(model.TableHistory, "class", "worker", "kind", "bytes", "cpu", "memory_bytes", "seconds"),
	)
}

func goalDeadlines(u solver.Use) bool { return u.View.(*realtime.Instance).Goal == realtime.Deadlines }

// estimated says whether the algorithm believes what the table history says.
func estimated(u solver.Use) bool {
	return len(u.Workload.History) > 0 && solver.Bind[params](u.Params).estimates != "true" &&
		slices.Contains(u.Algorithm.Params, estimatesParam)
}

// estimatedFrom says whether times are estimated of tasks that satisfy a condition.
func estimatedFrom(u solver.Use, is func(t *model.Task) bool) bool {
	return estimated(u) && u.SomeTask(func(t *model.Task) bool {
		return (t.Kind == model.Reduce || goalDeadlines(u)) && is(t)
	})
}

// nameSlots says whether map slots decide what a reduce slot is called.
func nameSlots(w *model.Workload) bool {
	return slices.ContainsFunc(w.Topology, func(n model.Node) bool {
		return n.Kind == model.HostNode && n.ReduceSlots == 1 && n.MapSlots > 0
	})
}
