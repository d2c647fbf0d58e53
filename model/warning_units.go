package model

import (
	"fmt"
	"slices"
)

// longMedian is a median processing_time that hardly any cluster reaches.
const longMedian = DaySeconds / 2 * Second

// fewTasks have no meaningful median.
const fewTasks = 3

// allLong finds workloads whose times are probably all in milliseconds.
func (w *Workload) allLong() []Finding {
	var list []Time
	long, first := 0, -1
	for i := range w.Tasks {
		if t := &w.Tasks[i]; t.Processing.Known {
			list = append(list, t.Processing.Value)
			if t.Processing.Value >= longMedian {
				if long++; first < 0 {
					first = i
				}
			}
		}
	}
	if len(list) < fewTasks || 2*long <= len(list) {
		return nil
	}
	slices.Sort(list)
	median := list[(len(list)-1)/2]
	return []Finding{{Code: CodeOutlier, Pos: w.Where(TableTasks, first),
		What: fmt.Sprintf("half of the %d tasks take %s s or more, which is %.1f hours", len(list), median,
			median.Seconds()/3600),
		Expected: "seconds", Hint: "if times are in milliseconds, divide them by 1000 or write the unit, as in 1500ms; " +
			"look at those of jobs and delays too"}}
}

// leastMemory is less than any process needs, in bytes.
const leastMemory = 1_000_000

// smallMemory finds memory that is probably not in bytes.
func (w *Workload) smallMemory() (found []Finding) {
	look := func(table Table, i int, what, id string, memory Optional[Bytes]) {
		if memory.Value <= 0 || memory.Value >= leastMemory {
			return
		}
		found = tally(found, func() Finding {
			unit := "GB"
			if memory.Value > 1024 {
				unit = "MB"
			}
			return Finding{Code: CodeSmallMemory, Pos: w.Where(table, i),
				What:     fmt.Sprintf("the memory_bytes of %s %q are %s, less than any process needs", what, id, memory.Value),
				Expected: "bytes", Hint: fmt.Sprintf("if it is in %s, write the unit: %s%s", unit, memory.Value, unit)}
		})
	}
	for i := range w.Tasks {
		look(TableTasks, i, "task", w.Tasks[i].ID, w.Tasks[i].MemoryBytes)
	}
	for i := range w.Topology {
		look(TableTopology, i, "node", w.Topology[i].ID, w.Topology[i].MemoryBytes)
	}
	return found
}
