package solver

import (
	"context"
	"errors"
	"math/big"

	"mrsched/solver/lp"
)

// Start runs every algorithm that constructs a schedule without a search, in the order of their table. It returns the
// outcome with the cheapest schedule on the run's objective, the first of several, and that cost. A search that begins
// with it and never returns a worse schedule is never worse than any of them. Start leaves out algorithms that the run
// does not offer, that cannot run on the instance, that are meant for smaller ones or that fail, and all that remain
// when ctx ends; outcome is nil if none made a schedule. tasks is the size of the instance. Start fails if memory was
// short.
func Start(ctx context.Context, r Run, algorithms []Algorithm, tasks int, opt Options) (outcome *Outcome,
	cost *big.Rat, err error) {
	ctx, end := opt.Phase(ctx, PhaseStart, startShare)
	defer end()
	view := r.View()
	for k, a := range algorithms {
		if ctx.Err() != nil {
			break
		}
		opt.Report(k, len(algorithms))
		if !constructs(r, a, tasks) {
			continue
		}
		out, err := r.Solve(ctx, a.Name, opt)
		if errors.Is(err, lp.ErrMemory) {
			return nil, nil, err
		}
		if err != nil || out.Schedule == nil {
			continue
		}
		if value := view.Evaluate(out.Schedule).Value; cost == nil || value.Cmp(cost) < 0 {
			outcome, cost = out, value
			v, _ := value.Float64()
			opt.Watch.Incumbent(v, a.Name)
		}
	}
	return outcome, cost, nil
}

// startShare is the share of the remaining time limit that Start may take.
const startShare = 0.5

// constructs says whether Start runs an algorithm.
func constructs(r Run, a Algorithm, tasks int) bool {
	if a.Search || a.Exhaustive || a.BoundOnly || a.SizeLimit > 0 && tasks > a.SizeLimit {
		return false
	}
	return r.Excludes(a.Name) == Exclusion{}
}
