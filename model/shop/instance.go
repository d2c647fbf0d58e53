package shop

import (
	"fmt"
	"slices"

	"mrsched/model"
)

// Never is the due time of a job without a deadline.
const Never = model.MaxTime

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading.
type Instance struct {
	model.ViewDefaults
	model.WorkloadTasks
	model.Sources
	Objective Objective // of FlowTime WeightedEnds
	flow      bool      // the objective is FlowTime

	Jobs, Tasks int
	Steps       int // tasks, then barriers
	Nodes       int // that run tasks
	Classes     int // of alike nodes
	Resources   int // that have columns in the tables of capacities and demands

	// Identical says that the nodes are identical machines which run one task at a time: the problem msjo. Then nothing
	// else limits where and when tasks run, and jobs do not depend on each other.
	Identical bool

	Weight  []model.Weight // by job
	Release []model.Time   // by job
	Due     []model.Time   // by job: release + deadline, or Never
	Alone   []model.Time   // by job

	Resource []string // by resource: its name; those without columns come last
	named    int      // resources from this number on are those of the tables capacities and demands
	// Capacity is by class and resource: of class k it is Capacity[k·Resources + r]. Without a limit it is Unlimited. No
	// node has more than its groups.
	Capacity []int64
	demand   []int64 // by task and resource; of one task if all take the same

	Class                 []int32 // by node
	ClassFirst, ClassNode []int32 // the nodes of class k, in rising order, are ClassNode[ClassFirst[k]:ClassFirst[k+1]]

	// Least is by step: the least length on a node that may run it; for a fixed task, its length on its node; 0 for
	// barriers.
	Least []model.Time
	// TaskWeight is W_u by step: the task's own weight, or its job's if it states none; 0 for barriers.
	TaskWeight []model.Weight

	Job []int32 // by step
	// Earliest is by step: the release of its job or of the task, the later.
	Earliest []model.Time
	Head     []model.Time // by step; of a fixed task its start
	Tail     []model.Time // by step: to the end of its own job, and so not through dependencies

	// Arcs in compressed rows: those out of step u are SuccFirst[u] … SuccFirst[u+1]−1. No arc leads to a fixed task.
	SuccFirst []int32
	SuccStep  []int32
	SuccDelay []model.Time
	Preds     []int32 // by step: number of arcs into it
	// Topo lists the steps, each after its predecessors, and job by job if no jobs wait for each other. The steps of job
	// j are ofJobs[JobFirst[j]:JobEnd[j]].
	Topo, ofJobs     []int32
	JobFirst, JobEnd []int32

	// The calendar of node i is the intervals AwayFirst[i] … AwayFirst[i+1]−1: disjoint, not adjacent, in rising order.
	// An interval without an end ends at Never.
	AwayFirst           []int32
	AwayFrom, AwayUntil []model.Time

	// A fixed task has a node, else None, and a start, perhaps below 0. Both are by task, and empty if none is fixed.
	fixedNode  []int32
	fixedStart []model.Time

	lengths
	places
	groups
	reality

	nodeAt   []model.NodeIndex // by node: its row of the topology; None without a topology
	nodeOf   []int32           // by row of the topology; None: it runs nothing
	nodeName map[string]int32
	slots    slotNames // if Identical
	workload *model.Workload
	replan   *model.Replan // what the instance has to keep of an earlier schedule; nil: nothing

	remaining *Instance // under replan, on identical machines: the instance that certificates refer to
}

// New builds the instance. Errors are *model.InputError.
func New(w *model.Workload) (*Instance, error) { return build(w, nil) }

// NewIdentical builds an instance with a number of identical machines. With 0 it takes the workload's scalar
// `machines`, or else all slots of its topology. Errors are *model.InputError.
func NewIdentical(w *model.Workload, machines int64) (*Instance, error) {
	var found model.Findings
	in := empty(w)
	in.Identical = true
	in.identical(machines, &found)
	for k, d := range w.Delays {
		if x, y := &w.Tasks[d.From], &w.Tasks[d.To]; !w.WithinJob(d) {
			found.Add(model.Finding{Code: model.CodeOtherJob, Pos: w.Where(model.TableDelays, k),
				What:     fmt.Sprintf("delay from %q (job %q) to %q (job %q)", x.ID, w.Jobs[x.Job].ID, y.ID, w.Jobs[y.Job].ID),
				Expected: "two tasks of one job", Hint: "only problem cluster has delays between jobs"})
		}
	}
	in.taskTimes(&found)
	in.demandTasks(&found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.jobs()
	in.findStands()
	in.build()
	in.TaskWeight = append(in.TaskWeight, make([]model.Weight, in.Steps-in.Tasks)...)
	in.paths()
	return in, nil
}

func empty(w *model.Workload) *Instance {
	return &Instance{WorkloadTasks: model.TasksOf(w), Jobs: len(w.Jobs), Tasks: len(w.Tasks), Objective: WeightedEnds,
		workload: w}
}

// build builds the instance under a plan whose rows are judged; nil: none.
func build(w *model.Workload, p *model.Replan) (*Instance, error) {
	var found model.Findings
	in := empty(w)
	in.replan = p
	in.demandTasks(&found)
	in.nodes(&found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.resources(&found)
	given := in.givenTimes(&found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.classes(given)
	in.jobs()
	in.findStands()
	in.readPlaces()
	in.measure(given, &found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.calendar()
	in.begin()
	in.fix(&found)
	in.freeze()
	in.fastest(&found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.build()
	in.demandTime(&found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	in.paths()
	return in, nil
}

// demandTasks reports jobs without rows in the table tasks.
func (in *Instance) demandTasks(found *model.Findings) {
	w := in.workload
	listed := make([]bool, in.Jobs)
	for u := range w.Tasks {
		listed[w.Tasks[u].Job] = true
	}
	for j, ok := range listed {
		if !ok {
			found.Add(model.Finding{Code: model.CodeJobNoTasks, Pos: w.Where(model.TableJobs, j),
				What: fmt.Sprintf("job %q has no tasks", w.Jobs[j].ID), Expected: "at least one task",
				Hint: "this problem needs the table tasks"})
		}
	}
}

// jobs copies what belongs to single jobs.
func (in *Instance) jobs() {
	for j := range in.workload.Jobs {
		x := &in.workload.Jobs[j]
		due := Never
		if x.Deadline.Known {
			due = min(x.Release+x.Deadline.Value, Never)
		}
		in.Weight, in.Release, in.Due = append(in.Weight, x.Weight), append(in.Release, x.Release), append(in.Due, due)
	}
}

// Demands are what task u takes, by resource.
func (in *Instance) Demands(u int32) []int64 {
	if in.Identical {
		return in.demand
	}
	return in.demand[int(u)*in.Resources : (int(u)+1)*in.Resources]
}

// Needs is how much task u takes of any resource.
func (in *Instance) Needs(u, r int32) int64 {
	if int(r) < in.Resources {
		return in.Demands(u)[r]
	}
	for _, x := range in.Extra(u) {
		if x.resource == r {
			return x.amount
		}
	}
	return 0
}

// EachTake passes what task u takes of all resources.
func (in *Instance) EachTake(u int32, pass func(r int32, amount int64)) {
	for r, d := range in.Demands(u) {
		pass(int32(r), d)
	}
	for _, x := range in.Extra(u) {
		pass(x.resource, x.amount)
	}
}

// DemandTable is what tasks take, by task and resource.
func (in *Instance) DemandTable() []int64 {
	if in.Identical {
		return slices.Repeat(in.demand, in.Tasks)
	}
	return in.demand
}

// Capacities are what each node of class k has, by resource.
func (in *Instance) Capacities(k int32) []int64 {
	return in.Capacity[int(k)*in.Resources : (int(k)+1)*in.Resources]
}

// ClassNodes are the nodes of class k in rising order.
func (in *Instance) ClassNodes(k int32) []int32 {
	return in.ClassNode[in.ClassFirst[k]:in.ClassFirst[k+1]]
}

// Fits says whether an empty node of class k has room for task u.
func (in *Instance) Fits(u, k int32) bool {
	c := in.Capacities(k)
	for r, d := range in.Demands(u) {
		if d > c[r] {
			return false
		}
	}
	return true
}

// Runs says whether task u may run on node i, apart from calendars and what else runs there. A fixed task may run on
// its node only.
func (in *Instance) Runs(u, i int32) bool {
	if at := in.FixedNode(u); at != model.None {
		return at == i
	}
	return in.Allowed(u, i) && in.Length(u, i) >= 0 && in.Fits(u, in.Class[i])
}

// Fixed reports whether task u is fixed.
func (in *Instance) Fixed(u int32) bool { return in.FixedNode(u) != model.None }

// AnyFixed reports whether some task is fixed.
func (in *Instance) AnyFixed() bool {
	return slices.ContainsFunc(in.fixedNode, func(i int32) bool { return i != model.None })
}

// FixedNode is the node of a fixed task, or None.
func (in *Instance) FixedNode(u int32) int32 {
	if len(in.fixedNode) == 0 {
		return model.None
	}
	return in.fixedNode[u]
}

// FixedStart is the start of a fixed task, perhaps below 0.
func (in *Instance) FixedStart(u int32) model.Time { return in.fixedStart[u] }

// Workload is what the instance was built from.
func (in *Instance) Workload() *model.Workload { return in.workload }

// Size is the number of nodes.
func (in *Instance) Size() int { return in.Nodes }
