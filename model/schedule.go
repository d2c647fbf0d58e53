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
