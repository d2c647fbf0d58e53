package hta

import (
	"mrsched/model"
	"slices"
)

// Check lists every constraint that a schedule breaks: each map with a known replica once, nothing else, on a server
// of the instance; the tasks of a server one after another from time 0, in their order, each for its cost.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	var found model.Violations
	row := slices.Repeat([]int32{model.None}, in.Tasks)
	for k, e := range s.Entries {
		t, id := in.dense[e.Task], in.workload.Tasks[e.Task].ID
		switch {
		case t == model.None:
			found.Add(model.CodeTaskUnknown, "task %q is a reduce or has no known replica; hta does not schedule it", id)
		case row[t] != model.None:
			found.Add(model.CodeTaskTwice, "task %q has several rows", id)
		case e.Machine < 0 || int(e.Machine) >= in.Servers:
			found.Add(model.CodeMachineUnknown, "task %q runs on server number %d of %d", id, e.Machine+1, in.Servers)
		default:
			row[t] = int32(k)
		}
	}
	remote := 0
	for t, k := range row {
		if k == model.None {
			found.Add(model.CodeTaskMissing, "task %q is not scheduled", in.workload.Tasks[in.task[t]].ID)
		} else if !in.Local(in.Block[t], s.Entries[k].Machine) {
			remote++
		}
	}
	end := make([]model.Time, in.Servers)
	for t, k := range row {
		if k == model.None {
			continue
		}
		e := s.Entries[k]
		near := in.Locality(in.Block[t], e.Machine)
		cost, id := in.Price(near, remote), in.workload.Tasks[e.Task].ID
		if e.End-e.Start != cost {
			found.Add(model.CodeDuration, "task %q runs %s s, from %s to %s; as a task of locality %q, one of %d that are "+
				"not node-local, it costs %s s",
				id, e.End-e.Start, e.Start, e.End, near, remote, cost)
		}
		if e.Start != end[e.Machine] {
			found.Add(model.CodeSequence, "task %q starts at %s; the earlier tasks of server %s take until %s", id, e.Start,
				in.MachineName(e.Machine), end[e.Machine])
		}
		end[e.Machine] += cost
	}
	return found.List()
}
