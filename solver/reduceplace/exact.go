package reduceplace

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const (
	// exactTasks is the number of tasks up to which `-a all` includes exact: a second on 20 slots that are too few,
	// milliseconds on enough. Almost always the first LP has an integer optimum; see BenchmarkExact.
	exactTasks = 200
	// exactNodes is how many nodes of the search tree one iteration allows.
	exactNodes = 20
	// exactGap is how far, relative to its cost, a placement called optimal may be above the optimum: more than the errors
	// of lp_solve, but so little that only differences of bytes matter.
	exactGap = 1e-8
	// exactCells is the number of rows times columns above which the program is not solved: lp_solve would need more than
	// a second to load it, which no time limit interrupts, and would not finish.
	exactCells = 4e9
	// clairvoyantShare is the share of a time limit, without that of the bound, for clairvoyant before the search.
	clairvoyantShare = 0.3
	// integral is how far from an integer a number of tasks may be because of rounding.
	integral = 1e-6
)

// solveExactly solves the assignment program (exact_model.go) by branch and bound over the LPs of lp_solve, beginning
// with the placement of clairvoyant. It uses its own tree because lp_solve's nodes cannot be counted and limited: so
// results under a limit, and the search that check repeats, do not depend on the machine.
//
// Complexity: exponential; at most as many nodes as iterations allow, an LP each; none if the program would have
// millions of columns or too many rows. Ties: the placement of clairvoyant, if nothing is cheaper.   Source: mrsched.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	begin, end := opt.Phase(ctx, solver.PhaseStart, clairvoyantShare)
	f, err := solveClairvoyant(begin, r, opt)
	end()
	if err != nil || ctx.Err() != nil {
		return f, err
	}
	ctx, end = opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	x := &exactSearch{limit: exactNodes * min(opt.Iterations, 1<<40), slot: f.slot}
	x.report = func() { opt.Report(x.nodes, x.limit) }
	x.found = func() {
		cost, _ := r.in.Fetching(x.slot).Float64()
		opt.Watch.Incumbent(cost)
	}
	complete, err := x.solve(ctx, r)
	if backend := new(solver.BackendError); errors.As(err, &backend) { // numbers that the LP solver cannot handle
		f.status = model.StatusLimit
		f.facts.LPFailure = backend.Err.Error()
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	f = &found{slot: x.slot, status: model.StatusLimit, facts: Facts{Nodes: &x.nodes}}
	if complete {
		f.status = model.StatusOptimal
	}
	return f, nil
}

// Optimal says whether a search of at most that many nodes finds nothing cheaper than a schedule.
func (r *run) Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	slot := r.in.Placed(s)
	x := &exactSearch{limit: nodes, slot: slot, report: func() {}}
	complete, err := x.solve(ctx, r)
	if err == nil && !complete {
		err = ctx.Err()
	}
	return err == nil && complete && !x.better, err
}

// exactSearch is a branch and bound for placements cheaper than slot.
type exactSearch struct {
	slot         []int32
	better       bool // slot was replaced
	nodes, limit int
	report       func()
	found        func() // slot was replaced; may be nil

	a      *assignment
	solver lp.Solver
	cost   float64 // of slot, over the first one's
}

// solve searches the whole tree; complete is false if a limit or ctx ended it.
func (x *exactSearch) solve(ctx context.Context, r *run) (complete bool, err error) {
	scale, _ := r.in.Fetching(x.slot).Float64()
	if scale == 0 {
		return true, nil
	}
	tiers := tiersOf(r.in)
	if r.in.Jobs > modelColumns/len(tiers) {
		return false, nil
	}
	x.a, x.cost = newAssignment(r.in, tiers, scale, false), 1
	if float64(x.a.model.NumRows())*float64(x.a.model.NumCols()) > exactCells {
		return false, nil
	}
	if x.solver, err = lpsolve.NewSolver(x.a.model); err != nil {
		return false, &solver.BackendError{Err: err}
	}
	defer x.solver.Close()
	return x.node(ctx)
}

// node searches the tree below the rows that the solver holds, depth first.
func (x *exactSearch) node(ctx context.Context) (complete bool, err error) {
	if x.nodes >= x.limit || ctx.Err() != nil {
		return false, nil
	}
	x.nodes++
	x.report()
	sol, err := x.solver.Solve(ctx)
	switch {
	case err != nil:
		return false, &solver.BackendError{Err: err}
	case sol.Status == lp.Timeout || sol.Status == lp.Aborted:
		return false, nil
	case sol.Status == lp.Infeasible:
		return true, nil
	case sol.Status != lp.Optimal:
		return false, &solver.BackendError{Err: fmt.Errorf("the LP of a node is %v", sol.Status)}
	}
	if sol.Objective >= x.cost-exactGap {
		return true, nil
	}
	col := x.branch(sol.X)
	if col < 0 {
		if x.slot, err = x.a.placement(sol.X); err != nil {
			return false, &solver.BackendError{Err: err}
		}
		x.cost, x.better = sol.Objective, true // near enough: exactGap is above the difference
		if x.found != nil {
			x.found()
		}
		return true, nil
	}
	low := math.Floor(sol.X[col])
	up := sol.X[col]-low >= 0.5
	for _, above := range []bool{up, !up} {
		rel, rhs := lp.LE, low
		if above {
			rel, rhs = lp.GE, low+1
		}
		row, err := x.solver.AddRow("", []lp.Entry{{Col: col, Coef: 1}}, rel, rhs)
		if err != nil {
			return false, &solver.BackendError{Err: err}
		}
		if complete, err = x.node(ctx); !complete || err != nil {
			return false, err
		}
		if err := x.solver.DeleteRows([]lp.Row{row}); err != nil {
			return false, &solver.BackendError{Err: err}
		}
	}
	return true, nil
}

// branch chooses the fractional number of tasks with the most data at stake; −1 if there is none.
func (x *exactSearch) branch(sol []float64) lp.Col {
	best, most := lp.Col(-1), 0.0
	for u := range x.a.units {
		for c := range x.a.tiers {
			col := x.a.col(u, c)
			part := math.Abs(sol[col] - math.Round(sol[col]))
			if part <= integral {
				continue
			}
			if stake := part * (1 + x.a.units[u].bytes); stake > most {
				best, most = col, stake
			}
		}
	}
	return best
}
