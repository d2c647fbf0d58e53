package rumen

import (
	"fmt"
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

// Options say what to import and supply what the trace does not say. The zero value imports the jobs that
// succeeded, and gives hosts no slots.
type Options struct {
	IncludeFailed bool // also import FAILED and KILLED jobs
	// MapSlots and ReduceSlots are the slots of every host, be it one of the topology or, without one, of the trace.
	MapSlots, ReduceSlots int64
	// Machines is the workload's number of identical machines.
	Machines model.Optional[int64]
	// History also imports the successful attempts as past runs, and names the jobs' classes.
	History bool
}

// DefaultOptions give each node two slots of each kind, as a default installation of Hadoop had at the time.
func DefaultOptions() Options { return Options{MapSlots: 2, ReduceSlots: 2} }

// check reports values that are out of range.
func (o *Options) check(findings *model.Findings) {
	check := trace.Options{Found: findings}
	if o.MapSlots < 0 || o.ReduceSlots < 0 {
		check.Bad(fmt.Sprintf("%s and %s a node", model.Counted(o.MapSlots, "map slot"),
			model.Counted(o.ReduceSlots, "reduce slot")), "0 or more of each")
	}
	check.Count(o.Machines.Or(1), math.MaxInt64, "machines", "at least 1")
}

const priorityNormal = "NORMAL"

// priorityWeights are the weights of Hadoop's five priorities.
var priorityWeights = map[string]model.Weight{
	"VERY_HIGH":    5 * model.UnitWeight,
	"HIGH":         4 * model.UnitWeight,
	priorityNormal: 3 * model.UnitWeight,
	"LOW":          2 * model.UnitWeight,
	"VERY_LOW":     1 * model.UnitWeight,
}

// weight is a job's weight; assumed says that its priority is unknown.
func (j *job) weight() (w model.Weight, assumed bool) {
	if w, ok := priorityWeights[j.priority]; ok {
		return w, false
	}
	return priorityWeights[priorityNormal], true
}
