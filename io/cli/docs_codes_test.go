package cli

import (
	"mrsched/io/lint"
	"mrsched/model"
)

// violationCodes lists every violation code with its cause and a remedy, in the order of docs/errors.md.
func violationCodes() []lint.Info {
	var list []lint.Info
	for _, c := range []struct {
		Code          model.Code
		Cause, Action string
	}{
		{model.CodeTaskMissing, "a task of the workload has no row in the schedule", "every task runs once"},
		{model.CodeTaskTwice, "a task has several rows in the schedule", "every task runs once"},
		{model.CodeMachineUnknown, "a row names a machine that the instance does not have",
			"`machines` in result.json counts them; for hta, nodes without map_slots are no machines"},
		{model.CodeDuration, "a task's end is not its start plus its processing time or, in multitenant, too early for " +
			"what the task " +
			"reads first", "tasks run without preemption"},
		{model.CodeBeforeRelease, "a task starts before it is released", "the column `release` of the task and of its job " +
			"says when"},
		{model.CodePrecedence, "a task starts before a predecessor's end plus the delay, or a reduce ends too early for " +
			"what it " +
			"computes after the last map", "the column shuffle_delay and the table delays say when"},
		{model.CodeOverlap, "two tasks run on one machine at the same time", "a machine runs one task at a time"},
		{model.CodeTaskUnknown, "a row names a task that the workload does not have",
			"the schedule may be of another workload"},
		{model.CodeRowContradicts, "a row's job or kind is not that of its task, or one of the problem's own columns is " +
			"wrong", "the " +
			"columns task, job and kind must agree; the problem's own columns are derived again"},
		{model.CodeOtherInstance, "the result was made for another workload", "`instance.sha256` differs; the message says " +
			"what else does, and `mrsched diff OLD-INSTANCE INSTANCE` shows all that changed"},
		{model.CodeObjective, "the objective is not that of the schedule", "it is recomputed from the workload and the " +
			"schedule " +
			"alone"},
		{model.CodeBound, "the lower bound is not what the certificate proves", "it is recomputed in exact arithmetic"},
		{model.CodeRatio, "the ratio is not objective over lower bound", "it is rounded up at six decimals"},
		{model.CodeGuarantee, "the guarantee or its verdict is not what the instance and the bound say", "it is derived " +
			"again"},
		{model.CodeMetrics, "a metric is not that of the schedule", "metrics are recomputed"},
		{model.CodeFileDigest, "a file of the result was changed, added or removed after solve wrote it", "solve again; to " +
			"keep a change of the schedule, write it into the table fixed (task,node,start), where the problem has it, and " +
			"solve"},
		{model.CodeDocumentDigest, "the file result.json was changed after it was written",
			"solve again, with the settings as flags"},
		{model.CodeCertificate, "the certificate proves nothing for this workload", "the message says why"},
		{model.CodeStatus, "the status contradicts the numbers", "optimal: objective equals bound, or an exhaustive search " +
			"proves it again; bound: no schedule"},
		{model.CodeResultMalformed, "a file of the result cannot be read, or mrsched does not write this format, algorithm " +
			"or " +
			"these parameters", "another program may have written the file"},
		{model.CodeSequence, "a task does not start where the earlier tasks of its server end",
			"servers run their tasks in the workload's order, without gaps"},
		{model.CodeHolding, "a reduce does not hold its slot for exactly as long as its job runs",
			"jobs hold their slots from their start until their map work is done"},
		{model.CodeSlotKind, "a map is on a reduce slot or a reduce on a map slot",
			"the columns map_slots and reduce_slots of the topology count the slots of each kind"},
		{model.CodeReducers, "a job's partitions are on more slots than it has reducers", "`reduces` of the job counts them"},
		{model.CodePartitioner, "partitions of one job come from several partitioners",
			"one hash function divides all keys of a job"},
		{model.CodePieces, "the pieces of a partition do not add up to all of it",
			"a piece of length L does the share L over the partition's time there; every further piece first loses " +
				"--resplit-cost"},
		{model.CodeLink, "a link cannot carry what has to cross it within the time that the schedule leaves",
			"a map reads before it computes; a reduce fetches from a rack after its first map of the job there has " +
				"ended, before it computes"},
		{model.CodeTable, "a table of the result does not follow from its schedule", "the problem's own tables are derived " +
			"again"},
		{model.CodeMemory, "the tasks that run on a node at the same time need more memory than it has",
			"maps and reduces count together, from their start to their end, with their `memory_bytes`"},
		{model.CodeCores, "the tasks that run on a node at the same time need more cores than it has",
			"maps and reduces count together, from their start to their end, with their `cpu`"},
		{model.CodeInputs, "the list of unused columns does not follow from the workload, the algorithm and its parameters",
			"it is derived again"},
		{model.CodeResource, "the tasks that run on a node at the same time need more of a resource than it has",
			"the tables capacities and demands, and the slots of nodes, say how much"},
		{model.CodePlace, "a task runs on a node that may not run it", "the tables eligible and times say which nodes may"},
		{model.CodeAway, "a task runs while its node is unavailable", "the table unavailable says when"},
		{model.CodeFixedMoved, "a task of the table fixed is on another node or at another time", "the table fixed says " +
			"where and when"},
		{model.CodeFrozen, "a frozen row is not where the earlier plan has it, or another task starts before the end of " +
			"the " +
			"frozen time", "the table replan and the parameter freeze_until of the result state both"},
	} {
		list = append(list, lint.Info(c))
	}
	return list
}
