package msjo

import (
	"context"
	"errors"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp"
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
)

// taskLP is a solved LP on completion times.
type taskLP struct {
	completion []float64     // by task, seconds; keeps releases, precedence and the sets
	bound      *solver.Bound // on TWTCT; nil under the job objective
	rounds     int           // LPs solved by lp_solve
	rows       int           // sets added
	iterations int           // of the first-order method
	limited    bool          // ctx ended it
}

// plansTasks says that an algorithm looks at the objective when it makes its plan.
func plansTasks(algorithm string) bool {
	switch algorithm {
	case "tmars", "tmars-list", "mares", "h-mares", "exact":
		return true
	}
	return false
}

// dispatch runs an algorithm. Under the task objective the algorithms for the job objective make the
// schedule that they always make, and the bound is that of the LP on completion times.
func (r *run) dispatch(ctx context.Context, a algorithm, opt solver.Options) (*solver.Outcome, error) {
	if r.in.Objective == msjo.JobObjective || plansTasks(a.Name) {
		return a.Solve(ctx, r, opt)
	}
	if r.jobs == nil {
		r.jobs = &run{in: r.in.Under(msjo.JobObjective), p: r.p, backend: r.backend}
	}
	made, err := a.Solve(ctx, r.jobs, opt)
	if err != nil {
		return nil, err
	}
	out, err := r.bounded(ctx, a.Name, opt)
	if err != nil {
		return nil, err
	}
	out.Schedule = made.Schedule
	for k, v := range made.Found {
		out.Found[k] = v
	}
	switch {
	case made.Status == model.StatusLimit:
		out.Status = model.StatusLimit
	case a.BoundOnly && out.Status == model.StatusFeasible:
		out.Status = model.StatusBound
	}
	return out, nil
}

// bounded starts an outcome with the bound of the objective.
func (r *run) bounded(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	if r.in.Objective == msjo.JobObjective {
		out, _, err := relaxed(ctx, r, name, opt)
		return out, err
	}
	t, err := r.taskRelaxation(ctx, opt)
	if err != nil {
		return nil, err
	}
	out := &solver.Outcome{Algorithm: name, Status: model.StatusFeasible, Bounds: []solver.Bound{*t.bound},
		Found: map[string]any{"task_lp_iterations": t.iterations, "task_lp_rounds": t.rounds, "task_lp_rows": t.rows}}
	if t.limited {
		out.Status = model.StatusLimit
	}
	return out, nil
}

// taskRelaxation solves the LP on completion times under the task objective, whatever the run's own is, once.
func (r *run) taskRelaxation(ctx context.Context, opt solver.Options) (*taskLP, error) {
	if r.tasks != nil {
		return r.tasks, nil
	}
	published := r.p.Text("inequality") == msjo.InequalityPublished
	f := byCompletion{c: newCollapsed(r.in.Under(msjo.TaskObjective)), published: published}
	s := newCompletionADMM(f)
	prices := &taskPrices{price: make([]float64, f.c.in.Tasks), arc: make([]float64, len(f.c.in.SuccNode))}
	t := s.run(ctx, prices)
	theorem := false
	if r.finishes(f.c.in.Tasks) && ctx.Err() == nil {
		relax, err := f.finish(ctx, r.backend, s.sets(), opt)
		var failed *solver.BackendError
		if err != nil && (r.p.Text("lp") == "lpsolve" || !errors.As(err, &failed)) {
			return nil, err // else the first-order method's solution stands
		}
		if relax != nil {
			t.rounds, t.rows, t.limited, theorem = relax.rounds, relax.rows, !relax.complete, relax.complete
			t.completion = relax.columns[:f.c.in.Tasks]
			exact := &taskPrices{price: f.c.byTask(relax.price), arc: relax.fixed}
			if theorem || exact.value(f.c.in, published) > prices.value(f.c.in, published) {
				prices = exact
			}
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
	t.bound = &solver.Bound{Method: method, Certificate: cert, Theorem: theorem}
	r.tasks = t
	return t, nil
}

// finishes says whether lp_solve ends what the first-order method began.
func (r *run) finishes(tasks int) bool {
	switch r.p.Text("lp") {
	case "lpsolve":
		return true
	case "first-order":
		return false
	}
	return tasks <= completionRows
}

// run iterates until the gap closes and keeps the best prices, if there is room for them: under the task
// objective. The completions are those of the last iteration, stretched until they keep the sets.
func (s *completionADMM) run(ctx context.Context, best *taskPrices) *taskLP {
	t := &taskLP{completion: make([]float64, s.f.c.in.Tasks)}
	price := make([]float64, len(s.done))
	var trial *taskPrices
	if best != nil {
		trial = &taskPrices{price: make([]float64, len(best.price)), arc: make([]float64, len(best.arc))}
	}
	top, before, worst := 0.0, -1.0, 1.0
	for t.iterations < completionIterations {
		if t.iterations > 0 && ctx.Err() != nil {
			t.limited = true
			break
		}
		s.step()
		if t.iterations++; t.iterations%completionCheck != 0 {
			continue
		}
		worst = s.excess()
		value := s.value()
		bound := before // under the job objective, the last value stands for the bound
		if best != nil {
			s.prices(price)
			s.settle(price, trial)
			if lb := trial.value(s.f.c.in, s.f.published); lb > top {
				top = lb
				copy(best.price, trial.price)
				copy(best.arc, trial.arc)
			}
			bound = top
		}
		if worst*value-min(bound, value) <= completionGap*value && (best != nil || value-before <= completionGap*value) {
			break
		}
		before = value
	}
	worst = s.excess()
	for k, u := range s.f.c.task {
		t.completion[u] = worst * s.done[k]
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
	f := byCompletion{c: r.c, published: r.p.Text("inequality") == msjo.InequalityPublished}
	s := newCompletionADMM(f)
	s.run(ctx, nil)
	return seeded{f, s.sets()}, generationOptions{warm: true}
}

// seeded begins constraint generation with sets that are already known.
type seeded struct {
	byCompletion
	sets [][]keyed
}

func (f seeded) seeds() [][]keyed { return f.sets }

// finish solves the LP through a backend, from known sets on; nil if ctx ended before the first solution.
func (f byCompletion) finish(ctx context.Context, backend lp.Backend, sets [][]keyed, opt solver.Options) (*relaxation, error) {
	return f.c.generate(ctx, backend, seeded{f, sets}, generationOptions{warm: true}, opt)
}
