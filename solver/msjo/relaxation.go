package msjo

import (
	"context"
	"io"
	"math"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
	"mrsched/solver/lp"
)

const (
	// firstOrderTolerance is the relative rise of the bound below which the first-order method ends.
	firstOrderTolerance = 1e-7
	// lpsolveTasks and lpsolveJobs are the sizes up to which --lp auto takes lp_solve.
	lpsolveTasks, lpsolveJobs = 20_000, 500
)

// toTheEnd reports whether the parameters demand the optimum of the collapsed LP, found by the default method.
func (p *params) toTheEnd() bool {
	return p.formulation != "published" && p.epsilon == 0 && p.separation != "every"
}

// contradiction returns an error for parameters that exclude each other, or nil.
func (p *params) contradiction() error {
	if p.plan == "batches" && p.ties == "fit" {
		return model.NewInputError(model.Finding{Code: model.CodeParameter, What: "--plan batches --ties fit: in batches a " +
			"task takes the machine that idles first", Expected: "one of the two"})
	}
	if p.lp != "first-order" || p.toTheEnd() {
		return nil
	}
	return model.NewInputError(model.Finding{Code: model.CodeParameter,
		What:     "--lp first-order solves the collapsed LP to its end",
		Expected: "--formulation collapsed, --separation peaks and --epsilon 0 with it"})
}

// firstOrder reports whether the first-order method solves the LP.
func (r *run) firstOrder() bool {
	large := r.in.Tasks > lpsolveTasks || r.in.Jobs > lpsolveJobs
	return r.p.lp == "first-order" || r.p.lp != "lpsolve" && large && r.p.toTheEnd()
}

// formulation returns the form and the method of the job objective's LP that the parameters select.
func (r *run) formulation() (formulation, generationOptions) {
	if r.c == nil {
		r.c = newCollapsed(r.in)
	}
	gen := generationOptions{epsilon: r.p.epsilon, literal: r.p.stopTest == "literal", every: r.p.separation == "every"}
	if r.p.formulation == "published" {
		return byStart{r.c}, gen
	}
	gen.warm = r.p.formulation == "collapsed" && r.p.separation == "peaks" && r.p.epsilon == 0
	return byDelay{r.c}, gen
}

// relaxation solves the LP that the parameters describe, once. If ctx ends first, it returns the state reached: at
// worst the jobs on an empty cluster, which give a bound.
func (r *run) relaxation(ctx context.Context, opt solver.Options) (*relaxation, error) {
	if r.solved.known {
		return r.solved.value, nil
	}
	f, gen := r.formulation()
	relax, err := r.solve(ctx, f, gen, opt)
	if err != nil {
		return nil, err
	}
	return r.solved.keep(relax, relax.cut(ctx)), nil
}

// solve solves a formulation of the job objective's LP, or runs the first-order method. That also replaces lp_solve
// where it fails under --lp auto: for weights of 1e12 beside 1e-6.
func (r *run) solve(ctx context.Context, f formulation, gen generationOptions,
	opt solver.Options) (*relaxation, error) {
	if r.firstOrder() {
		return r.c.firstOrder(ctx, opt, firstOrderTolerance), nil
	}
	relax, err := r.c.generate(ctx, r.backend, f, gen, opt)
	if solver.Numerical(err) != nil && r.p.lp == "auto" && r.p.toTheEnd() {
		relax = r.c.firstOrder(ctx, opt, firstOrderTolerance)
		relax.complete = false // no theorem holds for its point
		return relax, nil
	}
	if relax == nil && err == nil {
		relax = &relaxation{value: r.c.constant, price: make([]float64, r.in.Tasks)}
		relax.midpoint, relax.completion = byDelay{r.c}.point(make([]float64, r.in.Jobs))
	}
	return relax, err
}

// method names the bound: the classical LP, or the relaxation at which COGE stopped.
func (r *run) method() string {
	if r.p.epsilon > 0 {
		return "cnd-lp"
	}
	return "cls-lp"
}

// Formulate writes the LP with all sets that constraint generation needs, so that any LP solver finds the bound.
func (r *run) Formulate(ctx context.Context, w io.Writer, format string) error {
	f, gen := r.formulation()
	if r.in.Objective == shop.WeightedTaskEnds {
		f, gen = r.completionFormulation(ctx)
	}
	model, err := r.c.formulate(ctx, r.backend, f, gen)
	if err != nil {
		return err
	}
	return lp.Write(w, model, format)
}

// Settings of the LP on completion times.
const (
	// completionIterations bounds the first-order method; several hundred reach 1e-5 on the paper's instances.
	completionIterations = 3000
	// completionWork bounds iterations times tasks. A million tasks get 120 iterations, after which the bound still rises
	// by about 1e-6.
	completionWork = 120_000_000
	// completionGap is the relative gap between its bound and the cost of a feasible point at which it stops.
	completionGap = 1e-6
	// completionCheck is the number of iterations between evaluations of both.
	completionCheck = 20
	// completionRows is the number of tasks up to which lp_solve finishes the LP after the first-order method. There is a
	// row per arc, and rows of sets have an entry per task.
	completionRows = 500
	// beginShare is the first-order method's share of the time for this LP if lp_solve finishes it.
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

// taskRelaxation solves the LP on completion times under the task objective, once, whatever the run's own objective is.
func (r *run) taskRelaxation(ctx context.Context, opt solver.Options) (*taskLP, error) {
	if r.tasks.known {
		return r.tasks.value, nil
	}
	published := r.p.inequality == shop.InequalityPublished
	f := byCompletion{c: newCollapsed(r.in.Under(shop.WeightedTaskEnds)), published: published}
	finishes := r.p.lp == "lpsolve" || r.p.lp != "first-order" && f.c.in.Tasks <= completionRows
	share := 1.0
	if finishes {
		share = beginShare
	}
	part, end := bound.Within(ctx, share)
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
	method := "task-lp-" + shop.InequalitySchulz
	if published {
		method = "task-lp-" + shop.InequalityPublished
	}
	cert, err := certifyTasks(f.c.in, method, published, prices)
	if err != nil {
		return nil, err
	}
	t.prices = certified(cert)
	t.bound = &solver.Bound{Method: method, Certificate: cert, Theorem: theorem}
	return r.tasks.keep(t, t.limited && ctx.Err() != nil), nil
}

// finish solves the LP to its end with lp_solve. It changes t and returns the prices, nil if there are none. Under --lp
// auto a failure leaves t unchanged.
func (r *run) finish(ctx context.Context, f byCompletion, sets [][]keyed, t *taskLP,
	opt solver.Options) (*taskPrices, error) {
	relax, err := f.c.generate(ctx, r.backend, f, generationOptions{sets: sets}, opt)
	if solver.Numerical(err) != nil && r.p.lp != "lpsolve" {
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
	return &taskPrices{price: relax.price, arc: relax.fixed}, nil
}

// closeGap runs until the best bound on the task objective meets the cost. It returns the prices of that bound.
func (s *completionADMM) closeGap(ctx context.Context, opt solver.Options) (*taskLP, *taskPrices) {
	best, trial, top := newTaskPrices(s.f.c.in), newTaskPrices(s.f.c.in), 0.0
	t := s.run(ctx, opt, func(least float64, price []float64) bool {
		s.settle(price, trial)
		if lb := trial.value(s.f); lb > top {
			best, trial, top = trial, best, lb
			opt.Watch.Bound(top*(1-floatError), byFirstOrder)
		}
		return least-top <= completionGap*least
	})
	return t, best
}

// run iterates until enough returns true. enough gets the least cost so far and the prices of an evaluation, by
// position. The returned completions are the cheapest of all evaluations, stretched until they satisfy the sets.
func (s *completionADMM) run(ctx context.Context, opt solver.Options,
	enough func(least float64, price []float64) bool) *taskLP {
	t := &taskLP{completion: make([]float64, s.f.c.in.Tasks)}
	price := make([]float64, len(s.done))
	least := math.Inf(1)
	most := min(completionIterations, completionWork/max(1, len(s.done)))
	for t.Iterations < most && !t.limited {
		s.step()
		t.Iterations++
		t.limited = ctx.Err() != nil
		if t.Iterations%completionCheck != 0 && t.Iterations < most && !t.limited {
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
		opt.Report(t.Iterations, most)
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
	at := make([]float64, in.Steps)
	copy(at, completion)
	for _, u := range in.Topo {
		if u >= int32(in.Tasks) {
			at[u] = max(at[u], in.Head[u].Seconds())
		} else {
			completion[u] = at[u]
		}
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			v := in.SuccStep[k]
			at[v] = max(at[v], at[u]+(in.SuccDelay[k]+in.Least[v]).Seconds())
		}
	}
}

// completionFormulation is the LP under the task objective. It starts with the sets that the first-order method finds.
func (r *run) completionFormulation(ctx context.Context) (formulation, generationOptions) {
	f := byCompletion{c: r.c, published: r.p.inequality == shop.InequalityPublished}
	s := newCompletionADMM(f)
	s.closeGap(ctx, solver.Options{})
	return f, generationOptions{sets: s.sets()}
}
