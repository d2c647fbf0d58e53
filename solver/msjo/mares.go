package msjo

import (
	"context"
	"math"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

const (
	// The method stops on MARES's LP when assignedPatience evaluations have not lowered the cost by the share
	// assignedGain. This LP gives no bound, and its order needs no more precision.
	assignedGain     = 1e-4
	assignedPatience = 10
)

// byAssignment assigns tasks to machines in advance and orders them by an LP that knows the assignment. In mares a
// machine starts, among its own tasks whose LP completion time has come and whose predecessors are done, the one with
// the least LP completion. It waits for that time even if it is idle. In h-mares it waits only for predecessors and
// releases. There is no schedule if no such schedule costs less than the limit.
//
// The assignment balances processing time: longest task first, to the machine with the least. The LP has a completion
// time for every task (the published form) and Σ_B p_u C_u ≥ ½(Σ_B p_u² + p(B)²) for the sets B of each machine's
// tasks. Under the task objective its cost is Σ W_u C_u.
//
// Guarantee: none on this problem. Relative to its own LP, whose machines are fixed, the factor of mares is 8 for
// map-reduce jobs. Every task that starts before C_u has a smaller LP completion. So from C_u on, a map u waits only
// for work before it in the order, at most 2C_u, and ends by 3C_u. A reduce u is ready by 3C_u. It waits at most as
// long again for the running task (p ≤ its LP completion ≤ its start), then at most 2C_u, and ends by 8C_u.
//
// Complexity: O(N log N) after the LP.   Ties: predecessors first, then the lower task index.
// Source: Chen, Kodialam, Lakshman, INFOCOM 2012, as in Ling et al. 2016, §5.1.3.   Differs: the paper does not say how
// loads are balanced; without a stop threshold a first-order method solves the LP until its cost stalls (assignedGain);
// in jobs with rows of delays the LP's arcs are imposed afterwards.
func byAssignment(wait bool, limit float64) solve {
	return func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
		plan, err := r.assignment(ctx, limit, opt)
		if err != nil || plan == nil {
			return nil, err
		}
		notBefore := make([]model.Time, r.in.Tasks)
		if wait {
			for u, c := range plan.completion {
				notBefore[u] = model.TimeOf(c)
			}
		}
		rank := ranks(byTime(r.in, plan.completion))
		m := &made{schedule: graph(r.in).Assigned(rank, plan.machine, notBefore, plan.machines)}
		m.limited(plan.limited)
		return m, nil
	}
}

// assignedPlan is MARES's plan.
type assignedPlan struct {
	machine  []int32 // by task
	machines int     // number of machines with tasks
	*taskLP
}

// assignment is the planner's assignment and LP, solved once. It is nil if no schedule with these machines costs less
// than the limit, in weight × seconds. Prices often prove that long before the LP is solved.
func (r *run) assignment(ctx context.Context, limit float64, opt solver.Options) (*assignedPlan, error) {
	p := r.planner(opt)
	if p.mares.known {
		return p.mares.value, nil
	}
	plan := &assignedPlan{machines: max(1, min(p.in.Nodes, p.in.Tasks))}
	plan.machine = balanced(p.in, plan.machines)
	f := byCompletion{c: newCollapsed(p.in), machine: plan.machine}
	bounded := func([]float64) bool { return false } // reports whether prices prove it
	if !math.IsInf(limit, 1) {
		apart := r.newAssignedBound(plan.machine)
		if p.apart = max(p.apart, apart.first(r)); p.apart >= limit {
			return nil, nil
		}
		bounded = func(price []float64) bool {
			p.apart = max(p.apart, apart.of(f.c.byTask(price)))
			return p.apart >= limit
		}
	}
	if p.p.epsilon > 0 {
		return p.stopped(ctx, plan, f, opt)
	}
	mark, since := math.Inf(1), 0
	plan.taskLP = newCompletionADMM(f).run(ctx, silent(opt), func(least float64, price []float64) bool {
		if since++; least < mark*(1-assignedGain) {
			mark, since = least, 0
		}
		return bounded(price) || since >= assignedPatience
	})
	if p.apart >= limit {
		return nil, nil
	}
	return p.mares.keep(plan, plan.limited), nil
}

// stopped solves the LP by constraint generation with a stop threshold.
func (r *run) stopped(ctx context.Context, plan *assignedPlan, f byCompletion,
	opt solver.Options) (*assignedPlan, error) {
	gen := generationOptions{epsilon: r.p.epsilon, every: r.p.separation == "every"}
	relax, err := f.c.generate(ctx, r.backend, f, gen, silent(opt))
	if err != nil {
		return nil, err
	}
	if relax == nil { // ctx ended: use the tasks on an empty cluster
		relax = &relaxation{}
		for u := range r.in.Tasks {
			relax.columns = append(relax.columns, (r.in.Head[u] + r.in.Least[u]).Seconds())
		}
	}
	plan.taskLP = &taskLP{completion: relax.columns[:r.in.Tasks], limited: !relax.complete}
	return r.mares.keep(plan, relax.cut(ctx)), nil
}

// assignedBound bounds the cost of the schedules with a given assignment of machines. It accepts any prices.
type assignedBound struct {
	s     *completionADMM // of the true instance; never stepped
	trial *taskPrices
	price []float64 // by position
}

func (r *run) newAssignedBound(machine []int32) *assignedBound {
	s := newCompletionADMM(byCompletion{c: newCollapsed(r.in), machine: machine})
	return &assignedBound{s, newTaskPrices(r.in), make([]float64, r.in.Tasks)}
}

// first is the bound from the prices of the LP without the assignment.
func (b *assignedBound) first(r *run) float64 {
	switch {
	case r.in.Objective == msjo.TaskObjective && r.tasks.known:
		return r.tasks.value.prices.value(b.s.f) * (1 - floatError)
	case r.in.Objective == msjo.JobObjective && r.solved.known:
		return b.of(r.solved.value.price)
	}
	return 0
}

// of is the bound from prices by task.
func (b *assignedBound) of(price []float64) float64 {
	f := b.s.f
	c, in := f.c, f.c.in
	if in.Objective == msjo.TaskObjective {
		for k, u := range c.task {
			b.price[k] = price[u]
		}
		b.s.settle(b.price, b.trial)
		return b.trial.value(f) * (1 - floatError)
	}
	// As for the collapsed LP, but each machine's work counts separately.
	factor, _ := affordable(in, price)
	paid, lb := make([]float64, in.Tasks), c.constant
	for k, u := range c.task {
		paid[u] = max(0, price[u]) * factor[in.Job[u]]
		lb -= paid[u] * c.p[k] * c.e[k]
	}
	return (lb + f.machineTime(paid)) * (1 - floatError)
}
