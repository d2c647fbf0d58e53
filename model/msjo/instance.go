package msjo

import (
	"fmt"

	"mrsched/model"
)

// MaxMachines bounds the number of machines of an instance.
const MaxMachines = 10_000_000

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading.
type Instance struct {
	model.ViewDefaults
	model.WorkloadTasks
	model.Sources
	Machines int
	Jobs     int
	Tasks    int
	Nodes    int // tasks, then barriers

	Objective Objective

	Weight []model.Weight // by job
	Alone  []model.Time   // by job

	Job        []int32      // by node
	Processing []model.Time // by node; 0 for barriers
	// TaskWeight is W_u by node: the task's own weight, or its job's if it states none; 0 for barriers.
	TaskWeight []model.Weight
	Earliest   []model.Time // by node
	Head       []model.Time // by node
	Tail       []model.Time // by node

	// Arcs in compressed rows: those out of node u are SuccFirst[u] … SuccFirst[u+1]−1.
	SuccFirst []int32
	SuccNode  []int32
	SuccDelay []model.Time
	Preds     []int32 // by node: number of arcs into it

	// Topo lists the nodes job by job, each after its predecessors. Job j has Topo[JobFirst[j]:JobFirst[j+1]].
	Topo     []int32
	JobFirst []int32

	names    machineNames
	workload *model.Workload
	refuted  *refutations

	replan    *model.Replan
	remaining *Instance // under replan: the instance that certificates refer to
}

// New builds the instance for a number of machines. With 0 it takes the workload's scalar `machines`, or else all slots
// of its topology. Errors are *model.InputError.
func New(w *model.Workload, machines int64) (*Instance, error) {
	var found model.Findings
	in := &Instance{WorkloadTasks: model.TasksOf(w), Jobs: len(w.Jobs), Tasks: len(w.Tasks), Objective: JobObjective,
		workload: w, refuted: &refutations{}}
	in.Machines = machineCount(w, machines, &found)
	if machines == 0 && !w.Machines.Known {
		in.names = namesOf(w, &found)
	}
	listed := make([]bool, in.Jobs) // the job has rows in tasks
	for u := range w.Tasks {
		listed[w.Tasks[u].Job] = true
		if t := &w.Tasks[u]; !t.Processing.Known {
			found.Add(model.Finding{Code: model.CodeNoTime, Pos: w.Where(model.TableTasks, u),
				What: fmt.Sprintf("task %q has no processing_time", t.ID), Expected: "seconds", Like: "processing_time"})
		}
	}
	for j, ok := range listed {
		if !ok {
			found.Add(model.Finding{Code: model.CodeJobNoTasks, Pos: w.Where(model.TableJobs, j),
				What: fmt.Sprintf("job %q has no tasks", w.Jobs[j].ID), Expected: "at least one task",
				Hint: "this problem needs the table tasks"})
		}
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.build(w)
	in.paths()
	return in, nil
}

func machineCount(w *model.Workload, machines int64, found *model.Findings) int {
	m := machines
	if m == 0 {
		maps, reduces := w.Slots()
		m = w.Machines.Or(maps + reduces)
	}
	if m <= 0 {
		found.Add(model.NoMachines(w, ", or set `machines` in the workload, or pass --machines N"))
	}
	if m > MaxMachines {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.File(model.TableJobs),
			What: fmt.Sprintf("%d machines", m), Expected: fmt.Sprintf("at most %d", MaxMachines)})
	}
	return int(m)
}

// build lays out nodes and arcs.
func (in *Instance) build(w *model.Workload) {
	general := make([]bool, in.Jobs) // jobs with rows of delays
	for _, d := range w.Delays {
		general[w.Tasks[d.From].Job] = true
	}
	maps, reduces := make([]int32, in.Jobs), make([]int32, in.Jobs)
	for u := range w.Tasks {
		if w.Tasks[u].Kind == model.Map {
			maps[w.Tasks[u].Job]++
		} else {
			reduces[w.Tasks[u].Job]++
		}
	}
	barrier := make([]int32, in.Jobs)
	in.Nodes = in.Tasks
	for j := range barrier {
		barrier[j] = model.None
		if !general[j] && maps[j] > 0 && reduces[j] > 0 {
			barrier[j] = int32(in.Nodes)
			in.Nodes++
		}
	}
	in.fill(w, barrier)
	in.arcs(w, barrier)
	in.order()
}

// fill copies the attributes of nodes and jobs.
func (in *Instance) fill(w *model.Workload, barrier []int32) {
	in.Weight = make([]model.Weight, in.Jobs)
	in.Job = make([]int32, in.Nodes)
	in.Processing = make([]model.Time, in.Nodes)
	in.Earliest = make([]model.Time, in.Nodes)
	in.TaskWeight = make([]model.Weight, in.Nodes)
	for j := range w.Jobs {
		in.Weight[j] = w.Jobs[j].Weight
		if b := barrier[j]; b != model.None {
			in.Job[b] = int32(j)
			in.Earliest[b] = w.Jobs[j].Release
		}
	}
	for u := range w.Tasks {
		t := &w.Tasks[u]
		in.Job[u] = int32(t.Job)
		in.Processing[u] = t.Processing.Value
		in.TaskWeight[u] = t.Weight.Or(w.Jobs[t.Job].Weight)
		in.Earliest[u] = max(w.Jobs[t.Job].Release, t.Release.Or(0))
		if t.Kind == model.Map && barrier[t.Job] != model.None && t.ShuffleDelay > 0 {
			in.Take("tasks.shuffle_delay")
		}
	}
}

// arcs builds the compressed rows: map → barrier with its shuffle delay, barrier → reduce without
// delay, and the rows of delays.
func (in *Instance) arcs(w *model.Workload, barrier []int32) {
	each := func(visit func(from, to int32, delay model.Time)) {
		for u := range w.Tasks {
			t := &w.Tasks[u]
			b := barrier[t.Job]
			switch {
			case b == model.None:
			case t.Kind == model.Map:
				visit(int32(u), b, t.ShuffleDelay)
			default:
				visit(b, int32(u), 0)
			}
		}
		for _, d := range w.Delays {
			visit(int32(d.From), int32(d.To), d.Delay)
		}
	}
	in.SuccFirst = make([]int32, in.Nodes+1)
	in.Preds = make([]int32, in.Nodes)
	each(func(from, to int32, _ model.Time) {
		in.SuccFirst[from+1]++
		in.Preds[to]++
	})
	for u := range in.Nodes {
		in.SuccFirst[u+1] += in.SuccFirst[u]
	}
	next := append([]int32(nil), in.SuccFirst[:in.Nodes]...)
	in.SuccNode = make([]int32, in.SuccFirst[in.Nodes])
	in.SuccDelay = make([]model.Time, in.SuccFirst[in.Nodes])
	each(func(from, to int32, delay model.Time) {
		in.SuccNode[next[from]], in.SuccDelay[next[from]] = to, delay
		next[from]++
	})
}

// order fills Topo and JobFirst: Kahn's algorithm inside each job, lower index first.
func (in *Instance) order() {
	in.JobFirst = make([]int32, in.Jobs+1)
	for _, j := range in.Job {
		in.JobFirst[j+1]++
	}
	for j := range in.Jobs {
		in.JobFirst[j+1] += in.JobFirst[j]
	}
	in.Topo = make([]int32, in.Nodes)
	end := append([]int32(nil), in.JobFirst[:in.Jobs]...)
	waiting := append([]int32(nil), in.Preds...)
	push := func(u int32) {
		in.Topo[end[in.Job[u]]] = u
		end[in.Job[u]]++
	}
	for u, n := range in.Preds {
		if n == 0 {
			push(int32(u))
		}
	}
	for j := range in.Jobs {
		for k := in.JobFirst[j]; k < end[j]; k++ {
			u := in.Topo[k]
			for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
				v := in.SuccNode[a]
				if waiting[v]--; waiting[v] == 0 {
					push(v)
				}
			}
		}
	}
}

// paths computes heads, tails and the completion of every job on an empty cluster.
func (in *Instance) paths() {
	in.Head = append([]model.Time(nil), in.Earliest...)
	in.Tail = make([]model.Time, in.Nodes)
	in.Alone = make([]model.Time, in.Jobs)
	for _, u := range in.Topo {
		end := in.Head[u] + in.Processing[u]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccNode[a]
			in.Head[v] = max(in.Head[v], end+in.SuccDelay[a])
		}
	}
	for k := len(in.Topo) - 1; k >= 0; k-- {
		u := in.Topo[k]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccNode[a]
			in.Tail[u] = max(in.Tail[u], in.SuccDelay[a]+in.Processing[v]+in.Tail[v])
		}
		j := in.Job[u]
		in.Alone[j] = max(in.Alone[j], in.Head[u]+in.Processing[u]+in.Tail[u])
	}
}

// TwiceMidpoint is 2·e_u: twice the latest midpoint of task u if its job completes at Alone.
func (in *Instance) TwiceMidpoint(u int32) int64 {
	return 2*int64(in.Alone[in.Job[u]]-in.Tail[u]) - int64(in.Processing[u])
}

// JobNodes are job j's nodes in topological order.
func (in *Instance) JobNodes(j int) []int32 { return in.Topo[in.JobFirst[j]:in.JobFirst[j+1]] }

// Workload is the workload from which the instance was built.
func (in *Instance) Workload() *model.Workload { return in.workload }

// Ordered reports whether no task is longer than a successor: p_u ≤ p_v on every precedence path. MarS has factor 3
// under this premise.
func (in *Instance) Ordered() bool {
	longest := make([]model.Time, in.Nodes) // of a node and its ancestors
	for _, u := range in.Topo {
		if u < int32(in.Tasks) {
			if longest[u] > in.Processing[u] {
				return false
			}
			longest[u] = in.Processing[u]
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccNode[a]
			longest[v] = max(longest[v], longest[u])
		}
	}
	return true
}

// Size is the number of machines.
func (in *Instance) Size() int { return in.Machines }
