package msjo

import (
	"context"
	"errors"
	"math"

	"mrsched/model/msjo"
	"mrsched/solver"
)

// Settings of the LP on completion times.
const (
	// completionIterations bounds the first-order method; some hundred reach 1e-5 on the paper's instances.
	completionIterations = 3000
	// completionGap is the relative distance between its bound and the cost of a feasible point at which it
	// stops.
	completionGap = 1e-6
	// completionCheck is after how many iterations both are evaluated.
	completionCheck = 20
	// completionRows is the number of tasks up to which lp_solve finishes what the first-order method began:
	// its rows are one an arc and as dense as there are tasks.
	completionRows = 500
	// beginShare is the share of the time for this LP that the first-order method may take if lp_solve finishes it.
	beginShare = 0.5
)

// taskLP is a solved LP on completion times.
type taskLP struct {
	TaskLPFacts
	completion []float64     // by task, seconds; keeps releases, precedence and the sets
	bound      *solver.Bound // on TWTCT; nil for MARES's LP
	prices     *taskPrices   // behind the bound
	limited    bool          // ctx ended it
}

// taskRelaxation solves the LP on completion times under the task objective, whatever the run's own is, once.
func (r *run) taskRelaxation(ctx context.Context, opt solver.Options) (*taskLP, error) {
	if r.tasks.known {
		return r.tasks.value, nil
	}
	published := r.p.inequality == msjo.InequalityPublished
	f := byCompletion{c: newCollapsed(r.in.Under(msjo.TaskObjective)), published: published}
	finishes := r.p.lp == "lpsolve" || r.p.lp != "first-order" && f.c.in.Tasks <= completionRows
	share := 1.0
	if finishes {
		share = beginShare
	}
	part, end := within(ctx, share)
	s := newCompletionADMM(f)
	t, prices := s.closeGap(part, opt)
	end()
	theorem := false
	if finishes {
		exact, err := r.finish(ctx, f, s.sets(), t, opt)
		if err != nil {
			return nil, err
		}
		theorem = exact != nil && !t.limited
		if exact != nil && (theorem || exact.value(f) > prices.value(f)) {
			prices = exact
		}
	}
	method := "task-lp-" + msjo.InequalitySchulz
	if published {
		method = "task-lp-" + msjo.InequalityPublished
	}
	cert, err := certifyTasks(f.c.in, method, published, prices)
	if err != nil {
		return nil, err
	}
	t.prices = certified(cert)
	t.bound = &solver.Bound{Method: method, Certificate: cert, Theorem: theorem}
	return r.tasks.keep(t, t.limited && ctx.Err() != nil), nil
}

// finish ends with lp_solve what the first-order method began: it changes t and returns the prices, nil if there are
// none. Under --lp auto a failure leaves everything as it is.
func (r *run) finish(ctx context.Context, f byCompletion, sets [][]keyed, t *taskLP,
	opt solver.Options) (*taskPrices, error) {
	relax, err := f.c.generate(ctx, r.backend, f, generationOptions{sets: sets}, opt)
	var failed *solver.BackendError
	if errors.As(err, &failed) && r.p.lp != "lpsolve" {
		return nil, nil
	}
	if err != nil || relax == nil {
		t.limited = true
		return nil, err
	}
	t.Rounds, t.Rows, t.limited = relax.Rounds, relax.Rows, !relax.complete
	if relax.complete {
		t.completion = relax.columns[:f.c.in.Tasks]
	}
	return &taskPrices{price: relax.price(), arc: relax.fixed}, nil
}

// closeGap runs until the best bound on the task objective meets the cost, and returns the prices behind that bound.
func (s *completionADMM) closeGap(ctx context.Context, opt solver.Options) (*taskLP, *taskPrices) {
	best, trial, top := newTaskPrices(s.f.c.in), newTaskPrices(s.f.c.in), 0.0
	t := s.run(ctx, opt, func(least float64, price []float64) bool {
		s.settle(price, trial)
		if lb := trial.value(s.f); lb > top {
			best, trial, top = trial, best, lb
			opt.Watch.Bound(top * (1 - floatError))
		}
		return least-top <= completionGap*least
	})
	return t, best
}

// run iterates until enough says so, which sees the least cost so far and the prices of an evaluation, by position. The
// completions are the cheapest ones of all evaluations, stretched until they keep the sets.
func (s *completionADMM) run(ctx context.Context, opt solver.Options,
	enough func(least float64, price []float64) bool) *taskLP {
	t := &taskLP{completion: make([]float64, s.f.c.in.Tasks)}
	price := make([]float64, len(s.done))
	least := math.Inf(1)
	for t.Iterations < completionIterations && !t.limited {
		s.step()
		t.Iterations++
		t.limited = ctx.Err() != nil
		if t.Iterations%completionCheck != 0 && !t.limited {
			continue
		}
		worst := s.excess()
		if cost := worst * s.value(); cost < least {
			least = cost
			for k, u := range s.f.c.task {
				t.completion[u] = worst * s.done[k]
			}
		}
		for k, q := range s.q {
			price[k] = s.rho * q
		}
		opt.Report(t.Iterations, completionIterations)
		if enough(least, price) {
			break
		}
	}
	s.f.c.followArcs(t.completion)
	return t
}

// followArcs delays completions, by task and in seconds, until they keep every arc.
func (c *collapsed) followArcs(completion []float64) {
	in := c.in
	at := make([]float64, in.Nodes)
	copy(at, completion)
	for _, u := range in.Topo {
		if u >= int32(in.Tasks) {
			at[u] = max(at[u], in.Head[u].Seconds())
		} else {
			completion[u] = at[u]
		}
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			v := in.SuccNode[k]
			at[v] = max(at[v], at[u]+(in.SuccDelay[k]+in.Processing[v]).Seconds())
		}
	}
}

// completionFormulation is the LP under the task objective, begun with the sets that the first-order method finds.
func (r *run) completionFormulation(ctx context.Context) (formulation, generationOptions) {
	f := byCompletion{c: r.c, published: r.p.inequality == msjo.InequalityPublished}
	s := newCompletionADMM(f)
	s.closeGap(ctx, solver.Options{})
	return f, generationOptions{sets: s.sets()}
}
