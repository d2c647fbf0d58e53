package msjo

import (
	"context"
	"math/big"

	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
	solvershop "mrsched/solver/shop"
)

// taskBounds adds the bound of the LP on completion times, and those that parameter bound selects.
func (r *run) taskBounds(ctx context.Context, out *solver.Outcome, a algorithm, opt solver.Options) error {
	which := r.p.bound
	searches := which == "auto" && (a.Search || a.Exhaustive)
	both := which == "two-sided" || which == "all" || searches && r.in.Tasks <= bothEndsTasks
	var t *taskLP
	steps := []bound.Step{{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
		var err error
		if t, err = r.taskRelaxation(ctx, opt); err != nil {
			return nil, err
		}
		out.Facts = Facts{TaskLPFacts: &t.TaskLPFacts}
		out.CutShort(t.limited)
		return t.bound, nil
	}}}
	if both || which == "auto" {
		steps = append(steps, bound.Step{Share: 1, Compute: r.tasksAlone})
	}
	if both {
		steps = append(steps, bound.Step{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
			return r.preemptive(ctx, t, opt)
		}})
	}
	return r.inSteps(ctx, out, steps, opt)
}

// tasksAlone is the bound from the bounds of tasks alone.
func (r *run) tasksAlone(ctx context.Context) (*solver.Bound, error) {
	x, err := r.jobsAlone(ctx, func(p *solvershop.Pricing) (*shop.Certificate, error) {
		cert := preemptiveFrom(p.Bounds, 1, nil)
		cert.Method = methodAlone
		return cert, p.E.Sign(cert)
	})
	if err != nil {
		return nil, err
	}
	return x.bound, nil
}

// preemptive is the bound on the task objective from prices of a preemptive machine, started from the LP's prices.
func (r *run) preemptive(ctx context.Context, t *taskLP, opt solver.Options) (*solver.Bound, error) {
	if r.bothEnds.known {
		return r.bothEnds.value, nil
	}
	b, err := r.tasksAlone(ctx)
	if err != nil {
		return nil, err
	}
	ends := *boundsOf(b)
	s := newTaskAscent(r.in, r.alone.value.Windows.Head)
	s.begin(t.prices)
	s.run(ctx, opt)
	cert, err := s.certificate(ends)
	if err != nil {
		return nil, err
	}
	lp := t.bound.Certificate.(*shop.Certificate)
	least := preemptiveFrom(ends, lp.Denominator, lp.Arcs)
	least.Terms = lp.Terms
	if err := r.in.Sign(least); err != nil {
		return nil, err
	}
	cert = stronger(cert, least)
	cut := t.limited || r.alone.cut || ctx.Err() != nil
	return r.bothEnds.keep(&solver.Bound{Method: cert.Method, Certificate: cert}, cut), nil
}

// stronger is the certificate that proves more; ties: the first.
func stronger(a, b *shop.Certificate) *shop.Certificate {
	x, _ := new(big.Rat).SetString(a.Value)
	y, _ := new(big.Rat).SetString(b.Value)
	if x.Cmp(y) < 0 {
		return b
	}
	return a
}
