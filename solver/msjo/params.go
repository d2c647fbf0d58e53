package msjo

import (
	"slices"

	"mrsched/model/msjo"
)

// jobLPParams say how the LP of the job objective is written and solved, taskLPParams that of the task objective.
var (
	jobLPParams  = []string{"epsilon", "formulation", "separation", "lp"}
	taskLPParams = []string{"lp", "inequality"}
)

// planParams names the parameters on which an algorithm's schedule depends. Weights are always known exactly, so a rule
// that only compares weights ignores prediction-error.
func planParams(algorithm string, epsilon float64) []string {
	switch algorithm {
	case "mars", "mars-list":
		return append(slices.Clone(jobLPParams), "prediction-error")
	case "so-mars":
		return append(slices.Clone(jobLPParams), "prediction-error", "batch-interval")
	case "tmars", "tmars-list":
		return append(slices.Clone(taskLPParams), "prediction-error")
	case "mares", "h-mares":
		if epsilon == 0 { // a first-order method solves the LP: no rows are separated
			return []string{"epsilon", "prediction-error"}
		}
		return []string{"epsilon", "separation", "prediction-error"}
	case "huwf", "wspt-list", "stf":
		return []string{"prediction-error"}
	case "best", "exact": // they begin with the best schedule of all the others
		return slices.Concat(jobLPParams, taskLPParams, []string{"prediction-error", "batch-interval"})
	}
	return nil
}

// boundParams names the parameters that the bound of an objective depends on.
func boundParams(objective string) []string {
	if objective == string(msjo.TaskObjective) {
		return taskLPParams
	}
	return append(slices.Clone(jobLPParams), "bound")
}

// uses names the parameters on which a run of an algorithm, with its bound, depends under the given values; under any
// values if p is nil. Without an algorithm, it names those on which the written model depends.
func uses(algorithm string, p *params) []string {
	objectives, epsilon := []string{string(msjo.JobObjective), string(msjo.TaskObjective)}, 1.0
	if p != nil {
		objectives, epsilon = []string{p.objective}, p.epsilon
	}
	var names []string
	for _, o := range objectives {
		names = append(names, boundParams(o)...)
	}
	if algorithm == "" { // what solves the LP is the reader's choice, and further bounds are not written
		return slices.DeleteFunc(names, func(name string) bool { return name == "lp" || name == "bound" })
	}
	names = append(names, planParams(algorithm, epsilon)...)
	slices.Sort(names)
	return slices.Compact(names)
}
