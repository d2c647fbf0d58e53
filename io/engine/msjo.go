package engine

import (
	"math/rand/v2"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// recordedNote says what the row of the real cluster does not claim.
const recordedNote = "what the traced cluster did; not checked against this machine model, and no guarantee"

// recordedMSJO is the weighted sum of the completions that the trace recorded. It is nil unless all jobs have one, and
// under the task objective, because traces do not record ends of tasks.
func recordedMSJO(view model.View, w *model.Workload) *recorded {
	in, ok := view.(*msjo.Instance)
	if !ok || in.Objective != msjo.JobObjective {
		return nil
	}
	done := make([]model.Time, len(w.Jobs))
	for j := range w.Jobs {
		if !w.Jobs[j].RecordedCompletion.Known {
			return nil
		}
		done[j] = w.Jobs[j].RecordedCompletion.Value
	}
	return &recorded{model.Evaluation{Name: string(msjo.JobObjective), Value: in.WeightedSum(done)}, recordedNote}
}

// smallTasks is the most tasks of a random instance of validate.
const smallTasks = 10

// smallMSJO makes half of the instances with ordered times, the premise of MarS's factor 3, and solves each under both
// objectives. No algorithm that does not search may beat best.
func smallMSJO(algorithms []solver.Algorithm) *smallInstances {
	var pairs [][2]string
	for _, a := range algorithms {
		if !a.Search && !a.Exhaustive && !a.BoundOnly {
			pairs = append(pairs, [2]string{"best", a.Name})
		}
	}
	return &smallInstances{
		NeverWorse: pairs,
		Generate: func(r *rand.Rand, k int) (*model.Workload, error) {
			return instances.SmallMSJO(r, smallTasks, k%2 == 0)
		},
		Variants: []map[string]string{
			{"objective": string(msjo.JobObjective)},
			{"objective": string(msjo.TaskObjective)},
		},
	}
}
