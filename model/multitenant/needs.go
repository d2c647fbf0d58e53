package multitenant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// Amount is memory and cores: what a task needs, or what a worker has.
type Amount struct {
	Memory model.Bytes
	Cores  int64 // millionths
}

// Unlimited is the memory, or the cores, of a worker whose node states none.
const Unlimited = -1

// coreUnit is the unit in which cores are counted, and mostCores the most that can be counted.
const (
	coreUnit  = 1e6
	mostCores = 1e12
)

// Within says whether an amount is at most a limit.
func (a Amount) Within(limit Amount) bool {
	return (limit.Memory == Unlimited || a.Memory <= limit.Memory) && (limit.Cores == Unlimited || a.Cores <= limit.Cores)
}

// Limited says whether some node states memory, or cores, that some task needs.
func (in *Instance) Limited() bool { return in.need != nil }

// Need is a task's need on its worker from its start to its end; only for a limited instance.
func (in *Instance) Need(task int32) Amount { return in.need[task] }

// Limit is a worker's capacity; only for a limited instance.
func (in *Instance) Limit(worker int32) Amount { return in.limit[worker] }

// Holds says whether a worker can hold a task alone.
func (in *Instance) Holds(worker, task int32) bool {
	return in.need == nil || in.need[task].Within(in.limit[worker])
}

// Release is when a task may start at the earliest: its job's release, or its own if that is later.
func (in *Instance) Release(task int32) model.Time {
	if in.release == nil {
		return in.Arrival[in.JobOf(task)]
	}
	return in.release[task]
}

// Staggered says whether some task is released later than its job.
func (in *Instance) Staggered() bool { return in.release != nil }

// row is a task's row in the table tasks, or None.
func (in *Instance) row(task int32) model.TaskIndex {
	if in.IsMap(task) {
		return in.listed[task]
	}
	return in.reduces.Row(task - int32(in.Maps))
}

// releases reads the tasks' own releases.
func (in *Instance) releases(w *model.Workload) {
	for t := range int32(in.Tasks) {
		row := in.row(t)
		if row == model.None {
			continue
		}
		own := w.Tasks[row].Release.Or(0)
		if own <= in.Arrival[in.JobOf(t)] {
			continue
		}
		if in.release == nil {
			in.release = make([]model.Time, in.Tasks)
			for u := range in.release {
				in.release[u] = in.Arrival[in.JobOf(int32(u))]
			}
		}
		in.release[t] = own
	}
}

// amounts reads the capacities of nodes and the needs of tasks, and requires that each task fits on some node with a
// slot for it.
func (in *Instance) amounts(w *model.Workload, found *model.Findings) {
	in.limit = make([]Amount, in.Workers)
	any := Amount{Unlimited, Unlimited} // 0 where some node states a value
	for k, node := range in.Node {
		in.limit[k] = Amount{Unlimited, Unlimited}
		if node == model.None {
			continue
		}
		n := &w.Topology[node]
		if n.MemoryBytes.Known {
			in.limit[k].Memory, any.Memory = n.MemoryBytes.Value, 0
		}
		if n.CPU.Known {
			in.limit[k].Cores, any.Cores = cores(n.CPU.Value, w.Where(model.TableTopology, int(node)), found), 0
		}
	}
	for t := range int32(in.Tasks) {
		row := in.row(t)
		if row == model.None {
			continue
		}
		x, a := &w.Tasks[row], Amount{}
		if any.Memory == 0 {
			a.Memory = x.MemoryBytes.Or(0)
		}
		if any.Cores == 0 {
			a.Cores = cores(x.CPU.Or(0), w.Where(model.TableTasks, int(row)), found)
		}
		if a.Memory > 0 {
			in.Take("tasks.memory_bytes", "topology.memory_bytes")
		}
		if a.Cores > 0 {
			in.Take("tasks.cpu", "topology.cpu")
		}
		if a == (Amount{}) {
			continue
		}
		if in.need == nil {
			in.need = make([]Amount, in.Tasks)
		}
		in.need[t] = a
	}
	if in.need != nil {
		in.demandRoom(w, found)
	}
}

// cores is a number of cores in millionths, rounded once.
func cores(v float64, at model.Position, found *model.Findings) int64 {
	if v > mostCores {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: at,
			What: fmt.Sprintf("%g cores are more than can be counted", v), Expected: fmt.Sprintf("at most %g", mostCores)})
		return 0
	}
	return int64(math.Round(v * coreUnit))
}

// demandRoom requires, for every task, a node with a slot of its kind that can hold it alone.
func (in *Instance) demandRoom(w *model.Workload, found *model.Findings) {
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		var limits []Amount // of workers with such slots, each once
		for _, slot := range in.SlotsFor(kind) {
			if l := in.limit[in.WorkerOf[slot]]; !slices.Contains(limits, l) {
				limits = append(limits, l)
			}
		}
		fits := map[Amount]bool{}
		for t := range int32(in.Tasks) {
			if in.KindOf(t) != kind || in.need[t] == (Amount{}) {
				continue
			}
			ok, known := fits[in.need[t]]
			if !known {
				ok = slices.ContainsFunc(limits, in.need[t].Within)
				fits[in.need[t]] = ok
			}
			if !ok {
				in.reportRoom(w, t, limits, found)
			}
		}
	}
}

// reportRoom reports a task that fits on no node with a slot for it.
func (in *Instance) reportRoom(w *model.Workload, t int32, limits []Amount, found *model.Findings) {
	kind, need := in.KindOf(t), in.need[t]
	most := limits[0]
	for _, l := range limits[1:] { // as unsigned integers, Unlimited is more than any limit
		most.Memory = model.Bytes(max(uint64(most.Memory), uint64(l.Memory)))
		most.Cores = int64(max(uint64(most.Cores), uint64(l.Cores)))
	}
	what, short := "no such node has both", "memory_bytes"
	if !(Amount{Memory: need.Memory}).Within(most) {
		what = fmt.Sprintf("the largest such node has %s bytes", most.Memory)
	} else if !(Amount{Cores: need.Cores}).Within(most) {
		what, short = fmt.Sprintf("the largest such node has %s cores", coresText(most.Cores)), "cpu"
	}
	needs := fmt.Sprintf("%s bytes of memory", need.Memory)
	switch {
	case need.Memory == 0:
		needs = fmt.Sprintf("%s cores", coresText(need.Cores))
	case need.Cores > 0:
		needs += fmt.Sprintf(" and %s cores", coresText(need.Cores))
	}
	found.Add(model.Finding{Code: model.CodeNoRoom, Pos: w.Where(model.TableTasks, int(in.row(t))),
		What: fmt.Sprintf("%s %q needs %s, and no node with a %s slot can hold it: %s", kind, in.id(t), needs, kind,
			what),
		Expected: fmt.Sprintf("a node with a %s slot and that much memory_bytes and cpu", kind),
		Hint:     w.RoomHint(short), Like: what,
		Conflict: model.NoRoom(kind, in.id(t), needs)})
}

// coresText prints millionths of cores.
func coresText(millionths int64) string { return model.FormatFixed(millionths, 6) }

// checkRoom requires that no worker ever lacks the memory or the cores for all tasks that run on it, maps and reduces
// together. A task runs from its start up to, but not at, its end; one that takes no time must fit alone. It reports
// the first shortage of each worker.
func (in *Instance) checkRoom(s *model.Schedule, found *model.Violations) {
	if !in.Limited() {
		return
	}
	on := make([][]model.Entry, in.Workers)
	for _, e := range s.Entries {
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		if in.need[t] == (Amount{}) {
			continue
		}
		if in.checkAlone(t, w, found); e.End > e.Start {
			on[w] = append(on[w], e)
		}
	}
	memory, cores := func(a Amount) int64 { return int64(a.Memory) }, func(a Amount) int64 { return a.Cores }
	for w, starts := range on {
		slices.SortFunc(starts, func(a, b model.Entry) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Task, b.Task))
		})
		ends := slices.SortedFunc(slices.Values(starts), func(a, b model.Entry) int { return cmp.Compare(a.End, b.End) })
		limit, name := in.limit[w], in.WorkerName(int32(w))
		if e, short := in.shortage(starts, ends, int64(limit.Memory), memory); short {
			found.Add(model.CodeMemory, "from %s on, with task %q, the tasks on %s need more memory than its %s bytes",
				e.Start, in.id(int32(e.Task)), name, limit.Memory)
		}
		if e, short := in.shortage(starts, ends, limit.Cores, cores); short {
			found.Add(model.CodeCores, "from %s on, with task %q, the tasks on %s need more cores than its %s",
				e.Start, in.id(int32(e.Task)), name, coresText(limit.Cores))
		}
	}
}

// checkAlone requires that a worker has what a task needs.
func (in *Instance) checkAlone(t, w int32, found *model.Violations) {
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
}

// shortage tracks the free part of a worker's memory, or of its cores, and finds the first task for which it is too
// little. It passes over tasks that need more than all of it, which checkAlone reports, so nothing overflows.
func (in *Instance) shortage(starts, ends []model.Entry, limit int64, of func(Amount) int64) (model.Entry, bool) {
	free, k := limit, 0
	for _, e := range starts {
		need := of(in.need[e.Task])
		if limit == Unlimited || need > limit {
			continue
		}
		for ; k < len(ends) && ends[k].End <= e.Start; k++ {
			if over := of(in.need[ends[k].Task]); over <= limit {
				free += over
			}
		}
		if need > free {
			return e, true
		}
		free -= need
	}
	return model.Entry{}, false
}
