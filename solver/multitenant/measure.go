package multitenant

import (
	"context"

	"mrsched/solver"
)

// SolveBare is Solve without the bounds, which take longer than most policies.
func (r *run) SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	m, err := methods().Find(name)
	if err != nil {
		return nil, err
	}
	out, err := m.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	out.Algorithm = name
	return out, nil
}
