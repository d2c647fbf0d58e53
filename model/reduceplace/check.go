package reduceplace

import "mrsched/model"

// Check lists every constraint that a schedule breaks: each reduce once, on a slot of the instance, from its job's
// start to its job's end, one reduce a slot at a time.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	var found model.Violations
	name := func(t int32) string { id, _ := in.Name(t); return id }
	seen := make([]bool, in.Tasks)
	order := make([]int32, 0, len(s.Entries))
	for k, e := range s.Entries {
		id := name(int32(e.Task))
		if seen[e.Task] {
			found.Add(model.CodeTaskTwice, "reduce %q has several rows", id)
			continue
		}
		seen[e.Task] = true
		if e.Machine < 0 || int(e.Machine) >= in.Slots {
			found.Add(model.CodeMachineUnknown, "reduce %q is on slot number %d of %d", id, e.Machine+1, in.Slots)
			continue
		}
		if i := in.JobOf(int32(e.Task)); e.Start != in.Start[i] || e.End != in.End[i] {
			found.Add(model.CodeHolding, "reduce %q holds slot %s from %s to %s; its job runs from %s to %s", id,
				in.MachineName(e.Machine), e.Start, e.End, in.Start[i], in.End[i])
		}
		order = append(order, int32(k))
	}
	for t, ok := range seen {
		if !ok {
			found.Add(model.CodeTaskMissing, "reduce %q is on no slot", name(int32(t)))
		}
	}
	found.CheckOverlaps(in, s, order, "reduce", "slot", name)
	return found.List()
}
