package lpsolve

// #include "bridge.h"
import "C"

import (
	"context"
	"math"

	"mrsched/solver/lp"
)

// reloadRows is the number of row changes from which on a new problem is cheaper than editing the old one. lp_solve
// stores columns: every single row added or deleted moves the whole matrix, a new problem moves it once, but at some
// fifty times the price a coefficient (BenchmarkRowChanges).
const reloadRows = 48

// layOut assigns lp_solve's columns.
func (s *solver) layOut() {
	n := s.m.NumCols()
	s.flip, s.minus = make([]bool, n), make([]int, n)
	s.total = n
	for j := range n {
		lower, upper := s.m.Bounds(lp.Col(j))
		s.minus[j] = -1
		switch {
		case !math.IsInf(lower, -1):
		case math.IsInf(upper, 1):
			s.minus[j] = s.total
			s.total++
		default:
			s.flip[j] = true
		}
	}
}

// load builds the model, as it is now, in a new LP, scaled or not.
func (s *solver) load(t Tuning, scaled bool) (*LP, error) {
	if scaled {
		s.scale = newScaling(s.m)
	} else {
		s.scale = unscaled(s.m)
	}
	l, err := New(0, s.total)
	if err != nil {
		return nil, err
	}
	l.dualsOnly = true
	if err = l.SetTuning(t); err == nil {
		err = s.loadColumns(l)
	}
	if err == nil {
		err = l.addRows(s.rowsFrom(0))
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	s.origin = make([]int, s.m.NumRows())
	s.allLoaded()
	return l, nil
}

func (s *solver) allLoaded() {
	for i := range s.origin {
		s.origin[i] = i
	}
}

func (s *solver) loadColumns(l *LP) error {
	if s.total == 0 {
		return nil
	}
	cost := make([]float64, s.total)
	for j := range s.m.NumCols() {
		lower, upper := s.m.Bounds(lp.Col(j))
		lower, upper = math.Ldexp(lower, -s.scale.col[j]), math.Ldexp(upper, -s.scale.col[j])
		c := s.cost(math.Ldexp(s.m.Cost(lp.Col(j)), s.scale.col[j]+s.scale.cost))
		cost[j] = c
		switch k := s.minus[j]; {
		case k >= 0:
			cost[k] = -c
			lower = 0
		case s.flip[j]:
			cost[j] = -c
			lower, upper = -upper, lp.Inf
		}
		if lower != 0 || !math.IsInf(upper, 1) {
			if err := l.SetBounds(j, lower, upper); err != nil {
				return err
			}
		}
		if !s.m.IsInt(lp.Col(j)) {
			continue
		}
		if err := l.SetInt(j, true); err != nil {
			return err
		}
		if k := s.minus[j]; k >= 0 {
			if err := l.SetInt(k, true); err != nil {
				return err
			}
		}
	}
	return l.SetObjFn(cost)
}

// rowsFrom returns the rows of the model from the first on in lp_solve's layout. The batch is reused.
func (s *solver) rowsFrom(first int) *rowBatch {
	b := &s.batch
	b.reset()
	col := make([]float64, len(s.scale.col))
	for j, e := range s.scale.col {
		col[j] = pow(e)
	}
	for i := first; i < s.m.NumRows(); i++ {
		row := pow(s.scale.row[i])
		b.begin()
		for _, e := range s.m.Entries(lp.Row(i)) {
			v := e.Coef * (row * col[e.Col])
			if s.flip[e.Col] {
				v = -v
			}
			b.entry(int(e.Col), v)
			if k := s.minus[e.Col]; k >= 0 {
				b.entry(k, -v)
			}
		}
		b.end(constraintType[s.m.Relation(lp.Row(i))], s.m.RHS(lp.Row(i))*row)
	}
	return b
}

var constraintType = [...]ConstraintType{lp.LE: LE, lp.GE: GE, lp.EQ: EQ}

// flush hands the changes of rows since the last solve to lp_solve.
func (s *solver) flush() error {
	kept := 0
	for kept < len(s.origin) && s.origin[kept] >= 0 {
		kept++
	}
	deleted, added := s.l.NumRows()-kept, len(s.origin)-kept
	var err error
	switch {
	case deleted+added == 0 && !s.stale:
		return nil
	case deleted+added >= reloadRows || s.stale:
		err = s.reload(kept)
	default:
		err = s.edit(kept)
	}
	if err != nil {
		s.broken = err
	}
	return err
}

// edit deletes and adds rows one by one. lp_solve keeps the basis.
func (s *solver) edit(kept int) error {
	var gone []int
	next := 0
	for _, k := range append(s.origin[:kept:kept], s.l.NumRows()) {
		for ; next < k; next++ {
			gone = append(gone, next)
		}
		next = k + 1
	}
	if err := s.l.DelConstraints(gone); err != nil {
		return err
	}
	if err := s.l.addRows(s.rowsFrom(kept)); err != nil {
		return err
	}
	s.allLoaded()
	return nil
}

// reload replaces the LP by a new one, with the old one's basis if that is still valid.
func (s *solver) reload(kept int) error {
	basis := s.l.basis()
	from := append([]int(nil), s.origin[:kept]...)
	oldRows := s.l.NumRows()
	l, err := s.load(solverTuning(), true)
	if err != nil {
		return err
	}
	if basis = moveBasis(basis, oldRows, s.m.NumRows(), s.total, from); basis != nil {
		l.setBasis(basis)
	}
	s.l.Close()
	s.l, s.stale = l, false
	return nil
}

// moveBasis renumbers a basis. Row from[i] of the old problem is row i of the new one; the new problem's further rows
// get a basic slack. It returns nil if a basic column has lost its row.
func moveBasis(old []C.int, oldRows, rows, cols int, from []int) []C.int {
	if old == nil {
		return nil
	}
	to := make([]int, oldRows+cols+1) // one-based, 0: gone
	for i, k := range from {
		to[k+1] = i + 1
	}
	for j := 1; j <= cols; j++ {
		to[oldRows+j] = rows + j
	}
	basis := make([]C.int, 1, rows+cols+1)
	move := func(part []C.int) {
		for _, v := range part {
			k, sign := int(v), 1
			if k < 0 {
				k, sign = -k, -1
			}
			if to[k] != 0 {
				basis = append(basis, C.int(sign*to[k]))
			}
		}
	}
	move(old[1 : oldRows+1])
	for i := len(from); i < rows; i++ {
		basis = append(basis, C.int(-(i + 1)))
	}
	if len(basis) != rows+1 {
		return nil
	}
	move(old[oldRows+1:])
	return basis
}

// basis returns the basis of the last solve, nil after none.
func (l *LP) basis() []C.int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.p == nil || !l.warm {
		return nil
	}
	b := make([]C.int, 1+l.rows+l.cols)
	if C.mrs_get_basis(l.p, &b[0]) == 0 {
		return nil
	}
	return b
}

// setBasis makes the next solve start from b; one that lp_solve refuses leaves the default basis.
func (l *LP) setBasis(b []C.int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.p == nil || len(b) != 1+l.rows+l.cols {
		return
	}
	if C.mrs_set_basis(l.p, &b[0]) == 0 {
		l.defaultBasis()
		return
	}
	l.warm = true
}

// solveAfresh solves in a new LP with lp_solve's scaling instead of this package's. What changes next is loaded into
// yet another LP with the usual settings.
func (s *solver) solveAfresh(ctx context.Context) (SolutionType, error) {
	t := s.l.retryTuning(0)
	t.Scaling = DefaultTuning().Scaling
	l, err := s.load(t, false)
	if err != nil {
		return NotRun, err
	}
	s.l.Close()
	s.l, s.stale = l, true
	return l.Solve(ctx)
}
