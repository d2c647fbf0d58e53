package multitenant

import (
	"context"

	"mrsched/model"
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

// Load is what uplinks carried in an interval.
type Load struct {
	From, Until model.Time
	Carried     [2][]model.Bytes // out of racks and into them, by rack
}

// Loads simulates a policy and lists the loads that NetSat sees, one per second or per longer interval with constant
// rates. Errors are *model.InputError: the instance, or the parameters.
func Loads(ctx context.Context, w *model.Workload, p solver.Params, policy string) ([]Load, error) {
	values := solver.Bind[params](p)
	in, err := newInstance(w, values)
	if err != nil {
		return nil, err
	}
	m, err := policies().Find(policy)
	if err != nil {
		return nil, err
	}
	var list []Load
	r := &run{in: in, p: values, seen: func(x Load) { list = append(list, x) }}
	if _, err := m.Solve(ctx, r, solver.Options{}); err != nil {
		return nil, err
	}
	return list, ctx.Err()
}
