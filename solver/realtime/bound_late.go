package realtime

import (
	"context"
	"iter"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// lateSteps bounds the work of the search for windows: the number of jobs in all passes, times the workers where prices
// are rounded.
const lateSteps = 200_000_000

// proveLate computes the bound of goal deadlines.
//
// For each price vector (latePrices), a pass of the algorithm of Moore and Hodgson from a release, over the jobs by due
// date, computes for every later due date how many of the jobs in between must be late. Dynamic programming chooses
// disjoint windows with the most misses. If the latest ends of a pass's jobs are not in the order of Due, a job's is
// raised to that of the jobs before it; then the certificate may prove more than the pass has found.
//
// Complexity: O(n² log n) for n jobs with a deadline, times the workers for some prices. Beyond lateSteps only every
// k-th release begins a pass, evenly.   Ties: the first release, then the first price vector.
func (r *run) proveLate(ctx context.Context, opt solver.Options) ([]solver.Bound, error) {
	c, err := findLate(ctx, r.in, opt)
	r.cut = ctx.Err() != nil
	if err != nil {
		return nil, err
	}
	return []solver.Bound{{Method: c.Method, Certificate: c}}, nil
}

// findLate makes the certificate. Without deadlines it proves 0.
func findLate(ctx context.Context, in *realtime.Instance, opt solver.Options) (*realtime.Certificate, error) {
	prices, err := latePrices(ctx, in)
	if err != nil {
		return nil, err
	}
	l, err := in.Lateness(prices)
	if err != nil {
		return nil, err
	}
	s := newLateSearch(in, l, prices)
	s.run(ctx, opt)
	c := &realtime.Certificate{Claim: model.Claim{Method: realtime.LateWindows}, Late: tidyLate(prices, s.windows())}
	return c, in.Sign(c)
}

// tidyLate leaves out the prices that no window refers to.
func tidyLate(prices []realtime.Price, windows []realtime.Window) *realtime.Late {
	late, at := &realtime.Late{Windows: windows}, map[int]int{}
	for i := range windows {
		k := windows[i].Price
		if _, ok := at[k]; !ok {
			at[k] = len(late.Prices)
			late.Prices = append(late.Prices, prices[k])
		}
		windows[i].Price = at[k]
	}
	return late
}

// lateSearch looks for disjoint windows in which most jobs must be late.
type lateSearch struct {
	in     *realtime.Instance
	l      *realtime.Lateness
	prices []realtime.Price
	jobs   []int32      // that have a deadline and are not sure to miss it, by due date
	start  []model.Time // releases that windows begin with, ascending
	best   []lateStep   // by number of first jobs: how to get the most misses among them
}

// lateStep is the last window of a choice of windows, if chosen.
type lateStep struct {
	late   int
	before int // number of jobs before the window
	window realtime.Window
	chosen bool
}

func newLateSearch(in *realtime.Instance, l *realtime.Lateness, prices []realtime.Price) *lateSearch {
	s := &lateSearch{in: in, l: l, prices: prices}
	for j := range int32(in.Jobs) {
		if in.Due[j] != realtime.NoDeadline && !l.Sure[j] && in.Due[j] > in.Release[j] {
			s.jobs = append(s.jobs, j)
			s.start = append(s.start, in.Release[j])
		}
	}
	sortBy(s.jobs, func(j int32) model.Time { return in.Due[j] })
	slices.Sort(s.start)
	steps := 1
	for k := range prices {
		steps += 10 + len(prices[k].Worker) // about as many as it takes to evaluate the room of prices
	}
	s.start = thinned(slices.Compact(s.start), lateSteps/(max(1, len(s.jobs))*steps))
	s.best = make([]lateStep, len(s.jobs)+1)
	return s
}

// thinned keeps at most n elements of a list, evenly spaced, among them the first.
func thinned[T any](list []T, n int) []T {
	if n = max(1, n); len(list) <= n {
		return list
	}
	kept := make([]T, n)
	for i := range kept {
		kept[i] = list[int(int64(i)*int64(len(list))/int64(n))]
	}
	return kept
}

// run makes the passes until ctx ends; the first one in any case.
func (s *lateSearch) run(ctx context.Context, opt solver.Options) {
	ahead, most := 0, 0 // the number of jobs due by the start, and of the first ones among them with the most misses
	for i, a := range s.start {
		opt.Report(i, len(s.start))
		for ; ahead < len(s.jobs) && s.in.Due[s.jobs[ahead]] <= a; ahead++ {
			if s.best[ahead+1].late > s.best[most].late {
				most = ahead + 1
			}
		}
		if i > 0 && ctx.Err() != nil {
			return
		}
		for k := range s.prices {
			s.forward(a, most, k)
		}
	}
}

// forward passes over the jobs released from a on, after a choice of windows among the first jobs.
func (s *lateSearch) forward(a model.Time, before, k int) {
	var h realtime.Hodgson
	for i, room := range s.pass(k, a) {
		late, n := h.Late, i+1
		if h.Add(s.l.Work[k][s.jobs[i]], room); h.Late == late && n < len(s.jobs) {
			continue
		}
		due := s.in.Due[s.jobs[i]]
		for n < len(s.jobs) && s.in.Due[s.jobs[n]] == due { // all jobs due then
			n++
		}
		if total := s.best[before].late + h.Late; total > s.best[n].late {
			s.best[n] = lateStep{total, before, realtime.Window{From: a, Until: due, Price: k}, true}
		}
	}
}

// pass yields the positions of the jobs released from a on, by due date, each with the room for the work of the jobs so
// far: from the earliest begin of any of all jobs to the latest end of the jobs so far, by the prices numbered k.
func (s *lateSearch) pass(k int, a model.Time) iter.Seq2[int, int64] {
	kind := s.prices[k].TaskKind()
	head, end, has := s.l.Head[kind], s.l.End[kind], s.l.Has[kind]
	return func(yield func(i int, room int64) bool) {
		from, until, room := realtime.NoDeadline, model.Time(math.MinInt64), int64(0)
		for _, j := range s.jobs {
			if has[j] && s.in.Release[j] >= a {
				from = min(from, head[j])
			}
		}
		for i, j := range s.jobs {
			if !has[j] || s.in.Release[j] < a {
				continue
			}
			if end[j] > until {
				until, room = end[j], s.l.Room(k, end[j]-from)
			}
			if !yield(i, room) {
				return
			}
		}
	}
}

// windows are the best choice of windows, in the order of time.
func (s *lateSearch) windows() (list []realtime.Window) {
	n := 0
	for k := range s.best {
		if s.best[k].late > s.best[n].late {
			n = k
		}
	}
	for ; s.best[n].chosen; n = s.best[n].before {
		list = append(list, s.best[n].window)
	}
	slices.Reverse(list)
	return list
}
