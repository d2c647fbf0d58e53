package lpsolve

import (
	"context"
	"math"

	"mrsched/solver/lp"
)

const (
	// verifyTol is the relative error up to which a result counts as confirmed. lp_solve works to 1e-9; scaling back may
	// cost three digits.
	verifyTol = 1e-6
	// noise is the error that cleaning removes: points a hair outside a bound, duals a hair on the wrong side of zero.
	noise = 1e-9
)

// solver is an lp.Solver. It keeps the model, to check results against and to scale. lp_solve always
// minimises.
type solver struct {
	m      *lp.Model
	l      *problem // nil once closed
	origin []int    // by row of m: its row in l, -1 if it goes there with the next Solve; ascending, then all -1
	scale  scaling
	broken error // set when l no longer agrees with m
	batch  rowBatch

	coldSolves int // how often a result did not survive checking
}

// NewSolver loads the model, which it takes over, into lp_solve. It has the type lp.Backend. Integer columns count as
// continuous. The error is the model's own or lack of memory.
func NewSolver(m *lp.Model) (lp.Solver, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	s := &solver{m: m, scale: newScaling(m)}
	l, err := s.load(s.scale)
	if err != nil {
		return nil, err
	}
	s.l = l
	s.allLoaded()
	return s, nil
}

// cost turns a coefficient of the model's objective into one to minimise.
func (s *solver) cost(c float64) float64 {
	if s.m.Maximize {
		return -c
	}
	return c
}

func (s *solver) usable() error {
	if s.l == nil {
		return lp.ErrClosed
	}
	return s.broken
}

// Model returns the model.
func (s *solver) Model() *lp.Model { return s.m }

// AddRow appends a row; lp_solve gets it, with all other changes of rows, at the next Solve.
func (s *solver) AddRow(name string, entries []lp.Entry, rel lp.Relation, rhs float64) (lp.Row, error) {
	if err := s.usable(); err != nil {
		return -1, err
	}
	r, err := s.m.TryAddRow(name, entries, rel, rhs)
	if err == nil {
		s.origin = append(s.origin, -1)
		s.scale.row = append(s.scale.row, s.scale.rowExp(s.m, r))
	}
	return r, err
}

// DeleteRows removes rows and renumbers the others.
func (s *solver) DeleteRows(rows []lp.Row) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.m.DeleteRows(rows); err != nil {
		return err
	}
	gone := make([]bool, len(s.origin))
	for _, r := range rows {
		gone[r] = true
	}
	k := 0
	for i, g := range gone {
		if !g {
			s.origin[k], s.scale.row[k] = s.origin[i], s.scale.row[i]
			k++
		}
	}
	s.origin, s.scale.row = s.origin[:k], s.scale.row[:k]
	return nil
}

// Close frees lp_solve's memory.
func (s *solver) Close() error {
	if s.l != nil {
		s.l.close()
	}
	s.l = nil
	return nil
}

// Solve optimises the model as it is now. An optimum counts if its duals prove it. Anything else is solved again from
// scratch, with other scaling and pivot rules; that a model is infeasible counts if both say so.
func (s *solver) Solve(ctx context.Context) (*lp.Solution, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return answer(stopped(err)), nil
	}
	if s.m.NumNonzeros() == 0 {
		return s.trivial(), nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	r, err := s.l.run(ctx)
	if err != nil {
		return nil, err
	}
	if sol := s.proven(r, s.scale); sol != nil {
		return sol, nil
	}
	if err := ctx.Err(); err != nil {
		return answer(stopped(err)), nil
	}
	s.coldSolves++
	s.l.defaultBasis()
	scale := unscaled(s.m)
	l, err := s.load(scale)
	if err != nil {
		return nil, err
	}
	defer l.close()
	l.rescue()
	again, err := l.run(ctx)
	if err != nil {
		return nil, err
	}
	if sol := s.proven(again, scale); sol != nil {
		return sol, nil
	}
	switch {
	case ctx.Err() != nil:
		again.kind = stopped(ctx.Err())
	case again.kind == Infeasible && r.kind != Infeasible, again.kind == Optimal:
		again.kind = NumFailure
	}
	return answer(again.kind), nil
}

// answer is a solution without a point.
func answer(kind SolutionType) *lp.Solution {
	status := lp.NumericalFailure
	switch kind {
	case Infeasible:
		status = lp.Infeasible
	case Unbounded:
		status = lp.Unbounded
	case UserAbort:
		status = lp.Aborted
	case Timeout:
		status = lp.Timeout
	}
	return &lp.Solution{Status: status, Objective: math.NaN()}
}

// trivial solves a model whose rows have no coefficients: row i is 0 rel b_i, and every column goes to the bound that
// its cost prefers, or as near to 0 as it can. lp_solve refuses such problems or calls unbounded ones optimal.
func (s *solver) trivial() *lp.Solution {
	n, m := s.m.NumCols(), s.m.NumRows()
	sol := &lp.Solution{Status: lp.Optimal, X: make([]float64, n), Dual: make([]float64, m)}
	for i := range m {
		rel, rhs := s.m.Relation(lp.Row(i)), s.m.RHS(lp.Row(i))
		if rel != lp.LE && rhs > noise || rel != lp.GE && rhs < -noise {
			return answer(Infeasible)
		}
	}
	for j := range n {
		lower, upper := s.m.Bounds(lp.Col(j))
		c := s.m.Cost(lp.Col(j))
		switch {
		case c == 0:
			sol.X[j] = max(lower, min(upper, 0))
		case (c > 0) == s.m.Maximize:
			sol.X[j] = upper
		default:
			sol.X[j] = lower
		}
		if math.IsInf(sol.X[j], 0) {
			return answer(Unbounded)
		}
	}
	sol.Objective = s.m.Objective(sol.X)
	return sol
}
