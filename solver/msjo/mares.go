package msjo

import (
	"context"
	"math"

	"mrsched/model"
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
// releases.
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
func byAssignment(wait bool) solve {
	return func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
		plan, err := r.assignment(ctx, opt)
		if err != nil {
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

// assignment is the planner's assignment and LP, solved once.
func (r *run) assignment(ctx context.Context, opt solver.Options) (*assignedPlan, error) {
	p := r.planner(opt)
	if p.mares.known {
		return p.mares.value, nil
	}
	plan := &assignedPlan{machines: max(1, min(p.in.Nodes, p.in.Tasks))}
	plan.machine = balanced(p.in, plan.machines)
	f := byCompletion{c: newCollapsed(p.in), machine: plan.machine}
	if p.p.epsilon > 0 {
		return p.stopped(ctx, plan, f, opt)
	}
	mark, since := math.Inf(1), 0
	plan.taskLP = newCompletionADMM(f).run(ctx, silent(opt), func(least float64, _ []float64) bool {
		if since++; least < mark*(1-assignedGain) {
			mark, since = least, 0
		}
		return since >= assignedPatience
	})
	return p.mares.keep(plan, plan.limited), nil
}

// stopped solves the LP by constraint generation with a stop threshold.
func (r *run) stopped(ctx context.Context, plan *assignedPlan, f byCompletion,
	opt solver.Options) (*assignedPlan, error) {
	gen := generationOptions{epsilon: r.p.epsilon, literal: r.p.stopTest == "literal", every: r.p.separation == "every"}
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
