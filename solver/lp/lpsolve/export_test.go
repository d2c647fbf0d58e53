package lpsolve

import (
	"context"
	"fmt"
	"slices"

	"mrsched/solver/lp"
)

// The part of golp's interface that only tests use. It needs no cgo, which test files must not use.

// DelConstraint removes a row; later rows move up.
func (l *LP) DelConstraint(row int) error { return l.DelConstraints([]int{row}) }

// DefaultBasis forgets the basis of the last solve: the next one starts cold.
func (l *LP) DefaultBasis() error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	l.defaultBasis()
	return nil
}

// SetBinary makes a column 0-1; with false a continuous one in [0, ∞).
func (l *LP) SetBinary(col int, binary bool) error {
	upper := lp.Inf
	if binary {
		upper = 1
	}
	if err := l.SetInt(col, binary); err != nil {
		return err
	}
	return l.SetBounds(col, 0, upper)
}

// SetUnbounded removes both bounds of a column.
func (l *LP) SetUnbounded(col int) error {
	return l.SetBounds(col, -lp.Inf, lp.Inf)
}

// Entry is one coefficient of a row; Col is zero-based.
type Entry struct {
	Col int
	Val float64
}

// AddConstraint appends a row given by one coefficient per column.
func (l *LP) AddConstraint(row []float64, ct ConstraintType, rhs float64) error {
	entries := make([]Entry, 0, len(row))
	for j, v := range row {
		if v != 0 {
			entries = append(entries, Entry{j, v})
		}
	}
	if n := l.NumCols(); len(row) != n {
		return fmt.Errorf("lpsolve: a row of %d coefficients for %d columns", len(row), n)
	}
	return l.AddConstraintSparse(entries, ct, rhs)
}

// AddConstraintSparse appends the row entries·x ct rhs. A column may occur once.
func (l *LP) AddConstraintSparse(entries []Entry, ct ConstraintType, rhs float64) error {
	return l.AddConstraints([]Constraint{{entries, ct, rhs}})
}

// Constraint is a row for AddConstraints.
type Constraint struct {
	Entries []Entry
	Type    ConstraintType
	RHS     float64
}

// AddConstraints appends many rows by one call into C. An invalid row is an error and nothing is added.
func (l *LP) AddConstraints(rows []Constraint) error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	var b rowBatch
	for i, r := range rows {
		if err := l.checkConstraint(r); err != nil {
			return fmt.Errorf("lpsolve: row %d of %d to add: %w", i, len(rows), err)
		}
		b.begin()
		for _, e := range r.Entries {
			b.entry(e.Col, e.Val)
		}
		b.end(r.Type, r.RHS)
	}
	return l.addBatch(&b)
}

func (l *LP) checkConstraint(r Constraint) error {
	if r.Type < LE || r.Type > EQ {
		return fmt.Errorf("unknown constraint type %d", r.Type)
	}
	if !finite(r.RHS) {
		return fmt.Errorf("right-hand side %v is not finite", r.RHS)
	}
	seen := map[int]bool{}
	for _, e := range r.Entries {
		if e.Col < 0 || e.Col >= l.cols {
			return fmt.Errorf("no column %d; the problem has %d", e.Col, l.cols)
		}
		if !finite(e.Val) {
			return fmt.Errorf("coefficient %v of column %d is not finite", e.Val, e.Col)
		}
		if seen[e.Col] {
			return fmt.Errorf("column %d occurs twice", e.Col)
		}
		seen[e.Col] = true
	}
	return nil
}

// SolveCold is Solve from the default basis, with the scaling that Solve uses after a failure.
func (l *LP) SolveCold(ctx context.Context) (SolutionType, error) {
	if err := l.open(); err != nil {
		return NotRun, err
	}
	defer l.mu.Unlock()
	defer l.pushTuning(l.tuning)
	l.defaultBasis()
	l.pushTuning(l.retryTuning(0))
	return l.solve(ctx, true)
}

// Variables returns a copy of the last solution by column, nil without one. Changing the problem discards it.
func (l *LP) Variables() []float64 { return l.copyOf(func(r *result) []float64 { return r.x }) }

// Duals returns a copy of the shadow prices by row. It is nil without an optimum, with integer columns, and if lp_solve
// had to split a free column in a way that loses them.
func (l *LP) Duals() []float64 { return l.copyOf(func(r *result) []float64 { return r.dual }) }

// ReducedCosts returns a copy of the reduced costs by column; nil with Duals.
func (l *LP) ReducedCosts() []float64 {
	return l.copyOf(func(r *result) []float64 { return r.reduced })
}

// Iterations returns the simplex iterations of the last Solve, retries included.
func (l *LP) Iterations() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.result.iterations
}

func (l *LP) copyOf(f func(*result) []float64) []float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(f(&l.result))
}

// Tuning returns the knobs in use.
func (l *LP) Tuning() Tuning {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tuning
}

// SetPivoting sets the pivot rule, a sum of Price constants.
func (l *LP) SetPivoting(rule int) error { return l.retune(func(t *Tuning) { t.Pivoting = rule }) }

// SetScaling sets the scaling mode, a sum of Scale constants.
func (l *LP) SetScaling(mode int) error { return l.retune(func(t *Tuning) { t.Scaling = mode }) }

// SetSimplexType sets the simplex of both phases, a Simplex constant.
func (l *LP) SetSimplexType(kind int) error { return l.retune(func(t *Tuning) { t.Simplex = kind }) }

// SetMIPGap sets the gaps at which branch and bound stops.
func (l *LP) SetMIPGap(abs, rel float64) error {
	return l.retune(func(t *Tuning) { t.AbsGap, t.RelGap = abs, rel })
}

func (l *LP) retune(change func(*Tuning)) error {
	t := l.Tuning()
	change(&t)
	return l.SetTuning(t)
}
