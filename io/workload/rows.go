package workload

// Rows as files state them: text only; "" is an absent value. A field of a table's row sets the field of the model's
// row that has its name (fields.go). The tags are the one description of the columns:
//
//	csv      the column's name, in CSV and JSON
//	kind     what its values are (kinds.go)
//	need     "yes": every row must have it
//	default  what an absent value means, if it means a value
//	print    "not the default": a value equal to the default is not written
//	copy     "no": the builder copies what it keeps of the text
//	also     other common names, in lower case without _
//	negative the hint for a negative number
//	doc      the description in the JSON Schema

type scalarRow struct {
	Format   string `csv:"format" kind:"format" need:"yes" doc:"the format of the document and its version"`
	Name     string `csv:"name" kind:"text" doc:"what people call the workload"`
	Problem  string `csv:"problem" kind:"text" doc:"the problem to solve when the command line names none"`
	Origin   string `csv:"origin" kind:"clock time" doc:"the clock time of time 0, such as 2026-11-23T22:00 or 22:00"`
	Machines string `csv:"machines" kind:"positive count" doc:"how many identical machines there are, when no topology says so"`
	Cost     string `csv:"cost" kind:"object" doc:"problem hta: what a map costs by where its block lies; without it local 1 and remote 3"`
	Now      string `csv:"now" kind:"moment" doc:"up to when the table state says what has happened; nothing else starts earlier"`
	Grace    string `csv:"grace" kind:"time" doc:"how long a running task that should have ended is expected to run on; absent, 60"`
	Running  string `csv:"max_running_jobs" kind:"positive count" doc:"problem reduceplace: how many jobs share the map phase at a time; if absent, all jobs do"`
}

// costRow holds the keys of the scalar cost, which only JSON has.
type costRow struct {
	Local  string `csv:"local" kind:"time" need:"yes" doc:"what a map costs on a server that holds its block"`
	Rack   string `csv:"rack" kind:"time" doc:"what it costs on another server of the rack of a replica; absent, racks do not count"`
	Remote string `csv:"remote" kind:"remote" need:"yes" doc:"what it costs elsewhere: a number; or base and per_remote; or numbers by how many tasks are remote, beginning with none, the last of which continues"`
}

// remoteRow holds the keys of a remote cost that grows with the number of remote tasks.
type remoteRow struct {
	Base      string `csv:"base" kind:"time" need:"yes" doc:"the part that does not depend on other tasks"`
	PerRemote string `csv:"per_remote" kind:"time" default:"0" doc:"what each remote task adds to the cost of every one"`
}

type jobRow struct {
	ID                 string `csv:"id" kind:"id" need:"yes" doc:"the job's name, unique among jobs"`
	Release            string `csv:"release" kind:"moment" default:"0" also:"arrival arrivaltime" negative:"time 0 is when the plan begins: write 0 for what waits already" doc:"when the job arrives; no task starts earlier"`
	Weight             string `csv:"weight" kind:"weight" default:"1" also:"priority" negative:"the smallest weight is 0; a more important job has a larger weight" doc:"how much the job's completion time counts"`
	Deadline           string `csv:"deadline" kind:"due" also:"due duedate" doc:"how long after its release the job should be done; a clock time is the time itself"`
	Tenant             string `csv:"tenant" kind:"text" also:"user" doc:"the user who owns the job"`
	Class              string `csv:"class" kind:"text" doc:"the kind of job, as the table history names it"`
	Reduces            string `csv:"reduces" kind:"count" doc:"how many reduce tasks the job runs, when the table tasks does not list them"`
	IntermediateBytes  string `csv:"intermediate_bytes" kind:"bytes" doc:"what the job's maps hand to its reduces"`
	MapWork            string `csv:"map_work" kind:"time" doc:"the work of all maps of the job together"`
	ShuffleRatio       string `csv:"shuffle_ratio" kind:"ratio" doc:"bytes that maps write for each byte they read"`
	Partitions         string `csv:"partitions" kind:"positive count" doc:"into how many partitions the job's keys are hashed"`
	TaskOverhead       string `csv:"task_overhead" kind:"time" doc:"what a map or a partition of the job takes on a machine of speed 1 whatever its size"`
	MapRate            string `csv:"map_bytes_per_s" kind:"rate" doc:"what a map of the job processes on a machine of speed 1"`
	ReduceRate         string `csv:"reduce_bytes_per_s" kind:"rate" doc:"what a reduce of the job processes on a machine of speed 1"`
	RecordedCompletion string `csv:"recorded_completion" kind:"moment" doc:"when the job ended in the trace it was imported from"`
}

type topologyRow struct {
	ID          string `csv:"id" kind:"id" need:"yes" doc:"the row's name, unique in the topology"`
	Parent      string `csv:"parent" kind:"ref" doc:"the id of the row above; only the root has none"`
	Kind        string `csv:"kind" kind:"nodekind" need:"yes" doc:"the level: root, switch, rack or node; only nodes run tasks"`
	MapSlots    string `csv:"map_slots" kind:"count" default:"0" print:"not the default" doc:"how many maps a node runs at a time"`
	ReduceSlots string `csv:"reduce_slots" kind:"count" default:"0" print:"not the default" doc:"how many reduces a node runs at a time"`
	Speed       string `csv:"speed" kind:"positive" doc:"how fast a node works, 1 being a machine that takes processing_time"`
	Bandwidth   string `csv:"bandwidth_bytes_per_s" kind:"rate" also:"bandwidth" doc:"the link to the parent, in each direction"`
	CPU         string `csv:"cpu" kind:"ratio" unit:"cores" doc:"the cores of a node"`
	MemoryBytes string `csv:"memory_bytes" kind:"bytes" doc:"the memory of a node"`
}

type taskRow struct {
	ID            string `csv:"id" kind:"id" need:"yes" doc:"the task's name, unique among all tasks"`
	Job           string `csv:"job" kind:"ref" need:"yes" doc:"the id of the task's job"`
	Kind          string `csv:"kind" kind:"taskkind" default:"map" doc:"map or reduce"`
	Processing    string `csv:"processing_time" kind:"time" also:"runtime duration" doc:"how long the task runs on a machine of speed 1"`
	ShuffleDelay  string `csv:"shuffle_delay" kind:"time" default:"0" print:"not the default" doc:"how long after a map's end its output has reached the reduces"`
	Weight        string `csv:"weight" kind:"weight" negative:"the smallest weight is 0; a more important job has a larger weight" doc:"how much the task's own completion time counts"`
	Release       string `csv:"release" kind:"moment" negative:"time 0 is when the plan begins: write 0 for what waits already" doc:"when the task itself becomes available, if later than its job"`
	Block         string `csv:"block" kind:"ref" copy:"no" doc:"the block that a map reads, as placements name it"`
	InputBytes    string `csv:"input_bytes" kind:"bytes" doc:"how much the task reads"`
	OutputBytes   string `csv:"output_bytes" kind:"bytes" doc:"how much the task writes"`
	CPU           string `csv:"cpu" kind:"ratio" unit:"cores" also:"cores" doc:"the cores that the task needs"`
	MemoryBytes   string `csv:"memory_bytes" kind:"bytes" also:"memory" doc:"the memory that the task needs"`
	RecordedNode  string `csv:"recorded_node" kind:"text" doc:"where the task ran in the trace it was imported from"`
	RecordedStart string `csv:"recorded_start" kind:"moment" doc:"when the task started there"`
}

type slotRow struct {
	ID       string `csv:"id" kind:"id" need:"yes" doc:"the slot's name, unique among slots"`
	NodeName string `csv:"node" kind:"ref" doc:"the node that the slot belongs to: one of the topology, or any name if there is none"`
	Cost     string `csv:"cost" kind:"cost" need:"yes" doc:"what it costs to fetch a unit of intermediate data to the slot"`
}

type delayRow struct {
	From  string `csv:"from" kind:"ref" need:"yes" doc:"the id of the earlier task"`
	To    string `csv:"to" kind:"ref" need:"yes" doc:"the id of the later task; in problem cluster it may be of another job"`
	Delay string `csv:"delay" kind:"time" default:"0" doc:"how long after the end of from the task to may start"`
}

type placementRow struct {
	Block string `csv:"block" kind:"ref" copy:"no" need:"yes" doc:"a block; rows of blocks that no task reads are skipped"`
	Node  string `csv:"node" kind:"ref" copy:"no" need:"yes" doc:"a node that holds a replica of the block"`
}

type partitionRow struct {
	Job       string `csv:"job" kind:"ref" need:"yes" doc:"the id of the job"`
	Map       string `csv:"map" kind:"ref" doc:"the map that put the bytes there; absent, the row is all of the partition"`
	Partition string `csv:"partition" kind:"id" need:"yes" doc:"the partition's name, unique in the job"`
	Bytes     string `csv:"bytes" kind:"bytes" need:"yes" doc:"how much intermediate data that is"`
}

type keyRow struct {
	Job   string `csv:"job" kind:"ref" need:"yes" doc:"the id of the job"`
	Map   string `csv:"map" kind:"ref" doc:"the map that put the values out; absent, the row is about all maps"`
	Key   string `csv:"key" kind:"text" need:"yes" doc:"a key of the job's intermediate data"`
	Bytes string `csv:"bytes" kind:"bytes" need:"yes" doc:"how large all its values are together"`
}

type timeRow struct {
	Job    string `csv:"job" kind:"ref" need:"yes" doc:"the id of the job"`
	Task   string `csv:"task" kind:"ref" need:"yes" doc:"the id of a task or of a partition of the job"`
	Worker string `csv:"worker" kind:"ref" need:"yes" doc:"a node of the topology"`
	Time   string `csv:"seconds" kind:"time" need:"yes" doc:"how long the task, or the partition, takes there"`
}

type capacityRow struct {
	Node     string `csv:"node" kind:"ref" need:"yes" doc:"a row of the topology: a node, or a rack or the root, whose nodes share the amount"`
	Resource string `csv:"resource" kind:"text" need:"yes" doc:"a resource besides cpu, memory and slots, such as gpu or a licence"`
	Amount   string `csv:"amount" kind:"amount" need:"yes" doc:"how much of it there is; a node has none of a resource that neither it nor a place above it states"`
}

type demandRow struct {
	Task     string `csv:"task" kind:"ref" need:"yes" doc:"the id of the task"`
	Resource string `csv:"resource" kind:"text" need:"yes" doc:"a resource, as capacities name it"`
	Amount   string `csv:"amount" kind:"amount" need:"yes" doc:"how much of it the task takes as long as it runs"`
}

type dependencyRow struct {
	Job   string `csv:"job" kind:"ref" need:"yes" doc:"the id of the job that waits"`
	After string `csv:"after" kind:"ref" need:"yes" doc:"the id of the job that it waits for"`
	Delay string `csv:"delay" kind:"time" default:"0" print:"not the default" doc:"how long after the end of that job the first task may start"`
}

type eligibleRow struct {
	Job   string `csv:"job" kind:"ref" doc:"the id of a job; its rows apply to all its tasks"`
	Task  string `csv:"task" kind:"ref" doc:"the id of a task, instead of a job"`
	Place string `csv:"place" kind:"ref" need:"yes" doc:"a row of the topology where it may run: a node, or all nodes below a rack or switch"`
}

type unavailableRow struct {
	Node  string `csv:"node" kind:"ref" need:"yes" doc:"a node of the topology"`
	From  string `csv:"from" kind:"moment" default:"0" doc:"from when on it runs nothing"`
	Until string `csv:"until" kind:"moment" doc:"when it is back; absent, it does not come back"`
}

type fixedRow struct {
	Task  string `csv:"task" kind:"ref" need:"yes" doc:"the id of a task whose node and start are given"`
	Node  string `csv:"node" kind:"ref" need:"yes" doc:"the node that runs it"`
	Start string `csv:"start" kind:"start" need:"yes" doc:"when it starts, or below 0, how long before time 0 it started"`
}

type stateRow struct {
	Task      string `csv:"task" kind:"ref" need:"yes" doc:"the id of a task that has begun"`
	Node      string `csv:"node" kind:"ref" need:"yes" doc:"the node that runs it, or ran it"`
	Start     string `csv:"start" kind:"start" need:"yes" doc:"when it started; before time 0 it is negative"`
	End       string `csv:"end" kind:"start" doc:"when it ended, before time 0 negative; absent if it runs"`
	Remaining string `csv:"remaining" kind:"time" doc:"how long it runs on from now, if that is known"`
}

type runRow struct {
	Task     string `csv:"task" kind:"text" need:"yes" doc:"the id of the task that ran"`
	Run      string `csv:"run" kind:"text" need:"yes" doc:"the run of its job: a night, or any other name"`
	Start    string `csv:"start" kind:"start" doc:"when it started; before time 0 it is negative"`
	End      string `csv:"end" kind:"start" doc:"when it ended; absent if it still runs"`
	Duration string `csv:"duration" kind:"time" doc:"how long it took, where start or end is unknown"`
	State    string `csv:"state" kind:"runstate" default:"success" doc:"how it ended; only successful runs say how long a task takes"`
	Try      string `csv:"try" kind:"positive count" default:"1" doc:"which try of the run this is"`
}

type historyRow struct {
	Class       string `csv:"class" kind:"text" need:"yes" doc:"the kind of job, as jobs name it"`
	Worker      string `csv:"worker" kind:"text" need:"yes" doc:"where the task ran: a node of the topology, or any other name"`
	Kind        string `csv:"kind" kind:"taskkind" need:"yes" doc:"map or reduce"`
	Bytes       string `csv:"bytes" kind:"bytes" need:"yes" doc:"how much the task read: a map its split, a reduce its partitions"`
	CPU         string `csv:"cpu" kind:"ratio" unit:"cores" doc:"the cores that it used"`
	MemoryBytes string `csv:"memory_bytes" kind:"bytes" doc:"the memory that it used"`
	Time        string `csv:"seconds" kind:"time" need:"yes" doc:"how long it ran there"`
}
