package unrelated

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
)

// Search looks for the best assignment of any of several alternative instances, and for the best bound of all. The
// caller calls its methods as often as it likes; each continues where the last one stopped.
type Search struct {
	options []option
	of      int // the instance of the best assignment
	best    Assignment
	cost    model.Time
	cutoff  model.Time // assignments that cost this much are of no use
	changed func()
}

// option is what is known about one of the instances. No assignment has a makespan below low; the bound may be less, if
// the proof of a tree was too large.
type option struct {
	*Instance
	bound   Bound
	low     model.Time
	best    Assignment // nil: none
	begun   bool       // rounded is made
	rounded Assignment // of the linear program; nil: none, or it has been used
	whole   Assignment // of that with counters, likewise
	idle    int        // how often in a row trees decided nothing
}

// NewSearch begins with known bounds of the instances. changed is called after a better assignment or bound is found.
func NewSearch(list []*Instance, bounds []Bound, changed func()) *Search {
	x := &Search{cost: model.MaxTime, cutoff: model.MaxTime, changed: changed}
	for k, in := range list {
		x.options = append(x.options, option{Instance: in, bound: bounds[k], low: bounds[k].Value})
	}
	return x
}

// Start finds greedy assignments of all instances. If the context ends, those of the first one remain.
func (x *Search) Start(ctx context.Context) {
	for k := range x.options {
		if k == 0 || ctx.Err() == nil {
			x.Offer(k, x.options[k].Greedy())
		}
	}
}

// Offer takes an assignment of an instance if it is better than what is known.
func (x *Search) Offer(k int, a Assignment) {
	o := &x.options[k]
	cost := o.Makespan(a)
	if o.best == nil || cost < o.Makespan(o.best) {
		o.best = a
	}
	if x.best == nil || cost < x.cost {
		x.best, x.of, x.cost = a, k, cost
	}
}

// Cutoff states that the caller has a solution of another kind; assignments that cost as much are of no use.
func (x *Search) Cutoff(cost model.Time) { x.cutoff = min(x.cutoff, cost) }

// Best is the best assignment, its instance and its makespan; nil and model.MaxTime before there is one.
func (x *Search) Best() (of int, a Assignment, makespan model.Time) { return x.of, x.best, x.cost }

// Bounds are those of the instances.
func (x *Search) Bounds() (list []Bound) {
	for _, o := range x.options {
		list = append(list, o.bound)
	}
	return list
}

// Done says that nothing better than the best assignment or the cutoff exists.
func (x *Search) Done() bool {
	return !slices.ContainsFunc(x.options, func(o option) bool { return o.low < x.end() })
}

// end is what an assignment must be below to be of use.
func (x *Search) end() model.Time { return min(x.cost, x.cutoff) }

// Round looks at this many moves of tabu search, and meanwhile trees do at most so much work to close the gap. It
// returns how much work is left. Only the tabu search can stop the trees, when it reaches the bound; so the results do
// not depend on which of them is faster.
func (x *Search) Round(ctx context.Context, seed uint64, moves int, work int64) (left int64, err error) {
	if err := x.prepare(ctx); err != nil || x.Done() {
		return work, err
	}
	if !x.closable() {
		x.Improve(ctx, seed, moves)
		return work, nil
	}
	trees := *x
	trees.options, trees.changed = slices.Clone(x.options), func() {}
	limited, stop := context.WithCancel(ctx)
	defer stop()
	var running errgroup.Group
	running.Go(func() (err error) {
		left, err = trees.closeGap(limited, work)
		return err
	})
	if x.Improve(ctx, seed, moves); x.Done() {
		stop()
		return work, running.Wait()
	}
	err = running.Wait()
	x.merge(&trees)
	return left, err
}

// prepare computes what both parts of a round need: the bounds without trees, and assignments to start from.
func (x *Search) prepare(ctx context.Context) error {
	for k := range x.options {
		o := &x.options[k]
		if o.low >= x.end() || ctx.Err() != nil {
			continue
		}
		if !o.divisible {
			b, err := o.RootBound(ctx)
			if err != nil {
				return err
			}
			o.bound.raiseTo(b)
			o.low = max(o.low, b.Value)
			x.changed()
		}
		if err := o.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// closable says whether there may be trees.
func (x *Search) closable() bool {
	return slices.ContainsFunc(x.options, func(o option) bool { return o.configurable() && o.low < x.cost })
}

// merge takes what trees have found.
func (x *Search) merge(trees *Search) {
	for k := range x.options {
		o, other := &x.options[k], &trees.options[k]
		o.bound.raiseTo(other.bound)
		o.low, o.idle = max(o.low, other.low), other.idle
		if other.best != nil {
			x.Offer(k, other.best)
		}
	}
	x.changed()
}

// Improve looks at this many moves of tabu search: half of them for all instances, the other half for the best.
func (x *Search) Improve(ctx context.Context, seed uint64, moves int) {
	each := moves / 2 / len(x.options)
	for k := range x.options {
		first := x.options[k].starts()
		for n, a := range first {
			x.improveFrom(ctx, k, a, seed+uint64(n), each/len(first))
		}
	}
	x.improveFrom(ctx, x.of, x.best, seed+mostStarts, moves/2)
}

// mostStarts is from how many assignments a search starts the first time.
const mostStarts = 3

// improveFrom starts from an assignment of an instance that may have a better one.
func (x *Search) improveFrom(ctx context.Context, k int, a Assignment, seed uint64, moves int) {
	o := &x.options[k]
	if o.low >= x.end() || ctx.Err() != nil {
		return
	}
	t := o.newTabu(seed, moves)
	if f := cmp.Or(o.counted, o.relaxed); f != nil {
		t.guide(f)
	}
	t.better = func(a Assignment) {
		x.Offer(k, a)
		x.changed()
	}
	x.Offer(k, t.improve(ctx, a, o.low))
	x.changed()
}

// start rounds the linear program, once.
func (o *option) start(ctx context.Context) error {
	if o.begun {
		return nil
	}
	f, err := o.relaxation(ctx)
	if err == nil {
		o.rounded, err = o.round(ctx, f)
		o.whole = o.complete(o.counted)
	}
	o.begun = err == nil
	return err
}

// starts are the assignments to search from: the best so far and, the first time, the rounded ones.
func (o *option) starts() (list []Assignment) {
	for _, a := range []Assignment{o.best, o.rounded, o.whole} {
		if a != nil {
			list = append(list, a)
		}
	}
	o.rounded, o.whole = nil, nil
	return list
}

// gapTries are the limits to try between makespan and bound, as shares of the way down, until one is decided: the
// middle, then near the bound, where a limit is easier to refute, then near the makespan, where it is easier to keep.
var gapTries = []struct{ times, of model.Time }{{1, 2}, {7, 8}, {1, 8}}

// closeGap answers questions for limits between bound and makespan by trees that do at most so much work in all, for
// the instance with the least bound first. A refuted limit raises the bound, an assignment lowers the makespan. It
// returns how much work is left.
func (x *Search) closeGap(ctx context.Context, work int64) (left int64, err error) {
	for _, k := range model.Ordered(len(x.options), func(a, b int32) int {
		return cmp.Compare(x.options[a].low, x.options[b].low)
	}) {
		if work, err = x.closeGapOf(ctx, int(k), work); err != nil {
			break
		}
	}
	return work, err
}

// mostIdle is how often the work of trees that decide nothing is halved at most.
const mostIdle = 1

// closeGapOf is closeGap for one instance. Trees that decided nothing get half the work the next time.
func (x *Search) closeGapOf(ctx context.Context, k int, work int64) (left int64, err error) {
	o := &x.options[k]
	tries := gapTries // where in the gap to ask next
	saved := work - work>>o.idle
	work -= saved
	o.idle = min(o.idle+1, mostIdle)
	for o.low < x.cost && o.configurable() && len(tries) > 0 && ctx.Err() == nil {
		top, low := o.below(x.cost), o.roundUp(o.low)
		limit := max(low, top-(top-low)/tries[0].of*tries[0].times/o.unit*o.unit)
		limit = min(limit, top)
		a, err := o.Decide(ctx, Question{Limit: limit, Nodes: math.MaxInt, Work: work / 2})
		if err != nil {
			return work, err
		}
		work -= a.Work
		switch tries = tries[1:]; a.Verdict {
		case Feasible:
			x.Offer(k, a.Assignment)
			tries, o.idle = gapTries, 0
		case Refuted:
			o.low, tries, o.idle = limit+o.unit, gapTries, 0
			if a.Proof != nil {
				o.bound = Bound{o.low, *a.Proof}
			}
		}
		x.changed()
	}
	return work + saved, nil
}
