package rumen

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/io/trace"
	"mrsched/model"
)

// Ways to weigh jobs, for Options.Weights.
const (
	// ByPriority weighs VERY_HIGH 5, HIGH 4, NORMAL 3, LOW 2, VERY_LOW 1; unknown priorities count as NORMAL.
	ByPriority = "priority"
	// Uniform weighs every job 1.
	Uniform = "uniform"
	// BySize weighs a job by the number of its maps and reduces. (Traces know the bytes of few tasks, and of none that
	// failed.)
	BySize = "size"
)

// WeightNames lists the values of Options.Weights.
func WeightNames() []string { return []string{ByPriority, Uniform, BySize} }

// Options say what to import and supply what the trace does not say. The zero value imports the jobs that
// succeeded, weighed by priority, and gives hosts no slots.
type Options struct {
	IncludeFailed bool   // also import FAILED and KILLED jobs
	Weights       string // ByPriority (also if empty), Uniform or BySize
	// MapSlots and ReduceSlots are the slots of every host, be it one of the topology or, without one, of the trace.
	MapSlots, ReduceSlots int64
	// Machines is the workload's number of identical machines.
	Machines model.Optional[int64]
	// History also imports the successful attempts as past runs, and names the jobs' classes.
	History bool
}

// DefaultOptions give each node two slots of each kind, as a default installation of Hadoop had at the time.
func DefaultOptions() Options { return Options{Weights: ByPriority, MapSlots: 2, ReduceSlots: 2} }

// check reports values that are out of range.
func (o *Options) check(findings *model.Findings) {
	check := trace.Options{Found: findings}
	o.Weights = cmp.Or(o.Weights, ByPriority)
	if !slices.Contains(WeightNames(), o.Weights) {
		findings.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("weights %q", o.Weights),
			Expected: "priority, uniform or size", Hint: model.DidYouMean(o.Weights, WeightNames())})
	}
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
func (o *Options) weight(j *job) (w model.Weight, assumed bool) {
	switch o.Weights {
	case Uniform:
		return model.UnitWeight, false
	case BySize:
		return model.Weight(j.size()) * model.UnitWeight, false
	}
	if w, ok := priorityWeights[j.priority]; ok {
		return w, false
	}
	return priorityWeights[priorityNormal], true
}
