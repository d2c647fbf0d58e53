package hta

import (
	"fmt"
	"strings"

	"mrsched/model"
)

// maxNamed is how many of the left-out maps LeftOut names.
const maxNamed = 5

// Scheduled is the number of tasks that schedules place.
func (in *Instance) Scheduled() int { return in.Tasks }

// LeftOut says which tasks of the workload do not belong to the instance.
func (in *Instance) LeftOut() []string {
	var lines []string
	if n := in.unplaced; n > 0 {
		lines = append(lines, fmt.Sprintf("%s without a known replica %s left out (%s)", model.Counted(n, "map"),
			model.Are(n), strings.Join(in.unplacedNames(), ", ")))
	}
	if n := in.reduces; n > 0 {
		lines = append(lines, fmt.Sprintf("%s %s left out (hta schedules only maps)", model.Counted(n, "reduce"),
			model.Are(n)))
	}
	return lines
}

// unplacedNames are the ids of the first maps without a known replica, and … if there are more.
func (in *Instance) unplacedNames() []string {
	var names []string
	for u, t := range in.dense {
		x := &in.workload.Tasks[u]
		switch {
		case t != model.None || x.Kind != model.Map:
		case len(names) == maxNamed:
			return append(names, "…")
		default:
			names = append(names, x.ID)
		}
	}
	return names
}

// Cells are an entry's values of Columns; both are empty for a task outside the instance.
func (in *Instance) Cells(e model.Entry) []string {
	t := in.dense[e.Task]
	if t == model.None {
		return []string{"", ""}
	}
	return []string{in.workload.Blocks[in.workload.Tasks[e.Task].Block], in.Locality(in.Block[t], e.Machine).String()}
}
