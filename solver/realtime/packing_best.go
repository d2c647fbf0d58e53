package realtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// bestNodes is how many nodes of case trees best looks at for one iteration; the proofs of its trees are part of the
// certificate.
const bestNodes = 1

// bestPartitions knows all true times. For every job it packs each set by greedy lists, by the rounded program, and by
// tabu search; then, while its bound is below and the set is small enough, case trees close the gap from both sides: what
// they refute raises the bound, what they find lowers the makespan.
//
// Ties: the first set, the first assignment.   Source: mrsched.
func bestPartitions(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, _, err := r.pursue(ctx, opt, bestNodes*opt.Iterations)
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

// pursue works on all jobs, with so many nodes of trees. The outcome is optimal if the certificate says so.
func (r *run) pursue(ctx context.Context, opt solver.Options, nodes int) (*solver.Outcome, []*pursued, error) {
	var list []assignment
	var jobs []*pursued
	begin, used, of := time.Now(), 0, map[int32]*pursued{}
	raised, certified := false, true
	active := r.activeJobs()
	for k, j := range active {
		opt.ReportUntil(ctx, begin, k, len(active))
		x, err := r.pack1(ctx, j, opt, len(active))
		if err != nil {
			return nil, nil, err
		}
		n, up, err := r.closeGap(ctx, x, nodes-used)
		if err != nil {
			return nil, nil, err
		}
		used, raised, certified = used+n, raised || up, certified && x.certified()
		jobs, of[j] = append(jobs, x), x
		list = append(list, x.sets[x.of].assignment(x.slot))
	}
	opt.ReportUntil(ctx, begin, len(active), len(active))
	out := &solver.Outcome{Status: model.StatusFeasible, Schedule: phases(r.in, list)}
	if raised {
		b, err := r.bound(func(set realtime.Set) (*bounded, error) { return &of[set.Job].sets[set.Row].bound, nil })
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

// pack1 packs one of so many jobs.
func (r *run) pack1(ctx context.Context, job int32, opt solver.Options, jobs int) (*pursued, error) {
	x := &pursued{job: job}
	var first [][]int32
	for _, set := range r.in.SetsOf(job) {
		b, err := r.root(ctx, set)
		if err != nil {
			return nil, err
		}
		p := r.pack(set)
		x.sets = append(x.sets, pursuedSet{p, *b, b.value})
		slot, err := r.construct(ctx, p)
		if err != nil {
			return nil, err
		}
		first = append(first, slot)
	}
	moves := max(searchLeast, min(opt.Iterations, 1<<30)*searchMoves/jobs)
	each := moves / 2 / len(x.sets) // then the best set gets the other half
	for k := range x.sets {
		s := &x.sets[k]
		if x.slot != nil && s.low >= x.cost {
			continue
		}
		q := s.newSearch(opt.Seed, each)
		q.guide(s.fractional)
		slot := q.improve(ctx, first[k], s.low)
		if cost := s.makespan(slot); x.slot == nil || cost < x.cost {
			x.slot, x.of, x.cost = slot, k, cost
		}
	}
	s := &x.sets[x.of]
	q := s.newSearch(opt.Seed+1, moves/2)
	q.guide(s.fractional)
	x.slot = q.improve(ctx, x.slot, s.low)
	x.cost = s.makespan(x.slot)
	return x, nil
}

// searchLeast is how many moves the search for a job looks at in any case.
const searchLeast = 50_000

// construct is the best of the greedy assignments and the rounded program.
func (r *run) construct(ctx context.Context, p *packed) ([]int32, error) {
	best := p.greedy(bySize)
	if p.times != nil {
		for order := bySize + 1; order < orders; order++ {
			if slot := p.greedy(order); p.makespan(slot) < p.makespan(best) {
				best = slot
			}
		}
	}
	f, err := r.fractional(ctx, p.set)
	if err != nil {
		return nil, err
	}
	if slot := p.placed(f); slot != nil && p.makespan(slot) < p.makespan(best) {
		best = slot
	}
	slot, err := p.round(ctx, f)
	if err == nil && slot != nil && p.makespan(slot) < p.makespan(best) {
		best = slot
	}
	return best, err
}

// closeGap asks trees of at most so many nodes for limits between bound and makespan, the set with the least bound first.
// raised: some bound has risen.
func (r *run) closeGap(ctx context.Context, x *pursued, nodes int) (used int, raised bool, err error) {
	if r.in.Resplit.Known {
		return 0, false, nil
	}
	order := make([]int, len(x.sets))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.sets[a].low, x.sets[b].low) })
	for _, k := range order {
		s := &x.sets[k]
		for s.low < x.cost && s.configurable() && used < nodes && ctx.Err() == nil {
			top := s.below(x.cost)
			limit := s.low + (top-s.low)/2/s.unit*s.unit
			if limit < s.low { // low is no multiple of unit
				limit = top
			}
			n, a, slot, proof, err := r.question(ctx, s.set, limit, nodes-used)
			used += n
			switch {
			case err != nil:
				return used, raised, err
			case a == unanswered:
				return used, raised, nil
			case a == relaxed:
				x.slot, x.of, x.cost = slot, k, s.makespan(slot)
				continue
			}
			if s.low = limit + s.unit; proof != nil {
				s.bound, raised = bounded{s.low, *proof}, true
			}
		}
	}
	return used, raised, nil
}
