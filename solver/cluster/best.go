package cluster

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// Settings of the search.
const (
	// searchChains is the number of independent searches, fixed so that results do not depend on the number of threads.
	searchChains = 2
	// searchEpoch is the number of iterations after which a chain that lags behind continues from the other's schedule.
	searchEpoch = 100
	// searchWork is about how many tasks an iteration places again; on small instances it takes several steps.
	searchWork = 200
	// afterBound is the number of iterations that continue for Σ w_j C_j when the objective meets the bound.
	afterBound = 2 * searchEpoch
)

// solveBest starts from the cheapest schedule of all other algorithms and improves it by large neighbourhood search: it
// takes some tasks off their nodes and puts them back in another order. It never costs more than any of them, comparing
// the objective first, then Σ w_j C_j. Where schedules are assignments, it searches assignments.
//
// Guarantee: none of its own.   Complexity: an iteration of a step that moves k tasks takes O(k · nodes · tasks of a
// node).   Source: mrsched; large neighbourhood search is Shaw's, CP 1998, justification that of Valls et al., EJOR
// 2005.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*made, error) {
	first, cut := r.first(ctx, opt)
	m := &made{schedule: first, facts: Facts{Iterations: new(int)}}
	if cut {
		m.status = model.StatusLimit
	}
	if first == nil {
		return m, nil
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	s := newLNS(ctx, r.in, first, opt)
	s.aim = r.least() * (1 + 2e-12) // which exceeds rounding
	limited := s.run(opt)
	if limited {
		m.status = model.StatusLimit
	}
	*m.facts.Iterations = s.done
	if found := s.best().schedule(); cheaper(r.in, found, first) {
		m.schedule = found
	}
	return m, nil
}

// first is the cheapest schedule of the algorithms that construct one, ties: the first; cut says that ctx ended before
// all of them had run. At least one runs.
func (r *run) first(ctx context.Context, opt solver.Options) (best *model.Schedule, cut bool) {
	ctx, end := opt.Phase(ctx, solver.PhaseStart, startShare)
	defer end()
	if r.in.Replan() != nil {
		best = repaired(context.WithoutCancel(ctx), r.in)
	}
	for k, a := range algorithms() {
		opt.Report(k, len(algorithms()))
		if a.Search || a.Exhaustive || a.SizeLimit > 0 && r.in.Tasks > a.SizeLimit {
			continue
		}
		within := ctx
		switch {
		case ctx.Err() == nil:
		case best != nil:
			return best, true
		default:
			within = context.WithoutCancel(ctx)
		}
		m, err := a.Solve(within, r, opt)
		if err != nil || m.schedule == nil {
			continue
		}
		if best == nil || cheaper(r.in, m.schedule, best) {
			best = m.schedule
			v, _ := r.in.Evaluate(best).Value.Float64()
			opt.Watch.Incumbent(v, a.Name)
		}
	}
	return best, ctx.Err() != nil
}

// startShare is the share of the remaining time limit that the first schedules may take.
const startShare = 0.5

// cheaper compares schedules exactly: the objective plus the cost of changes to an earlier plan, then Σ w_j C_j.
func cheaper(in *cluster.Instance, a, b *model.Schedule) bool {
	if in.Replan() != nil {
		if c := in.Evaluate(a).Total().Cmp(in.Evaluate(b).Total()); c != 0 {
			return c < 0
		}
	}
	x, y := in.Completions(a), in.Completions(b)
	for _, o := range []cluster.Objective{in.Objective, cluster.WeightedEnds} {
		if c := in.Cost(o, x).Cmp(in.Cost(o, y)); c != 0 {
			return c < 0
		}
	}
	return false
}

// least is the largest bound of the instance, in the integers of its objective.
func (r *run) least() float64 {
	most := 0.0
	for _, b := range r.bounded.value {
		exact, _ := new(big.Rat).SetString(b.Certificate.(*cluster.Certificate).Value)
		v, _ := r.in.RoundUp(exact).Float64()
		most = max(most, v)
	}
	unit, _ := new(big.Rat).Inv(r.in.Objective.Rat(big.NewInt(1))).Float64()
	return most * unit * (1 - 1e-12)
}

// walk is one of several searches that start from one schedule.
type walk interface {
	step(heat float64)
	cost() price // of its best schedule
	schedule() *model.Schedule
	adopt(better walk) // continues from the best schedule of another walk of its kind
}

// lns is the search of all chains.
type lns struct {
	chains      []walk
	done, total int // iterations
	steps       int // of one iteration
	movable     int // tasks that are not fixed
	aim         float64
	metBound    int // iterations since the bound was met
	ctx         context.Context
	begin       time.Time
	until       time.Time // zero: none
	watch       *solver.Watch
	objective   cluster.Objective
}

func newLNS(ctx context.Context, in *cluster.Instance, first *model.Schedule, opt solver.Options) *lns {
	s := &lns{total: opt.Iterations, ctx: ctx, begin: time.Now(), watch: opt.Watch, objective: in.Objective}
	s.until, _ = ctx.Deadline()
	alone := assigns(in)
	var one *assignment
	for k := range searchChains {
		random := rand.New(rand.NewPCG(opt.Seed, uint64(k)+1))
		if alone {
			one = newAssignment(in, first, random, one)
			s.chains = append(s.chains, one)
			continue
		}
		s.chains = append(s.chains, newChain(in, first, random))
	}
	for u := range int32(in.Tasks) {
		if !in.Fixed(u) {
			s.movable++
		}
	}
	s.steps = max(1, searchWork/max(1, s.movable))
	return s
}

// run searches until the iterations are used up or ctx ends, and reports whether ctx ended it.
func (s *lns) run(opt solver.Options) (limited bool) {
	for s.done < s.total && s.movable > 0 {
		n := min(searchEpoch, (s.total-s.done+searchChains-1)/searchChains)
		var g errgroup.Group
		g.SetLimit(max(1, opt.Threads))
		for _, c := range s.chains {
			g.Go(func() error {
				for k := range n * s.steps {
					if s.ctx.Err() != nil {
						break
					}
					c.step(s.heat(s.done + k/s.steps*searchChains))
				}
				return nil
			})
		}
		_ = g.Wait() // the work returns no errors
		s.done = min(s.total, s.done+n*searchChains)
		s.share()
		s.watch.Progress(s.done, s.total)
		if s.ctx.Err() != nil {
			return true
		}
		if s.best().cost().float() <= s.aim {
			if s.metBound += n * searchChains; s.objective == cluster.WeightedEnds || s.metBound >= afterBound {
				return false
			}
		}
	}
	if s.done >= s.total {
		s.watch.UsedUp()
	}
	return false
}

// heat falls from 1 to 0 while the search runs, with the iterations or with the time, whichever is nearer to the end.
func (s *lns) heat(done int) float64 {
	spent := float64(done) / float64(s.total)
	if !s.until.IsZero() {
		if all := s.until.Sub(s.begin); all > 0 {
			spent = max(spent, float64(time.Since(s.begin))/float64(all))
		}
	}
	return math.Max(0, 1-spent)
}

// best is the chain with the cheapest schedule; ties: the first.
func (s *lns) best() walk {
	best := s.chains[0]
	for _, c := range s.chains[1:] {
		if c.cost().less(best.cost()) {
			best = c
		}
	}
	return best
}

// share lets chains that lag behind continue from the best schedule.
func (s *lns) share() {
	best := s.best()
	for _, c := range s.chains {
		if best.cost().less(c.cost()) {
			c.adopt(best)
		}
	}
	value, _ := s.objective.Rat(big.NewInt(1)).Float64()
	s.watch.Incumbent(best.cost().float()*value, "")
}
