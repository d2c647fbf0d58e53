package cli

import (
	"mrsched/io/lint"
	"mrsched/model"
)

// violationCodes lists every code of a violation with its cause and what to look at, in the order of docs/errors.md.
func violationCodes() []lint.Info {
	var list []lint.Info
	for _, c := range []struct {
		Code          model.Code
		Cause, Action string
	}{
		{model.CodeTaskMissing, "a task of the workload has no row in the schedule", "every task runs once"},
		{model.CodeTaskTwice, "a task has several rows in the schedule", "every task runs once"},
		{model.CodeMachineUnknown, "a row names a machine that the instance does not have",
			"see `machines` in result.json; for hta, nodes without map_slots are no machines"},
		{model.CodeDuration, "a task's end is not its start plus its processing time, or too early for what it also has to read " +
			"(multitenant)", "tasks run without preemption"},
		{model.CodeBeforeRelease, "a task starts before it is released", "see `release` of the task and its job"},
		{model.CodePrecedence, "a task starts before a predecessor's end plus the delay, or a reduce ends too early for what it " +
			"computes after the last map", "see shuffle_delay and the table delays"},
		{model.CodeOverlap, "two tasks run on one machine at the same time", "a machine runs one task at a time"},
		{model.CodeTaskUnknown, "a row names a task that the workload does not have",
			"was the schedule made for another workload?"},
		{model.CodeRowContradicts, "a row's job or kind is not that of its task, or a column of the problem's own is not what " +
			"follows from the row", "the columns task, job and kind must agree; the problem's own are derived again"},
		{model.CodeOtherInstance, "the result was made for another workload", "compare `instance.sha256`"},
		{model.CodeObjective, "the objective is not that of the schedule", "it is recomputed from the workload and the schedule " +
			"alone"},
		{model.CodeBound, "the lower bound is not what the certificate proves", "it is recomputed in exact arithmetic"},
		{model.CodeRatio, "the ratio is not objective over lower bound", "it is rounded up at six decimals"},
		{model.CodeGuarantee, "the guarantee or its verdict is not what the instance and the bound say", "it is derived again"},
		{model.CodeMetrics, "a metric is not that of the schedule", "metrics are recomputed"},
		{model.CodeFileDigest, "a file is not the one that result.json names", "its SHA-256 differs"},
		{model.CodeDocumentDigest, "result.json was changed after it was written", "its own SHA-256 differs"},
		{model.CodeCertificate, "the certificate proves nothing for this workload", "see the message"},
		{model.CodeStatus, "the status contradicts the numbers", "optimal: objective equals bound, or an exhaustive search " +
			"proves it again; bound: no schedule"},
		{model.CodeResultMalformed, "a file of the result cannot be read, or its format, algorithm or parameters are none that " +
			"mrsched writes", "was it written by mrsched?"},
		{model.CodeSequence, "a task does not start where the earlier tasks of its server end",
			"servers run their tasks in the workload's order, without gaps"},
		{model.CodeHolding, "a reduce does not hold its slot for exactly as long as its job runs",
			"jobs hold their slots from their start until their map work is done"},
		{model.CodeSlotKind, "a map is on a reduce slot or a reduce on a map slot",
			"see map_slots and reduce_slots of the topology"},
		{model.CodeReducers, "a job's partitions are on more slots than it has reducers", "see `reduces` of the job"},
		{model.CodePartitioner, "partitions of one job come from several partitioners",
			"one hash function divides all keys of a job"},
		{model.CodePieces, "the pieces of a partition are not as much as all of it",
			"a piece of length L works off L over what the partition takes there; further pieces lose --resplit-cost"},
		{model.CodeLink, "a link cannot carry what has to cross it within the time that the schedule leaves",
			"maps read before they compute, reduces fetch after the maps' ends and their own start and before they compute"},
		{model.CodeTable, "a table beside the schedule is not what follows from it", "the problem's own tables are derived again"},
		{model.CodeMemory, "a node lacks the memory for the tasks that run on it at one time",
			"maps and reduces count together, from their start to their end; see `memory_bytes` of tasks and nodes"},
		{model.CodeCores, "a node lacks the cores for the tasks that run on it at one time",
			"maps and reduces count together, from their start to their end; see `cpu` of tasks and nodes"},
		{model.CodeInputs, "the list of unused columns is not what follows from the workload, the algorithm and its parameters",
			"it is derived again"},
		{model.CodeResource, "a node lacks a resource for the tasks that run on it at one time",
			"see the tables capacities and demands, and the slots of nodes"},
		{model.CodePlace, "a task runs on a node that may not run it", "see the tables eligible and times"},
		{model.CodeAway, "a task runs while its node is unavailable", "see the table unavailable"},
		{model.CodeFixedMoved, "a task that stands is elsewhere or at another time", "see the table fixed"},
		{model.CodeFrozen, "a row that is frozen is not where the earlier plan has it, or another task starts before the time " +
			"until which rows are frozen", "see the table replan and the parameter freeze_until of the result"},
	} {
		list = append(list, lint.Info(c))
	}
	return list
}
