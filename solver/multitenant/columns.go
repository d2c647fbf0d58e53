package multitenant

import (
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

func usedColumns() []solver.Column {
	const mapsState = "unless all maps of each job with reduces state output_bytes"
	return slices.Concat(
		solver.Machines(),
		solver.Always(model.TableJobs, "release", "tenant", "reduces"),
		solver.Taken(mapsState, model.TableJobs, "intermediate_bytes"),
		solver.Taken(mapsState+" or it states intermediate_bytes", model.TableJobs, "shuffle_ratio"),
		solver.Taken("of tasks without processing_time", model.TableJobs, "task_overhead", "map_bytes_per_s",
			"reduce_bytes_per_s"),
		solver.Always(model.TableTasks, "job", "kind", "processing_time", "release"),
		solver.Sometimes("of maps", func(u solver.Use) bool {
			return u.SomeTask(func(t *model.Task) bool { return t.Kind == model.Map && t.InputBytes.Known })
		}, model.TableTasks, "input_bytes"),
		solver.Taken("of maps, where all maps of a job with reduces state it", model.TableTasks, "output_bytes"),
		solver.Sometimes("if nodes state cpu, or by drf, sw-drf and best", func(u solver.Use) bool {
			return u.Takes("tasks.cpu") || shares(u)
		}, model.TableTasks, "cpu"),
		solver.Taken("if nodes state memory_bytes", model.TableTasks, "memory_bytes"),
		solver.Sometimes("if there are placements", func(u solver.Use) bool { return len(u.Workload.Placements) > 0 },
			model.TableTasks, "block"),
		solver.Always(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "parent", "kind", "map_slots", "reduce_slots", "speed", "bandwidth_bytes_per_s"),
		solver.Sometimes("if tasks state cpu or, by drf, sw-drf and best, memory_bytes where all nodes state theirs",
			func(u solver.Use) bool {
				return u.Takes("topology.cpu") || shares(u) && u.Takes("topology.memory_bytes") &&
					u.View.(*multitenant.Instance).RAM > 0
			}, model.TableTopology, "cpu"),
		solver.Taken("if tasks state memory_bytes", model.TableTopology, "memory_bytes"),
	)
}

// fairShares are the algorithms that depend on users' dominant shares.
var fairShares = []string{"drf", "sw-drf", "best"}

func shares(u solver.Use) bool { return slices.Contains(fairShares, u.Algorithm.Name) }
