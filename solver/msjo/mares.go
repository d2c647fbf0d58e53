package msjo

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// solveMARES assigns tasks to machines in advance and orders them by an LP that knows the assignment. A machine
// runs, among its own tasks whose LP completion time has come and whose predecessors are done, the one with the
// least LP completion; it waits for that time even if it is idle.
//
// The assignment balances processing time: longest task first, to the machine with the least. The LP has a
// completion time for every task (the published form) and Σ_B p_u C_u ≥ ½(Σ_B p_u² + p(B)²) for the sets B of each
// machine's tasks. Under the task objective its cost is Σ W_u C_u.
//
// Guarantee: none on this problem. Against its own LP, which has fixed the machines, the factor is 8 for
// map-reduce jobs: whatever starts before C_u has a smaller LP completion, so a map u waits from C_u on only for
// work before it in the order, at most 2C_u: it ends by 3C_u. A reduce u is ready by 3C_u, waits at most as long
// again for the task that runs then (p ≤ its LP completion ≤ its start), and then 2C_u: it ends by 8C_u.
// Complexity: O(N log N) after the LP.   Ties: predecessors first, then the lower task index.
// Source: Chen, Kodialam, Lakshman, INFOCOM 2012, as in Ling et al. 2016, §5.1.3.   Differs: the paper does not say
// how loads are balanced; without a stop threshold the LP is solved by a first-order method to completionGap, and in
// jobs with rows of delays the LP's arcs are imposed afterwards.
func solveMARES(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	return solveAssigned(ctx, r, "mares", true, opt)
}

// solveHMARES is solveMARES without waiting for LP completion times: a machine waits only for predecessors and
// releases.
//
// Guarantee: none.   Complexity and ties: as solveMARES.   Source: Ling et al. 2016, §5.1.3 (H-MARES).
func solveHMARES(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	return solveAssigned(ctx, r, "h-mares", false, opt)
}

func solveAssigned(ctx context.Context, r *run, name string, wait bool, opt solver.Options) (*solver.Outcome, error) {
	out, err := r.bounded(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	plan, err := r.assignment(ctx, opt)
	if err != nil {
		return nil, err
	}
	if plan.limited {
		out.Status = model.StatusLimit
	}
	notBefore := make([]model.Time, r.in.Tasks)
	if wait {
		for u, c := range plan.completion {
			notBefore[u] = model.TimeOf(c)
		}
	}
	out.Schedule = graph(r.in).Assigned(ranks(completionOrder(r, plan.completion)), plan.machine, notBefore, plan.machines)
	return out, nil
}

// assignedPlan is MARES's plan.
type assignedPlan struct {
	machine  []int32 // by task
	machines int     // that have tasks
	*taskLP
}

// assignment is the planner's assignment and LP, solved once.
func (r *run) assignment(ctx context.Context, opt solver.Options) (*assignedPlan, error) {
	p := r.planner(opt)
	if p.assigned != nil {
		return p.assigned, nil
	}
	plan := &assignedPlan{machines: max(1, min(p.in.Machines, p.in.Tasks))}
	plan.machine = balanced(p.in, plan.machines)
	f := byCompletion{c: newCollapsed(p.in), machine: plan.machine}
	if p.p.Float("epsilon") == 0 || p.in.Objective == msjo.TaskObjective {
		plan.taskLP = newCompletionADMM(f).run(ctx, nil)
		p.assigned = plan
		return plan, nil
	}
	gen := p.generation()
	gen.warm = false
	relax, err := f.c.generate(ctx, p.backend, f, gen, opt)
	if err != nil {
		return nil, err
	}
	if relax == nil { // ctx ended: the tasks on an empty cluster
		relax = &relaxation{}
		for u := range p.in.Tasks {
			relax.columns = append(relax.columns, (p.in.Head[u] + p.in.Processing[u]).Seconds())
		}
	}
	plan.taskLP = &taskLP{completion: relax.columns[:p.in.Tasks], rounds: relax.rounds, rows: relax.rows, limited: !relax.complete}
	p.assigned = plan
	return plan, nil
}

// balanced assigns the longest task first, to the machine with the least processing time. Ties: the lower index,
// of tasks and of machines.
func balanced(in *msjo.Instance, m int) []int32 {
	tasks := everyTask(in)
	slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(in.Processing[b], in.Processing[a]) })
	// In that order, without arcs or releases, the machine idle first is the one with the least.
	independent := graph(in)
	independent.Earliest, independent.Preds = make([]model.Time, in.Tasks), make([]int32, in.Tasks)
	independent.SuccFirst, independent.SuccNode, independent.SuccDelay = make([]int32, in.Tasks+1), nil, nil
	machine := make([]int32, in.Tasks)
	for u, e := range independent.InOrder(tasks, m).Entries {
		machine[u] = e.Machine
	}
	return machine
}
