package lpsolve

import (
	"context"
	"math"

	"mrsched/solver/lp"
)

// credible reports whether the model confirms a verdict: an optimum satisfies the optimality conditions, and an
// infeasible model has a positive least violation. Models with integer columns have no such proof of infeasibility.
func (s *solver) credible(ctx context.Context, sol *lp.Solution) bool {
	switch sol.Status {
	case lp.Optimal:
		return s.verify(sol) == nil
	case lp.Infeasible:
		return s.probe || s.m.NumInts() > 0 || refuted(ctx, s.m)
	}
	return true
}

// refuted says whether no point satisfies the rows within verifyTol: the least total violation, each row's relative to
// its numbers, is larger. That is an optimum of an LP which has one whatever the rows are, and is verified as such by
// its duals. If ctx ends, the answer no longer matters.
func refuted(ctx context.Context, m *lp.Model) bool {
	e, err := NewSolver(elastic(m))
	if err != nil {
		return false
	}
	defer e.Close() // there is nothing left to fail
	e.(*solver).probe = true
	sol, err := e.Solve(ctx)
	return err == nil && (sol.Status == lp.Optimal && sol.Objective > verifyTol || ctx.Err() != nil)
}

// elastic is a model whose rows may be violated, at a price of 1 for as much as their largest number.
func elastic(m *lp.Model) *lp.Model {
	e := lp.NewModel("elastic")
	for j := range m.NumCols() {
		lower, upper := m.Bounds(lp.Col(j))
		e.AddCol("", 0, lower, upper)
	}
	for i := range m.NumRows() {
		r := lp.Row(i)
		entries, size := m.Entries(r), math.Max(1, math.Abs(m.RHS(r)))
		for _, a := range entries {
			size = math.Max(size, math.Abs(a.Coef))
		}
		row := append([]lp.Entry(nil), entries...)
		if m.Relation(r) != lp.LE {
			row = append(row, lp.Entry{Col: e.AddCol("", 1, 0, lp.Inf), Coef: size})
		}
		if m.Relation(r) != lp.GE {
			row = append(row, lp.Entry{Col: e.AddCol("", 1, 0, lp.Inf), Coef: -size})
		}
		e.AddRow("", row, m.Relation(r), m.RHS(r))
	}
	return e
}
