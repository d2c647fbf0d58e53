package msjo

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

const (
	// methodJobSearch names the bound of jobs alone by search.
	methodJobSearch = "job-search"
	// searchWork is the work of the searches of all jobs, in nodes times tasks, per iteration.
	searchWork = 5000
	// searchFirst is the node limit of the first searches of a job, searchRaise its factor from round to round.
	searchFirst, searchRaise = 1000, 4
	// searchShare is the share of the time for bounds that the search of a single job may take, searchesShare that of
	// several jobs. For a single job, searchBounds is the share of a time limit for all bounds.
	searchShare, searchesShare, searchBounds = 0.8, 0.1, 0.7
)

// jobSearch narrows down the earliest end of a job that has all machines to itself. It searches for schedules that end
// by some due time (see shop.AloneSearch), forwards and backwards, with few nodes at first.
//
// Complexity: O(n² + nm) per node for n tasks.   Source: mrsched; the dominance rules are those of exact.
type jobSearch struct {
	x           *shop.AloneSearch
	low, high   model.Time // the earliest end is at least low; a schedule ends at high
	start       []model.Time
	proof       *shop.Refutation // of low, unless another bound proves it
	nodes, most int              // spent, and the limit
	reversed    bool             // the direction that decided last
	threads     int
}

// attempt tries both directions. The direction that decided last counts first, so results do not depend on threads.
func (s *jobSearch) attempt(ctx context.Context, due model.Time, limit int) shop.Verdict {
	type answer struct {
		verdict shop.Verdict
		start   []model.Time
		nodes   int
	}
	var answers [2]answer
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	g.SetLimit(max(1, s.threads))
	for k := range answers {
		g.Go(func() error {
			a := &answers[k]
			a.verdict, a.start, a.nodes = s.x.Try(ctx, shop.Refutation{Due: due, Nodes: limit,
				Reversed: s.reversed != (k == 1)})
			if k == 0 && a.verdict != shop.SearchOpen {
				cancel()
			}
			return nil
		})
	}
	_ = g.Wait() // there are no errors
	for k, a := range answers {
		s.nodes += a.nodes
		if a.verdict == shop.SearchOpen {
			continue
		}
		s.reversed = s.reversed != (k == 1)
		if a.verdict == shop.SearchRefuted {
			s.low = (due/s.x.Unit + 1) * s.x.Unit
			s.proof = &shop.Refutation{Due: due, Nodes: a.nodes, Reversed: s.reversed}
		} else {
			s.take(a.start)
		}
		return a.verdict
	}
	return shop.SearchOpen
}

// take keeps a schedule if it ends earlier than the best so far.
func (s *jobSearch) take(start []model.Time) {
	if end := s.x.End(start); end < s.high {
		s.start, s.high = start, end
	}
}

// round looks for the earliest end by bisection: searches for late ends find schedules, those for early ends refute. It
// reports whether the earliest end is known.
func (s *jobSearch) round(ctx context.Context, limit int) bool {
	for s.low < s.high && ctx.Err() == nil && s.nodes < s.most {
		if s.attempt(ctx, s.high-s.x.Unit, limit) != shop.SearchOpen {
			continue
		}
		for open := s.high - s.x.Unit; s.low < open && ctx.Err() == nil && s.nodes < s.most; {
			middle := s.low + (open-s.low)/2/s.x.Unit*s.x.Unit
			switch s.attempt(ctx, middle, limit) {
			case shop.SearchOpen:
				open = middle
			case shop.SearchFound:
				open = s.high - s.x.Unit
			}
		}
		break
	}
	return s.low >= s.high
}

// run raises the limit until the earliest end is known, or the nodes or ctx end. It reports whether a limit ended it.
func (s *jobSearch) run(ctx context.Context) (limited bool) {
	for limit := searchFirst; ; limit *= searchRaise {
		if s.round(ctx, min(limit, s.most)) {
			return false
		}
		if ctx.Err() != nil {
			return true
		}
		if s.nodes >= s.most || limit >= s.most {
			return false
		}
	}
}

// searched are the bounds of jobs alone, raised by searches.
type searched struct {
	bound *solver.Bound
	list  []shop.AloneBound
	start []model.Time // by task, of the schedule found if there is only one job; nil: none
}

// searchJobs searches every job that is small enough, starting from the bounds of jobs alone.
func (r *run) searchJobs(ctx context.Context, opt solver.Options) (*searched, error) {
	if r.ended.known {
		return r.ended.value, nil
	}
	b, err := r.aloneBound(ctx)
	if err != nil {
		return nil, err
	}
	bounds, least := *boundsOf(b), r.alone.value.Windows.Job
	out := &searched{list: bounds.Alone}
	limited := r.alone.cut
	left := min(opt.Iterations, shop.MaxSearch/searchWork) * searchWork
	for j := range r.in.Jobs {
		if ctx.Err() != nil {
			limited = true
			break
		}
		s := r.newJobSearch(ctx, int32(j), least[j], left/(r.in.Jobs-j), opt)
		if s == nil {
			continue
		}
		limited = s.run(ctx) || limited
		left -= s.nodes * len(s.x.Tasks)
		if s.proof != nil && s.low > least[j] {
			out.prove(shop.AloneBound{Job: int32(j), Refuted: s.proof})
		}
		if r.in.Jobs == 1 && s.start != nil {
			out.start = make([]model.Time, r.in.Tasks)
			for k, u := range s.x.Tasks {
				out.start[u] = s.start[k]
			}
		}
	}
	bounds.Alone = out.list
	cert := &shop.Certificate{Claim: model.Claim{Method: methodJobSearch, Kind: shop.KindTwoSided}, Bounds: bounds}
	if err := r.in.Sign(cert); err != nil {
		return nil, err
	}
	out.bound = &solver.Bound{Method: cert.Method, Certificate: cert}
	return r.ended.keep(out, limited), nil
}

// prove replaces the bound of b's job by b.
func (s *searched) prove(b shop.AloneBound) {
	s.list = slices.Clone(s.list)
	at, found := slices.BinarySearchFunc(s.list, b.Job, func(x shop.AloneBound, job int32) int { return int(x.Job - job) })
	if found {
		s.list[at] = b
	} else {
		s.list = slices.Insert(s.list, at, b)
	}
}

// newJobSearch prepares the search for a job, with its best simple bound and schedule; nil if it has too many tasks.
func (r *run) newJobSearch(ctx context.Context, j int32, least model.Time, work int, opt solver.Options) *jobSearch {
	x := shop.NewAloneSearch(r.in, j)
	if x == nil {
		return nil
	}
	n := len(x.Tasks)
	s := &jobSearch{x: x, low: (least + x.Unit - 1) / x.Unit * x.Unit, high: x.Most + x.Unit, threads: opt.Threads,
		most: work / n}
	for range 2 {
		if _, start, _ := x.Try(ctx, shop.Refutation{Due: x.Most, Nodes: 2 * (n + 1), Reversed: s.reversed}); start != nil {
			s.take(start)
		}
		s.reversed = !s.reversed
	}
	if x.Least > s.low {
		s.attempt(ctx, x.Least-x.Unit, 1)
	}
	return s
}

// shares returns the shares of a time limit for all bounds, and of that for searches. The search of a single job also
// finds schedules.
func (r *run) shares() (bounds, searches float64) {
	if r.in.Jobs == 1 && r.in.Tasks <= shop.SearchTasks && r.in.Objective == shop.WeightedEnds {
		return searchBounds, searchShare
	}
	return solver.BoundShare, searchesShare
}

// optimum is a schedule that costs no more than the largest bound, if the search of a single job found one.
func (r *run) optimum() *model.Schedule {
	if !r.ended.known || r.ended.value.start == nil {
		return nil
	}
	s := assign(r.in, r.ended.value.start)
	if r.least == nil || r.in.Evaluate(s).Value.Cmp(r.least) > 0 {
		return nil
	}
	return s
}
