package lpsolve

import (
	"context"
	"fmt"
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

// solver adapts LP to lp.Solver. It keeps a copy of the model, to check results against and to translate between the
// model's columns and lp_solve's, which are all bounded from below: x = −x' where only the upper bound is finite, and
// x = x' − x” for free columns. lp_solve would do the same by itself and lose the duals. It also always minimises.
type solver struct {
	m      *lp.Model
	l      *LP    // nil once closed
	flip   []bool // by column: stored negated
	minus  []int  // by column: lp_solve's column of the negative part, or -1
	total  int    // lp_solve's columns
	origin []int  // by row of m: its row in l, -1 if it goes there with the next Solve; ascending, then all -1
	scale  scaling
	stale  bool  // l has the settings of a rescue: reload before the next solve
	broken error // set when l no longer agrees with m
	probe  bool  // only of a model that is known to be feasible: see refuted
	batch  rowBatch

	coldSolves int // how often a result did not survive checking
}

// solverTuning are the settings of a solver's LP: the scaling is done by this package (type scaling).
func solverTuning() Tuning {
	t := DefaultTuning()
	t.Scaling = ScaleNone
	return t
}

// NewSolver loads a copy of the model into lp_solve. It has the type lp.Backend. The error is the model's own or lack
// of memory.
func NewSolver(m *lp.Model) (lp.Solver, error) {
	if m == nil {
		return nil, fmt.Errorf("lpsolve: nil model")
	}
	if err := m.Err(); err != nil {
		return nil, err
	}
	s := &solver{m: m.Clone()}
	s.layOut()
	l, err := s.load(solverTuning(), true)
	if err != nil {
		return nil, err
	}
	s.l = l
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
		return ErrClosed
	}
	return s.broken
}

// Model returns the solver's copy of the model.
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

// SetCost replaces an objective coefficient.
func (s *solver) SetCost(c lp.Col, cost float64) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.m.SetCost(c, cost); err != nil {
		return err
	}
	v := s.cost(math.Ldexp(cost, s.scale.cost+s.scale.col[c]))
	if s.flip[c] {
		v = -v
	}
	err := s.l.SetObjCoef(int(c), v)
	if k := s.minus[c]; k >= 0 && err == nil {
		err = s.l.SetObjCoef(k, -v)
	}
	if err != nil {
		s.broken = err
	}
	return err
}

// Close frees lp_solve's memory.
func (s *solver) Close() error {
	if s.l == nil {
		return nil
	}
	err := s.l.Close()
	s.l = nil
	return err
}

// Solve optimises the model as it is now.
func (s *solver) Solve(ctx context.Context) (*lp.Solution, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return &lp.Solution{Status: modelStatus(stopped(err)), Objective: math.NaN()}, nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	kind, err := s.l.Solve(ctx)
	if err != nil {
		return nil, err
	}
	sol := s.translate(kind)
	if s.credible(ctx, sol) {
		return s.finish(ctx, sol), nil
	}
	// lp_solve is sure of something that the model contradicts. Only a result from scratch can be trusted.
	iterations := sol.Iterations
	s.coldSolves++
	if kind, err = s.solveAfresh(ctx); err != nil {
		return nil, err
	}
	sol = s.translate(kind)
	sol.Iterations += iterations
	if !s.credible(ctx, sol) {
		sol.Status = lp.NumericalFailure
	}
	return s.finish(ctx, sol), nil
}

// verify checks an optimal solution: by its optimality conditions if it has duals, else for feasibility.
func (s *solver) verify(sol *lp.Solution) error {
	if s.m.NumInts() > 0 {
		return lp.CheckFeasible(s.m, sol, verifyTol)
	}
	return lp.CheckKKT(s.m, sol, verifyTol)
}

// finish drops the parts of a solution that the status does not guarantee.
func (s *solver) finish(ctx context.Context, sol *lp.Solution) *lp.Solution {
	if sol.Status == lp.Optimal {
		return sol
	}
	sol.Dual, sol.ReducedCost = nil, nil
	// Branch and bound reports a stop with an incumbent as suboptimal, and a stop without one as infeasible.
	if err := ctx.Err(); err != nil && sol.Status != lp.Unbounded {
		sol.Status = modelStatus(stopped(err))
	}
	if sol.X != nil && lp.CheckFeasible(s.m, sol, verifyTol) != nil {
		sol.X, sol.Objective = nil, math.NaN()
	}
	if sol.Status == lp.Suboptimal && sol.X == nil {
		sol.Status = lp.NumericalFailure
	}
	return sol
}
