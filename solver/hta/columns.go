package hta

import (
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// usedColumns are the columns that the problem uses.
func usedColumns() []solver.Column {
	return slices.Concat(
		solver.Always("", "cost"),
		solver.Always(model.TableTasks, "job", "kind", "block"),
		solver.Always(model.TablePlacements, "block", "node"),
		solver.Always(model.TableTopology, "parent", "kind", "map_slots"),
	)
}
