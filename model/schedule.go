package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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
	CodeResource        Code = "K632"
	CodePlace           Code = "K633"
	CodeAway            Code = "K634"
	CodeFixedMoved      Code = "K635"
	CodeFrozen          Code = "K636"
	CodePlaceFull       Code = "K637"
	CodeReality         Code = "K638"
)

// maxViolations is how many violations of one code Violations keeps.
const maxViolations = 20

// Violations collects the violations of a schedule, keeping the first ones of each code.
type Violations struct {
	count map[Code]int
	list  []Violation
}

// Add adds a violation.
func (v *Violations) Add(code Code, format string, args ...any) {
	if v.count == nil {
		v.count = map[Code]int{}
	}
	if v.count[code]++; v.count[code] <= maxViolations {
		v.list = append(v.list, Violation{Code: code, What: fmt.Sprintf(format, args...)})
	}
}

// AddAll adds a list.
func (v *Violations) AddAll(list []Violation) {
	for _, x := range list {
		v.Add(x.Code, "%s", x.What)
	}
}

// CountByRule counts violations by code, as "3 × K606, 20 or more × K632".
func CountByRule(list []Violation) string {
	count := map[Code]int{}
	for _, v := range list {
		count[v.Code]++
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(count)) {
		number := strconv.Itoa(count[code])
		if count[code] >= maxViolations {
			number += " or more"
		}
		parts = append(parts, number+" × "+string(code))
	}
	return strings.Join(parts, ", ")
}

// List returns them in the order of Add.
func (v *Violations) List() []Violation { return v.list }

// CheckOverlaps reports rows that overlap on a machine. rows are indices into s of rows on machines; it sorts them.
// task and machine are what the problem calls these; id names a task.
func (v *Violations) CheckOverlaps(view View, s *Schedule, rows []int32, task, machine string,
	id func(task int32) string) {
	slices.SortFunc(rows, func(i, k int32) int {
		a, b := &s.Entries[i], &s.Entries[k]
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
			cmp.Compare(a.Task, b.Task), cmp.Compare(i, k))
	})
	for k := 1; k < len(rows); k++ {
		a, b := &s.Entries[rows[k-1]], &s.Entries[rows[k]]
		if a.Machine != b.Machine || b.Start >= a.End {
			continue
		}
		v.Add(CodeOverlap, "%ss %q (%s to %s) and %q (%s to %s) overlap on %s %s", task, id(int32(a.Task)), a.Start,
			a.End, id(int32(b.Task)), b.Start, b.End, machine, view.MachineName(a.Machine))
		if a.End > b.End { // the longer one continues
			rows[k] = rows[k-1]
		}
	}
}
