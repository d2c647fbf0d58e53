package realtime

import (
	"fmt"
	"strconv"
	"strings"

	"mrsched/model"
)

// maxSlots bounds the slots of an instance.
const maxSlots = 10_000_000

// cluster reads the workers: the topology's nodes that have slots, else identical machines with one slot of each kind.
func (in *Instance) cluster(w *model.Workload, found *model.Findings) {
	in.names.node = map[int32]model.NodeIndex{}
	if !w.HasTopology {
		n := w.Machines.Or(0)
		if n == 0 || n > maxSlots/2 {
			found.Add(model.Finding{Code: model.CodeNoMachines, What: fmt.Sprintf("the workload has no topology and %d machines", n),
				Expected: fmt.Sprintf("workers: a topology, or from 1 to %d machines", maxSlots/2), Hint: "fill the table topology"})
			return
		}
		for i := range n {
			in.worker("m"+strconv.FormatInt(i+1, 10), model.None, 1, 1, 1)
		}
		return
	}
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind != model.HostNode || n.MapSlots+n.ReduceSlots == 0 {
			continue
		}
		if left := int64(maxSlots - in.Slots); n.MapSlots > left || n.ReduceSlots > left-n.MapSlots {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableTopology, i), What: fmt.Sprintf("up to node %q there are more than %d slots", n.ID, maxSlots), Expected: "fewer"})
			return
		}
		in.worker(n.ID, model.NodeIndex(i), n.Speed.Or(1), n.MapSlots, n.ReduceSlots)
	}
	if in.Slots == 0 {
		found.Add(model.Finding{Code: model.CodeNoMachines, Pos: model.Position{File: w.Where(model.TableTopology, 0).File}, What: "no node of the topology has a slot",
			Expected: "nodes with map_slots or reduce_slots"})
	}
}

// worker adds a worker and its slots. The only slot of a worker has its name; several are named worker/m1, …, worker/r1, ….
func (in *Instance) worker(name string, node model.NodeIndex, speed float64, maps, reduces int64) {
	id := int32(in.Workers)
	in.Workers++
	in.Speed = append(in.Speed, speed)
	in.names.worker = append(in.names.worker, name)
	in.names.node[id] = node
	for _, s := range []struct {
		kind  model.TaskKind
		count int64
		mark  string
		list  *[]int32
	}{{model.Map, maps, "/m", &in.MapSlots}, {model.Reduce, reduces, "/r", &in.ReduceSlots}} {
		for k := range s.count {
			slot := name
			if maps+reduces > 1 {
				slot += s.mark + strconv.FormatInt(k+1, 10)
			}
			*s.list = append(*s.list, int32(in.Slots))
			in.Slots++
			in.WorkerOf, in.SlotKind = append(in.WorkerOf, id), append(in.SlotKind, s.kind)
			in.names.slot = append(in.names.slot, slot)
		}
	}
}

// names are what files call slots, workers and tasks.
type names struct {
	slot, worker []string
	node         map[int32]model.NodeIndex // by worker
	slotAt       map[string]int32
	job          map[string]int32
	task         map[string]int32 // maps, and partitions that the workload names
	part         [][]string       // by job: the ids of its partitions, as the workload states them; nil: generated
}

// WorkerName is the id of a worker.
func (in *Instance) WorkerName(worker int32) string { return in.names.worker[worker] }

// Size is the number of slots.
func (in *Instance) Size() int { return in.Slots }

// MachineName is the name of a slot.
func (in *Instance) MachineName(i int32) string { return in.names.slot[i] }

// Machine is the slot of a name.
func (in *Instance) Machine(name string) (int32, bool) {
	s, ok := in.names.slotAt[name]
	return s, ok
}

// TaskCount is the number of maps and partitions, those of all sets.
func (in *Instance) TaskCount() int { return in.Tasks }

// TaskName is a task's id, that of its job, and its kind. Partitions are called job/partition; those of sketch row k
// job/hk.partition.
func (in *Instance) TaskName(i model.TaskIndex) (id, job string, kind model.TaskKind) {
	t := int32(i)
	j := in.jobOf[t]
	job = in.work.Jobs[j].ID
	if k := in.listed[t]; k != model.None {
		return in.work.Tasks[k].ID, job, in.work.Tasks[k].Kind
	}
	return job + "/" + in.PartitionName(t), job, model.Reduce
}

// PartitionName is what a partition is called inside its job.
func (in *Instance) PartitionName(task int32) string {
	if k := in.listed[task]; k != model.None {
		return in.work.Tasks[k].ID
	}
	s := in.SetOf(task)
	if ids := in.names.part[s.Job]; ids != nil {
		return ids[task-s.First]
	}
	name := "p" + strconv.Itoa(int(task-s.First)+1)
	if s.Row > 0 {
		name = "h" + strconv.Itoa(int(s.Row)) + "." + name
	}
	return name
}

// FindTask is the task of an id.
func (in *Instance) FindTask(id string) (model.TaskIndex, bool) {
	if t, ok := in.names.task[id]; ok {
		return model.TaskIndex(t), true
	}
	t, ok := in.generated(id)
	return model.TaskIndex(t), ok
}

// generated is the partition of a generated name.
func (in *Instance) generated(id string) (int32, bool) {
	cut := strings.LastIndexByte(id, '/')
	if cut < 0 {
		return 0, false
	}
	j, ok := in.names.job[id[:cut]]
	if !ok || in.names.part[j] != nil {
		return 0, false
	}
	name, row := id[cut+1:], int64(0)
	if rest, isRow := strings.CutPrefix(name, "h"); isRow {
		digits, after, _ := strings.Cut(rest, ".")
		var err error
		if row, err = strconv.ParseInt(digits, 10, 32); err != nil || row < 1 {
			return 0, false
		}
		name = after
	}
	digits, isPart := strings.CutPrefix(name, "p")
	k, err := strconv.ParseInt(digits, 10, 32)
	if !isPart || err != nil || row >= int64(len(in.SetsOf(j))) {
		return 0, false
	}
	s := in.SetsOf(j)[row]
	t := s.First + int32(k) - 1
	if k < 1 || k > int64(s.Count) || in.listed[t] != model.None {
		return 0, false
	}
	again, _, _ := in.TaskName(model.TaskIndex(t))
	return t, again == id // not p01
}
