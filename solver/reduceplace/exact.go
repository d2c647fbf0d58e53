package reduceplace

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
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
	// bestShare is the share of a time limit, without that of the bound, for best before the search.
	bestShare = 0.3
	// integral is how far from an integer a number of tasks may be because of rounding.
	integral = 1e-6
	// phaseProof is the phase of the search tree.
	phaseProof = "branch and bound"
)

// solveExactly solves the assignment program by branch and bound over the LPs of lp_solve, beginning with the placement
// of best.
//
// Complexity: exponential; the iterations limit the nodes, with an LP each. No search if the program would have
// millions of columns or too many rows. Ties: the placement of best, if nothing is cheaper.
// Source: mrsched.
func solveExactly(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	begin, end := opt.Phase(ctx, solver.PhaseStart, bestShare)
	f, err := solveBest(begin, r, opt)
	end()
	if err != nil || ctx.Err() != nil {
		return f, err
	}
	ctx, end = opt.Phase(ctx, phaseProof, 1)
	defer end()
	tree := &lp.Tree{Limit: exactNodes * min(opt.Iterations, 1<<40)}
	tree.Report = func() { opt.Report(tree.Nodes, tree.Limit) }
	slot, complete, why, err := r.cheaper(ctx, tree, f.slot, func(slot []int32) {
		cost, _ := r.in.Fetching(slot).Float64()
		opt.Watch.Incumbent(cost, phaseProof)
	})
	f.status, f.why = model.StatusLimit, why
	if failed := solver.Numerical(err); failed != nil {
		f.facts.LPFailure = failed.Err.Error()
		f.why = "the search ended early: " + f.facts.LPFailure
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if complete {
		f.status = model.StatusOptimal
	}
	f.slot, f.facts.Nodes = slot, &tree.Nodes
	return f, nil
}

// Optimal says whether a search of at most that many nodes finds nothing cheaper than a schedule.
func (r *run) Optimal(ctx context.Context, s *model.Schedule, nodes int) (bool, error) {
	better := false
	_, complete, _, err := r.cheaper(ctx, &lp.Tree{Limit: nodes}, r.in.Placed(s), func([]int32) { better = true })
	if err == nil && !complete {
		err = ctx.Err()
	}
	return err == nil && complete && !better, err
}

// cheaper searches the whole tree for placements cheaper than slot and returns the cheapest; complete is false if a
// limit or ctx ended the search, or if it was not made, as why says. It calls found with every improvement. Errors are
// *solver.BackendError.
func (r *run) cheaper(ctx context.Context, tree *lp.Tree, slot []int32, found func(slot []int32)) (_ []int32,
	complete bool, why string, err error) {
	scale, _ := r.in.Fetching(slot).Float64()
	if scale == 0 {
		return slot, true, "", nil
	}
	tiers := tiersOf(r.in, true)
	if r.in.Jobs > modelColumns/len(tiers) {
		return slot, false, fmt.Sprintf("no search: its program has more than %d columns", modelColumns), nil
	}
	a, cost := newAssignment(r.in, tiers, scale), 1.0 // costs are over that of the first slot
	if rows, columns := a.model.NumRows(), a.model.NumCols(); float64(rows)*float64(columns) > exactCells {
		why = fmt.Sprintf("no search: its program of %d rows and %d columns is too large", rows, columns)
		return slot, false, why, nil
	}
	if tree.Solver, err = lpsolve.NewSolver(a.model); err != nil {
		return slot, false, "", &solver.BackendError{Err: err}
	}
	defer tree.Solver.Close()
	tree.Visit = func(x *lp.Solution) (parts []lp.Branch, err error) {
		if x.Objective >= cost-exactGap {
			return nil, nil
		}
		if parts = a.branch(x.X); parts == nil {
			if slot, err = a.placement(x.X); err == nil {
				cost = x.Objective // near enough: exactGap is above the difference
				found(slot)
			}
		}
		return parts, err
	}
	if complete, err = tree.Search(ctx); err != nil {
		return nil, false, "", &solver.BackendError{Err: err}
	}
	return slot, complete, "", nil
}

// branch rounds the fractional number of tasks with the most data at stake, first to the nearest; nil if there is none.
func (a *assignment) branch(x []float64) []lp.Branch {
	best, most := lp.Col(-1), 0.0
	for u := range a.units {
		for c := range a.tiers {
			col := a.col(u, c)
			part := math.Abs(x[col] - math.Round(x[col]))
			if part <= integral {
				continue
			}
			if stake := part * (1 + a.units[u].bytes); stake > most {
				best, most = col, stake
			}
		}
	}
	if best < 0 {
		return nil
	}
	low := math.Floor(x[best])
	parts := []lp.Branch{{Relation: lp.LE, RHS: low}, {Relation: lp.GE, RHS: low + 1}}
	for k := range parts {
		parts[k].Entries = []lp.Entry{{Col: best, Coef: 1}}
	}
	if x[best]-low >= 0.5 {
		slices.Reverse(parts)
	}
	return parts
}

// assignment is the mixed-integer program of clairvoyant placement:
//
//	minimise Σ x_u·H(c)·z_uc   subject to
//	Σ_c z_uc = R_u                          units u: equal tasks of a job, R_u of them with x_u bytes each
//	Σ_{u under way at t} z_uc ≤ n_c         points t of busy periods, tiers c of n_c slots
//	Σ_{u across t_v} z_uc + z_vc ≤ n_c      units v that hold a slot for no time, at t_v
//	0 ≤ z_uc ≤ min(R_u, n_c), integer
//
// Interval graphs are perfect: n slots can hold any set of tasks of which no more than n are under way at any moment.
// So slots of equal cost count as one tier. Tasks of a job that take no time share the cheapest slot that is idle at
// their moment, and make one unit with R_u = 1. Vertices of the relaxation can be fractional: the rows of one tier form
// an interval matrix, which is totally unimodular, but those that join the tiers destroy that.
type assignment struct {
	in    *reduceplace.Instance
	units []assignable
	tiers []tier
	scale float64
	model *lp.Model
}

// assignable is a unit of an assignment.
type assignable struct {
	reduceplace.Interval
	count int32
	bytes float64 // of one task
}

// tier is a range of slots of equal cost.
type tier struct{ first, count int32 }

// tiersOf joins slots of equal cost, or makes every slot a tier of its own.
func tiersOf(in *reduceplace.Instance, join bool) []tier {
	var list []tier
	for s, h := range in.Cost {
		if join && s > 0 && h == in.Cost[s-1] {
			list[len(list)-1].count++
			continue
		}
		list = append(list, tier{int32(s), 1})
	}
	return list
}

// newAssignment builds the program; costs are divided by scale.
func newAssignment(in *reduceplace.Instance, tiers []tier, scale float64) *assignment {
	a := &assignment{in: in, tiers: tiers, scale: scale, model: lp.NewModel("reduce-placement")}
	t := in.Occupancy()
	for _, v := range t.Intervals {
		count, bytes := in.Amount(v)
		a.add(assignable{v, count, float64(bytes) / float64(count)})
	}
	for _, p := range t.Periods {
		a.points(&p)
	}
	for i := range int32(in.Jobs) {
		if in.Reduces[i] > 0 && in.End[i] <= in.Start[i] {
			a.instant(i)
		}
	}
	return a
}

// add adds a unit's columns and the row that places all its tasks.
func (a *assignment) add(u assignable) {
	row := make([]lp.Entry, len(a.tiers))
	for c, k := range a.tiers {
		name := "on_" + tasksName(a.in, u.Interval) + "_" + a.in.MachineName(k.first)
		col := a.model.AddCol(name, u.bytes*a.in.Cost[k.first].Float()/a.scale, 0, float64(min(u.count, k.count)))
		a.model.SetInt(col)
		row[c] = lp.Entry{Col: col, Coef: 1}
	}
	a.units = append(a.units, u)
	a.model.AddRow("all_"+tasksName(a.in, u.Interval), row, lp.EQ, float64(u.count))
}

// tasksName is a job's id, or a task's if it has an interval of its own.
func tasksName(in *reduceplace.Instance, v reduceplace.Interval) string {
	if v.Task >= 0 {
		id, _ := in.Name(v.Task)
		return id
	}
	return in.JobID(v.Job)
}

func (a *assignment) col(unit, tier int) lp.Col { return lp.Col(unit*len(a.tiers) + tier) }

// points adds the rows of a busy period, except those that always hold.
func (a *assignment) points(p *reduceplace.Period) {
	under := make([][]int, p.Points)
	at := make([]model.Time, p.Points)
	for u := int(p.First); u < int(p.Last); u++ {
		v := &a.units[u]
		at[v.From] = max(at[v.From], a.in.Start[v.Job])
		for t := v.From; t < v.To; t++ {
			under[t] = append(under[t], u)
		}
	}
	for t, units := range under {
		a.row(fmt.Sprintf("at_%s", at[t]), units)
	}
}

// row requires that every tier has room for units that are under way together, where it might not.
func (a *assignment) row(name string, units []int) {
	for c, k := range a.tiers {
		var row []lp.Entry
		most := int32(0)
		for _, u := range units {
			most += min(a.units[u].count, k.count)
			row = append(row, lp.Entry{Col: a.col(u, c), Coef: 1})
		}
		if most > k.count {
			a.model.AddRow(name+"_"+a.in.MachineName(k.first), row, lp.LE, float64(k.count))
		}
	}
}

// instant adds the unit of a job that takes no time.
func (a *assignment) instant(i int32) {
	t := a.in.Start[i]
	var across []int
	for u := range a.units {
		if j := a.units[u].Job; a.in.Start[j] < t && t < a.in.End[j] {
			across = append(across, u)
		}
	}
	bytes := 0.0
	for task := a.in.First[i]; task < a.in.First[i+1]; task++ {
		x, parts := a.in.Data(i, task)
		bytes += float64(x) / float64(parts)
	}
	u := assignable{reduceplace.Interval{Job: i, Task: -1}, 1, bytes}
	a.add(u)
	a.row("across_"+tasksName(a.in, u.Interval), append(across, len(a.units)-1))
}

// placement finds slots for the numbers of tasks that units have on tiers.
func (a *assignment) placement(x []float64) ([]int32, error) {
	in := a.in
	slot := slices.Repeat([]int32{model.None}, in.Tasks)
	until := make([]model.Time, in.Slots)
	for i, u := range a.units { // those that take time come in the order of their starts
		if in.End[u.Job] <= in.Start[u.Job] {
			break
		}
		task := u.Task
		if task < 0 {
			task = in.First[u.Job]
		}
		for c, k := range a.tiers {
			n := int(x[a.col(i, c)] + 0.5)
			for s := k.first; s < k.first+k.count && n > 0; s++ {
				if until[s] <= in.Start[u.Job] {
					slot[task], until[s] = s, in.End[u.Job]
					task++
					n--
				}
			}
			if n > 0 {
				return nil, fmt.Errorf("reduceplace: slots as dear as %s do not hold what the program puts there",
					in.MachineName(k.first))
			}
		}
	}
	placeInstant(in, slot)
	return slot, nil
}
