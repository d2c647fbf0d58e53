package lpsolve

// #include "bridge.h"
import "C"

import (
	"math"

	"mrsched/solver/lp"
)

// reloadRows is the number of row changes from which on a new problem is cheaper than editing the old one. lp_solve
// stores columns: every single row added or deleted moves the whole matrix, a new problem moves it once, but at some
// fifty times the price a coefficient (BenchmarkRowChanges).
const reloadRows = 48

// load builds the model, as it is now, in a new problem.
func (s *solver) load(scale scaling) (*problem, error) {
	l, err := newProblem(s.m.NumCols())
	if err != nil {
		return nil, err
	}
	if err = s.loadColumns(l, scale); err == nil {
		err = l.addRows(s.rowsFrom(0, scale))
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// allLoaded notes that lp_solve has all rows.
func (s *solver) allLoaded() {
	s.origin = s.origin[:0]
	for i := range s.m.NumRows() {
		s.origin = append(s.origin, i)
	}
}

func (s *solver) loadColumns(l *problem, scale scaling) error {
	cost := make([]float64, s.m.NumCols())
	for j := range cost {
		lower, upper := s.m.Bounds(lp.Col(j))
		lower, upper = math.Ldexp(lower, -scale.col[j]), math.Ldexp(upper, -scale.col[j])
		cost[j] = s.cost(math.Ldexp(s.m.Cost(lp.Col(j)), scale.col[j]+scale.cost))
		if lower != 0 || !math.IsInf(upper, 1) {
			if err := l.setBounds(j, lower, upper); err != nil {
				return err
			}
		}
	}
	if len(cost) == 0 {
		return nil
	}
	return l.setCosts(cost)
}

// rowsFrom returns the rows of the model from the first on in lp_solve's layout. The batch is reused.
func (s *solver) rowsFrom(first int, scale scaling) *rowBatch {
	b := &s.batch
	b.reset()
	col := make([]float64, len(scale.col))
	for j, e := range scale.col {
		col[j] = pow(e)
	}
	for i := first; i < s.m.NumRows(); i++ {
		row := pow(scale.row[i])
		for _, e := range s.m.Entries(lp.Row(i)) {
			b.entry(int(e.Col), e.Coef*(row*col[e.Col]))
		}
		b.end(relations[s.m.Relation(lp.Row(i))], s.m.RHS(lp.Row(i))*row)
	}
	return b
}

// relations are lp_solve's codes.
var relations = [...]C.int{lp.LE: 1, lp.GE: 2, lp.EQ: 3}

// flush hands the changes of rows since the last solve to lp_solve.
func (s *solver) flush() error {
	kept := 0
	for kept < len(s.origin) && s.origin[kept] >= 0 {
		kept++
	}
	deleted, added := s.l.rows-kept, len(s.origin)-kept
	var err error
	switch {
	case deleted+added == 0:
		return nil
	case deleted+added >= reloadRows:
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
	for _, k := range append(s.origin[:kept:kept], s.l.rows) {
		for ; next < k; next++ {
			gone = append(gone, next)
		}
		next = k + 1
	}
	if err := s.l.deleteRows(gone); err != nil {
		return err
	}
	if err := s.l.addRows(s.rowsFrom(kept, s.scale)); err != nil {
		return err
	}
	s.allLoaded()
	return nil
}

// reload replaces the problem by a new one, with the old one's basis if that is still valid.
func (s *solver) reload(kept int) error {
	s.scale = newScaling(s.m)
	l, err := s.load(s.scale)
	if err != nil {
		return err
	}
	if b := moveBasis(s.l.basis(), s.l.rows, s.m.NumRows(), s.m.NumCols(), s.origin[:kept]); b != nil {
		l.setBasis(b)
	}
	s.l.close()
	s.l = l
	s.allLoaded()
	return nil
}
