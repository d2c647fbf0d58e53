package model

// Code identifies a kind of finding. Codes are stable: scripts may rely on them.
type Code string

// The codes of findings: F files, V values, R references, S structure, T traces, C result directories.
const (
	CodeUnreadable   Code = "F101"
	CodeCompression  Code = "F102"
	CodeSyntax       Code = "F103"
	CodeTruncated    Code = "F104"
	CodeEncoding     Code = "F105"
	CodeTooLong      Code = "F106"
	CodeFormat       Code = "F107"
	CodeMissingTable Code = "F108"
	CodeRowShape     Code = "F109"
	CodeTooLarge     Code = "F110"

	CodeType      Code = "V201"
	CodeNumber    Code = "V202"
	CodeNegative  Code = "V203"
	CodeOverflow  Code = "V204"
	CodeEnum      Code = "V205"
	CodeMissing   Code = "V206"
	CodeUnknown   Code = "V207"
	CodeTwice     Code = "V208"
	CodeTooSmall  Code = "V209"
	CodeParameter Code = "V210"

	CodeDuplicate     Code = "R301"
	CodeUnknownJob    Code = "R302"
	CodeUnknownTask   Code = "R303"
	CodeUnknownBlock  Code = "R304"
	CodeUnknownNode   Code = "R305"
	CodeUnknownParent Code = "R306"
	CodeOtherJob      Code = "R307"

	CodeEmpty         Code = "S401"
	CodeJobNoTasks    Code = "S402"
	CodeNoMachines    Code = "S403"
	CodeTopologyRoot  Code = "S404"
	CodeTopologyCycle Code = "S405"
	CodeTopologyKind  Code = "S406"
	CodeCycle         Code = "S407"
	CodeTotalTime     Code = "S408"
	CodeFewSlots      Code = "S409"
	CodeNoTime        Code = "S410"
	CodeCost          Code = "S411"
	CodeNoReplicas    Code = "S412"
	CodeJobData       Code = "S413"
	CodeNoRoom        Code = "S414"
	CodeUnusedColumn  Code = "S415"
	CodeContradiction Code = "S416"

	CodeTraceObject Code = "T501"
	CodeHostTwice   Code = "T502"
	CodeNothingLeft Code = "T503"
)

// CodeInfo documents a code: what it means and what to do about it.
type CodeInfo struct {
	Code   Code
	Cause  string
	Action string
}

// Codes lists every code with its cause and remedy, in order.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodeUnreadable, "a file or directory cannot be opened or read", "check the path and its permissions"},
		{CodeCompression, "a .gz file is cut short or damaged", "copy or compress the file again"},
		{CodeSyntax, "the text is not JSON, CSV or DIMACS CNF at this place", "mend the syntax at the position"},
		{CodeTruncated, "the file ends in the middle of a value, or is empty", "the file was cut: produce or copy it again"},
		{CodeEncoding, "a byte sequence is not valid UTF-8", "convert the file to UTF-8"},
		{CodeTooLong, "one id, field or CSV line is longer than any sensible one",
			"look for a missing quote or line end before the position"},
		{CodeFormat, "the document's `format` is missing or another one, or an argument names a file or directory of " +
			"another kind than the command takes, such as the schedule of a result in place of the result",
			"pass what the message asks for; set \"format\":\"mrsched-workload/1\" in a workload"},
		{CodeMissingTable, "a directory lacks a table that every workload needs", "add the file, with its header row"},
		{CodeRowShape,
			"a CSV row has more or fewer fields than its header, or a line of an R||Cmax file than it should have; " +
				"a clause of a CNF file has none or more than three literals; " +
				"or the file has another number of clauses, or jobs, " +
				"than its header says", "quote fields that contain commas; correct the line or the header"},
		{CodeTooLarge, "a file has more bytes, unpacked if it was packed, than --max-input allows",
			"make sure that the file is meant, then raise --max-input"},

		{CodeType, "a value has another JSON type than its column", "write numbers bare and ids in quotes"},
		{CodeNumber, "a number is unreadable, NaN or infinite", "write a plain decimal such as 12.5"},
		{CodeNegative, "a number is negative, or 0 where it must be more", "times, sizes, weights, costs and counts start " +
			"at 0; see the message for those that start above"},
		{CodeOverflow, "a number, or what the counts of a table add up to, is too large to be kept exactly, or beyond the " +
			"limit that the message names", "use seconds, bytes and plain weights; correct a CNF file's literal or header; " +
			"if counts are meant, raise --max-count"},
		{CodeEnum, "a word is none of those that the column or flag knows", "use one of the words listed"},
		{CodeMissing, "a required value is missing or empty", "fill the column in"},
		{CodeUnknown, "a key, column or table has an unknown name", "correct the name, or pass --allow-unknown to skip it"},
		{CodeTwice,
			"a JSON key, a CSV column, a file of a directory (plain and .gz), a machine in a line of an R||Cmax file " +
				"or the header of a CNF file is given twice", "keep one of the two"},
		{CodeTooSmall, "a positive weight or cost is less than half a millionth and would be kept as 0",
			"multiply all weights, or all costs, by the same factor; write `per_remote` 0 if it does not grow"},
		{CodeParameter, "a flag's value does not fit this instance", "see the flag's help"},

		{CodeDuplicate, "an id is used by two rows of one table", "rename one of them"},
		{CodeUnknownJob, "a row names a job that is not in the table jobs", "add the job or correct the name"},
		{CodeUnknownTask, "a delay names a task that is not in the table tasks, or a row of times neither task nor " +
			"partition of its job", "add the task or correct the name"},
		{CodeUnknownBlock, "tasks read blocks, and placements name none of these",
			"name blocks alike in the tables tasks and placements, or drop the table placements"},
		{CodeUnknownNode, "a placement, slot or time names a node that is not a node of the topology",
			"add the node or correct the name"},
		{CodeUnknownParent, "a topology row names a parent that does not exist", "add the parent or correct the name"},
		{CodeOtherJob, "a delay joins tasks of two jobs", "precedence lives inside a job"},

		{CodeEmpty, "the workload has no jobs or no tasks, or a CNF formula no clauses",
			"add rows; jobs that state `reduces` have tasks without rows"},
		{CodeJobNoTasks, "a job has no rows in the table tasks, and does not state `reduces` or this problem needs the rows",
			"add tasks, state `reduces`, or drop the job"},
		{CodeNoMachines, "there is no machine to run on", "set `machines`, pass --machines, or give the topology slots"},
		{CodeTopologyRoot, "the topology has no root, or several", "exactly one row has an empty parent"},
		{CodeTopologyCycle, "topology rows are their own ancestors", "let every row lead to the root"},
		{CodeTopologyKind, "a topology row hangs under one that cannot have children, or is a second root",
			"node under rack, rack under switch or root"},
		{CodeCycle, "the delays of a job form a cycle", "drop one of the listed rows"},
		{CodeTotalTime, "the times of the workload add up to more than can be kept exactly",
			"look for a time given in milliseconds"},
		{CodeFewSlots, "a job has more reduces than the cluster has reduce slots, or there are tasks of a kind without " +
			"any slot", "add slots or lower `reduces`"},
		{CodeNoTime, "nothing says what a task takes, or no past run what tasks of a job are expected to take",
			"fill in processing_time; see the message for other ways"},
		{CodeCost, "the cost of tasks falls where it may not", "local ≤ rack ≤ remote, and a table of remote costs never " +
			"falls"},
		{CodeNoReplicas, "no map has a block with a known replica, and this problem needs some", "add placements"},
		{CodeJobData, "a job lacks a number that this problem needs, or two of its numbers contradict each other",
			"see the message"},
		{CodeNoRoom, "no node with a slot for a task has the memory and the cores that the task needs",
			"lower the task's `memory_bytes` or `cpu`, or raise a node's; memory is in bytes"},
		{CodeUnusedColumn, "with --strict: a column has values that the problem does not use",
			"remove the column, or leave --strict out"},
		{CodeContradiction, "with --strict: a job states intermediate_bytes that are not the sum of its maps' output_bytes",
			"leave one of the two out"},

		{CodeTraceObject, "an object of a trace lacks what an importer needs or has the wrong type",
			"see the message; the object is named by its position"},
		{CodeHostTwice, "a topology names one host twice", "drop one of the two"},
		{CodeNothingLeft, "a trace or another file to import holds nothing that can be imported",
			"see the message; --include-failed imports jobs that failed"},
	}
}
