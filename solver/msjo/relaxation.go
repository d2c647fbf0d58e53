package msjo

import (
	"context"
	"io"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp"
)

const (
	// firstOrderTolerance is the relative rise of the bound below which the first-order method ends.
	firstOrderTolerance = 1e-7
	// lpsolveTasks and lpsolveJobs are the sizes up to which --lp auto takes lp_solve.
	lpsolveTasks, lpsolveJobs = 20_000, 500
)

// toTheEnd says whether the parameters ask for the optimum of the collapsed LP, found in the usual way.
func (p *params) toTheEnd() bool {
	return p.formulation != "published" && p.epsilon == 0 && p.separation != "every"
}

// contradiction is the finding for parameters that exclude each other; nil if they do not.
func (p *params) contradiction() error {
	if p.lp != "first-order" || p.toTheEnd() {
		return nil
	}
	return model.NewInputError(model.Finding{Code: model.CodeParameter,
		What:     "--lp first-order solves the collapsed LP to its end",
		Expected: "--formulation collapsed, --separation peaks and --epsilon 0 with it"})
}

// firstOrder says whether the first-order method solves the LP.
func (r *run) firstOrder() bool {
	large := r.in.Tasks > lpsolveTasks || r.in.Jobs > lpsolveJobs
	return r.p.lp == "first-order" || r.p.lp != "lpsolve" && large && r.p.toTheEnd()
}

// formulation is how the parameters want the LP of the job objective written and solved.
func (r *run) formulation() (formulation, generationOptions) {
	if r.c == nil {
		r.c = newCollapsed(r.in)
	}
	gen := generationOptions{epsilon: r.p.epsilon, every: r.p.separation == "every"}
	if r.p.formulation == "published" {
		return byStart{r.c}, gen
	}
	gen.warm = r.p.formulation == "collapsed" && r.p.separation == "peaks" && r.p.epsilon == 0
	return byDelay{r.c}, gen
}

// relaxation solves the LP that the parameters describe, once. If ctx ends first, it is what was reached: in the worst
// case the jobs on an empty cluster, which bound themselves.
func (r *run) relaxation(ctx context.Context, opt solver.Options) (*relaxation, error) {
	if r.solved.known {
		return r.solved.value, nil
	}
	f, gen := r.formulation()
	relax, err := r.solve(ctx, f, gen, opt, 0)
	if err != nil {
		return nil, err
	}
	return r.solved.keep(relax, relax.cut(ctx)), nil
}

// solve solves a formulation of the job objective's LP, or by the first-order method that with the given thresholds.
func (r *run) solve(ctx context.Context, f formulation, gen generationOptions, opt solver.Options,
	thresholds ...model.Time) (*relaxation, error) {
	if r.firstOrder() {
		return r.c.firstOrder(ctx, opt, firstOrderTolerance, thresholds...), nil
	}
	relax, err := r.c.generate(ctx, r.backend, f, gen, opt)
	if relax == nil && err == nil {
		relax = &relaxation{value: r.c.constant, terms: []pricedTerm{{0, make([]float64, r.in.Tasks)}}}
		relax.midpoint, relax.completion = byDelay{r.c}.point(make([]float64, r.in.Jobs))
	}
	return relax, err
}

// method names the bound: the classical LP, or the relaxation of it at which COGE stopped.
func (r *run) method() string {
	if r.p.epsilon > 0 {
		return "cnd-lp"
	}
	return "cls-lp"
}

// Relaxed solves the LP of the objective. Under the task objective a job ends with the last of its tasks.
func (r *run) Relaxed(ctx context.Context, opt solver.Options) (*solver.Relaxed, error) {
	defer r.forget()
	if r.in.Objective == msjo.JobObjective {
		relax, err := r.relaxation(ctx, opt)
		if err != nil {
			return nil, err
		}
		return &solver.Relaxed{Method: r.method(), Completion: relax.completion}, nil
	}
	t, err := r.taskRelaxation(ctx, opt)
	if err != nil {
		return nil, err
	}
	done := make([]float64, r.in.Jobs)
	for u, c := range t.completion {
		j := r.in.Job[u]
		done[j] = max(done[j], c)
	}
	return &solver.Relaxed{Method: t.bound.Method, Completion: done}, nil
}

// Formulate writes the LP with all the sets that constraint generation needs, so that any LP solver finds the bound in
// it.
func (r *run) Formulate(ctx context.Context, w io.Writer, format string) error {
	f, gen := r.formulation()
	if r.in.Objective == msjo.TaskObjective {
		f, gen = r.completionFormulation(ctx)
	}
	model, err := r.c.formulate(ctx, r.backend, f, gen)
	if err != nil {
		return err
	}
	if format == "mps" {
		return lp.WriteMPS(w, model)
	}
	return lp.WriteLP(w, model)
}
