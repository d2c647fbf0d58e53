package realtime

import (
	"cmp"
	"context"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// exactNodes is how many nodes of case trees one iteration stands for.
const exactNodes = 20

// exactPartitions is best with larger trees, which need not leave a proof behind. FoundNodes are then those of the trees
// that refute less than the optimum, asked for again: Optimal needs as many.
//
// Complexity: exponential; at most so many nodes as iterations allow, a configuration program each.
// Ties: those of best.   Source: mrsched.
func exactPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	limit := exactNodes * min(opt.Iterations, 1<<40)
	out, jobs, err := r.pursue(ctx, opt, limit)
	if err != nil || out.Status == model.StatusOptimal {
		return out, err
	}
	out.Status = model.StatusLimit
	used := 0
	for _, x := range jobs {
		if !x.searched() || r.in.Resplit.Known {
			return out, nil
		}
		n, ok, err := r.confirm(ctx, x.job, x.cost, limit-used)
		if used += n; err != nil || !ok {
			return out, err
		}
	}
	out.Status, out.Found = model.StatusOptimal, map[string]any{solver.FoundNodes: used}
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
	last := make([]model.Time, r.in.Jobs)
	for i := range s.Entries {
		e := &s.Entries[i]
		j := r.in.JobOf(int32(e.Task))
		last[j] = max(last[j], e.End)
	}
	begin, used := model.Time(0), 0
	for j := range int32(r.in.Jobs) {
		if r.in.SetsOf(j)[0].Count == 0 {
			continue
		}
		took := last[j] - begin
		begin = last[j]
		n, ok, err := r.confirm(ctx, j, took, nodes-used)
		if used += n; err != nil || !ok {
			return false, cmp.Or(err, ctx.Err())
		}
	}
	return true, nil
}

// confirm says whether trees of at most so many nodes in all refute that a job's phase takes less than a time, and how
// many nodes they have.
func (r *run) confirm(ctx context.Context, job int32, took model.Time, most int) (nodes int, ok bool, err error) {
	for _, set := range r.in.SetsOf(job) {
		b, err := r.root(ctx, set)
		if err != nil {
			return nodes, false, err
		}
		if b.value >= took {
			continue
		}
		p := r.pack(set)
		if !p.configurable() {
			return nodes, false, nil
		}
		n, a, _, _, err := r.question(ctx, set, p.below(took), most-nodes)
		nodes += n
		if err != nil {
			return nodes, false, err
		}
		if a != refuted {
			return nodes, false, nil
		}
	}
	return nodes, true, nil
}

// below is the largest load below a time.
func (p *packing) below(t model.Time) model.Time { return (t - 1) / p.unit * p.unit }

// question asks whether a set's partitions can be packed within a limit, by a tree of at most so many nodes.
func (r *run) question(ctx context.Context, set realtime.Set, limit model.Time, most int) (int, answer, []int32, *realtime.Proof, error) {
	p := r.pack(set)
	f, err := r.fractional(ctx, set)
	if err != nil {
		return 0, unanswered, nil, nil, err
	}
	x := p.newTree(limit, p.firstTrial(f), most)
	a, slot, proof, err := x.decide(ctx)
	return x.nodes, a, slot, proof, err
}
