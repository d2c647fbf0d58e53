package bound

import (
	"context"
	"time"

	"mrsched/solver"
)

// Step computes one bound within a share of the remaining time if others follow; nil: there is none. A limit never
// skips a step of share 1.
type Step struct {
	Share   float64
	Compute func(ctx context.Context) (*solver.Bound, error)
}

// Run computes bounds one after the other and passes them to add, until that returns true or ctx ends. It reports
// whether a limit cut steps after the first short, or left some out.
func Run(ctx context.Context, steps []Step, add func(step int, b *solver.Bound) (done bool)) (cut bool, err error) {
	for k, step := range steps {
		if step.Share < 1 && k > 0 && ctx.Err() != nil {
			return true, nil
		}
		share := step.Share
		if k == len(steps)-1 {
			share = 1
		}
		part, end := Within(ctx, share)
		b, err := step.Compute(part)
		cut = cut || k > 0 && part.Err() != nil
		end()
		if err != nil {
			return cut, err
		}
		if b != nil && add(k, b) {
			return cut, nil
		}
	}
	return cut, nil
}

// Within returns a context that ends after a share of the remaining time, if there is a limit.
func Within(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	until, limited := ctx.Deadline()
	if !limited || share >= 1 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(until))))
}
