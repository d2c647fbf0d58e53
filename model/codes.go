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
	CodeLoose         Code = "S417"

	CodeTraceObject Code = "T501"
	CodeHostTwice   Code = "T502"
	CodeNothingLeft Code = "T503"
)
