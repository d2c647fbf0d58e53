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
func solveWSPTList(_ context.Context, r *run, opt solver.Options) (*made, error) {
	return neverIdle(r, orderByJob(r.in, byUnitWeight(r.planner(opt).in)))
}
