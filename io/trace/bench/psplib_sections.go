package bench

import (
	"fmt"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// sections reads a .sm file.
type sections struct {
	*project
	count, renewing int64 // of jobs and of resources, as the header says; 0: it did not
	wrong           bool  // one of them is not a number, which is a finding
	row             map[int64]int
}

// sectionRows are the rows of a section by the first word of its title.
var sectionRows = map[string]func(r *sections){
	"PROJECT": func(*sections) {}, "PRECEDENCE": (*sections).successors, "REQUESTS/DURATIONS:": (*sections).requests,
	"RESOURCEAVAILABILITIES:": (*sections).availabilities,
}

func (r *sections) read() {
	row, empty := (*sections).header, true
	for ; r.Next(); empty = false {
		first := r.Word(0)
		section, begins := sectionRows[first]
		switch {
		case begins:
			if first != "PROJECT" && !r.told() {
				return
			}
			row = section
		case strings.Trim(first, "*-") == "" && len(first) > 1: // a rule
		default:
			row(r)
		}
	}
	switch {
	case r.Failed():
	case empty:
		r.Empty("a project of PSPLIB")
	default:
		r.complete()
	}
}

// told requires the counts that the header must state.
func (r *sections) told() bool {
	lacks := ""
	switch {
	case r.wrong:
		return false
	case r.count == 0:
		lacks = `"jobs (incl. supersource/sink ):"`
	case r.renewing == 0:
		lacks = `"- renewable :"`
	default:
		return true
	}
	r.Report(model.CodeMissing, r.Line(), "the header states no "+lacks, "the header of a PSPLIB file", "")
	return false
}

// stated is a count in the header; 0 if it is invalid.
func (r *sections) stated(i int, what string) int64 {
	n, ok := r.Count(i, what)
	if r.wrong = r.wrong || !ok; !ok {
		return 0
	}
	return n
}

// header reads a line "key : value" of the header.
func (r *sections) header() {
	at := 0
	for at < r.Len() && !strings.HasSuffix(r.Word(at), ":") {
		at++
	}
	if at+1 >= r.Len() {
		return
	}
	key, value := r.Word(0), at+1
	if key == "-" {
		key = r.Word(1)
	}
	switch key {
	case "jobs":
		r.count = r.stated(value, "number of jobs")
	case "renewable":
		r.renewing = r.stated(value, "number of renewable resources")
	case "projects":
		r.only(value, 1, "projects")
	case "nonrenewable":
		r.only(value, 0, "nonrenewable resources")
	case "doubly":
		r.only(value, 0, "doubly constrained resources")
	}
}

// only requires a given number.
func (r *sections) only(i int, want int64, what string) {
	if n, ok := r.Whole(i, "number of "+what, "a whole number"); ok && n != want {
		r.Report(model.CodeTraceObject, r.At(i), fmt.Sprintf("%d %s", n, what),
			fmt.Sprintf("%d: only projects of renewable resources, one a file, in one mode are read", want), "")
	}
}

// titles says whether the line is the titles of columns.
func (r *sections) titles() bool { return strings.ContainsAny(r.Word(0)[:1], "jR") }

// successors reads the successors of a job.
func (r *sections) successors() {
	const fixed = 3 // words before the successors
	if r.titles() {
		return
	}
	if r.Len() < fixed {
		r.Shape(r.At(0), fmt.Sprintf("the line has %d words", r.Len()), "job, modes, number of successors, successors")
		return
	}
	number, ok := r.Whole(0, "job", "a whole number")
	r.only(1, 1, "modes")
	count, counted := r.Whole(2, "number of successors", "a whole number")
	if counted && count != int64(r.Len()-fixed) {
		r.Shape(r.At(0), fmt.Sprintf("the line has %s", model.Counted(r.Len()-fixed, "successor")),
			fmt.Sprintf("%d, as its third number says", count))
	}
	if !ok {
		return
	}
	if _, twice := r.row[number]; twice {
		r.Report(model.CodeDuplicate, r.At(0), fmt.Sprintf("job %d is there twice", number), "every job once", "")
		return
	}
	r.row[number] = len(r.jobs)
	id := trace.ID{Number: number}
	r.jobs = append(r.jobs, job{id: id, at: r.At(0)})
	for i := fixed; i < r.Len(); i++ {
		if next, ok := r.Whole(i, "successor", "the number of a job"); ok {
			r.graph.Edge(id, trace.ID{Number: next}, r.At(i))
		}
	}
}

// requests reads the duration and the requests of a job.
func (r *sections) requests() {
	const fixed = 3 // words before the requests
	if r.titles() {
		return
	}
	if int64(r.Len()) != fixed+r.renewing {
		r.Shape(r.At(0), fmt.Sprintf("the line has %d words", r.Len()),
			fmt.Sprintf("%d: job, mode, duration and %s", fixed+r.renewing, model.Counted(r.renewing, "request")))
		return
	}
	number, ok := r.Whole(0, "job", "a whole number")
	length := r.Time(2, "duration")
	amounts := r.amounts(fixed, "request")
	if !ok {
		return
	}
	row, known := r.row[number]
	switch {
	case !known:
		r.Report(model.CodeUnknownTask, r.At(0), fmt.Sprintf("job %d has no precedence relations", number),
			"a job of that section", "")
	case r.jobs[row].requests != nil:
		r.Report(model.CodeDuplicate, r.At(0), fmt.Sprintf("job %d is there twice", number), "every job once", "")
	default:
		j := &r.jobs[row]
		j.length, j.requests, j.requestsAt = length, amounts, r.At(0)
	}
}

// amounts reads the numbers of the line from a word on.
func (r *sections) amounts(from int, what string) []model.Amount {
	list := make([]model.Amount, 0, r.Len())
	for i := from; i < r.Len(); i++ {
		list = append(list, r.Amount(i, what))
	}
	return list
}

// availabilities reads the line of availabilities.
func (r *sections) availabilities() {
	switch {
	case r.titles():
	case int64(r.Len()) != r.renewing || r.available != nil:
		r.Shape(r.At(0), fmt.Sprintf("the line has %d words", r.Len()),
			fmt.Sprintf("one line of %s", model.Counted(r.renewing, "availability")))
	default:
		r.available, r.availableAt = r.amounts(0, "availability"), r.At(0)
	}
}

// complete requires that nothing is missing at the end of the file, unless there are other findings.
func (r *sections) complete() {
	if !r.Sound() || !r.told() {
		return
	}
	if n := int64(len(r.jobs)); n != r.count {
		r.Shape(r.Line(), fmt.Sprintf("the file has precedence relations of %s", model.Counted(n, "job")),
			fmt.Sprintf("%d, as its header says", r.count))
	}
	for i := range r.jobs {
		if j := &r.jobs[i]; j.requests == nil {
			r.Report(model.CodeNoTime, j.at, fmt.Sprintf("job %s has no row of requests and duration", j.id),
				"one row per job", "")
		}
	}
	if r.available == nil {
		r.Shape(r.Line(), "the file has no resource availabilities", "a line of them")
	}
}
