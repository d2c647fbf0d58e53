package realtime

import (
	"cmp"
	"context"
	"math"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/unrelated"
)

// exactWork is the work on trees that exact does for one iteration: the default iterations take about a minute where
// the search does not end before.
const exactWork = 2_000_000

// exactPartitions is best with larger trees, which need not leave a proof behind. FoundNodes counts the nodes of the
// trees that refute every makespan below the optimum; Optimal needs as many.
//
// Complexity: exponential; at most so much work as iterations allow. Ties: those of best.   Source: mrsched.
func exactPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, jobs, err := r.searchPhases(ctx, opt, exactWork)
	if err != nil || out.Status == model.StatusOptimal {
		return out, err
	}
	out.Status = model.StatusLimit
	used := 0
	for _, x := range jobs {
		if !x.Done() {
			return out, nil
		}
		n, ok, err := unrelated.Confirm(ctx, r.instances(x.job), x.end(), math.MaxInt)
		if used += n; err != nil || !ok {
			return out, err
		}
	}
	out.Status, out.Facts = model.StatusOptimal, Facts{Nodes: &used}
	return out, nil
}

// Optimal says whether a search of at most so many nodes shows that nothing is cheaper than a schedule.
func (r *run) Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	if r.in.Goal == realtime.Deadlines {
		return r.optimalPlan(ctx, s, nodes)
	}
	if r.in.Resplit.Known {
		return false, ctx.Err()
	}
	jobs, used := r.activeJobs(), 0
	for k, rows := range phasesOf(r.in, s) {
		n, ok, err := unrelated.Confirm(ctx, r.instances(jobs[k]), lastEnd(rows), nodes-used)
		if used += n; err != nil || !ok {
			return false, cmp.Or(err, ctx.Err())
		}
	}
	return true, nil
}
