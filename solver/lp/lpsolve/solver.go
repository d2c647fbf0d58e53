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
	loaded int    // the first rows of m are in l; the rest follows with the next Solve
	broken error  // set when l no longer agrees with m
	batch  rowBatch

	coldSolves int // how often a result did not survive checking
}

// NewSolver loads a copy of the model into lp_solve. It has the type lp.Backend. The error is the model's own or lack of
// memory.
func NewSolver(m *lp.Model) (lp.Solver, error) {
	if m == nil {
		return nil, fmt.Errorf("lpsolve: nil model")
	}
	if err := m.Err(); err != nil {
		return nil, err
	}
	s := &solver{m: m.Clone()}
	total := s.layOut()
	l, err := New(0, total)
	if err != nil {
		return nil, err
	}
	s.l = l
	if err := s.loadColumns(total); err != nil {
		l.Close()
		return nil, err
	}
	return s, nil
}

// layOut assigns lp_solve's columns and returns how many there are.
func (s *solver) layOut() int {
	n := s.m.NumCols()
	s.flip, s.minus = make([]bool, n), make([]int, n)
	total := n
	for j := range n {
		lower, upper := s.m.Bounds(lp.Col(j))
		s.minus[j] = -1
		switch {
		case !math.IsInf(lower, -1):
		case math.IsInf(upper, 1):
			s.minus[j] = total
			total++
		default:
			s.flip[j] = true
		}
	}
	return total
}

func (s *solver) loadColumns(total int) error {
	cost := make([]float64, total)
	for j := range s.m.NumCols() {
		lower, upper := s.m.Bounds(lp.Col(j))
		integer := s.m.IsInt(lp.Col(j))
		c := s.cost(s.m.Cost(lp.Col(j)))
		switch {
		case s.minus[j] >= 0:
			k := s.minus[j]
			cost[j], cost[k] = c, -c
			lower = 0
			if integer {
				if err := s.l.SetInt(k, true); err != nil {
					return err
				}
			}
		case s.flip[j]:
			cost[j] = -c
			lower, upper = -upper, lp.Inf
		default:
			cost[j] = c
		}
		if lower != 0 || !math.IsInf(upper, 1) {
			if err := s.l.SetBounds(j, lower, upper); err != nil {
				return err
			}
		}
		if integer {
			if err := s.l.SetInt(j, true); err != nil {
				return err
			}
		}
	}
	if total == 0 {
		return nil
	}
	return s.l.SetObjFn(cost)
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

// AddRow appends a row; lp_solve gets it, with all others added since, at the next Solve.
func (s *solver) AddRow(name string, entries []lp.Entry, rel lp.Relation, rhs float64) (lp.Row, error) {
	if err := s.usable(); err != nil {
		return -1, err
	}
	return s.m.TryAddRow(name, entries, rel, rhs)
}

// DeleteRows removes rows and renumbers the others.
func (s *solver) DeleteRows(rows []lp.Row) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.m.DeleteRows(rows); err != nil {
		return err
	}
	var in []int
	for _, r := range rows {
		if int(r) < s.loaded {
			in = append(in, int(r))
		}
	}
	if err := s.l.DelConstraints(in); err != nil {
		s.broken = err
		return err
	}
	s.loaded -= len(in)
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
	v := s.cost(cost)
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

// flush hands the rows added since the last solve to lp_solve.
func (s *solver) flush() error {
	b := &s.batch
	b.reset()
	n := s.m.NumRows()
	for i := s.loaded; i < n; i++ {
		b.begin()
		for _, e := range s.m.Entries(lp.Row(i)) {
			v := e.Coef
			if s.flip[e.Col] {
				v = -v
			}
			b.entry(int(e.Col), v)
			if k := s.minus[e.Col]; k >= 0 {
				b.entry(k, -v)
			}
		}
		b.end(constraintType[s.m.Relation(lp.Row(i))], s.m.RHS(lp.Row(i)))
	}
	if err := s.l.addRows(b); err != nil {
		s.broken = err
		return err
	}
	s.loaded = n
	return nil
}

var constraintType = [...]ConstraintType{lp.LE: LE, lp.GE: GE, lp.EQ: EQ}

// Solve optimises the model as it is now.
func (s *solver) Solve(ctx context.Context) (*lp.Solution, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return &lp.Solution{Status: modelStatus(stopped(err)), Objective: math.NaN()}, nil
	}
	if s.m.NumCols() == 0 {
		return s.solveEmpty(), nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	kind, err := s.l.Solve(ctx)
	if err != nil {
		return nil, err
	}
	sol := s.translate(kind)
	if sol.Status != lp.Optimal || s.verify(sol) == nil {
		return s.finish(ctx, sol), nil
	}
	// lp_solve is sure of something that the model contradicts. Only a result from scratch is worth believing.
	iterations := sol.Iterations
	s.coldSolves++
	if kind, err = s.l.SolveCold(ctx); err != nil {
		return nil, err
	}
	sol = s.translate(kind)
	sol.Iterations += iterations
	if sol.Status == lp.Optimal && s.verify(sol) != nil {
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

// finish drops what the status does not vouch for.
func (s *solver) finish(ctx context.Context, sol *lp.Solution) *lp.Solution {
	if sol.Status == lp.Optimal {
		return sol
	}
	sol.Dual, sol.ReducedCost = nil, nil
	// Branch and bound reports a stop with an incumbent as suboptimal, and what it knew by then as infeasible.
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

// solveEmpty solves a model without columns, which lp_solve refuses: a row is then 0 rel b.
func (s *solver) solveEmpty() *lp.Solution {
	sol := &lp.Solution{
		Status: lp.Optimal, Objective: s.m.Offset,
		X: []float64{}, Dual: make([]float64, s.m.NumRows()), ReducedCost: []float64{},
	}
	if lp.CheckFeasible(s.m, sol, noise) != nil {
		return &lp.Solution{Status: lp.Infeasible, Objective: math.NaN()}
	}
	if s.m.NumInts() > 0 {
		sol.Dual, sol.ReducedCost = nil, nil
	}
	return sol
}
