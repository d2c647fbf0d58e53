package explain

import (
	"fmt"
	"math/big"
	"strings"

	"mrsched/model"
)

// Question asks why a task or a job has its place and time.
type Question struct {
	Workload     *model.Workload
	Schedule     *model.Schedule
	Task         model.TaskIndex // as in Entry; model.None: the question is about Job
	Job          model.JobIndex  // of the task, or the one asked about
	Alternatives int             // at most this many are wanted
	Algorithm    string          // that made the schedule
	Certificate  []byte          // of the bound that the result states; nil: it states none
}

// Kinds of facts: what a start or a place waits for.
const (
	Release   = "release"      // the task or its job is not there before
	Barrier   = "barrier"      // predecessors, with their delays, end then
	Machine   = "machine"      // the machine is busy until then
	Rank      = "lower-ranked" // something ranked before it is served first
	Data      = "data"         // where its data lies, or how fast it arrives
	Place     = "place"        // what the place costs, or who holds the others
	Idle      = "idle"         // nothing: it could start earlier
	Deadline  = "deadline"     // when it has to be done
	Necessary = "certificate"  // the bound's certificate proves it
)

// Explanation describes a task or job. Texts use the user's ids; times in texts are seconds.
type Explanation struct {
	Subject      string        `json:"subject"`                // one line: what is asked about, where and when it is
	Where        []Fact        `json:"where,omitempty"`        // why on this machine
	When         []Fact        `json:"when,omitempty"`         // why then: first what binds, then what would bind next
	Bound        []Fact        `json:"bound,omitempty"`        // why no schedule is better, as its certificate proves
	Prices       []Price       `json:"prices,omitempty"`       // what the bound's dual solution puts on it
	Alternatives []Alternative `json:"alternatives,omitempty"` // cheapest first
	// what would have to change for an earlier or a better place
	Changes []string `json:"changes,omitempty"`
}

// Fact is one reason, with the things that it names.
type Fact struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Task string `json:"task,omitempty"` // the task that it waits for
	Job  string `json:"job,omitempty"`
	// Until is when the reason ends; of a reason for the bound, how much it proves.
	Until model.Number `json:"until,omitempty"`
}

// Price is a dual value.
type Price struct {
	Name  string       `json:"name"`
	Value model.Number `json:"value"`
	Text  string       `json:"text"` // what that is: it is read behind the value, and begins with its unit if it has one
}

// Alternative is another place or time, with the objective if only this changed and everything else moved as little as
// the constraints demand.
type Alternative struct {
	Task    string       `json:"task,omitempty"` // that would be moved, if the question is about a job
	Machine string       `json:"machine"`
	Start   model.Number `json:"start"`
	End     model.Number `json:"end"`
	// Objective is that of the whole schedule, exactly evaluated; Change is its difference.
	Objective model.Number `json:"objective"`
	Change    model.Number `json:"change"`
	Note      string       `json:"note,omitempty"`
}

// Listed is how many names [Names] lists.
const Listed = 3

// Names joins the first few names of a list and counts the others.
func Names[T any](list []T, name func(T) string) string {
	shown := make([]string, min(len(list), Listed))
	for i := range shown {
		shown[i] = name(list[i])
	}
	if last := len(shown) - 1; len(list) == len(shown) && last > 0 {
		return strings.Join(shown[:last], ", ") + " and " + shown[last]
	}
	text := strings.Join(shown, ", ")
	if more := len(list) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Near names a locality.
func Near(l model.Locality) string { return [...]string{"node-local", "rack-local", "remote"}[l] }

// Where adds a fact about the place.
func (d *Desk) Where(kind, format string, args ...any) {
	d.Told.Where = append(d.Told.Where, Fact{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// Bound adds a fact that proves a bound.
func (d *Desk) Bound(kind string, bound model.Number, format string, args ...any) {
	d.Told.Bound = append(d.Told.Bound, Fact{Kind: kind, Text: fmt.Sprintf(format, args...), Until: bound})
}

// When adds a fact about the start, which ends at a time and names a row unless that is None.
func (d *Desk) When(kind string, until model.Time, by int32, format string, args ...any) {
	f := Fact{Kind: kind, Text: fmt.Sprintf(format, args...), Until: model.Number(until.String())}
	if by != model.None {
		f.Task, f.Job = d.ID(by), d.JobID(d.JobOf(by))
	}
	d.Told.When = append(d.Told.When, f)
}

// Price adds a dual value.
func (d *Desk) Price(name string, value model.Number, format string, args ...any) {
	d.Told.Prices = append(d.Told.Prices, Price{Name: name, Value: value, Text: fmt.Sprintf(format, args...)})
}

// Falls adds what the bound of a certificate loses without something: left is what its numbers prove then. The unit of
// the objective ends with a space, or is empty.
func (d *Desk) Falls(name, unit string, c model.Claim, left *big.Rat, what string) {
	d.Price(name, Difference(c.Proven(), left, model.RoundUp), "%sis the most by which the bound %s falls without %s",
		unit, c.Method, what)
}

// Change adds something that would have to change.
func (d *Desk) Change(format string, args ...any) {
	d.Told.Changes = append(d.Told.Changes, fmt.Sprintf(format, args...))
}
