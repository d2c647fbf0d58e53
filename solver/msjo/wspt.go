package msjo

import (
	"context"

	"mrsched/solver"
)

// solveWSPTList starts, whenever a machine is free, an available task of the job with the highest unit weight:
// HUWF that never idles.
//
// Guarantee: none.   Complexity: O(N log N).   Ties: the lower job, then the lower task index.
// Source: ours; the order is Smith's rule on jobs.
func solveWSPTList(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	order := orderByJob(r.in, byUnitWeight(r.planner(opt).in))
	return compared(ctx, r, "wspt-list", graph(r.in).NeverIdle(ranks(order), r.in.Machines), opt)
}
