package workload

import (
	"cmp"
	"fmt"

	"mrsched/io/textpos"
	"mrsched/model"
)

// DefaultMaxCount is the default limit on the sum of the counts of machines, slots, reduces or partitions in a
// workload: a row of a few bytes can make a problem allocate that many.
const DefaultMaxCount = 10_000_000

// limitCounts reports, for each kind of counted thing, the row that exceeds the limit.
func limitCounts(w *model.Workload, most int64) error {
	most = cmp.Or(most, DefaultMaxCount)
	var found model.Findings
	report := func(at model.Position, what string) {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: at, What: fmt.Sprintf("%s than %d", what, most),
			Expected: "fewer", Hint: "if they are meant, raise --max-count"})
	}
	if n := w.Machines.Or(0); n > most {
		report(model.Position{}, fmt.Sprintf("machines is %d, more", n))
	}
	sums := map[string]int64{} // each adds less than 2³¹ rows of less than 2³¹
	add := func(table model.Table, row int, id, format, what string, n int64) {
		before := sums[what]
		if sums[what] += n; before <= most && before+n > most {
			report(w.Where(table, row), fmt.Sprintf(format, textpos.Quoted(id), what))
		}
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		add(model.TableJobs, i, j.ID, "up to job %s the %s are more", "reduces", j.Reduces.Or(0))
		add(model.TableJobs, i, j.ID, "up to job %s the %s are more", "partitions", j.Partitions.Or(0))
	}
	for i := range w.Topology {
		if n := &w.Topology[i]; n.Kind == model.HostNode {
			add(model.TableTopology, i, n.ID, "up to node %s the map and reduce %s are more", "slots", n.MapSlots)
			add(model.TableTopology, i, n.ID, "up to node %s the map and reduce %s are more", "slots", n.ReduceSlots)
		}
	}
	return found.Err()
}
