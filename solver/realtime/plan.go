package realtime

import (
	"context"
	"errors"

	"mrsched/solver"
)

// bestPlan and exactPlan are best and exact of goal deadlines: they know all true times and arrivals.
func bestPlan(context.Context, *run, solver.Options) (*solver.Outcome, error) {
	return nil, errors.New("not yet")
}

func exactPlan(context.Context, *run, solver.Options) (*solver.Outcome, error) {
	return nil, errors.New("not yet")
}

// proveLate computes the bounds of goal deadlines, the strongest first.
func (r *run) proveLate(context.Context, solver.Options) ([]solver.Bound, error) { return nil, nil }
