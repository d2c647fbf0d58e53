package realtime

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// bestWork is the work on case trees that best does for one iteration (configs.work): the default iterations take some
	// seconds where the gap is hard to close.
	bestWork = 100_000
	// searchLeast is how many moves the search for a job looks at in any case.
	searchLeast = 50_000
)

// bestPartitions knows all true times. For every job it packs each set by greedy lists, by the rounded program, and by
// tabu search; then, while its bound is below and the set is small enough, case trees close the gap from both sides: what
// they refute raises the bound, what they find lowers the makespan. Where partitions may be split there are no trees;
// what comes of the packing is split again as skewtune does it, by true times (splitPhases).
//
// Ties: the first set, the first assignment.   Source: mrsched.
func bestPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, _, err := r.pursue(ctx, opt, bestWork*int64(min(opt.Iterations, maxIterations)))
	return out, err
}

// pursued is the state of one job.
type pursued struct {
	job  int32
	sets []pursuedSet
	slot []int32 // the best assignment
	of   int     // its set
	cost model.Time
}

// pursuedSet is the state of one set. No load below low is possible; what its bound proves may be less, if the proof of
// a tree was too large.
type pursuedSet struct {
	*packed
	bound bounded
	low   model.Time
}

// certified says whether bounds prove that nothing is cheaper, searched whether trees have shown it.
func (x *pursued) certified() bool {
	return !slices.ContainsFunc(x.sets, func(s pursuedSet) bool { return s.bound.value < x.cost })
}

func (x *pursued) searched() bool {
	return !slices.ContainsFunc(x.sets, func(s pursuedSet) bool { return s.low < x.cost })
}

// maxIterations keeps work below 2⁶³.
const maxIterations = 1 << 40

// pursue works on all jobs, with so much work on trees. The outcome is optimal if the certificate says so.
func (r *run) pursue(ctx context.Context, opt solver.Options, work int64) (*solver.Outcome, []*pursued, error) {
	var list []assignment
	var jobs []*pursued
	raised, certified, of := false, true, map[int32]*pursued{}
	active := r.activeJobs()
	for k, j := range active {
		opt.Report(k, len(active))
		x, err := r.packJob(ctx, j, opt, len(active))
		if err != nil {
			return nil, nil, err
		}
		left, up, err := r.closeGap(ctx, x, work)
		if err != nil {
			return nil, nil, err
		}
		work, raised, certified = left, raised || up, certified && x.certified()
		jobs, of[j] = append(jobs, x), x
		list = append(list, x.sets[x.of].assignment(x.slot))
	}
	opt.Report(len(active), len(active))
	out := &solver.Outcome{Status: model.StatusFeasible, Schedule: phases(r.in, list)}
	if r.in.Resplit.Known && !certified {
		var err error
		if out.Schedule, err = r.splitPhases(ctx, list); err != nil {
			return nil, nil, err
		}
	}
	if raised {
		b, err := r.bound(func(set realtime.Set) *bounded { return &of[set.Job].sets[set.Row].bound })
		if err != nil {
			return nil, nil, err
		}
		out.Bounds = []solver.Bound{*b}
	}
	switch {
	case certified:
		out.Status = model.StatusOptimal
	case ctx.Err() != nil:
		out.Status = model.StatusLimit
	}
	return out, jobs, nil
}

// activeJobs are those with partitions.
func (r *run) activeJobs() []int32 {
	var list []int32
	for j := range int32(r.in.Jobs) {
		if r.in.SetsOf(j)[0].Count > 0 {
			list = append(list, j)
		}
	}
	return list
}

// packJob packs one of so many jobs.
func (r *run) packJob(ctx context.Context, job int32, opt solver.Options, jobs int) (*pursued, error) {
	x := &pursued{job: job}
	moves := max(searchLeast, min(opt.Iterations, maxIterations)*searchMoves/jobs)
	each := moves / 2 / len(r.in.SetsOf(job)) // then the best gets the other half
	for k, set := range r.in.SetsOf(job) {
		b, err := r.root(ctx, set)
		if err != nil {
			return nil, err
		}
		s := pursuedSet{r.pack(set), *b, b.value}
		x.sets = append(x.sets, s)
		first, err := r.construct(ctx, s.packed)
		if err != nil {
			return nil, err
		}
		for n, slot := range first {
			if x.slot != nil && s.low >= x.cost {
				break
			}
			slot = s.improved(ctx, slot, s.low, opt.Seed+uint64(n), each/len(first))
			if cost := s.makespan(slot); x.slot == nil || cost < x.cost {
				x.slot, x.of, x.cost = slot, k, cost
			}
		}
	}
	s := &x.sets[x.of]
	x.slot = s.improved(ctx, x.slot, s.low, opt.Seed, moves/2)
	x.cost = s.makespan(x.slot)
	return x, nil
}

// improved searches from an assignment.
func (p *packed) improved(ctx context.Context, slot []int32, low model.Time, seed uint64, moves int) []int32 {
	q := p.newSearch(seed, moves)
	if p.fractional != nil {
		q.guide(p.fractional)
	}
	return q.improve(ctx, slot, low)
}

// construct lists assignments to start from: greedy ones, multifit's, and what vertices of the linear program become.
func (r *run) construct(ctx context.Context, p *packed) ([][]int32, error) {
	list := [][]int32{p.greedy(bySize)}
	if p.times != nil && !p.related {
		list = append(list, p.greedy(byRegret), p.greedy(byMean))
	}
	f, err := r.fractional(ctx, p.set)
	if err != nil {
		return nil, err
	}
	if slot := p.multifit(f.bound, list[0]); slot != nil {
		list = append(list, slot)
	}
	if slot := p.placed(f); slot != nil {
		list = append(list, slot)
	}
	slot, err := p.round(ctx, f)
	if slot != nil {
		list = append(list, slot)
	}
	slices.SortStableFunc(list, func(a, b []int32) int { return cmp.Compare(p.makespan(a), p.makespan(b)) })
	return slices.CompactFunc(list, slices.Equal), err
}

// closeGap asks trees for limits between bound and makespan, with so much work in all, the set with the least bound first.
// It says how much work is left, and whether some bound has risen.
func (r *run) closeGap(ctx context.Context, x *pursued, work int64) (left int64, raised bool, err error) {
	if r.in.Resplit.Known {
		return work, false, nil
	}
	order := make([]int, len(x.sets))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.sets[a].low, x.sets[b].low) })
	for _, k := range order {
		s := &x.sets[k]
		tries := gapTries // where in the gap to ask next
		for s.low < x.cost && s.configurable() && len(tries) > 0 && ctx.Err() == nil {
			top, low := s.below(x.cost), (s.low+s.unit-1)/s.unit*s.unit
			limit := max(low, top-(top-low)/tries[0].of*tries[0].times/s.unit*s.unit)
			q := question{limit: min(limit, top), nodes: math.MaxInt, work: work / 2}
			if err := r.answer(ctx, s.packed, &q); err != nil {
				return work, raised, err
			}
			work -= q.usedWork
			switch tries = tries[1:]; q.answer {
			case relaxed:
				x.slot, x.of, x.cost, tries = q.slot, k, s.makespan(q.slot), gapTries
			case refuted:
				s.low, tries = q.limit+s.unit, gapTries
				if q.proof != nil {
					s.bound, raised = bounded{s.low, *q.proof}, true
				}
			}
		}
	}
	return work, raised, nil
}

// gapTries are the places in a gap where questions are asked until one is answered: in the middle, near the bound, where it
// is easier to refute, and near the makespan, where it is easier to find something. They are shares of the way down.
var gapTries = []struct{ times, of model.Time }{{1, 2}, {7, 8}, {1, 8}}
