package msjo

import (
	"context"
	"errors"
	"time"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

const (
	// priceTaskLimit is the number of tasks up to which --bound auto computes the time-indexed bound.
	priceTaskLimit = 20_000
	// 1/priceShare of a time limit is what the bound may take.
	priceShare = 2
)

// strengthen adds the bounds that the bound parameter asks for to an outcome; auto adds the time-indexed one
// where it is affordable and the algorithm is one that searches. Each is computed once and shared. The
// schedule's cost is the target of the time-indexed bound's step sizes.
func (r *run) strengthen(ctx context.Context, out *solver.Outcome, relax *relaxation, s *model.Schedule, searching bool, opt solver.Options) error {
	which := r.p.Text("bound")
	if (which == "heads" || which == "all") && ctx.Err() == nil {
		if r.headed == nil {
			b, err := r.withHeads(ctx, opt)
			if err != nil {
				return err
			}
			r.headed = b
		}
		out.Bounds = append(out.Bounds, *r.headed)
	}
	auto := which == "auto" && searching && r.in.Tasks <= priceTaskLimit
	if !auto && which != "lagrange" && which != "all" {
		return nil
	}
	if r.priced == nil {
		b, err := r.timeIndexed(ctx, relax, s, opt)
		if err != nil || b == nil {
			return err
		}
		r.priced = b
	}
	out.Bounds = append(out.Bounds, *r.priced)
	return nil
}

// withHeads is the LP with the inequalities shifted by heads.
func (r *run) withHeads(ctx context.Context, opt solver.Options) (*solver.Bound, error) {
	var relax *relaxation
	if r.firstOrder() {
		relax = r.c.firstOrder(ctx, opt.Iterations, firstOrderTolerance, r.c.thresholds(admmThresholds)...)
	} else {
		var err error
		f := &byDelayHeads{byDelay: byDelay{r.c}, thresholds: r.c.thresholds(headThresholds)}
		if relax, err = r.c.generate(ctx, r.backend, f, generationOptions{warm: true}, opt); err != nil {
			return nil, err
		}
	}
	if relax == nil {
		relax = &relaxation{}
	}
	cert, err := certify(r.in, "cls-lp-heads", relax.terms)
	if err != nil {
		return nil, err
	}
	return &solver.Bound{Method: cert.Method, Certificate: cert}, nil
}

// timeIndexed is the Lagrangian bound, started from the LP's prices; nil if machine time is worth nothing, or if
// times and weights are of such different magnitudes that no unit of prices keeps all sums exact.
func (r *run) timeIndexed(ctx context.Context, relax *relaxation, s *model.Schedule, opt solver.Options) (*solver.Bound, error) {
	var horizon model.Time
	for _, e := range s.Entries {
		horizon = max(horizon, e.End)
	}
	if horizon == 0 {
		return nil, nil
	}
	if until, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(until)/priceShare)
		defer cancel()
	}
	cell := (horizon + priceCells - 1) / priceCells
	v, err := newVolume(r.in, cell, r.c.startPrices(relax, cell, priceCells))
	if err != nil {
		return nil, ignoreInexact(err)
	}
	target, _ := r.in.Evaluate(s).Value.Float64()
	if err := v.run(ctx, opt.Iterations, target, opt); err != nil {
		return nil, ignoreInexact(err)
	}
	prices := v.prices
	prices.Steps = v.bestSteps()
	r.plan = v.plan()
	cert := &msjo.Certificate{Method: "time-indexed", Kind: msjo.KindMachinePrices, MachinePrices: prices}
	if err := r.in.Sign(cert); err != nil {
		return nil, err
	}
	return &solver.Bound{Method: cert.Method, Certificate: cert}, nil
}

// ignoreInexact drops the error of prices that have no exact integers.
func ignoreInexact(err error) error {
	if errors.Is(err, msjo.ErrInexact) {
		return nil
	}
	return err
}
