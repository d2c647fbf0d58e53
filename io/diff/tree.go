package diff

import (
	"cmp"
	"encoding/json"
	"slices"

	"mrsched/io/show"
	"mrsched/model"
)

// Format is the `format` of a Difference.
const Format = "mrsched-diff/2"

// What the two sides have in common, which decides what is compared.
const (
	ComparedResults   = "results"   // everything
	ComparedDocuments = "documents" // what result.json says; of the other files their digests
	ComparedSchedules = "schedules" // the rows of schedule.csv
	ComparedInstances = "instances" // two inputs, without any result
)

// Verdicts on the objective of the new side. Every objective is minimised.
const (
	VerdictBetter = "better"
	VerdictWorse  = "worse"
	VerdictEqual  = "equal"
)

// Difference is how two results of one problem differ. Numbers are exact; a change is new − old. Unknown and equal
// values are absent. Swapping the sides swaps old and new and the signs of changes.
type Difference struct {
	Format string `json:"format"`
	// Same says that input, status, objective, lower bound, ratio, guarantee, metrics (except those about the run),
	// schedule and tables are equal, however they were made.
	Same     bool     `json:"same"`
	Verdict  string   `json:"verdict,omitempty"` // of the objectives, if both are known, of one name and one input
	Compared string   `json:"compared"`
	Problem  string   `json:"problem,omitempty"`
	Old      SideName `json:"old"`
	New      SideName `json:"new"`
	Warnings []string `json:"warnings,omitempty"` // what is wrong with a side
	Notes    []string `json:"notes,omitempty"`    // what was not compared, or compared differently

	Tolerance model.Time `json:"tolerance,omitempty"` // tasks on their machines moved only if times change by more

	Sections []*Section `json:"sections"` // in the order of the constants below; those without differences are absent
}

// Names of sections. Those of the input's tables are "input TABLE".
const (
	SectionInput    = "input"    // how the instances differ
	SectionResult   = "result"   // what both results state, also if it is equal
	SectionMetrics  = "metrics"  // those that differ
	SectionSettings = "settings" // how the results were made
	SectionJobs     = "jobs"     // by when they end
	SectionMachines = "machines" // by load, where the objective is the largest load
	SectionTasks    = "tasks"    // by where and when they run
)

// SideName says what was compared.
type SideName struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm,omitempty"`
}

// Section is a part of a difference: values, or rows with a key.
type Section struct {
	Name   string         `json:"name"`
	Counts map[string]int `json:"counts,omitempty"` // of rows
	Values []Value        `json:"values,omitempty"`
	Rows   []Row          `json:"rows,omitempty"` // the largest changes first

	rows   int          // with those that are not listed
	origin model.Origin // of both sides, if starts and ends are times
}

// What Section.Counts counts, in the order in which people read it.
const (
	countAll     = "in_all"
	countMoved   = "moved"
	countMachine = "on_another_machine"
	countEarlier = "earlier" // a job ends, a task starts
	countLater   = "later"
	countLess    = "less_load"
	countMore    = "more_load"
	countBefore  = "as_before"
	countAdded   = "added"
	countRemoved = "removed"
	countChanged = "changed"
)

var countOrder = []string{countAll, countMoved, countMachine, countEarlier, countLater, countLess, countMore,
	countBefore, countAdded, countRemoved, countChanged}

// Row is something with a key that differs. A row that only one side has has the values of that side.
type Row struct {
	Key    []string `json:"key"`
	Change string   `json:"change"` // added, removed or changed
	Values []Value  `json:"values,omitempty"`
	Moved  int      `json:"moved_tasks,omitempty"` // of a job

	weight int64 // how large the change is
	at     int   // where the row is, on both sides together
}

// Value is what both sides state under a name. Change is absent unless both are numbers.
type Value struct {
	Name   string       `json:"name"`
	Old    Text         `json:"old,omitempty"`
	New    Text         `json:"new,omitempty"`
	Change model.Number `json:"change,omitempty"`
}

// Text is a value as files state it; in JSON it is a number if it looks like one.
type Text string

// MarshalJSON writes the text.
func (t Text) MarshalJSON() ([]byte, error) {
	if v, ok := micro(string(t)); ok {
		return []byte(v.String()), nil
	}
	if r := decimal(string(t)); r != nil {
		return []byte(exactText(r)), nil
	}
	return json.RawMessage(show.JSONText(string(t))), nil
}

// valueOf compares two texts, numbers by value.
func valueOf(name, old, new string) Value {
	v := Value{Name: name, Old: Text(old), New: Text(new)}
	if a, ok := micro(old); ok {
		if b, ok := micro(new); ok {
			v.Change = model.Number((b - a).String())
			return v
		}
	}
	if a, b := decimal(old), decimal(new); a != nil && b != nil {
		v.Change = exactText(b.Sub(b, a))
	}
	return v
}

// differs says whether the sides state different things.
func (v *Value) differs() bool {
	if v.Change != "" {
		return v.Change != "0"
	}
	return v.Old != v.New
}

// add appends a value that some side states, and says whether it differs.
func (s *Section) add(name, old, new string) (differs bool) {
	v := valueOf(name, old, new)
	if old != "" || new != "" {
		s.Values = append(s.Values, v)
	}
	return v.differs()
}

// addChanged is add, but only if the value differs.
func (s *Section) addChanged(name, old, new string) {
	if v := valueOf(name, old, new); v.differs() {
		s.Values = append(s.Values, v)
	}
}

// count counts a row.
func (s *Section) count(name string) {
	if s.Counts == nil {
		s.Counts = map[string]int{}
	}
	s.Counts[name]++
}

// largest keeps the largest rows of a section, all if keep is 0.
type largest struct {
	*Section
	keep int
	last *Row // that is kept, once as many are there
}

func byWeight(a, b Row) int {
	return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.Moved, a.Moved), cmp.Compare(a.at, b.at),
		slices.Compare(a.Key, b.Key))
}

// row adds a row, with its values if it may be among the largest.
func (l *largest) row(r Row, values func() []Value) {
	l.rows++
	if l.last != nil && byWeight(r, *l.last) >= 0 {
		return
	}
	r.Values = values()
	l.Rows = append(l.Rows, r)
	if l.keep > 0 && len(l.Rows) >= 2*l.keep+spare {
		l.sort()
	}
}

// spare is how many rows beyond keep accumulate before the smallest are dropped.
const spare = 1024

// sort leaves the largest rows in their order.
func (l *largest) sort() {
	slices.SortFunc(l.Rows, byWeight)
	if l.keep > 0 && len(l.Rows) > l.keep {
		clear(l.Rows[l.keep:])
		l.Rows = l.Rows[:l.keep]
		last := l.Rows[l.keep-1]
		l.last = &last
	}
}
