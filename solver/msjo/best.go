package msjo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// Settings of the search.
const (
	// searchChains is the number of independent searches. It is fixed, so that results do not depend on the
	// number of threads.
	searchChains = 2
	// searchEpoch is after how many iterations a chain that lags behind continues from the other's schedule.
	searchEpoch = 200
	// annealStart over the squared number of jobs is the temperature at the beginning, relative to the cost:
	// one job more among n changes about 1/n of the cost, and longer sequences of n jobs must be calmer.
	annealStart = 0.8
	// justifyLeast is the relative gain below which justifying again is not worth it.
	justifyLeast = 1e-6
	// gainMemory is the weight of the newest gain in the moving average of what justifying brings, and
	// gainStart its start.
	gainMemory = 0.05
	// Every freshEvery-th schedule, on average, is made from due times alone.
	freshEvery = 8
	gainStart  = 0.01
)

// search is simulated annealing over due times of the jobs.
//
// A vector of due times D gives every task the key D_j − L_u − p_u, its latest start (or the latest midpoint, at
// random), and the keys a list schedule; the LP's completions are the first D. From then on the keys of a
// schedule are its own start times, which reproduce it, and a step moves the keys of one to three jobs by as
// much as their due times change, or those of single tasks. Every schedule that may still become good enough is
// justified right and left, and the completions that it reaches are its due times.
//
// Complexity: O(N log N) an iteration.   Ties: the lower index.
type search struct {
	in     *msjo.Instance
	chains []*chain
	done   int // iterations
	total  int
	ctx    context.Context
	begin  time.Time
	until  time.Time // zero: none
}

// chain is one sequence of schedules.
type chain struct {
	e      *engine
	random *rand.Rand
	due    []model.Time // of the current schedule, by job
	trial  []model.Time
	base   []model.Time // start times of the current schedule, by task
	nudged []nudge
	byDue  []int32 // jobs by current due time
	cost   float64
	best   float64
	start  []model.Time // of the best schedule, by task
	slack  model.Time   // typical distance of neighbouring completions
	anneal float64      // temperature at the beginning, relative to the cost
	gain   float64      // average relative gain of justifying once
	tried  int
}

// newSearch starts every chain from the best of the first schedules: list schedules by the given keys, and by
// the due times of the jobs.
func newSearch(ctx context.Context, in *msjo.Instance, due []model.Time, keys [][]model.Time, opt solver.Options) *search {
	s := &search{in: in, total: opt.Iterations, ctx: ctx, begin: time.Now()}
	if until, ok := ctx.Deadline(); ok {
		s.until = until
	}
	for k := range searchChains {
		c := &chain{e: newEngine(in), random: rand.New(rand.NewPCG(opt.Seed, uint64(k)+1)), due: slices.Clone(due),
			trial: slices.Clone(due), best: math.Inf(1), start: make([]model.Time, in.Tasks), byDue: make([]int32, in.Jobs), base: make([]model.Time, in.Tasks), gain: gainStart,
			anneal: annealStart / float64(in.Jobs*in.Jobs)}
		for j := range c.byDue {
			c.byDue[j] = int32(j)
		}
		var last model.Time
		for _, d := range due {
			last = max(last, d)
		}
		c.slack = 1 + last/model.Time(in.Jobs)
		c.first(keys)
		s.chains = append(s.chains, c)
	}
	return s
}

// first makes the first schedules and adopts the cheapest; ties: the first.
func (c *chain) first(keys [][]model.Time) {
	for _, how := range []int{fresh, fresh | midpoint} {
		if cost := c.decode(how, math.Inf(1)); cost < c.best {
			c.adopt()
		}
	}
	for _, key := range keys {
		for u, t := range key {
			c.e.key[u] = int64(t)
		}
		c.e.neverIdle()
		if c.polish(math.Inf(1)) < c.best {
			c.adopt()
		}
	}
}

// run searches until the iterations are used up or ctx ends, and reports whether ctx ended it.
func (s *search) run(opt solver.Options) (limited bool) {
	for s.done < s.total {
		n := min(searchEpoch, (s.total-s.done+searchChains-1)/searchChains)
		var g errgroup.Group
		g.SetLimit(max(1, opt.Threads))
		for _, c := range s.chains {
			g.Go(func() error {
				for k := range n {
					if s.ctx.Err() != nil {
						break
					}
					c.step(s.heat(s.done + k*searchChains))
				}
				return nil
			})
		}
		// The chains return no errors.
		_ = g.Wait()
		s.done += n * searchChains
		opt.Report(min(s.done, s.total), s.total)
		if s.ctx.Err() != nil {
			return true
		}
		s.exchange()
	}
	return false
}

// heat falls from 1 to 0 over the run: by iterations, or by the clock if there is a deadline.
func (s *search) heat(done int) float64 {
	left := 1 - float64(done)/float64(s.total)
	if !s.until.IsZero() {
		left = min(left, float64(time.Until(s.until))/float64(s.until.Sub(s.begin)))
	}
	left = max(0, left)
	return left * left
}

// exchange lets the chain with the worst current schedule continue from the best one.
func (s *search) exchange() {
	best, worst := s.chains[0], s.chains[0]
	for _, c := range s.chains {
		if c.cost < best.cost {
			best = c
		}
		if c.cost > worst.cost {
			worst = c
		}
	}
	copy(worst.due, best.due)
	copy(worst.base, best.base)
	worst.cost = best.cost
}

// best is the chain with the cheapest schedule; ties: the first.
func (s *search) best() *chain {
	best := s.chains[0]
	for _, c := range s.chains {
		if c.best < best.best {
			best = c
		}
	}
	return best
}

// Ways to decode due times.
const (
	midpoint = 1 // keys are latest midpoints, not starts
	serial   = 2 // tasks strictly in the order of their keys, even if a machine idles meanwhile
	fresh    = 4 // keys from the due times alone, not from the current schedule
)

// decode schedules for the trial due times and returns the cost after polish.
func (c *chain) decode(how int, limit float64) float64 {
	in, e := c.e.in, c.e
	for u := range int32(in.Tasks) {
		j := in.Job[u]
		if how&fresh != 0 {
			e.key[u] = int64(c.trial[j] - in.Tail[u] - in.Processing[u]>>(how&midpoint))
		} else {
			e.key[u] = int64(c.base[u] + c.trial[j] - c.due[j])
		}
	}
	for _, n := range c.nudged {
		e.key[n.task] += int64(n.by)
	}
	if how&serial != 0 && len(c.nudged) == 0 {
		e.inOrder()
	} else {
		e.neverIdle()
	}
	return c.polish(limit)
}

// polish justifies the engine's schedule as long as that may still bring it below the limit, and a schedule
// below the limit until it stops improving. It returns the cost.
func (c *chain) polish(limit float64) float64 {
	e := c.e
	cost := e.cost()
	hope := c.gain * cost // what justifying is expected to bring
	for first := true; cost-hope < limit; first = false {
		e.justify()
		next := e.cost()
		gain := cost - next
		cost = next
		if first {
			c.gain += gainMemory * (gain/cost - c.gain)
		}
		if gain <= cost*justifyLeast {
			break
		}
		hope = gain
	}
	return cost
}

// adopt makes the engine's schedule the current one, and the best one if it is.
func (c *chain) adopt() {
	c.cost = c.e.cost()
	copy(c.due, c.e.done)
	copy(c.base, c.e.start)
	if c.cost < c.best {
		c.best = c.cost
		copy(c.start, c.e.start)
	}
}

// step tries one change.
func (c *chain) step(heat float64) {
	c.tried++
	copy(c.trial, c.due)
	c.nudged = c.nudged[:0]
	for range 1 + c.random.IntN(3) {
		c.move()
	}
	how := c.random.IntN(2) * serial
	if c.random.IntN(freshEvery) == 0 {
		how |= fresh | c.random.IntN(2)*midpoint
	}
	limit := c.cost * (1 + c.anneal*heat*c.random.ExpFloat64())
	if c.decode(how, limit) <= limit {
		c.adopt()
	}
}

// move changes the due times of one or two jobs: a shift, a swap of waiting times, or an insertion beside
// another job.
func (c *chain) move() {
	in := c.e.in
	a := c.random.IntN(in.Jobs)
	shift := model.Time(c.random.NormFloat64() * 1.5 * float64(c.slack))
	if in.Jobs == 1 {
		c.nudge(int32(a), shift)
		return
	}
	b := c.neighbour(a)
	switch c.random.IntN(4) {
	case 0:
		c.trial[a] += shift
	case 1:
		c.nudge(int32(a), shift)
	case 2:
		waitA, waitB := c.trial[a]-in.Alone[a], c.trial[b]-in.Alone[b]
		c.trial[a], c.trial[b] = in.Alone[a]+waitB, in.Alone[b]+waitA
	default:
		c.trial[a] = c.trial[b] + shift/8
	}
}

// nudge moves the key of one task of a job.
func (c *chain) nudge(job int32, shift model.Time) {
	nodes := c.e.in.JobNodes(int(job))
	if u := nodes[c.random.IntN(len(nodes))]; u < int32(c.e.in.Tasks) {
		c.nudged = append(c.nudged, nudge{u, shift})
	}
}

// nudge is a task whose key moves.
type nudge struct {
	task int32
	by   model.Time
}

// neighbourhood is how far apart in the order of due times two jobs that change together are, at most.
const neighbourhood = 8

// neighbour is another job that is due about when job a is.
func (c *chain) neighbour(a int) int {
	slices.SortFunc(c.byDue, func(x, y int32) int {
		if c.trial[x] != c.trial[y] {
			if c.trial[x] < c.trial[y] {
				return -1
			}
			return 1
		}
		return int(x - y)
	})
	at := slices.Index(c.byDue, int32(a))
	low, high := max(0, at-neighbourhood), min(len(c.byDue)-1, at+neighbourhood)
	k := low + c.random.IntN(high-low)
	if k >= at {
		k++
	}
	return int(c.byDue[k])
}

// assign gives machines to tasks of known start times: by start, each to the machine that idles first.
// Ties between machines: the lower index. At most m tasks run at any time, so a machine is always free.
func assign(in *msjo.Instance, start []model.Time) *model.Schedule {
	order := make([]int32, in.Tasks)
	for u := range order {
		order[u] = int32(u)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case start[a] != start[b]:
			if start[a] < start[b] {
				return -1
			}
			return 1
		case in.Processing[a] != in.Processing[b]: // tasks of no length first: they leave the machine free
			if in.Processing[a] < in.Processing[b] {
				return -1
			}
			return 1
		}
		return int(a - b)
	})
	return graph(in).Fixed(order, start, in.Machines)
}

// plans are keys from the fractional schedule of the time-indexed bound: mean starts, and a little towards
// mean ends, which puts long tasks later. None if that bound was not computed.
func (r *run) plans() [][]model.Time {
	if r.plan == nil {
		return nil
	}
	late := slices.Clone(r.plan)
	for u := range late {
		late[u] += r.in.Processing[u] / 4
	}
	return [][]model.Time{r.plan, late}
}

// solveBest improves list schedules by simulated annealing over the jobs' due times. It is never worse than mars, mars-list and
// the priority rules: see bestRule.
//
// Guarantee: none of its own.   Complexity: O(N log N) an iteration.   Source: ours.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	out, relax, err := relaxed(ctx, r, "best", opt)
	if err != nil {
		return nil, err
	}
	due := make([]model.Time, r.in.Jobs)
	for j, c := range relax.completion {
		due[j] = model.TimeOf(c)
	}
	first := graph(r.in).NeverIdle(ranks(r.midpointOrder(relax)), r.in.Machines)
	if err := r.strengthen(ctx, out, relax, first, true, opt); err != nil {
		return nil, err
	}
	simple := r.bestRule(ctx, relax)
	s := newSearch(ctx, r.in, due, r.plans(), opt)
	s.offer(simple.schedule)
	if s.run(opt) {
		out.Status = model.StatusLimit
	}
	var tried int
	for _, c := range s.chains {
		tried += c.tried
	}
	out.Found["iterations"] = min(tried, s.total)
	out.Schedule = assign(r.in, s.best().start)
	if simple.cost.Cmp(r.in.Evaluate(out.Schedule).Value) < 0 {
		out.Schedule = simple.schedule
	}
	return out, nil
}
