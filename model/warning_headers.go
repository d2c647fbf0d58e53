package model

import "fmt"

// swapped is the warning that the headers of two columns, which can hold each other's values, are swapped.
func (w *Workload) swapped(table Table, one, other, why string) Finding {
	return Finding{Code: CodeSwapped, Pos: w.Where(table, 0), What: why, Expected: "each header above its own values",
		Hint: fmt.Sprintf("are the two headers %s and %s swapped?", one, other)}
}

// mostWeight is more than the weights that people usually give jobs.
const mostWeight = 60

// zeroWeights finds weights that look like releases: one is 0, as the first release often is, and no release is; and
// the largest weight is larger than all releases.
func (w *Workload) zeroWeights() (list []Finding) {
	zero := ""
	largest, latest := 0.0, 0.0
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if j.Release == 0 {
			return nil
		}
		if j.Weight == 0 && zero == "" {
			zero = j.ID
		}
		largest, latest = max(largest, j.Weight.Float()), max(latest, j.Release.Seconds())
	}
	if zero != "" && largest >= mostWeight && largest > latest {
		list = append(list, w.swapped(TableJobs, "release", "weight", fmt.Sprintf("the weight of job %q is 0, other weights "+
			"are up to %v, and all releases lie above 0 and up to %v", zero, largest, latest)))
	}
	return list
}

// weighedDeadlines finds deadlines none of which can be met, while the weights would be deadlines that can.
func (w *Workload) weighedDeadlines() []Finding {
	first := None
	for j, l := range w.leastTimes() {
		job := &w.Jobs[j]
		if !job.Deadline.Known {
			continue
		}
		if job.Deadline.Value.Seconds() >= l.seconds || job.Weight.Float() < l.seconds {
			return nil
		}
		if first == None {
			first = j
		}
	}
	if first == None {
		return nil
	}
	j := &w.Jobs[first]
	return []Finding{w.swapped(TableJobs, "weight", "deadline", fmt.Sprintf("no deadline can be met, such as %s of job "+
		"%q, and all weights are as large as deadlines, such as %s", j.Deadline.Value, j.ID, j.Weight))}
}

// releasedDeadlines finds deadlines that look like releases: each is less than its job's release, they differ, and one
// is 0 while no release is, or one cannot be met while the releases as deadlines all could.
func (w *Workload) releasedDeadlines() []Finding {
	none, late, unlike := false, false, false
	least := w.leastTimes()
	for j := range w.Jobs {
		job := &w.Jobs[j]
		due := job.Deadline.Value
		if !job.Deadline.Known || due >= job.Release || w.Origin.Known() {
			return nil
		}
		if least != nil {
			if job.Release.Seconds() < least[j].seconds {
				return nil
			}
			late = late || due.Seconds() < least[j].seconds
		}
		none, unlike = none || due == 0, unlike || due != w.Jobs[0].Deadline.Value
	}
	if !unlike || !none && !late {
		return nil
	}
	j := &w.Jobs[0]
	return []Finding{w.swapped(TableJobs, "release", "deadline", fmt.Sprintf("each deadline is less than the release of "+
		"its job, such as %s and %s of job %q, and could be a release", j.Deadline.Value, j.Release, j.ID))}
}

// smallMachines finds nodes none of which has the memory that some task needs, while each has less memory than
// bandwidth, and the bandwidth would suffice as memory.
func (w *Workload) smallMachines() []Finding {
	var need, held Bytes
	most := 0.0 // bandwidth
	both := 0
	for i := range w.Tasks {
		need = max(need, w.Tasks[i].MemoryBytes.Value)
	}
	for i := range w.Topology {
		n := &w.Topology[i]
		held, most = max(held, n.MemoryBytes.Value), max(most, n.Bandwidth.Value)
		switch {
		case !n.MemoryBytes.Known || !n.Bandwidth.Known:
		case float64(n.MemoryBytes.Value) >= n.Bandwidth.Value:
			return nil
		default:
			both++
		}
	}
	if both == 0 || need <= held || float64(need) > most {
		return nil
	}
	return []Finding{w.swapped(TableTopology, "bandwidth_bytes_per_s", "memory_bytes", fmt.Sprintf(
		"no node has the memory of the largest task, %s bytes, and each has more bandwidth_bytes_per_s than memory_bytes",
		need))}
}

// RoomHint says what may be wrong with an amount of a resource that no node has. The resource is a column of topology.
func (w *Workload) RoomHint(resource string) string {
	switch resource {
	case "memory_bytes":
	case "cpu":
		return "cpu is a number of cores: lower it, or raise that of a node"
	case "map_slots", "reduce_slots":
		return fmt.Sprintf("state %s of a node in the table topology", resource)
	}
	if warnings := w.smallMachines(); len(warnings) > 0 {
		return warnings[0].Hint
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

// sizesAsTimes finds times of tasks that look like sizes, and sizes of the same tasks that look like times.
func sizesAsTimes(name string, of func(t *Task) Optional[Bytes]) func(w *Workload) []Finding {
	return func(w *Workload) []Finding {
		both, odd, first := 0, 0, -1
		for i := range w.Tasks {
			t := &w.Tasks[i]
			size := of(t)
			if !t.Processing.Known || !size.Known {
				continue
			}
			if both++; t.Processing.Value >= leastSize && size.Value > 0 && size.Value < leastMemory {
				if odd++; first < 0 {
					first = i
				}
			}
		}
		if both < fewTasks || 2*odd <= both {
			return nil
		}
		t := &w.Tasks[first]
		f := w.swapped(TableTasks, "processing_time", name, fmt.Sprintf("%d of %d tasks take weeks and have tiny %s: task "+
			"%q takes %s s and has %s bytes", odd, both, name, t.ID, t.Processing.Value, of(t).Value))
		f.Pos = w.Where(TableTasks, first)
		return []Finding{f}
	}
}

// leastSize is longer than tasks take, in a column that may hold bytes.
const leastSize = 1_000_000 * Second
