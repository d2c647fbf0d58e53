package msjo

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/solver"
)

// defaultBatch is the batch interval where the parameters state none, in seconds.
const defaultBatch = 50

// solveSOMars learns of jobs at the multiples of a batch interval after they arrive. At every multiple at which a
// new job is known, all tasks that have not started are planned afresh, as solveMarS does, with the LP of what is
// left (times from now on; tasks that run keep their machines), and what starts before the next such multiple is
// settled.
//
// Guarantee: none: it does not know what comes.   Complexity: one LP and O(N log N) a batch with new jobs.
// Ties: as solveMarS.   Source: Ling et al. 2016, §5.3.   Differs: no new plan when nothing new is known.
func solveSOMars(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	interval := r.p.batchInterval
	if interval == 0 {
		interval = defaultBatch
	}
	r = r.underJobs()
	o := newOnline(r, r.planner(opt), model.TimeOf(interval))
	m := &made{facts: Facts{Batches: new(len(o.batches))}}
	for i, now := range o.batches {
		until := model.Time(math.MaxInt64)
		if i+1 < len(o.batches) {
			until = o.batches[i+1]
		}
		part, end := within(ctx, 1/float64(len(o.batches)-i))
		order, complete, err := o.plan(part, now, opt)
		end()
		if err != nil {
			return nil, err
		}
		m.limited(!complete)
		graph(r.in).Resume(o.partial, r.in.Topo, order, r.in.Machines, now, until)
		opt.Report(i+1, len(o.batches))
	}
	m.schedule = o.partial.Schedule
	return m, nil
}
