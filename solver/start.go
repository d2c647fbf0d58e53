package solver

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mrsched/solver/lp"
)

// Started is what Start found.
type Started struct {
	*Outcome          // with the cheapest schedule on the run's objective, the first of several; nil: none
	Cost     *big.Rat // of that schedule
	Cut      bool     // a limit ended some algorithm before it had its schedule, or left it no time
}

const (
	// startShare is the share of the remaining time limit that Start may take.
	startShare = 0.8
	// triedShare is the share of that time in which Start finds out what the algorithms cost.
	triedShare = 0.15
	// graceTime is how long after a limit or a signal the one schedule that they must leave may be ready.
	graceTime = 1500 * time.Millisecond
)

// Start runs every algorithm that constructs a schedule without a search, width at a time. A search that begins with
// the cheapest schedule and never returns a worse one is never worse than any of them. Start leaves out algorithms that
// the run does not offer, that cannot run on the instance, that are meant for smaller ones or that fail. tasks is the
// size of the instance. Start fails if memory was short.
//
// Under a time limit nobody knows in advance which algorithms are fast on the instance. So each first has an equal
// share of a little time. Those that need more begin again, the one that had done most first. Until there is a
// schedule, the rest of the limit is theirs, and graceTime; after that, the share of Start.
func Start(ctx context.Context, r Run, algorithms []Algorithm, tasks, width int, opt Options) (*Started, error) {
	least, done := Grace(ctx)
	defer done()
	phase, end := opt.Phase(ctx, PhaseStart, startShare)
	defer end()
	s := &starting{run: r, opt: opt, at: -1}
	for k, a := range algorithms {
		if constructs(r, a, tasks) {
			s.left = append(s.left, &start{name: a.Name, place: k})
		}
	}
	s.all = len(s.left)
	if until, limited := phase.Deadline(); limited && len(s.left) > 1 {
		brief := time.Duration(triedShare * float64(time.Until(until)) * float64(width) / float64(len(s.left)))
		s.round(width, func() (context.Context, context.CancelFunc) { return context.WithTimeout(phase, brief) })
		slices.SortStableFunc(s.left, func(a, b *start) int { return -compareShares(a, b) })
	}
	s.round(width, func() (context.Context, context.CancelFunc) {
		if s.found.Outcome == nil {
			return least, func() {}
		}
		return phase, func() {}
	})
	s.found.Cut = len(s.left) > 0
	return &s.found, s.short
}

// start is one algorithm of Start, at its place in the table.
type start struct {
	name        string
	place       int
	done, total int // progress
}

// compareShares compares how much of their work two algorithms had done.
func compareShares(a, b *start) int { return a.done*max(1, b.total) - b.done*max(1, a.total) }

// starting is one call of Start.
type starting struct {
	run   Run
	opt   Options
	mu    sync.Mutex
	left  []*start // that have no complete schedule yet
	all   int
	done  int
	found Started
	at    int   // place of the algorithm that found it
	short error // memory was short
}

// round runs the algorithms that are left, each within a context of its own, and keeps those in left that it ended.
func (s *starting) round(width int, within func() (context.Context, context.CancelFunc)) {
	list := s.left
	s.left = nil
	var g errgroup.Group
	g.SetLimit(width)
	for _, x := range list {
		g.Go(func() error {
			s.mu.Lock()
			ctx, cancel := within()
			late := ctx.Err() != nil || s.short != nil
			s.mu.Unlock()
			defer cancel()
			var out *Outcome
			var err error
			if !late {
				out, err = s.run.Solve(ctx, x.name, x.watched(s.opt))
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.take(x, out, err); ctx.Err() != nil {
				s.left = append(s.left, x)
			} else {
				s.done++
			}
			s.opt.Report(s.done, s.all)
			return nil
		})
	}
	_ = g.Wait() // the work returns no errors
	slices.SortFunc(s.left, func(a, b *start) int { return a.place - b.place })
}

// watched are options under which an algorithm tells its own progress.
func (x *start) watched(opt Options) Options {
	opt.Watch = &Watch{OnChange: func(now State) {
		if now.Total > 0 {
			x.done, x.total = now.Done, now.Total
		}
	}}
	return opt
}

// take keeps an algorithm's schedule if it is the cheapest; ties: the first in the table.
func (s *starting) take(x *start, out *Outcome, err error) {
	if errors.Is(err, lp.ErrMemory) {
		s.short = err
	}
	if err != nil || out == nil || out.Schedule == nil {
		return
	}
	value := s.run.View().Evaluate(out.Schedule).Value
	if s.found.Outcome != nil {
		if c := value.Cmp(s.found.Cost); c > 0 || c == 0 && x.place > s.at {
			return
		}
	}
	s.found.Outcome, s.found.Cost, s.at = out, value, x.place
	v, _ := value.Float64()
	s.opt.Watch.Incumbent(v, x.name)
}

// Grace continues ctx for graceTime after its end, unless it was cancelled before the call: for the one schedule that a
// limit or a signal must leave.
func Grace(ctx context.Context) (context.Context, context.CancelFunc) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if until, limited := ctx.Deadline(); limited {
		longer, cancel = context.WithDeadline(context.WithoutCancel(ctx), until.Add(graceTime))
	}
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(graceTime, cancel) })
	return longer, func() { stop(); cancel() }
}

// constructs says whether Start runs an algorithm.
func constructs(r Run, a Algorithm, tasks int) bool {
	if a.Search || a.Exhaustive || a.BoundOnly || a.SizeLimit > 0 && tasks > a.SizeLimit {
		return false
	}
	return r.Excludes(a.Name) == Exclusion{}
}
