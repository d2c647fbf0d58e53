package reduceplace

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// Check lists every constraint that a schedule breaks: each reduce once, on a slot of the instance, from its job's
// start to its job's end, one reduce a slot at a time.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	var found model.Violations
	name := func(t model.TaskIndex) string { id, _, _ := in.TaskName(t); return id }
	seen := make([]bool, in.Tasks)
	order := make([]int32, 0, len(s.Entries))
	for k, e := range s.Entries {
		if seen[e.Task] {
			found.Add(model.CodeTaskTwice, "reduce %q has several rows", name(e.Task))
			continue
		}
		seen[e.Task] = true
		if e.Machine < 0 || int(e.Machine) >= in.Slots {
			found.Add(model.CodeMachineUnknown, "reduce %q is on slot number %d of %d", name(e.Task), e.Machine+1, in.Slots)
			continue
		}
		if i := in.JobOf(int32(e.Task)); e.Start != in.Start[i] || e.End != in.End[i] {
			found.Add(model.CodeHolding, "reduce %q holds slot %s from %s to %s; its job runs from %s to %s", name(e.Task),
				in.MachineName(e.Machine), e.Start, e.End, in.Start[i], in.End[i])
		}
		order = append(order, int32(k))
	}
	for t, ok := range seen {
		if !ok {
			found.Add(model.CodeTaskMissing, "reduce %q is on no slot", name(model.TaskIndex(t)))
		}
	}
	in.alongSlots(s, order)
	for k := 1; k < len(order); k++ {
		a, b := s.Entries[order[k-1]], s.Entries[order[k]]
		if a.Machine != b.Machine || b.Start >= a.End {
			continue
		}
		found.Add(model.CodeOverlap, "reduces %q (%s to %s) and %q (%s to %s) overlap on slot %s", name(a.Task), a.Start,
			a.End, name(b.Task), b.Start, b.End, in.MachineName(a.Machine))
		if a.End > b.End {
			order[k] = order[k-1]
		}
	}
	return found.List()
}

// alongSlots sorts rows by slot, then by time: first into slots, in the order given, which is mostly that of time.
func (in *Instance) alongSlots(s *model.Schedule, order []int32) {
	next := make([]int32, in.Slots+1)
	for _, k := range order {
		next[s.Entries[k].Machine+1]++
	}
	for m := range in.Slots {
		next[m+1] += next[m]
	}
	sorted := make([]int32, len(order))
	for _, k := range order {
		m := s.Entries[k].Machine
		sorted[next[m]] = k
		next[m]++
	}
	first := int32(0)
	for m := range in.Slots {
		slices.SortFunc(sorted[first:next[m]], func(i, k int32) int {
			a, b := &s.Entries[i], &s.Entries[k]
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Task, b.Task))
		})
		first = next[m]
	}
	copy(order, sorted)
}
