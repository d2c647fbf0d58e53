package reduceplace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// Options are the command line's settings for an instance.
type Options struct {
	MaxRunning int64  // K; 0: the workload's, else no limit
	SlotCost   string // source of H, one of SlotCosts; empty: the table slots, else the topology's hops
	// Distances are h(u, v) by the height of the lowest common ancestor, from 1; none: the height itself.
	Distances []model.Cost
}

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading.
type Instance struct {
	model.ViewDefaults
	model.ReduceTasks
	model.Sources
	Jobs, Slots, Tasks int
	MaxRunning         int

	Cost []model.Cost // by slot, rising

	Arrival []model.Time  // by job
	Work    []model.Time  // by job
	Reduces []int32       // by job
	Bytes   []model.Bytes // by job: X_i
	Order   []int32       // jobs as they arrive; ties: the workload's order

	Start, End []model.Time // by job: when it holds its slots
	Present    []int32      // by job: jobs in the system when it arrived, itself not counted
	// Crowded counts the jobs that waited for slots although fewer than MaxRunning jobs ran.
	Crowded int

	source   string        // where slot costs come from, one of SlotCosts
	own      []model.Bytes // by task: x_ij; nil if all jobs split evenly
	split    []bool        // by job: x_ij = X_i/R_i
	slotName []string
	slotNode []string // by slot: where it is; may be empty
	slot     map[string]int32
	workload *model.Workload
}

// New builds the instance. Errors are *model.InputError.
func New(w *model.Workload, o Options) (*Instance, error) {
	var found model.Findings
	in := &Instance{Jobs: len(w.Jobs), workload: w, MaxRunning: len(w.Jobs)}
	if k := cmp.Or(o.MaxRunning, w.MaxRunningJobs.Or(0)); k > 0 {
		in.MaxRunning = int(min(k, int64(len(w.Jobs))))
	}
	in.slots(w, o, &found)
	in.jobs(w, &found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.simulate()
	return in, nil
}

// jobs reads what belongs to jobs and numbers their reduce tasks.
func (in *Instance) jobs(w *model.Workload, found *model.Findings) {
	n := len(w.Jobs)
	in.Arrival, in.Work, in.Reduces, in.Bytes = make([]model.Time, n), make([]model.Time, n), make([]int32, n),
		make([]model.Bytes, n)
	in.First, in.split = make([]int32, n+1), make([]bool, n)
	of := collect(w)
	slots, _ := w.Slots()
	for i := range w.Jobs {
		j, t := &w.Jobs[i], &of[i]
		in.Arrival[i] = j.Release
		in.Reduces[i] = t.reduces
		if r := int32(j.Reduces.Or(0)); t.reduces == 0 {
			in.Reduces[i] = r
		} else if j.Reduces.Known && r != t.reduces {
			found.Add(model.OtherReduceCount(w, i, int64(r), int64(t.reduces)))
		}
		in.number(w, i, found)
		in.work(w, i, t, max(1, model.Time(slots)), found)
		in.bytes(w, i, t, found)
	}
	in.Tasks = int(in.First[n])
	in.ReduceTasks = model.NewReduceTasks(w, in.First, found)
	in.given(w)
	in.Order = model.Indices(n)
	slices.SortStableFunc(in.Order, func(a, b int32) int { return cmp.Compare(in.Arrival[a], in.Arrival[b]) })
	var h model.Horizon
	latest := model.Time(0)
	for i, b := range in.Work {
		h.Add(b)
		latest = max(latest, in.Arrival[i])
	}
	if h.Add(latest); h.Over {
		found.Add(model.BeyondHorizon(w.File(model.TableJobs), "releases and map work", ""))
	}
}

// maxTasks bounds the reduces of an instance.
const maxTasks = 100_000_000

// number gives the reduces of a job their numbers.
func (in *Instance) number(w *model.Workload, i int, found *model.Findings) {
	if int(in.Reduces[i]) > in.Slots && in.Slots > 0 {
		found.Add(model.Finding{Code: model.CodeFewSlots, Pos: w.Where(model.TableJobs, i),
			What: fmt.Sprintf("job %q has %s; there %s %s", w.Jobs[i].ID, model.Counted(in.Reduces[i], "reduce"),
				model.Are(in.Slots), model.Counted(in.Slots, "reduce slot")),
			Expected: "slots for all reduces of a job at once", Conflict: crowded(w.Jobs[i].ID, in.Reduces[i], in.Slots)})
		in.Reduces[i] = 0
	}
	if in.Reduces[i] > maxTasks-in.First[i] {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, i),
			What:     fmt.Sprintf("up to job %q there are %d reduces", w.Jobs[i].ID, int64(in.First[i])+int64(in.Reduces[i])),
			Expected: fmt.Sprintf("at most %d", maxTasks)})
		in.Reduces[i] = 0
	}
	in.First[i+1] = in.First[i] + in.Reduces[i]
}

// crowded is the conflict of a job with too few slots.
func crowded(job string, reduces int32, slots int) *model.Conflict {
	return &model.Conflict{What: "no schedule exists: a job holds more reduce slots at once than there are", Minimal: true,
		Infeasible: true, Proof: fmt.Sprintf("%d > %d", reduces, slots),
		Members: []model.Demand{{Kind: string(model.TableJobs), ID: job,
			Text: fmt.Sprintf("job %s runs its %s at once, each on a slot of its own", job, model.Counted(reduces, "reduce"))},
			{Kind: string(model.TableSlots), Text: fmt.Sprintf("there %s %s", model.Are(slots),
				model.Counted(slots, "reduce slot"))}}}
}

// totals are sums over a job's listed tasks.
type totals struct {
	maps, reduces         int32
	mapTime, longest      model.Time
	untimed               bool        // a map has no time
	without               int         // the first such map
	made, read, fetched   model.Bytes // output of the maps, their input, input of the reduces
	makes, reads, fetches bool        // every one of them is known
	over                  bool        // the bytes overflow
}

// collect adds up the tasks of each job.
func collect(w *model.Workload) []totals {
	list := slices.Repeat([]totals{{makes: true, reads: true, fetches: true}}, len(w.Jobs))
	for u := range w.Tasks {
		x := &w.Tasks[u]
		t := &list[x.Job]
		if x.Kind == model.Reduce {
			t.reduces++
			t.add(&t.fetched, &t.fetches, x.InputBytes)
			continue
		}
		t.maps++
		t.mapTime += x.Processing.Value
		t.longest = max(t.longest, x.Processing.Value)
		if !x.Processing.Known && !t.untimed {
			t.untimed, t.without = true, u
		}
		t.add(&t.made, &t.makes, x.OutputBytes)
		t.add(&t.read, &t.reads, x.InputBytes)
	}
	return list
}

// add adds bytes to a sum of which known says whether all is known.
func (t *totals) add(sum *model.Bytes, known *bool, x model.Optional[model.Bytes]) {
	*known = *known && x.Known
	if x.Value > math.MaxInt64-*sum {
		t.over = true
		return
	}
	*sum += x.Value
}

// work is B_i: map_work, else the time of the job's maps over all map slots, but no less than its longest map takes. A
// job whose listed tasks are all reduces has none.
func (in *Instance) work(w *model.Workload, i int, t *totals, slots model.Time, found *model.Findings) {
	j := &w.Jobs[i]
	switch {
	case j.MapWork.Known:
		in.Work[i] = j.MapWork.Value
	case t.maps > 0 && !t.untimed:
		in.Work[i] = max(t.longest, (t.mapTime+slots-1)/slots)
		in.Take("tasks.processing_time", "topology.map_slots")
	case t.maps == 0 && t.reduces > 0:
	case t.untimed:
		found.Add(model.Finding{Code: model.CodeNoTime, Pos: w.Where(model.TableTasks, t.without),
			What:     fmt.Sprintf("map %q has no processing_time, and job %q no map_work", w.Tasks[t.without].ID, j.ID),
			Expected: "processing_time of every map, or map_work of the job"})
	default:
		found.Add(model.Finding{Code: model.CodeJobData, Pos: w.Where(model.TableJobs, i),
			What:     fmt.Sprintf("job %q has no map_work", j.ID),
			Expected: "seconds", Hint: "or list its maps with their processing_time, or leave the job out of the instance"})
	}
}

// bytes is X_i: intermediate_bytes, else what the job's reduces fetch, else the output of its maps, else shuffle_ratio
// times their input.
func (in *Instance) bytes(w *model.Workload, i int, t *totals, found *model.Findings) {
	j := &w.Jobs[i]
	in.split[i] = t.reduces == 0 || !t.fetches
	if t.over {
		found.Add(model.Finding{Code: model.CodeOverflow, Pos: w.Where(model.TableJobs, i),
			What:     fmt.Sprintf("the bytes of the tasks of job %q add up to more than can be kept", j.ID),
			Expected: "a sum of less than 2^63"})
	}
	switch {
	case in.Reduces[i] == 0: // nothing to fetch
	case !in.split[i]:
		in.Bytes[i] = t.fetched
		if j.IntermediateBytes.Known && t.fetched == 0 {
			in.Bytes[i], in.split[i] = j.IntermediateBytes.Value, true
			in.Take("jobs.intermediate_bytes")
		} else {
			in.Take("tasks.input_bytes")
		}
	case j.IntermediateBytes.Known:
		in.Bytes[i] = j.IntermediateBytes.Value
		in.Take("jobs.intermediate_bytes")
	case t.maps > 0 && t.makes:
		in.Bytes[i] = t.made
		in.Take("tasks.output_bytes")
	case t.maps > 0 && t.reads && j.ShuffleRatio.Known && float64(t.read)*j.ShuffleRatio.Value < 1<<62:
		in.Bytes[i] = model.Bytes(math.Round(float64(t.read) * j.ShuffleRatio.Value))
		in.Take("tasks.input_bytes", "jobs.shuffle_ratio")
	default:
		found.Add(model.Finding{Code: model.CodeJobData, Pos: w.Where(model.TableJobs, i),
			What:     fmt.Sprintf("job %q has no intermediate_bytes", j.ID),
			Expected: "bytes", Hint: "or list its reduces with input_bytes, or its maps with output_bytes, or leave the job " +
				"out of the instance"})
	}
}

// given keeps the bytes of each listed reduce, where they are known.
func (in *Instance) given(w *model.Workload) {
	for t := range int32(in.Tasks) {
		if row := in.Row(t); row != model.None && !in.split[w.Tasks[row].Job] {
			if in.own == nil {
				in.own = make([]model.Bytes, in.Tasks)
			}
			in.own[t] = w.Tasks[row].InputBytes.Value
		}
	}
}

// Data is how much a task of a job fetches: bytes over parts.
func (in *Instance) Data(job int32, task int32) (bytes model.Bytes, parts int64) {
	if in.split[job] {
		return in.Bytes[job], int64(in.Reduces[job])
	}
	return in.own[task], 1
}

// Uneven reports whether the tasks of a job fetch different, individually known amounts.
func (in *Instance) Uneven(job int32) bool { return !in.split[job] }

// TaskCount is the number of reduce tasks, listed in the workload or not.
func (in *Instance) TaskCount() int { return in.Tasks }

// Scheduled equals TaskCount: schedules place all tasks.
func (in *Instance) Scheduled() int { return in.Tasks }

// TaskName is a reduce task's name: its id in the table tasks, else its job's with ".r1", ".r2", …
func (in *Instance) TaskName(t model.TaskIndex) (id, job string, kind model.TaskKind) {
	id, job = in.Name(int32(t))
	return id, job, model.Reduce
}

// FindTask finds a reduce task by name.
func (in *Instance) FindTask(id string) (model.TaskIndex, bool) {
	t, ok := in.Find(id)
	return model.TaskIndex(t), ok
}

// JobID is the id of a job.
func (in *Instance) JobID(job int32) string { return in.workload.Jobs[job].ID }

// Size is the number of slots.
func (in *Instance) Size() int { return in.Slots }

// MachineName is the name of a slot.
func (in *Instance) MachineName(s int32) string { return in.slotName[s] }

// Machine finds a slot by name.
func (in *Instance) Machine(name string) (int32, bool) {
	s, ok := in.slot[name]
	return s, ok
}

// Node is the node of a slot; empty if it is unknown.
func (in *Instance) Node(s int32) string { return in.slotNode[s] }
