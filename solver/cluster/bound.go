package cluster

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"time"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// Sizes up to which bounds are computed, in tasks.
const (
	// twoSidedTasks is for algorithms that are fast, searchedTasks for searches.
	twoSidedTasks, searchedTasks = 20_000, 2_000_000
	// pricedTasks is for the other bounds, which only searches compute.
	pricedTasks = 200_000
)

// boundStep computes one bound, within a share of the remaining time if others follow. It is nil if there is none.
type boundStep struct {
	share   float64
	quick   bool // algorithms that do not search have it, too
	compute func(ctx context.Context) (*cluster.Certificate, error)
}

// pricing computes lower bounds, and keeps what several of them use.
type pricing struct {
	in      *cluster.Instance
	e       *cluster.Evaluator
	pools   []cluster.Pool
	pooled  []*cluster.Pooled
	alone   []cluster.AloneBound
	windows *cluster.Windows
}

func newPricing(ctx context.Context, in *cluster.Instance) (b *pricing, err error) {
	b = &pricing{in: in, e: cluster.NewEvaluator(in)}
	b.pools, b.pooled = choosePools(in, b.e)
	b.alone, b.windows, err = aloneBounds(ctx, in, b.e, b.pools, b.pooled)
	return b, err
}

// jobsAlone is what the jobs' own bounds prove.
func (b *pricing) jobsAlone() (*cluster.Certificate, error) {
	c := &cluster.Certificate{Claim: model.Claim{Method: cluster.MethodAlone, Kind: cluster.KindTwoSided}, Pools: b.pools,
		Alone: b.alone}
	return c, b.e.Sign(c)
}

// twoSided is the bound from both ends of the jobs, and the search that found it; nil if nothing can be priced.
func (b *pricing) twoSided(ctx context.Context, opt solver.Options) (*cluster.Certificate, *twoSided, error) {
	s := newTwoSided(b.in, b.e, b.pooled, b.windows)
	if s == nil {
		return nil, nil, nil
	}
	s.run(ctx, opt)
	c, err := s.certificate(b.e, b.pools, b.pooled, b.alone)
	return c, s, err
}

// aims are costs in the objective's integers: the bound proven so far, and the cost of a known schedule, or 0.
type aims struct{ proven, known func() float64 }

// steps are all bounds in their order.
func (b *pricing) steps(searches bool, aim aims, opt solver.Options) []boundStep {
	var both *twoSided
	var priced *cluster.Certificate
	n := b.in.Tasks
	list := []boundStep{{1, true, func(context.Context) (*cluster.Certificate, error) { return b.jobsAlone() }}}
	if n <= twoSidedTasks || searches && n <= searchedTasks {
		list = append(list, boundStep{0.3, n <= twoSidedTasks, func(ctx context.Context) (c *cluster.Certificate, err error) {
			c, both, err = b.twoSided(ctx, opt)
			return c, err
		}})
	}
	if !searches || n > pricedTasks {
		return list
	}
	return append(list, boundStep{0.5, false, func(ctx context.Context) (*cluster.Certificate, error) {
		return b.shaving(ctx, aim.proven(), aim.known(), opt)
	}}, boundStep{0.7, false, func(ctx context.Context) (c *cluster.Certificate, err error) {
		priced, err = b.cells(ctx, both, aim.known(), opt)
		return priced, err
	}}, boundStep{1, false, func(ctx context.Context) (*cluster.Certificate, error) {
		if priced == nil {
			return nil, nil
		}
		return b.jobPrices(ctx, priced, aim.known(), opt)
	}})
}

// bounds computes the bounds that an algorithm needs. The first one, a cheap one, is there unless least has ended, or a
// signal has come and the instance is large: then the schedule matters more. The others are left out when ctx ends.
func (r *run) bounds(ctx, least context.Context, out *solver.Outcome, searches bool, opt solver.Options) error {
	ctx, end := opt.Phase(ctx, solver.PhaseBound, solver.BoundShare)
	defer end()
	late := least.Err() != nil || errors.Is(ctx.Err(), context.Canceled) && r.in.Tasks > twoSidedTasks
	if late || !r.bounded.known || searches && !r.bounded.searched {
		r.bounded = kept{known: true, searched: searches, cut: late}
	}
	for _, b := range r.bounded.of(searches) { // those of an earlier run
		opt.Watch.Bound(valueOf(b.Certificate.(*cluster.Certificate)), b.Method)
	}
	if r.bounded.value == nil && !r.bounded.cut {
		b, err := newPricing(least, r.in)
		if err != nil {
			return err
		}
		known := sync.OnceValues(r.someCost)
		aim := aims{r.least, func() float64 { cost, _ := known(); return cost }}
		for k, step := range b.steps(searches, aim, opt) {
			if k > 0 && ctx.Err() != nil {
				r.bounded.cut = true
				break
			}
			if k > 1 {
				if cost, ok := known(); ok && r.least() >= cost*(1-1e-12) {
					break // that schedule is optimal
				}
			}
			part, end := within(ctx, step.share)
			c, err := step.compute(part)
			r.bounded.cut = r.bounded.cut || k > 0 && part.Err() != nil
			end()
			if err != nil && !errors.Is(err, cluster.ErrInexact) {
				return err
			}
			if c != nil && err == nil {
				r.bounded.value = append(r.bounded.value, solver.Bound{Method: c.Method, Certificate: c})
				opt.Watch.Bound(valueOf(c), c.Method)
			}
			if step.quick {
				r.bounded.quick = len(r.bounded.value)
			}
		}
	}
	out.Bounds = append(out.Bounds, r.bounded.of(searches)...)
	out.CutShort(r.bounded.cut)
	return nil
}

// within ends a context after a share of the remaining time, if there is a limit.
func within(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	until, limited := ctx.Deadline()
	if !limited || share >= 1 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(until))))
}

// someCost is the cost of a schedule with which the search begins, in the objective's integers; ok is false if there is
// none.
func (r *run) someCost() (cost float64, ok bool) {
	if r.first.aim == nil {
		return 0, false
	}
	cost, _ = new(big.Float).SetInt(r.in.Cost(r.in.Objective, r.in.Completions(r.first.aim))).Float64()
	return cost, true
}
