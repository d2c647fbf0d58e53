package msjo

import (
	"context"

	"mrsched/model/msjo"
	"mrsched/solver"
)

// Relaxed solves the LP of the objective. Under the task objective a job ends with the last of its tasks.
func (r *run) Relaxed(ctx context.Context, opt solver.Options) (*solver.Relaxed, error) {
	defer r.forget()
	if r.in.Objective == msjo.JobObjective {
		relax, err := r.relaxation(ctx, opt)
		if err != nil {
			return nil, err
		}
		return &solver.Relaxed{Method: r.method(), Completion: relax.completion}, nil
	}
	t, err := r.taskRelaxation(ctx, opt)
	if err != nil {
		return nil, err
	}
	done := make([]float64, r.in.Jobs)
	for u, c := range t.completion {
		j := r.in.Job[u]
		done[j] = max(done[j], c)
	}
	return &solver.Relaxed{Method: t.bound.Method, Completion: done}, nil
}
