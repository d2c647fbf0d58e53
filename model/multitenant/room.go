package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// roomEvent is the start or the end of a task that needs memory or cores.
type roomEvent struct {
	worker int32
	at     model.Time
	starts bool
	task   int32
}

// checkRoom demands that no worker ever lacks the memory or the cores for all tasks that run on it, maps and reduces
// together. A task runs from its start up to, but not at, its end; one that takes no time must fit alone. Of each
// worker the first shortage is reported.
func (in *Instance) checkRoom(s *model.Schedule, found *model.Violations) {
	if !in.Limited() {
		return
	}
	var events []roomEvent
	for i := range s.Entries {
		e := &s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		if in.need[t] == (Amount{}) || !in.checkAlone(t, w, found) || e.End <= e.Start {
			continue
		}
		events = append(events, roomEvent{w, e.Start, true, t}, roomEvent{w, e.End, false, t})
	}
	slices.SortFunc(events, func(a, b roomEvent) int {
		if c := cmp.Or(cmp.Compare(a.worker, b.worker), cmp.Compare(a.at, b.at)); c != 0 || a.starts == b.starts {
			return cmp.Or(c, cmp.Compare(a.task, b.task))
		} else if b.starts {
			return -1 // what ends makes room for what starts
		}
		return 1
	})
	for first := 0; first < len(events); {
		last := first
		for last < len(events) && events[last].worker == events[first].worker {
			last++
		}
		limit := in.limit[events[first].worker]
		memory, cores := func(a Amount) int64 { return int64(a.Memory) }, func(a Amount) int64 { return a.Cores }
		in.checkShare(events[first:last], int64(limit.Memory), memory, func(e *roomEvent) {
			found.Add(model.CodeMemory, "from %s on, with task %q, the tasks on %s need more memory than its %s bytes",
				e.at, in.id(e.task), in.WorkerName(e.worker), limit.Memory)
		})
		in.checkShare(events[first:last], limit.Cores, cores, func(e *roomEvent) {
			found.Add(model.CodeCores, "from %s on, with task %q, the tasks on %s need more cores than its %s",
				e.at, in.id(e.task), in.WorkerName(e.worker), coresText(limit.Cores))
		})
		first = last
	}
}

// checkAlone demands that a worker has what a task needs.
func (in *Instance) checkAlone(t, w int32, found *model.Violations) bool {
	need, limit := in.need[t], in.limit[w]
	memory, cores := Amount{Memory: need.Memory}.Within(limit), Amount{Cores: need.Cores}.Within(limit)
	if !memory {
		found.Add(model.CodeMemory, "task %q needs %s bytes of memory; %s has %s", in.id(t), need.Memory, in.WorkerName(w),
			limit.Memory)
	}
	if !cores {
		found.Add(model.CodeCores, "task %q needs %s cores; %s has %s", in.id(t), coresText(need.Cores), in.WorkerName(w),
			coresText(limit.Cores))
	}
	return memory && cores
}

// checkShare follows the free part of a worker's memory, or of its cores, and reports the first task that finds too
// little. Each task fits alone, so nothing overflows.
func (in *Instance) checkShare(events []roomEvent, limit int64, of func(Amount) int64, report func(*roomEvent)) {
	if limit == Unlimited {
		return
	}
	free := limit
	for i := range events {
		e := &events[i]
		need := of(in.need[e.task])
		if !e.starts {
			free += need
			continue
		}
		if need > free {
			report(e)
			return
		}
		free -= need
	}
}
