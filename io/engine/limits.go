package engine

import (
	"context"
	"time"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// Limits are the options of a run, with its time limit.
type Limits struct {
	solver.Options
	Time time.Duration // 0: none
}

// Within is a context that ends with the time limit.
func (l Limits) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, l.Time)
}

// Stated are the settings that a result of the algorithm depends on.
func (l Limits) Stated(o *Opened, a solver.Algorithm) map[string]any {
	out := o.Problem.Parameters(a, o.Params, l.Iterations)
	if l.Time > 0 {
		out[timeLimit] = model.Number(model.FormatFixed(l.Time.Microseconds(), model.ValueDigits))
	}
	return out
}

// timeLimit is the parameter of a result that was made under a time limit.
const timeLimit = "time_limit"

// Complete runs an algorithm under limits, verifies what it found, and makes the result, judged by its own bound.
func (o *Opened) Complete(ctx context.Context, a solver.Algorithm, digest string, l Limits) (*result.Bundle, error) {
	limited, cancel := l.Within(ctx)
	defer cancel()
	v, err := o.Solve(limited, a, l.Options)
	if err != nil {
		return nil, err
	}
	return o.Settle(&model.Result{Instance: model.InstanceSummary{SHA256: digest}, Parameters: l.Stated(o, a),
		Seed: l.Seed}, v, Strongest(v))
}
