package model

import "fmt"

// RoomHint says what may be wrong with an amount of a resource that no node has. The resource is a column of topology.
func (w *Workload) RoomHint(resource string) string {
	switch resource {
	case "memory_bytes":
	case "cpu":
		return "cpu is a number of cores: lower it, or raise that of a node"
	case "map_slots", "reduce_slots":
		return fmt.Sprintf("state %s of a node in the table topology", resource)
	}
	if warnings := w.smallMemory(); len(warnings) > 0 {
		return fmt.Sprintf("see %s: %s; %s", warnings[0].Pos, warnings[0].What, warnings[0].Hint)
	}
	return "memory_bytes are in bytes unless they state a unit, as in 64GB"
}

// CapacityHint says what may be wrong with an amount of a resource of the table capacities that no node has.
func (w *Workload) CapacityHint(resource string) string {
	var names []string
	for i := range w.Capacities {
		if names = append(names, w.Capacities[i].Resource); names[i] == resource {
			return fmt.Sprintf("lower what the task takes of %s, or raise a capacity", resource)
		}
	}
	hint := fmt.Sprintf("no node has any %s: add a row of capacities", resource)
	if near := DidYouMean(resource, names); near != "" {
		hint += "; " + near
	}
	return hint
}
