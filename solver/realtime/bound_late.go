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

const (
	// lateSteps bounds the work of the search for windows: the number of jobs in all passes, times the workers where
	// prices are rounded.
	lateSteps = 200_000_000
	// lateEnds bounds the number of windows of backward passes: starts times ends.
	lateEnds = 4_000_000
	// At first lateFirst releases and due dates begin passes, then lateMore times as many, and so on.
	lateFirst, lateMore = 1, 16
)

// proveLate computes the bound of goal deadlines.
//
// For each price vector (latePrices), one forward pass of the algorithm of Moore and Hodgson from a release, over the
// jobs by due date, computes for every later due date how many of the jobs in between must be late; a backward pass
// from a due date does the same in reverse. Dynamic programming chooses disjoint windows with the most misses. If the
// latest ends of a pass's jobs are not in the order of Due, a job's is raised to that of the jobs before it; then the
// certificate may prove more than the pass has found.
//
// At first a few releases and due dates begin passes, then more, so that there is a bound when a time limit ends it.
//
// Complexity: O(n² log n) for n jobs with a deadline, times the workers for some prices. Beyond lateSteps only every
// k-th release and due date begins a pass, evenly.   Ties: the first release, then the first price vector.
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
	var best []realtime.Window
	most := int32(-1)
	own := context.WithoutCancel(ctx) // the first passes are short, and run even if ctx has ended
	for passes, more := lateFirst, true; more && own.Err() == nil; passes *= lateMore {
		s := newLateSearch(in, l, prices, passes)
		s.opt = opt
		s.run(own)
		if late, windows := s.windows(); late >= most {
			most, best = late, windows
		}
		more, own = s.thinned, ctx
	}
	c := &realtime.Certificate{Claim: model.Claim{Method: realtime.LateWindows}, Late: tidyLate(prices, best)}
	return c, in.Sign(c)
}

// tidyLate leaves out the prices that no window refers to, except the first of each kind.
func tidyLate(prices []realtime.Price, windows []realtime.Window) *realtime.Late {
	late := &realtime.Late{Windows: windows}
	at, kinds := make([]int, len(prices)), map[string]bool{}
	for k, p := range prices {
		if kinds[p.Kind] && !slices.ContainsFunc(windows, func(w realtime.Window) bool { return w.Price == k }) {
			continue
		}
		kinds[p.Kind] = true
		at[k] = len(late.Prices)
		late.Prices = append(late.Prices, p)
	}
	for i := range windows {
		windows[i].Price = at[windows[i].Price]
	}
	return late
}

// lateSearch looks for disjoint windows in which most jobs must be late.
type lateSearch struct {
	in     *realtime.Instance
	l      *realtime.Lateness
	prices []realtime.Price
	jobs   []int32       // that have a deadline and are not sure to miss it, by due date
	back   []int32       // the same, the latest release first
	start  []model.Time  // releases that windows begin with, ascending
	ends   []int         // numbers of first jobs that windows before a due date consist of, ascending
	until  [][]lateCount // by start, by end: the results of backward passes
	best   []lateStep    // by number of first jobs: how to get the most misses among them

	thinned bool // more passes may find more
	opt     solver.Options
}

// lateCount is how many jobs of a window must be late, and by which prices.
type lateCount struct{ late, price int32 }

// lateStep is the last window of a choice of windows, if chosen.
type lateStep struct {
	late   int32
	before int32 // number of jobs before the window
	window realtime.Window
	chosen bool
}

// newLateSearch prepares passes from at most this many releases and due dates.
func newLateSearch(in *realtime.Instance, l *realtime.Lateness, prices []realtime.Price, passes int) *lateSearch {
	s := &lateSearch{in: in, l: l, prices: prices}
	for j := range int32(in.Jobs) {
		if in.Due[j] != realtime.NoDeadline && !l.Sure[j] && in.Due[j] > in.Release[j] {
			s.jobs = append(s.jobs, j)
		}
	}
	sortBy(s.jobs, func(j int32) model.Time { return in.Due[j] })
	s.back = sortBy(slices.Clone(s.jobs), func(j int32) model.Time { return -in.Release[j] })
	for _, j := range s.back {
		s.start = append(s.start, in.Release[j])
	}
	slices.Reverse(s.start)
	s.start = slices.Compact(s.start)
	for i := range s.jobs {
		if i+1 == len(s.jobs) || in.Due[s.jobs[i+1]] > in.Due[s.jobs[i]] {
			s.ends = append(s.ends, i+1)
		}
	}
	steps := 1
	for k := range prices {
		steps += 10 + len(prices[k].Worker) // about as many as it takes to evaluate the room of prices
	}
	n := max(1, lateSteps/(max(1, len(s.jobs))*steps))
	s.thinned = passes < n && passes < max(len(s.start), len(s.ends))
	n = min(n, passes)
	s.start = thinned(s.start, n)
	s.ends = thinned(s.ends, min(n, lateEnds/max(1, len(s.start))))
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

func (s *lateSearch) run(ctx context.Context) {
	s.until = make([][]lateCount, len(s.start))
	for i := range s.until {
		s.until[i] = make([]lateCount, len(s.ends))
	}
	passes := len(s.ends) + len(s.start)
	for e := range s.ends {
		s.opt.Report(e, passes)
		if ctx.Err() != nil {
			return
		}
		for k := range s.prices {
			s.backward(e, k)
		}
	}
	ahead, most := 0, 0 // the number of jobs due by the start, and of the first ones among them with the most misses
	for i, a := range s.start {
		s.opt.Report(len(s.ends)+i, passes)
		for ; ahead < len(s.jobs) && s.in.Due[s.jobs[ahead]] <= a; ahead++ {
			if s.best[ahead+1].late > s.best[most].late {
				most = ahead + 1
			}
		}
		if ctx.Err() != nil {
			return
		}
		for k := range s.prices {
			s.forward(a, most, k)
		}
		for e, n := range s.ends {
			if c := s.until[i][e]; c.late > 0 {
				s.try(n, most, int(c.late),
					realtime.Window{From: a, Until: s.in.Due[s.jobs[n-1]], Price: int(c.price), Backward: true})
			}
		}
	}
}

// try adds a window after a choice of windows.
func (s *lateSearch) try(n, before, late int, w realtime.Window) {
	if total := s.best[before].late + int32(late); total > s.best[n].late {
		s.best[n] = lateStep{total, int32(before), w, true}
	}
}

// forward passes over the jobs released from a on, by due date.
func (s *lateSearch) forward(a model.Time, before, k int) {
	var h realtime.Hodgson
	for i, room := range s.pass(k, false, s.jobs, func(j int32) bool { return s.in.Release[j] >= a }) {
		late := h.Late
		if h.Add(s.l.Work[k][s.jobs[i]], room); h.Late > late || i+1 == len(s.jobs) {
			due := s.in.Due[s.jobs[i]]
			for i++; i < len(s.jobs) && s.in.Due[s.jobs[i]] == due; i++ { // all jobs due then
			}
			s.try(i, before, h.Late, realtime.Window{From: a, Until: due, Price: k})
		}
	}
}

// backward passes over the jobs due by end number e, the latest release first.
func (s *lateSearch) backward(e, k int) {
	var h realtime.Hodgson
	last, start := s.in.Due[s.jobs[s.ends[e]-1]], len(s.start)
	for i, room := range s.pass(k, true, s.back, func(j int32) bool { return s.in.Due[j] <= last }) {
		for ; start > 0 && s.start[start-1] > s.in.Release[s.back[i]]; start-- {
			s.note(start-1, e, k, h.Late)
		}
		h.Add(s.l.Work[k][s.back[i]], room)
	}
	for ; start > 0; start-- {
		s.note(start-1, e, k, h.Late)
	}
}

// pass yields the positions of a window's jobs in an order, each with the room for the work of the jobs so far: from
// the earliest begin of any job of the window to the latest end of the jobs so far, by the prices numbered k.
func (s *lateSearch) pass(k int, backward bool, order []int32, inside func(j int32) bool) iter.Seq2[int, int64] {
	return func(yield func(i int, room int64) bool) {
		x := newSpans(s.l, s.prices, k, backward)
		from, until, room := realtime.NoDeadline, model.Time(math.MinInt64), int64(0)
		for _, j := range order {
			if x.has[j] && inside(j) {
				from = min(from, x.begin(j))
			}
		}
		for i, j := range order {
			if !x.has[j] || !inside(j) {
				continue
			}
			if e := x.end(j); e > until {
				until, room = e, s.l.Room(k, e-from)
			}
			if !yield(i, room) {
				return
			}
		}
	}
}

// spans are the intervals in which jobs do their tasks of a kind if they are on time. Backward, time runs back.
type spans struct {
	head, tail []model.Time // by job: where the interval begins and ends
	has        []bool       // by job: it has tasks of the kind
	backward   bool
}

func newSpans(l *realtime.Lateness, prices []realtime.Price, k int, backward bool) *spans {
	kind := priceKind(&prices[k])
	return &spans{l.Head[kind], l.End[kind], l.Has[kind], backward}
}

func (x *spans) begin(j int32) model.Time {
	if x.backward {
		return -x.tail[j]
	}
	return x.head[j]
}

func (x *spans) end(j int32) model.Time {
	if x.backward {
		return -x.head[j]
	}
	return x.tail[j]
}

// note records the result of a backward pass.
func (s *lateSearch) note(start, end, price, late int) {
	if c := &s.until[start][end]; int32(late) > c.late {
		*c = lateCount{int32(late), int32(price)}
	}
}

// windows are the best choice of windows, in the order of time, and how many jobs must be late in them.
func (s *lateSearch) windows() (late int32, list []realtime.Window) {
	n := 0
	for k := range s.best {
		if s.best[k].late > s.best[n].late {
			n = k
		}
	}
	late = s.best[n].late
	for ; s.best[n].chosen; n = int(s.best[n].before) {
		list = append(list, s.best[n].window)
	}
	slices.Reverse(list)
	return late, list
}

// priceKind is the kind of slots that prices are for.
func priceKind(p *realtime.Price) model.TaskKind {
	if p.Kind == model.Map.String() {
		return model.Map
	}
	return model.Reduce
}
