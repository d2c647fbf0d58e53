package model

// Entry says that Task, of the workload or of a view that is a TaskNamer, runs on Machine from Start to End.
type Entry struct {
	Task       TaskIndex
	Machine    int32
	Start, End Time
}

// Schedule has one entry per task, in the order of the tasks.
type Schedule struct {
	Entries []Entry
}

// FirstStarts are the starts of the jobs' first entries; unknown for a job without entries. jobOf returns a task's job.
func (s *Schedule) FirstStarts(jobs int, jobOf func(TaskIndex) int32) []Optional[Time] {
	first := make([]Optional[Time], jobs)
	for i := range s.Entries {
		e := &s.Entries[i]
		if at := &first[jobOf(e.Task)]; !at.Known || e.Start < at.Value {
			*at = Some(e.Start)
		}
	}
	return first
}

// Violation is one contradiction between a schedule or result and its workload.
type Violation struct {
	Code Code
	What string
}

// String prints "CODE: what".
func (v Violation) String() string { return string(v.Code) + ": " + v.What }

// The codes of violations, which `check` reports.
const (
	CodeTaskMissing     Code = "K601"
	CodeTaskTwice       Code = "K602"
	CodeMachineUnknown  Code = "K603"
	CodeDuration        Code = "K604"
	CodeBeforeRelease   Code = "K605"
	CodePrecedence      Code = "K606"
	CodeOverlap         Code = "K607"
	CodeTaskUnknown     Code = "K608"
	CodeRowContradicts  Code = "K609"
	CodeOtherInstance   Code = "K610"
	CodeObjective       Code = "K611"
	CodeBound           Code = "K612"
	CodeRatio           Code = "K613"
	CodeGuarantee       Code = "K614"
	CodeMetrics         Code = "K615"
	CodeFileDigest      Code = "K616"
	CodeDocumentDigest  Code = "K617"
	CodeCertificate     Code = "K618"
	CodeStatus          Code = "K619"
	CodeResultMalformed Code = "K620"
	CodeSequence        Code = "K621"
	CodeHolding         Code = "K622"
	CodeSlotKind        Code = "K623"
	CodeReducers        Code = "K624"
	CodePartitioner     Code = "K625"
	CodePieces          Code = "K626"
	CodeLink            Code = "K627"
	CodeTable           Code = "K628"
	CodeMemory          Code = "K629"
	CodeCores           Code = "K630"
	CodeInputs          Code = "K631"
)

// ViolationCodes documents every code of a violation, in order.
func ViolationCodes() []CodeInfo {
	return []CodeInfo{
		{CodeTaskMissing, "a task of the workload has no row in the schedule", "every task runs once"},
		{CodeTaskTwice, "a task has several rows in the schedule", "every task runs once"},
		{CodeMachineUnknown, "a row names a machine that the instance does not have",
			"see `machines` in result.json; for hta, nodes without map_slots are no machines"},
		{CodeDuration, "a task's end is not its start plus its processing time, or too early for what it also has to read " +
			"(multitenant)", "tasks run without preemption"},
		{CodeBeforeRelease, "a task starts before it is released", "see `release` of the task and its job"},
		{CodePrecedence, "a task starts before a predecessor's end plus the delay, or a reduce ends too early for what it " +
			"computes after the last map", "see shuffle_delay and the table delays"},
		{CodeOverlap, "two tasks run on one machine at the same time", "a machine runs one task at a time"},
		{CodeTaskUnknown, "a row names a task that the workload does not have",
			"was the schedule made for another workload?"},
		{CodeRowContradicts, "a row's job or kind is not that of its task, or a column of the problem's own is not what " +
			"follows from the row", "the columns task, job and kind must agree; the problem's own are derived again"},
		{CodeOtherInstance, "the result was made for another workload", "compare `instance.sha256`"},
		{CodeObjective, "the objective is not that of the schedule", "it is recomputed from the workload and the schedule " +
			"alone"},
		{CodeBound, "the lower bound is not what the certificate proves", "it is recomputed in exact arithmetic"},
		{CodeRatio, "the ratio is not objective over lower bound", "it is rounded up at six decimals"},
		{CodeGuarantee, "the guarantee or its verdict is not what the instance and the bound say", "it is derived again"},
		{CodeMetrics, "a metric is not that of the schedule", "metrics are recomputed"},
		{CodeFileDigest, "a file is not the one that result.json names", "its SHA-256 differs"},
		{CodeDocumentDigest, "result.json was changed after it was written", "its own SHA-256 differs"},
		{CodeCertificate, "the certificate proves nothing for this workload", "see the message"},
		{CodeStatus, "the status contradicts the numbers", "optimal: objective equals bound, or an exhaustive search " +
			"proves it again; bound: no schedule"},
		{CodeResultMalformed, "a file of the result cannot be read, or its format, algorithm or parameters are none that " +
			"mrsched writes", "was it written by mrsched?"},
		{CodeSequence, "a task does not start where the earlier tasks of its server end",
			"servers run their tasks in the workload's order, without gaps"},
		{CodeHolding, "a reduce does not hold its slot for exactly as long as its job runs",
			"jobs hold their slots from their start until their map work is done"},
		{CodeSlotKind, "a map is on a reduce slot or a reduce on a map slot",
			"see map_slots and reduce_slots of the topology"},
		{CodeReducers, "a job's partitions are on more slots than it has reducers", "see `reduces` of the job"},
		{CodePartitioner, "partitions of one job come from several partitioners",
			"one hash function divides all keys of a job"},
		{CodePieces, "the pieces of a partition are not as much as all of it",
			"a piece of length L works off L over what the partition takes there; further pieces lose --resplit-cost"},
		{CodeLink, "a link cannot carry what has to cross it within the time that the schedule leaves",
			"maps read before they compute, reduces fetch after the maps' ends and their own start and before they compute"},
		{CodeTable, "a table beside the schedule is not what follows from it", "the problem's own tables are derived again"},
		{CodeMemory, "a node lacks the memory for the tasks that run on it at one time",
			"maps and reduces count together, from their start to their end; see `memory_bytes` of tasks and nodes"},
		{CodeCores, "a node lacks the cores for the tasks that run on it at one time",
			"maps and reduces count together, from their start to their end; see `cpu` of tasks and nodes"},
		{CodeInputs, "the list of unused columns is not what follows from the workload, the algorithm and its parameters",
			"it is derived again"},
	}
}
