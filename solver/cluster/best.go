package cluster

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
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
	first := r.first.schedule
	m := &made{schedule: first, facts: Facts{Iterations: new(int)}}
	if r.first.cut {
		m.status = model.StatusLimit
	}
	if first == nil || ctx.Err() != nil {
		m.status = model.StatusLimit
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

// firstSchedule is where a search begins.
type firstSchedule struct {
	schedule *model.Schedule // nil: none was found
	aim      *model.Schedule // at whose cost bounds aim: price-list's, whose order is that of a bound, if there is one
	cut      bool            // ctx ended before all algorithms had run
}

// begin finds the cheapest schedule of the algorithms that construct one, ties: the first.
func (r *run) begin(ctx context.Context, opt solver.Options) (found firstSchedule, err error) {
	if r.in.Replan() != nil {
		least, end := solver.Grace(ctx)
		defer end()
		found.schedule = repaired(least, r.in)
	}
	l := lists{r, make([]*model.Schedule, len(algorithms()))}
	width := min(max(1, opt.Threads), searchChains) // more would take more memory than the search
	s, err := solver.Start(ctx, l, algorithms().Algorithms(), r.in.Tasks, width, opt)
	if err != nil {
		return found, err
	}
	found.cut = s.Cut
	for _, made := range l.made {
		if made != nil && (found.schedule == nil || cheaper(r.in, made, found.schedule)) {
			found.schedule = made
		}
	}
	found.aim = cmp.Or(l.made[indexOf(priceListName)], found.schedule)
	return found, nil
}

// lists are the algorithms with which best begins: without their bounds. It keeps their schedules.
type lists struct {
	*run
	made []*model.Schedule // by algorithm
}

// indexOf is an algorithm's place in the table.
func indexOf(name string) int {
	return slices.IndexFunc(algorithms(), func(a solver.Method[*run, *made]) bool { return a.Name == name })
}

// Solve runs one algorithm.
func (l lists) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	k := indexOf(name)
	m, err := algorithms()[k].Solve(ctx, l.run, opt)
	if err != nil {
		return nil, err
	}
	if m.schedule != nil {
		l.made[k] = m.schedule
	}
	return &solver.Outcome{Schedule: m.schedule}, nil
}

// cheaper compares schedules exactly: the objective, then Σ w_j C_j. Under an earlier plan it compares the objective
// plus the cost of changes alone: what costs the same moves nothing.
func cheaper(in *cluster.Instance, a, b *model.Schedule) bool {
	if in.Replan() != nil {
		return in.Evaluate(a).Total().Cmp(in.Evaluate(b).Total()) < 0
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
