package multitenant

import (
	"fmt"

	"mrsched/model"
)

// Check lists every constraint that a schedule breaks: each task once, on a slot of its kind, not before its job or its
// own release; maps for at least as long as they read and compute; reduces for at least as long as they compute after
// both their own start and the end of their job's last map, and then write; one task per slot at a time; memory and
// cores for all tasks that run on a node at the same time (needs.go); and links that can carry all transfers in the
// time available (links.go).
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	var found model.Violations
	seen := make([]bool, in.Tasks)
	order := make([]int32, 0, len(s.Entries)) // rows on slots
	for k := range s.Entries {
		e := &s.Entries[k]
		t := int32(e.Task)
		if e.Machine < 0 || int(e.Machine) >= in.Slots {
			found.Add(model.CodeMachineUnknown, "task %q is on slot number %d of %d", in.id(t), e.Machine+1, in.Slots)
			continue
		}
		if kind := in.KindOf(t); in.SlotKind[e.Machine] != kind {
			found.Add(model.CodeSlotKind, "%s %q is on %s slot %s", kind, in.id(t), in.SlotKind[e.Machine],
				in.MachineName(e.Machine))
		}
		if seen[t] {
			found.Add(model.CodeTaskTwice, "task %q has several rows", in.id(t))
			continue
		}
		seen[t] = true
		order = append(order, int32(k))
		if at := in.Release(t); e.Start < at {
			why := "its job arrives"
			if at > in.Arrival[in.JobOf(t)] {
				why = "it is released"
			}
			found.Add(model.CodeBeforeRelease, "task %q starts at %s; %s at %s", in.id(t), e.Start, why, at)
		}
	}
	for t, ok := range seen {
		if !ok {
			found.Add(model.CodeTaskMissing, "task %q has no row", in.id(int32(t)))
		}
	}
	rows := &model.Schedule{Entries: make([]model.Entry, len(order))}
	for i, k := range order {
		rows.Entries[i] = s.Entries[k]
	}
	f := in.Flows(rows)
	in.checkTimes(rows, f, &found)
	found.CheckOverlaps(in, rows, model.Indices(len(order)), "task", "slot", in.id)
	in.checkRoom(rows, &found)
	in.checkLinks(rows, f, &found)
	return found.List()
}

// checkTimes checks the lengths of rows.
func (in *Instance) checkTimes(s *model.Schedule, f *Flows, found *model.Violations) {
	for i := range s.Entries {
		e := &s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		compute := in.Compute(t, w)
		if !in.IsMap(t) {
			if from := max(e.Start, f.MapsEnd[in.JobOf(t)]); e.End < from+in.Work(t, w) {
				writes := ""
				if least := in.WriteTime(t, w); least > 0 {
					writes = fmt.Sprintf(" and writes for at least %s", least)
				}
				found.Add(model.CodePrecedence, "reduce %q ends at %s; it starts and has all data at %s at the earliest and "+
					"computes %s%s", in.id(t), e.End, from, compute, writes)
			}
			continue
		}
		switch near := in.Locality(t, w); {
		case near == model.NodeLocal && e.End-e.Start != compute:
			found.Add(model.CodeDuration, "map %q takes %s at its block on %s, its row %s", in.id(t), compute,
				in.MachineName(e.Machine), e.End-e.Start)
		case e.End-e.Start < compute+in.ReadTime(t, w):
			found.Add(model.CodeDuration, "map %q on %s reads for at least %s and computes %s, its row takes %s", in.id(t),
				in.MachineName(e.Machine), in.ReadTime(t, w), compute, e.End-e.Start)
		}
	}
}
