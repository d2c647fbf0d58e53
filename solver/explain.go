package solver

import (
	"fmt"
	"strings"

	"mrsched/model"
)

// Question asks why a task or a job has its place and time.
type Question struct {
	Schedule     *model.Schedule
	Task         model.TaskIndex // as in Entry; model.None: the question is about Job
	Job          model.JobIndex  // of the task, or the one asked about
	Alternatives int             // at most this many are wanted
	Algorithm    string          // that made the schedule
	Certificate  []byte          // of the bound that the result states; nil: it states none
}

// Kinds of reasons: what a start or a place waits for.
const (
	ReasonRelease   = "release"      // the task or its job is not there before
	ReasonBarrier   = "barrier"      // predecessors, with their delays, end then
	ReasonMachine   = "machine"      // the machine is busy until then
	ReasonRank      = "lower-ranked" // something ranked before it is served first
	ReasonData      = "data"         // where its data lies, or how fast it arrives
	ReasonPlace     = "place"        // what the place costs, or who holds the others
	ReasonIdle      = "idle"         // nothing: it could start earlier
	ReasonDeadline  = "deadline"     // when it has to be done
	ReasonCut       = "cut"          // a cut of the network that proves it
	ReasonNecessary = "certificate"  // the bound's certificate proves it
)

// Explanation describes a task or job. Texts use the user's ids; times in texts are seconds.
type Explanation struct {
	Subject      string        `json:"subject"`                // one line: what is asked about, where and when it is
	Where        []Reason      `json:"where,omitempty"`        // why on this machine
	When         []Reason      `json:"when,omitempty"`         // why then: first what binds, then what would bind next
	Prices       []Price       `json:"prices,omitempty"`       // what the bound's dual solution puts on it
	Alternatives []Alternative `json:"alternatives,omitempty"` // cheapest first
	// what would have to change for an earlier or a better place
	Changes []string `json:"changes,omitempty"`
}

// Reason is one reason, with the things that it names.
type Reason struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Task string `json:"task,omitempty"` // the task that it waits for
	Job  string `json:"job,omitempty"`
	// Until is when the reason ends.
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

// AlternativeAt is an alternative on a machine, from start to end.
func AlternativeAt(machine string, start, end model.Time) Alternative {
	return Alternative{Machine: machine, Start: model.Number(start.String()), End: model.Number(end.String())}
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
	return strings.Join(shown, ", ") + more(len(list)-len(shown))
}

// ShortList joins ids; if there are more than most, it names the first ones and counts the others.
func ShortList(ids []string, most int) string {
	shown := ids[:min(most, len(ids))]
	return strings.Join(shown, ", ") + more(len(ids)-len(shown))
}

// more counts names that are left out.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
