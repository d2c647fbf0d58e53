package workload

import (
	"fmt"

	"mrsched/model"
)

// DefaultMaxCount is the default limit on the sum of the counts of machines, slots, reduces or partitions in a
// workload: a row of a few bytes can make a problem allocate that many.
const DefaultMaxCount = 10_000_000

// limitCounts reports, for each kind of counted thing, the row that exceeds the limit.
func limitCounts(w *model.Workload, most int64) error {
	if most == 0 {
		most = DefaultMaxCount
	}
	var found model.Findings
	report := func(at model.Position, what string) {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: at, What: fmt.Sprintf("%s than %d", what, most),
			Expected: "fewer", Hint: "if they are meant, raise --max-count"})
	}
	if n := w.Machines.Or(0); n > most {
		report(model.Position{}, fmt.Sprintf("machines is %d, more", n))
	}
	var jobs, nodes counter
	for i := range w.Jobs {
		j := &w.Jobs[i]
		for _, c := range []struct {
			what string
			n    int64
		}{{"reduces", j.Reduces.Or(0)}, {"partitions", j.Partitions.Or(0)}} {
			if jobs.crosses(c.what, c.n, most) {
				report(w.Where(model.TableJobs, i), fmt.Sprintf("up to job %s the %s are more", clip(j.ID), c.what))
			}
		}
	}
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind != model.HostNode {
			continue
		}
		if nodes.crosses("slots", n.MapSlots, most) || nodes.crosses("slots", n.ReduceSlots, most) {
			report(w.Where(model.TableTopology, i), fmt.Sprintf("up to node %s the map and reduce slots are more", clip(n.ID)))
		}
	}
	return found.Err()
}

// counter adds counts up by kind.
type counter map[string]int64

// crosses adds n, which is below 2³¹, and says whether this exceeds the limit for the first time.
func (c *counter) crosses(what string, n, most int64) bool {
	if *c == nil {
		*c = counter{}
	}
	before := (*c)[what]
	(*c)[what] = before + n // 2³¹ rows of less than 2³¹ each
	return before <= most && before+n > most
}
