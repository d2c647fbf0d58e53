package lint

import (
	"cmp"
	"slices"
	"strings"

	"mrsched/model"
)

// Info documents a code: what it means and what to do about it.
type Info struct {
	Code   model.Code
	Cause  string
	Action string
}

// doubted is the code of a warning.
func doubted(code model.Code, cause, action string) Info {
	return Info{code, "a warning, with --strict an error: " + cause, action}
}

// Codes lists every code of a finding with its cause and remedy, in the order of docs/errors.md.
func Codes() []Info { return slices.Clone(codes) }

var codes = []Info{
	{model.CodeUnreadable, "a file or directory cannot be opened or read", "check the path and its permissions"},
	{model.CodeCompression, "a .gz file is cut short or damaged", "copy or compress the file again"},
	{model.CodeSyntax, "the text is not JSON, CSV or DIMACS CNF at this place", "correct the syntax at the position"},
	{model.CodeTruncated, "the file ends in the middle of a value, or is empty", "produce or copy the file again"},
	{model.CodeEncoding, "a byte sequence is not valid UTF-8", "convert the file to UTF-8"},
	{model.CodeTooLong, "an id, field or CSV line is too long to be meant", "look for a missing quote or line end " +
		"before the position"},
	{model.CodeFormat, "the document's `format` is missing or another one, or an argument names a file or directory of " +
		"another kind than the command expects, such as the schedule of a result in place of the result", "pass what the " +
		"message asks for; set \"format\":\"mrsched-workload/1\" in a workload"},
	{model.CodeMissingTable, "a directory lacks a table that every workload needs", "add the file, with its header row"},
	{model.CodeRowShape, "a CSV row, or a line of a benchmark file, has too many or too few fields; a clause of a CNF " +
		"file has none or more than three literals; or the file has another number of clauses, jobs or tasks than its " +
		"header says", "quote fields that contain commas; correct the line or the header"},
	{model.CodeTooLarge, "a file has more bytes, unpacked if it was packed, than --max-input allows", "make sure that " +
		"the file is meant, then raise --max-input"},

	{model.CodeType, "a value has another JSON type than its column", "write numbers bare and ids in quotes"},
	{model.CodeNumber, "a number is unreadable, NaN or infinite, or its unit is unknown or ambiguous; or a clock time " +
		"has no meaning in this column; or a cell holds an error of a spreadsheet, such as #N/A", "write a plain decimal " +
		"such as 12.5, or one with a unit, such as 1h30m or 64MiB"},
	{model.CodeNegative, "a number is negative, or 0 where it must be more", "times, sizes, weights, costs and counts " +
		"start at 0; see the message for those that start above"},
	{model.CodeOverflow, "a number, or the sum of the counts in a table, is too large to be kept exactly, or exceeds " +
		"the limit that the message names", "use seconds, bytes and plain weights; correct a CNF file's literal or header; " +
		"if counts are meant, raise --max-count"},
	{model.CodeEnum, "the column or flag does not have this value", "use one of the listed values"},
	{model.CodeMissing, "a required value is missing or empty", "fill the column in"},
	{model.CodeUnknown, "a key, column or table has an unknown name", "correct the name, or pass --allow-unknown to " +
		"skip it"},
	{model.CodeTwice, "a JSON key, a CSV column, a file of a directory (plain and .gz), a machine or a predecessor in a " +
		"line of a benchmark file or the header of a CNF file is given twice", "keep one of the two"},
	{model.CodeTooSmall, "a positive weight or cost is less than half a millionth and would be kept as 0", "multiply " +
		"all weights, or all costs, by the same factor; write `per_remote` 0 if it does not grow"},
	{model.CodeParameter, "a flag's value does not fit this instance", "see the flag's help"},

	{model.CodeDuplicate, "two rows of one table have the same id, or state the same thing twice", "rename one of them, " +
		"or drop it"},
	{model.CodeUnknownJob, "a row names a job that is not in the table jobs", "add the job or correct the name"},
	{model.CodeUnknownTask, "a row or a benchmark file names a task that does not exist, or a row of times neither task " +
		"nor partition of its job", "add the task or correct the name"},
	{model.CodeUnknownBlock, "tasks read blocks, and placements name none of these", "use the same names of blocks in " +
		"both tables, or drop the table placements"},
	{model.CodeUnknownNode, "a row names a node that is not a node of the topology, or a place that is not in it", "add " +
		"the node or correct the name"},
	{model.CodeUnknownParent, "a topology row names a parent that does not exist", "add the parent or correct the name"},
	{model.CodeOtherJob, "a row of delays joins tasks of two jobs, and the problem is not cluster", "solve it as the " +
		"problem cluster"},

	{model.CodeEmpty, "the workload has no jobs or no tasks, or a CNF formula no clauses", "add rows; jobs that state " +
		"`reduces` have tasks without rows"},
	{model.CodeJobNoTasks, "a job has no rows in the table tasks, and does not state `reduces` or this problem needs " +
		"the rows", "add tasks, state `reduces`, or drop the job"},
	{model.CodeNoMachines, "there is no machine to run on", "set `machines`, pass --machines, or give the topology slots"},
	{model.CodeTopologyRoot, "the topology has no root, or several", "leave the parent empty in exactly one row"},
	{model.CodeTopologyCycle, "topology rows are their own ancestors", "leave the root's parent empty, and let every " +
		"row lead to the root"},
	{model.CodeTopologyKind, "a topology row has a parent that cannot have children, or is a second root", "put nodes " +
		"below racks, and racks below a switch or the root"},
	{model.CodeCycle, "the delays of a job, or the dependencies between jobs, form a cycle", "drop one of the listed " +
		"rows"},
	{model.CodeTotalTime, "the times of the workload add up to more than can be kept exactly", "look for a time given " +
		"in milliseconds"},
	{model.CodeFewSlots, "a job has more reduces than the cluster has reduce slots, or there are tasks of a kind " +
		"without any slot", "add slots or lower `reduces`"},
	{model.CodeNoTime, "nothing states the time of a task, or no past run tells the expected time of a job's tasks",
		"fill in processing_time; see the message for other ways"},
	{model.CodeCost, "the cost of tasks decreases where it must not", "correct the costs: local ≤ rack ≤ remote, and a " +
		"table of remote costs never decreases"},
	{model.CodeNoReplicas, "no map has a block with a known replica, and this problem needs replicas", "add placements"},
	{model.CodeJobData, "a job lacks a number that this problem needs, or two of its numbers contradict each other",
		"see the message"},
	{model.CodeNoRoom, "no node with a slot for a task has the memory and the cores that the task needs, or stays until " +
		"the task can end", "lower the task's `memory_bytes` or `cpu`, or raise a node's; memory is in bytes; look for a " +
		"missing `until` in the table unavailable"},
	{model.CodeUnusedColumn, "with --strict: a column that no importer wrote has values that the problem does not use",
		"remove the column, or leave --strict out"},
	doubted(model.CodeContradiction, "a job states intermediate_bytes that are not the sum of its maps' output_bytes",
		"leave one of the two out"),
	doubted(model.CodeLoose, "a deadline is more than 30 days after the job's release",
		"look for a wrong unit, or leave the deadline out"),
	doubted(model.CodeHopeless, "a deadline is shorter than a task of its job takes on the fastest node",
		"look for a wrong unit; a plain number counts from the job's release"),
	doubted(model.CodeUnordered, "rows of delays replace the wait of all reduces of a job for all its maps, and leave "+
		"out some of them", "add the missing rows, or leave all rows of the job out"),
	doubted(model.CodeOutlier, "most tasks take more than half a day", "look for a time in milliseconds"),
	doubted(model.CodeRounded, "a number of a CSV file is written as spreadsheets show large numbers, such as 5.37E+08, "+
		"and may have lost digits", "format the column as a number and export the table again"),
	doubted(model.CodeNextDay, "a time of day lies shortly before the origin or the job's release, and is taken as that "+
		"of the next day", "correct the time, or write it with its date"),
	doubted(model.CodeSmallMemory, "a task or node states less memory than any process needs", "write the unit, as in "+
		"4GB; plain numbers are bytes"),
	doubted(model.CodeMoment, "a deadline is a little larger than the job's release, as if it were a point in time",
		"write seconds after the release, or a clock time with an origin"),

	doubted(model.CodeNoDelays, "the workload has rows of a table that says what a plan may be, such as delays or "+
		"dependencies, and the problem ignores them", "choose a problem that keeps them; state waits after maps as "+
		"shuffle_delay, where the problem uses it"),

	doubted(model.CodeWeightless, "all weights are 0, so that every schedule costs 0", "leave the column out for "+
		"weights of 1, or state a weight"),
	doubted(model.CodeUnlimited, "tasks state cpu or memory_bytes, and some nodes do not, so that it limits nothing there",
		"state it for each node"),
	doubted(model.CodeBareNode, "nodes state no slots, no cpu, no memory_bytes and no capacities, so that each runs one "+
		"task at a time", "state what each node has"),
	doubted(model.CodeUnplaced, "maps read blocks that no placement names", "add the placements, or correct the names "+
		"of blocks"),
	doubted(model.CodeFarRelease, "a job is released long after everything else, as if its release were in milliseconds "+
		"or in seconds since 1970", "count releases in seconds from time 0"),
	doubted(model.CodeOddID, "an id begins or ends with a blank, or holds a control character", "correct the id "+
		"wherever it stands"),

	{model.CodeInterval, "in a row of unavailable, `until` is not later than `from`", "correct one of the two times, or " +
		"leave `until` out if the node does not come back"},
	{model.CodeFixedTask, "a row of fixed puts a task where it cannot run: its node is unavailable or full, or it has " +
		"ended before time 0", "correct the row, or drop it: then the task is scheduled; leave out of tasks what has ended"},

	doubted(model.CodeFixedDoubt, "a row of fixed starts a task before its release or before the tasks before it have "+
		"ended, on a node that eligible leaves out, or too late for the deadline of its job", "correct the row, or what it "+
		"contradicts; no rule but room and unavailable times applies to fixed tasks"),
	doubted(model.CodeBegun, "solve --from would run a task again that the earlier result has begun or ended before "+
		"--freeze-until, or would change when it ended", "undo the change that prevents the task from staying; for a node "+
		"that is gone, keep its row in the topology, and state in unavailable from when it is gone"),
	{model.CodeEarlier, "the result that --from names does not fit the run. Its times count from another origin: an " +
		"error. A warning, with --strict an error: the instance lacks its tasks or, if nothing is frozen, its machines; it " +
		"has another objective; or --freeze-until lies before that of the result, or after its end", "pass the result that " +
		"is being carried out, with the flags and the tasks that it was made with"},

	{model.CodeState, "a row of the table state says what cannot have happened by now: it starts or ends after now, " +
		"ends before its start, or has ended and runs on; or a row of fixed says something else about its task, or " +
		"that the task has begun, which state does not. A warning, with --strict an error: nothing has ended, though " +
		"something should have; or a task has begun, and what it waits for has not ended",
		"state tells the facts: correct the row, or now; leave out what has not begun"},

	{model.CodeNodeNeeded, "with so few nodes, size would have to remove one that a row of the instance needs: such " +
		"sizes are impossible", "ask for more nodes, or change the row"},

	{model.CodeTraceObject, "an object of a trace lacks what an importer needs or has the wrong type", "see the " +
		"message; the object is named by its position"},
	{model.CodeHostTwice, "a topology names one host twice", "drop one of the two"},
	{model.CodeNothingLeft, "a file to import holds nothing that can be imported", "see the message; --include-failed " +
		"imports jobs that failed"},
	doubted(model.CodeIncomplete, "the files that were imported lack something that ran, so that schedules and bounds "+
		"are about the rest alone", "import the whole of it, with all parts of a log; without --strict the rest is imported"),
}

// hintOr is a hint, or without one the remedy of its code.
func hintOr(hint, remedy string) string {
	if strings.Contains(remedy, "see the message") {
		remedy = ""
	}
	return cmp.Or(hint, remedy)
}

// Hinted is a finding with the remedy of its code if it is about an instance and has no hint of its own.
func Hinted(f model.Finding) model.Finding {
	codes := Codes()
	i := slices.IndexFunc(codes, func(c Info) bool { return c.Code == f.Code })
	if i >= 0 && f.Pos.File != "" && (f.Code[0] == 'R' || f.Code[0] == 'S' || f.Code == model.CodeUnknown) {
		f.Hint = hintOr(f.Hint, codes[i].Action)
	}
	return f
}
