package model

// Dense indices. Ids are the user's strings; indices are positions in the tables of a Workload.
type (
	JobIndex   int32
	TaskIndex  int32
	BlockIndex int32
	NodeIndex  int32
)

// None is the index of nothing: a task without a block, the root's parent.
const None = -1

// TaskKind distinguishes maps from reduces.
type TaskKind uint8

// The kinds of task.
const (
	Map TaskKind = iota
	Reduce
)

// String is the kind's name in files.
func (k TaskKind) String() string {
	if k == Reduce {
		return "reduce"
	}
	return "map"
}

// NodeKind is the level of a topology node.
type NodeKind uint8

// The kinds of topology nodes, from the top.
const (
	RootNode NodeKind = iota
	SwitchNode
	RackNode
	HostNode
)

// nodeKindNames are the kinds' names in files, by NodeKind.
var nodeKindNames = []string{"root", "switch", "rack", "node"}

// String is the kind's name in files.
func (k NodeKind) String() string { return nodeKindNames[k] }

// NodeKindNames lists the names of node kinds as files state them.
func NodeKindNames() []string { return append([]string(nil), nodeKindNames...) }

// Job is one row of the table jobs.
type Job struct {
	ID                string
	Release           Time
	Weight            Weight
	Deadline          Optional[Time]
	Tenant            string
	Class             string
	Reduces           Optional[int64]
	IntermediateBytes Optional[Bytes]
	MapWork           Optional[Time]
	ShuffleRatio      Optional[float64]
	// Partitions is the number of partitions into which the job's keys are hashed.
	Partitions Optional[int64]
	// TaskOverhead is the time of a map or a partition on a machine of speed 1 regardless of its size; MapRate and
	// ReduceRate are the bytes that such a machine processes in a second.
	TaskOverhead        Optional[Time]
	MapRate, ReduceRate Optional[float64]
	// RecordedCompletion is when the job ended in the trace that it was imported from.
	RecordedCompletion Optional[Time]
}

// ImpliesReduces says whether the job has tasks without rows in the table tasks.
func (j *Job) ImpliesReduces() bool { return j.Reduces.Or(0) > 0 }

// Task is one row of the table tasks.
type Task struct {
	ID           string
	Job          JobIndex
	Block        BlockIndex // None if it reads no block or an unknown one
	Kind         TaskKind
	Processing   Optional[Time]
	ShuffleDelay Time
	Weight       Optional[Weight]
	Release      Optional[Time]
	InputBytes   Optional[Bytes]
	OutputBytes  Optional[Bytes]
	CPU          Optional[float64]
	MemoryBytes  Optional[Bytes]
	// RecordedNode is the node on which the task ran in the trace, as the trace names it.
	RecordedNode string
	// RecordedStart is when it started there; it ran for Processing, or as long as that node needs.
	RecordedStart Optional[Time]
}

// Delay is one row of the table delays: To starts at least Delay after From ends.
type Delay struct {
	From, To TaskIndex
	Delay    Time
}

// WithinJob says whether a row of delays joins tasks of one job: such rows replace the job's wait of reduces for maps.
func (w *Workload) WithinJob(d Delay) bool { return w.Tasks[d.From].Job == w.Tasks[d.To].Job }

// Placement says that a replica of Block lies on Node. Without a topology, nodes are those that the placements name, in
// order of appearance.
type Placement struct {
	Block BlockIndex
	Node  NodeIndex
}

// Node is one row of the table topology.
type Node struct {
	ID          string
	Parent      NodeIndex // None for the root
	Kind        NodeKind
	MapSlots    int64
	ReduceSlots int64
	Speed       Optional[float64]
	Bandwidth   Optional[float64] // bytes per second
	CPU         Optional[float64]
	MemoryBytes Optional[Bytes]
}

// ReduceSlot is one row of the table slots: a place that runs one reduce at a time.
type ReduceSlot struct {
	ID string
	// Node is the topology's node of the slot; None if there is no topology or the row names no node.
	Node NodeIndex
	// NodeName is the node as the row names it; "" if it names none. Without a topology it is a free name.
	NodeName string
	Cost     Cost
}

// PastRun is one row of the table history: a task that ran before. Schedulers learn from it; it does not affect the
// durations of the workload's own tasks.
type PastRun struct {
	Class string
	// Worker is where it ran, as the row names it; Node is the node of the topology with this name, or None.
	Worker      string
	Node        NodeIndex
	Kind        TaskKind
	Bytes       Bytes
	CPU         Optional[float64]
	MemoryBytes Optional[Bytes]
	Time        Time
}

// Part is one row of the table partitions: the output of a map for a partition of its job, or, without a map, the whole
// partition.
type Part struct {
	Job       JobIndex
	Map       string // as the row names it; may be empty
	Partition string // its id, unique in the job
	Bytes     Bytes
}

// KeyData is one row of the table keys: the total output of a map for a key.
type KeyData struct {
	Job   JobIndex
	Map   string // as the row names it; may be empty
	Key   string
	Bytes Bytes
}

// GivenTime is one row of the table times: the duration of a job's task or partition on a worker.
type GivenTime struct {
	Job    JobIndex
	Task   string // the id of a task or of a partition
	Worker NodeIndex
	Time   Time
}

// Capacity is one row of the table capacities: how much of a named resource a node has.
type Capacity struct {
	Node     NodeIndex
	Resource string
	Amount   Amount
}

// TaskDemand is one row of the table demands: how much of a named resource a task takes while it runs.
type TaskDemand struct {
	Task     TaskIndex
	Resource string
	Amount   Amount
}

// Dependency is one row of the table dependencies: no task of Job starts earlier than Delay after the end of After.
type Dependency struct {
	Job, After JobIndex
	Delay      Time
}

// Eligible is one row of the table eligible: a place where a task, or every task of a job, may run. One of Job and Task
// is None.
type Eligible struct {
	Job   JobIndex
	Task  TaskIndex
	Place NodeIndex // any row of the topology; it stands for the nodes below it
}

// Unavailable is one row of the table unavailable: from when to when a node runs nothing. Without Until it is forever.
type Unavailable struct {
	Node  NodeIndex
	From  Time
	Until Optional[Time]
}

// FixedTask is one row of the table fixed: a task with a fixed node and start. A negative start means that the task
// already runs.
type FixedTask struct {
	Task  TaskIndex
	Node  NodeIndex
	Start Time
}

// StateRow is one row of the table state: what a task has really done by the time Now, wherever rules would have it.
type StateRow struct {
	Task      TaskIndex
	Node      NodeIndex
	Start     Time           // perhaps before time 0
	End       Optional[Time] // unknown: it runs
	Remaining Optional[Time] // from Now on; unknown: as long as it takes otherwise, but Grace at least
}

// DefaultGrace is how long a task that should have ended is expected to run on.
const DefaultGrace = 60 * Second

// Workload is a validated, immutable set of jobs, tasks, blocks and machines. All indices in it are valid; ids are
// unique in their table; the topology is one tree. A job without rows in Tasks states Reduces of at least 1: then its
// reduces are implied, and Tasks may be empty.
type Workload struct {
	Name     string
	Problem  string          // the problem to solve when the user names none; may be empty
	Origin   Origin          // the clock time of time 0; may be unknown
	Machines Optional[int64] // identical machines
	Cost     *AssignmentCost // of problem hta; nil: DefaultAssignmentCost
	Notes    []string        // assumptions made by an importer or generator
	// MaxRunningJobs is how many jobs may share the map phase; unknown means no limit.
	MaxRunningJobs Optional[int64]
	// Now is the time up to which State says what has happened; nothing else starts earlier.
	Now, Grace Optional[Time]

	Jobs       []Job
	Tasks      []Task
	Delays     []Delay
	Blocks     []string // ids
	Placements []Placement
	Topology   []Node
	// HasTopology is false if Topology only lists the nodes that placements name.
	HasTopology bool
	ReduceSlots []ReduceSlot // of the table slots; Slots counts those of the topology
	History     []PastRun
	Parts       []Part      // of the table partitions
	Keys        []KeyData   // of the table keys
	Times       []GivenTime // of the table times

	Capacities   []Capacity
	Demands      []TaskDemand
	Dependencies []Dependency
	Eligible     []Eligible
	Unavailable  []Unavailable
	Fixed        []FixedTask
	State        []StateRow
	Runs         []TaskRun

	// Skipped says, one per line, which rows Build left out and why, and which unknown names the reader skipped. It is
	// not part of the document, which holds only kept rows.
	Skipped []string
	// ReaderWarnings holds warnings of the reader about text that the values no longer show.
	ReaderWarnings []Warning

	at map[Table]*places
}

// Where is the position of a row in the file that it was read from.
func (w *Workload) Where(table Table, row int) Position {
	if p := w.at[table]; p != nil {
		return p.at(row)
	}
	return Position{}
}

// File is the position of a table's file, without a row.
func (w *Workload) File(table Table) Position { return Position{File: w.Where(table, 0).File} }

// Slots is the number of map slots and reduce slots of the topology's nodes; other rows have none.
func (w *Workload) Slots() (maps, reduces int64) {
	for i := range w.Topology {
		if n := &w.Topology[i]; n.Kind == HostNode {
			maps += n.MapSlots
			reduces += n.ReduceSlots
		}
	}
	return maps, reduces
}

// Sources are the columns, as TABLE.COLUMN, from which an instance took values; it notes those whose use depends on the
// workload and the options.
type Sources map[string]bool

// Take notes columns.
func (s *Sources) Take(columns ...string) {
	if *s == nil {
		*s = Sources{}
	}
	for _, c := range columns {
		if !(*s)[c] {
			(*s)[c] = true
		}
	}
}

// Takes says whether the instance took values from a column.
func (s Sources) Takes(column string) bool { return s[column] }
