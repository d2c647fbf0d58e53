package msjo

import (
	"context"
	"math/big"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// taskBounds adds the bound of the LP on completion times, and those that parameter bound selects.
func (r *run) taskBounds(ctx context.Context, out *solver.Outcome, a algorithm, opt solver.Options) error {
	which := r.p.bound
	searches := which == "auto" && (a.Search || a.Exhaustive)
	both := which == "two-sided" || which == "all" || searches && r.in.Tasks <= bothEndsTasks
	var t *taskLP
	steps := []boundStep{{boundShare, func(ctx context.Context) (*solver.Bound, error) {
		var err error
		if t, err = r.taskRelaxation(ctx, opt); err != nil {
			return nil, err
		}
		out.Facts = Facts{TaskLPFacts: &t.TaskLPFacts}
		out.CutShort(t.limited)
		return t.bound, nil
	}}}
	if both || which == "auto" {
		steps = append(steps, boundStep{1, r.tasksAlone})
	}
	if both {
		steps = append(steps, boundStep{boundShare, func(ctx context.Context) (*solver.Bound, error) {
			return r.preemptive(ctx, t, opt)
		}})
	}
	return r.inSteps(ctx, out, steps, opt)
}

// tasksAlone is the bound from the bounds of tasks alone.
func (r *run) tasksAlone(ctx context.Context) (*solver.Bound, error) {
	if r.alone.known {
		return r.alone.value, nil
	}
	ctx, end := within(ctx, boundShare)
	defer end()
	cert := &msjo.Certificate{Claim: model.Claim{Method: methodAlone, Kind: msjo.KindCompletionPrices}, Denominator: 1,
		Inequality: msjo.InequalityPreemptive, Ends: nodeBounds(ctx, r.in)}
	if err := r.in.Sign(cert); err != nil {
		return nil, err
	}
	return r.alone.keep(&solver.Bound{Method: cert.Method, Certificate: cert}, ctx.Err() != nil), nil
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
	ends := b.Certificate.(*msjo.Certificate).Ends
	heads, _, err := r.in.Windows(ends, nil)
	if err != nil {
		return nil, err
	}
	s := newTaskAscent(r.in, heads)
	s.begin(t.prices)
	s.run(ctx, opt)
	cert, err := s.certificate(ends)
	if err != nil {
		return nil, err
	}
	lp := t.bound.Certificate.(*msjo.Certificate)
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
func stronger(a, b *msjo.Certificate) *msjo.Certificate {
	x, _ := new(big.Rat).SetString(a.Value)
	y, _ := new(big.Rat).SetString(b.Value)
	if x.Cmp(y) < 0 {
		return b
	}
	return a
}
