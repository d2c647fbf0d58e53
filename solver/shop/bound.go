package shop

import (
	"context"
	"errors"
	"math/big"
	"sync"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
)

// Sizes up to which bounds are computed, in tasks.
const (
	// twoSidedTasks is for algorithms that are fast, searchedTasks for searches.
	twoSidedTasks, searchedTasks = 20_000, 2_000_000
	// pricedTasks is for the other bounds, which only searches compute.
	pricedTasks = 200_000
)

// Pricing computes lower bounds, and keeps what several of them use.
type Pricing struct {
	shop.Bounds
	In      *shop.Instance
	E       *shop.Evaluator
	Windows *shop.Windows // as the bounds raise them
	pooled  []*shop.Pooled
}

// NewPricing finds bounds of steps and jobs until ctx ends.
func NewPricing(ctx context.Context, in *shop.Instance) (b *Pricing, err error) {
	b = &Pricing{In: in, E: shop.NewEvaluator(in)}
	b.Pools, b.pooled = choosePools(ctx, in, b.E)
	return b, b.raise(ctx)
}

// JobsAlone is what the jobs' own bounds prove.
func (b *Pricing) JobsAlone() (*shop.Certificate, error) {
	c := &shop.Certificate{Claim: model.Claim{Method: shop.MethodAlone, Kind: shop.KindTwoSided}, Bounds: b.Bounds}
	return c, b.E.Sign(c)
}

// TwoSided is the bound from both ends of the jobs; nil if nothing can be priced. It may start from an LP's prices:
// shares of its job's weight by task.
func (b *Pricing) TwoSided(ctx context.Context, forward []float64, opt solver.Options) (*shop.Certificate, error) {
	c, _, err := b.twoSided(ctx, forward, opt)
	return c, err
}

// twoSided also returns the search that found the bound.
func (b *Pricing) twoSided(ctx context.Context, forward []float64, opt solver.Options) (*shop.Certificate, *twoSided,
	error) {
	s := newTwoSided(b.In, b.E, b.pooled, b.Windows, forward)
	if s == nil {
		return nil, nil, nil
	}
	s.run(ctx, opt)
	c, err := s.certificate(b.E, b.pooled, b.Bounds)
	return c, s, err
}

// steps are all bounds in their order; algorithms that do not search have the first quick ones, too. aim is the cost of
// a known schedule in the objective's integers, or 0.
func (b *Pricing) steps(r *run, searches bool, aim func() float64, opt solver.Options) (list []bound.Step, quick int) {
	var both *twoSided
	var priced *shop.Certificate
	n := b.In.Tasks
	add := func(share float64, compute func(ctx context.Context) (*shop.Certificate, error)) {
		list = append(list, bound.Step{Share: share, Compute: func(ctx context.Context) (*solver.Bound, error) {
			c, err := compute(ctx)
			if errors.Is(err, shop.ErrInexact) || c == nil {
				return nil, nil
			}
			return &solver.Bound{Method: c.Method, Certificate: c}, err
		}})
	}
	add(1, func(context.Context) (*shop.Certificate, error) { return b.JobsAlone() })
	if n <= twoSidedTasks || searches && n <= searchedTasks {
		add(0.3, func(ctx context.Context) (c *shop.Certificate, err error) {
			c, both, err = b.twoSided(ctx, nil, opt)
			return c, err
		})
	}
	if quick = len(list); n > twoSidedTasks {
		quick = 1
	}
	if !searches || n > pricedTasks {
		return list, quick
	}
	add(0.5, r.clauses)
	add(0.7, func(ctx context.Context) (c *shop.Certificate, err error) {
		priced, err = b.cells(ctx, both, aim(), opt)
		return priced, err
	})
	add(0.9, func(ctx context.Context) (*shop.Certificate, error) {
		if priced == nil {
			return nil, nil
		}
		return b.jobPrices(ctx, priced, aim(), opt)
	})
	return list, quick
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
		opt.Watch.Bound(r.told(b.Certificate.(*shop.Certificate)), b.Method)
	}
	if r.bounded.value == nil && !r.bounded.cut {
		if err := r.compute(ctx, least, searches, opt); err != nil {
			return err
		}
	}
	if s := r.bounded.better; searches && s != nil && cheaper(r.in, s, r.first.schedule) {
		r.first.schedule = s
	}
	out.Bounds = append(out.Bounds, r.bounded.of(searches)...)
	out.CutShort(r.bounded.cut)
	return nil
}

// compute fills bounded.
func (r *run) compute(ctx, least context.Context, searches bool, opt solver.Options) error {
	b, err := NewPricing(least, r.in)
	if err != nil {
		return err
	}
	known := sync.OnceValues(r.someCost)
	steps, quick := b.steps(r, searches, func() float64 { cost, _ := known(); return cost }, opt)
	for k := range steps {
		compute := steps[k].Compute
		steps[k].Compute = func(ctx context.Context) (*solver.Bound, error) {
			if k > 1 {
				if cost, ok := known(); ok && r.least() >= cost*(1-1e-12) {
					return nil, nil // that schedule is optimal
				}
			}
			return compute(ctx)
		}
	}
	r.bounded.cut, err = bound.Run(ctx, steps, func(k int, b *solver.Bound) bool {
		r.bounded.value = append(r.bounded.value, *b)
		if k < quick {
			r.bounded.quick = len(r.bounded.value)
		}
		opt.Watch.Bound(r.told(b.Certificate.(*shop.Certificate)), b.Method)
		return false
	})
	return err
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
