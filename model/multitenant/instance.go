package multitenant

import (
	"math"
	"slices"
	"sync"

	"mrsched/model"
)

// Options are the command line's settings for an instance.
type Options struct {
	// From and Until bound the time in which throughput, turn-around and traffic are measured; Until 0: the end.
	From, Until model.Time
}

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading. Tasks are all maps, job by
// job, then all reduces, job by job.
type Instance struct {
	model.ViewDefaults
	model.Cluster
	model.Sources
	Jobs, Maps, Tasks int
	From, Until       model.Time

	Racks     int
	RackOf    []int32   // by worker
	Bandwidth []int64   // by worker, bytes per second; 0: without limit
	Uplink    []int64   // by rack, bytes a second in each direction; 0: without limit
	Fabric    []int64   // by rack: the sum of its workers' bandwidths; 0: without limit
	Users     []string  // as they first appear
	UserOf    []int32   // by job
	Ratio     []float64 // by job: bytes written for each byte read; 0 if nothing is read

	Arrival  []model.Time  // by job
	FirstMap []int32       // maps of job j are tasks FirstMap[j] … FirstMap[j+1]−1
	Shuffled []model.Bytes // by job: V
	Input    []model.Bytes // by map
	Output   []model.Bytes // by map
	CPU      []float64     // by task: cores that count for its user's dominant share; 1 unless stated
	Memory   []model.Bytes // by task
	Cores    float64       // of all workers; a worker that states no cores has one per slot
	RAM      model.Bytes   // of all workers; 0: some worker does not state it
	Written  model.Bytes   // what all reduces write to other racks

	reduces       model.ReduceTasks
	release       []model.Time  // by task: the later of its own release and the job's; nil: always the job's
	written       []model.Bytes // by reduce: what it writes to another rack; nil: nothing
	need          []Amount      // by task; nil: every task fits everywhere, next to any others
	limit         []Amount      // by worker
	base          []float64     // by task: microseconds of computing at speed 1
	firstReplica  []int32       // by map
	replica       []int32       // workers
	rackName      []string
	rackAt        []model.NodeIndex // by rack: its row in the table topology, or None
	listed        []model.TaskIndex // by map: its row in the table tasks
	mapAt         map[string]int32
	work          *model.Workload
	workerAt      map[model.NodeIndex]int32
	lostReplicas  int
	unplacedTasks int
	relaxOnce     sync.Once
	relaxed       *Relaxation
}

// New builds the instance. Errors are *model.InputError.
func New(w *model.Workload, o Options) (*Instance, error) {
	var found model.Findings
	in := &Instance{Jobs: len(w.Jobs), From: o.From, Until: o.Until, work: w}
	in.Cluster = model.NewCluster(w, &found)
	in.racks(w)
	in.capacities(w)
	in.jobs(w, &found)
	in.releases(w)
	in.readWrites(w, &found)
	if in.Slots > 0 { // otherwise another finding says so
		in.demandSlots(w, &found)
	}
	if found.Empty() {
		in.amounts(w, &found)
	}
	if found.Empty() {
		in.demandHorizon(w, &found)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	return in, nil
}

// FirstReduce is the first reduce of a job among the tasks; those of job j are FirstReduce(j) … FirstReduce(j+1)−1.
func (in *Instance) FirstReduce(job int32) int32 { return int32(in.Maps) + in.reduces.First[job] }

// Reduces is R, the number of a job's reduces.
func (in *Instance) Reduces(job int32) int32 { return in.reduces.First[job+1] - in.reduces.First[job] }

// IsMap says whether a task is a map.
func (in *Instance) IsMap(task int32) bool { return int(task) < in.Maps }

// KindOf is the kind of slot that a task needs.
func (in *Instance) KindOf(task int32) model.TaskKind {
	if in.IsMap(task) {
		return model.Map
	}
	return model.Reduce
}

// JobOf is the job of a task.
func (in *Instance) JobOf(task int32) int32 {
	if in.IsMap(task) {
		return int32(in.work.Tasks[in.listed[task]].Job)
	}
	return in.reduces.JobOf(task - int32(in.Maps))
}

// Compute is the computing time of a task on a worker, without transfers.
func (in *Instance) Compute(task, worker int32) model.Time {
	return model.Time(math.Round(in.base[task] / in.Speed[worker]))
}

// Replicas are the workers that hold a map's block; none if it may run anywhere.
func (in *Instance) Replicas(task int32) []int32 {
	return in.replica[in.firstReplica[task]:in.firstReplica[task+1]]
}

// Locality is how near a map runs to its block; a map without a known block is local everywhere.
func (in *Instance) Locality(task, worker int32) model.Locality {
	replicas := in.Replicas(task)
	near := model.Remote
	if len(replicas) == 0 {
		return model.NodeLocal
	}
	for _, r := range replicas {
		if r == worker {
			return model.NodeLocal
		}
		if in.RackOf[r] == in.RackOf[worker] {
			near = model.RackLocal
		}
	}
	return near
}

// Source is the worker from which a map on a worker without a replica reads: the first replica in its rack, else a
// replica chosen round-robin by the map's number.
func (in *Instance) Source(task, worker int32) int32 {
	replicas := in.Replicas(task)
	for _, r := range replicas {
		if in.RackOf[r] == in.RackOf[worker] {
			return r
		}
	}
	return replicas[int(task)%len(replicas)]
}

// RackName is the id of a rack.
func (in *Instance) RackName(rack int32) string { return in.rackName[rack] }

// RackPosition is where the workload states a rack; nowhere without a topology.
func (in *Instance) RackPosition(rack int32) model.Position {
	if in.rackAt[rack] == model.None {
		return model.Position{}
	}
	return in.work.Where(model.TableTopology, int(in.rackAt[rack]))
}

// TaskCount is the number of maps and reduces.
func (in *Instance) TaskCount() int { return in.Tasks }

// TaskName is a task's id, that of its job, and its kind.
func (in *Instance) TaskName(i model.TaskIndex) (id, job string, kind model.TaskKind) {
	if t := int32(i); in.IsMap(t) {
		x := &in.work.Tasks[in.listed[t]]
		return x.ID, in.work.Jobs[x.Job].ID, model.Map
	}
	id, job = in.reduces.Name(int32(i) - int32(in.Maps))
	return id, job, model.Reduce
}

// FindTask is the task of an id.
func (in *Instance) FindTask(id string) (model.TaskIndex, bool) {
	if t, ok := in.mapAt[id]; ok {
		return model.TaskIndex(t), true
	}
	t, ok := in.reduces.Find(id)
	return model.TaskIndex(t + int32(in.Maps)), ok
}

func (in *Instance) id(task int32) string {
	id, _, _ := in.TaskName(model.TaskIndex(task))
	return id
}

// racks finds the rack of every worker: the nearest row of kind rack above it, else its parent; without a topology all
// workers share one.
func (in *Instance) racks(w *model.Workload) {
	in.RackOf, in.Bandwidth = make([]int32, in.Workers), make([]int64, in.Workers)
	at := map[model.NodeIndex]int32{}
	unlimited := []bool{}
	in.workerAt = make(map[model.NodeIndex]int32, in.Workers)
	for k, node := range in.Node {
		rack := model.NodeIndex(model.None)
		if node != model.None {
			in.workerAt[node] = int32(k)
			in.Bandwidth[k] = rate(w.Topology[node].Bandwidth)
			rack = w.Topology[node].Parent
			for up := rack; up != model.None; up = w.Topology[up].Parent {
				if w.Topology[up].Kind == model.RackNode {
					rack = up
					break
				}
			}
		}
		id, ok := at[rack]
		if !ok {
			id = int32(in.Racks)
			at[rack] = id
			in.Racks++
			name, uplink := "cluster", int64(0)
			if rack != model.None {
				name, uplink = w.Topology[rack].ID, rate(w.Topology[rack].Bandwidth)
			}
			in.rackAt = append(in.rackAt, rack)
			in.rackName, in.Uplink, in.Fabric = append(in.rackName, name), append(in.Uplink, uplink), append(in.Fabric, 0)
			unlimited = append(unlimited, false)
		}
		in.RackOf[k] = id
		in.Fabric[id] += in.Bandwidth[k]
		unlimited[id] = unlimited[id] || in.Bandwidth[k] == 0
	}
	for id := range in.Fabric {
		if unlimited[id] {
			in.Fabric[id] = 0
		}
	}
}

// capacities adds up the workers' cores and memory.
func (in *Instance) capacities(w *model.Workload) {
	cores, known := make([]float64, in.Workers), true
	for _, k := range in.WorkerOf {
		cores[k]++
	}
	for k, node := range in.Node {
		if node != model.None {
			cores[k] = w.Topology[node].CPU.Or(cores[k])
			memory := w.Topology[node].MemoryBytes
			known = known && memory.Known && memory.Value < math.MaxInt64-in.RAM
			in.RAM += memory.Or(0)
		} else {
			known = false
		}
		in.Cores += cores[k]
	}
	if !known {
		in.RAM = 0
	}
}

// rate is a bandwidth in whole bytes per second, at least 1; 0 if there is no limit or one beyond a terabyte per
// second.
func rate(b model.Optional[float64]) int64 {
	const most = 1e12
	if !b.Known || b.Value > most {
		return 0
	}
	return max(1, int64(math.Round(b.Value)))
}

// demandSlots requires slots for all tasks that have to run.
func (in *Instance) demandSlots(w *model.Workload, found *model.Findings) {
	for _, x := range []struct {
		tasks int
		kind  model.TaskKind
		first int32
	}{{in.Maps, model.Map, 0}, {in.Tasks - in.Maps, model.Reduce, int32(in.Maps)}} {
		if x.tasks > 0 && len(in.SlotsFor(x.kind)) == 0 {
			var conflict *model.Conflict
			if found.Empty() {
				conflict = model.NoSlot(x.kind, in.id(x.first))
			}
			found.Add(model.FewSlots(w, x.kind, conflict))
		}
	}
}

// demandHorizon requires that the time of any sensible schedule can be kept: all tasks and transfers one after another.
func (in *Instance) demandHorizon(w *model.Workload, found *model.Findings) {
	sum := 0.0
	slowest, narrowest := math.Inf(1), math.Inf(1)
	for k, v := range in.Speed {
		slowest = min(slowest, v)
		if in.Bandwidth[k] > 0 {
			narrowest = min(narrowest, float64(in.Bandwidth[k]))
		}
	}
	for _, u := range in.Uplink {
		if u > 0 {
			narrowest = min(narrowest, float64(u))
		}
	}
	for _, at := range slices.Concat(in.Arrival, in.release) {
		sum = max(sum, float64(at))
	}
	for _, b := range in.base {
		sum += b / slowest
	}
	volume := 0.0
	for m := range in.Maps {
		volume += float64(in.Input[m]) + float64(in.Output[m])
		sum += float64((float64(in.Input[m]) + float64(in.Output[m])) / narrowest * float64(model.Second))
	}
	volume += float64(in.Written)
	sum += float64(float64(in.Written) / narrowest * float64(model.Second))
	if volume > 1<<62 { // bytes across racks are added up
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.File(model.TableTasks),
			What: "what all tasks read and write adds up to more than can be kept", Expected: "less than 2^62 bytes"})
	}
	if sum > float64(model.MaxHorizon) {
		found.Add(model.BeyondHorizon(w.File(model.TableJobs),
			"releases, computing and transfers", "are times given in milliseconds?"))
	}
}
