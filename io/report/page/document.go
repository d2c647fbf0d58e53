package page

import (
	"iter"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// Document is what a page shows.
type Document struct {
	Results []Result
	// Others are lines of the tables of algorithms without results of their own: skipped ones, and what a real cluster
	// did.
	Others []Other
	// Unreadable are files that are no results.
	Unreadable []Unreadable
}

// Unreadable is a file that is no result, and why.
type Unreadable struct {
	Name       string
	Violations []model.Violation
}

// Result is one result, as it was read.
type Result struct {
	Name string // as the user gave it, or short
	*model.Result
	About model.Description // of the problem; empty if it is unknown
	// Setting is what was made of the instance, a parameter and its value each: results of other settings are not
	// compared.
	Setting []string
	// Shown names the metrics that belong into the table of algorithms.
	Shown []string
	// Tasks are the rows of the schedule, in order; each is valid until the next. nil: there is no schedule.
	Tasks iter.Seq[Task]
	// Own names the problem's own columns of the schedule.
	Own    []string
	Tables []model.ResultTable
	// Violations are what contradicts the result; Checked says that it was derived again from its instance.
	Violations []model.Violation
	Checked    bool
	// Supplies are the resources that tasks take; Racks are the racks of nodes. Both are empty where the instance is
	// unknown, or has none.
	Supplies []model.Supply
	Racks    map[string]string

	Origin model.Origin
	Asked  *Asked // what the page begins with; nil: unknown

	unit chart.Unit // of all times of the page
}

// Asked is what people ask first.
type Asked struct {
	Deadlines, Late int        // jobs
	Jobs            []AskedJob // late ones, the latest first, then others of which something is known
	Idle, Away      []string   // nodes without tasks; absences
	Absences        []Absence
	Bands           []Band
}

// Absence is a time in which a node is unavailable: for good if Until is after all times.
type Absence struct {
	Node        string
	From, Until model.Time
}

// Band is when a job ends in a simulation by a rule: half of the runs by P50, 95 % by P95. A time after all times never
// comes.
type Band struct {
	Job, Rule string
	P50, P95  model.Time
}

// AskedJob is a job with a deadline: when it ends, why not earlier, and how sure that is.
type AskedJob struct{ Name, Text, Why, Sure string }

// Begin is at most the first ten of a list, and how many more there are.
func (a *Asked) Begin(list []string) string {
	const most = 10
	text := strings.Join(list[:min(most, len(list))], ", ")
	if more := len(list) - most; more > 0 {
		text += ", and " + count(more) + " more"
	}
	return text
}

// Task is a row of a schedule.
type Task struct {
	ID, Job, Machine string
	Reduce           bool
	Start, End       model.Time
	Own              []string // as many as Result.Own
}

// rackOf is the rack of a machine, or of its node: the machines and lanes of a node n are n/1, n/2, ….
func (r *Result) rackOf(machine string) string {
	for {
		if rack, ok := r.Racks[machine]; ok {
			return rack
		}
		cut := strings.LastIndexByte(machine, '/')
		if cut < 0 {
			return ""
		}
		machine = machine[:cut]
	}
}

// Other is a line of a table of algorithms.
type Other struct {
	Beside int // the result in whose table it belongs: an index of Document.Results
	*model.Result
	Note string
}

// table is a result's own table; ok is false if it has none of the name with all the columns, whose places are given.
func (r *Result) table(name string, columns ...string) (rows iter.Seq[[]string], places []int, ok bool) {
	for _, t := range r.Tables {
		if t.Name != name {
			continue
		}
		for _, want := range columns {
			at := -1
			for i, c := range t.Columns {
				if c == want {
					at = i
				}
			}
			if at < 0 {
				return nil, nil, false
			}
			places = append(places, at)
		}
		return t.Rows, places, true
	}
	return nil, nil, false
}
