package realtime

import (
	"strconv"
	"strings"

	"mrsched/model"
)

// names are the names of tasks in files.
type names struct {
	job  map[string]int32
	task map[string]int32 // maps, and partitions that the workload names
	part [][]string       // by job: the ids of its partitions, as the workload states them; nil: generated
}

// TaskCount is the number of maps and of partitions of all sets.
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

// PartitionName is the name of a partition inside its job.
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
