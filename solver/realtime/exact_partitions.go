package realtime

import (
	"cmp"
	"context"
	"math"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// exactWork is the work on case trees that exact does for one iteration (configs.work): the default iterations take
// about a minute where the search does not end before.
const exactWork = 2_000_000

// exactPartitions is best with larger trees, which need not leave a proof behind. FoundNodes are then those of the
// trees that refute less than the optimum, asked for again: Optimal needs as many.
//
// Complexity: exponential; at most so much work as iterations allow. Ties: those of best.   Source: mrsched.
func exactPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, jobs, err := r.pursue(ctx, opt, exactWork)
	if err != nil || out.Status == model.StatusOptimal {
		return out, err
	}
	out.Status = model.StatusLimit
	used := 0
	for _, x := range jobs {
		if !x.searched() {
			return out, nil
		}
		n, ok, err := r.confirm(ctx, x.job, x.cost, math.MaxInt)
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
		q := question{limit: p.below(took), nodes: most - nodes, work: math.MaxInt64}
		err = r.answer(ctx, p, &q)
		if nodes += q.usedNodes; err != nil || q.answer != refuted {
			return nodes, false, err
		}
	}
	return nodes, true, nil
}

// below is the largest load below a time.
func (p *packing) below(t model.Time) model.Time { return (t - 1) / p.unit * p.unit }

// question is whether a set's partitions can be packed within a limit, by a tree that may have so many nodes and do so
// much work. The answer comes with an assignment or, unless that were too large, a proof.
type question struct {
	limit model.Time
	nodes int
	work  int64

	answer    answer
	slot      []int32
	proof     *realtime.Proof
	usedNodes int
	usedWork  int64
}

// answer answers a question.
func (r *run) answer(ctx context.Context, p *packed, q *question) error {
	f, err := r.fractional(ctx, p.set)
	if err != nil {
		return err
	}
	x := p.newTree(q.limit, p.firstTrial(f), q.nodes, q.work)
	q.answer, q.slot, q.proof, err = x.decide(ctx)
	q.usedNodes, q.usedWork = x.nodes, q.work-x.knap.work
	return err
}
