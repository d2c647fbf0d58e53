package lpsolve

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"mrsched/solver/lp"
)

// DelConstraints removes rows, given in any order; the others keep theirs. A row that does not exist or is named twice
// is an error, and nothing is removed.
func (l *LP) DelConstraints(rows []int) error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	down := make([]C.int, len(rows))
	for i, r := range rows {
		if r < 0 || r >= l.rows {
			return fmt.Errorf("lpsolve: no row %d; the problem has %d", r, l.rows)
		}
		down[i] = C.int(r + 1)
	}
	slices.SortFunc(down, func(a, b C.int) int { return int(b) - int(a) })
	for i := 1; i < len(down); i++ {
		if down[i] == down[i-1] {
			return fmt.Errorf("lpsolve: row %d is to be deleted twice", int(down[i])-1)
		}
	}
	code := C.mrs_del_rows(l.p, C.int(len(down)), &down[0])
	l.rows = int(C.mrs_rows(l.p))
	l.result.reset()
	if code != 1 { // 2: the rows are gone, and with them the basis
		l.defaultBasis()
	}
	switch code {
	case 1, 2:
		return nil
	case -1:
		return lp.ErrMemory
	}
	return errors.New("lpsolve: del_constraint failed")
}

func (l *LP) defaultBasis() {
	C.mrs_default_basis(l.p)
	l.warm = false
}

// SetObjFn sets the objective, one coefficient a column.
func (l *LP) SetObjFn(cost []float64) error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	if len(cost) != l.cols {
		return fmt.Errorf("lpsolve: an objective of %d coefficients for %d columns", len(cost), l.cols)
	}
	c := make([]C.double, l.cols+1)
	for j, v := range cost {
		if !finite(v) {
			return fmt.Errorf("lpsolve: cost %v of column %d is not finite", v, j)
		}
		c[j+1] = C.double(v)
	}
	l.result.reset()
	return check(C.mrs_set_costs(l.p, &c[0]), "set_obj_fn")
}

// SetObjCoef sets the objective coefficient of one column.
func (l *LP) SetObjCoef(col int, cost float64) error {
	if !finite(cost) {
		return fmt.Errorf("lpsolve: cost %v of column %d is not finite", cost, col)
	}
	return l.column(col, "set_obj", func(c C.int) C.int { return C.mrs_set_cost(l.p, c, C.double(cost)) })
}

// SetInt makes a column integer or continuous. Fractional bounds of an integer column are rounded inwards, once for
// all.
func (l *LP) SetInt(col int, integer bool) error {
	return l.column(col, "set_int", func(c C.int) C.int {
		if (C.mrs_is_int(l.p, c) != 0) == integer {
			return 1
		}
		if !integer {
			l.ints--
			delete(l.noInt, col)
			return C.mrs_set_int(l.p, c, 0)
		}
		l.ints++
		if code := C.mrs_set_int(l.p, c, 1); code == 0 {
			return code
		}
		var lower, upper C.double
		C.mrs_get_bounds(l.p, c, &lower, &upper)
		return l.setBounds(c, float64(lower), float64(upper))
	})
}

// SetBounds sets both bounds of a column; ±Inf and magnitudes from 1e30 on mean none.
func (l *LP) SetBounds(col int, lower, upper float64) error {
	if !(lower <= upper) || lower >= lp.Infinite || upper <= -lp.Infinite {
		return fmt.Errorf("lpsolve: bounds [%v, %v] of column %d hold no number", lower, upper, col)
	}
	return l.column(col, "set_bounds", func(c C.int) C.int { return l.setBounds(c, lower, upper) })
}

// setBounds sets valid bounds of a one-based column. With fractional bounds on integer columns lp_solve branches for
// ever or reports an optimum of 1e30, so they are rounded.
func (l *LP) setBounds(c C.int, lower, upper float64) C.int {
	lower, upper = math.Max(lower, -lp.Infinite), math.Min(upper, lp.Infinite)
	if C.mrs_is_int(l.p, c) != 0 {
		delete(l.noInt, int(c)-1)
		if lower > -lp.Infinite {
			lower = math.Ceil(lower - noise)
		}
		if upper < lp.Infinite {
			upper = math.Floor(upper + noise)
		}
		if lower > upper {
			l.noInt[int(c)-1] = true
			upper = lower
		}
	}
	return C.mrs_set_bounds(l.p, c, C.double(lower), C.double(upper))
}

// ColName returns the name of a column, C1, C2, … unless read from a file, or "" if there is no such column or the LP
// is closed.
func (l *LP) ColName(col int) string {
	var name string
	// Failures just leave the name empty, as documented.
	_ = l.column(col, "get_col_name", func(c C.int) C.int {
		name = C.GoString(C.mrs_get_name(l.p, -1, c))
		return 1
	})
	return name
}

// RowName returns the name of a row, R1, R2, … unless read from a file, or "".
func (l *LP) RowName(row int) string {
	if err := l.open(); err != nil {
		return ""
	}
	defer l.mu.Unlock()
	if row < 0 || row >= l.rows {
		return ""
	}
	return C.GoString(C.mrs_get_name(l.p, C.int(row+1), 0))
}

// column runs f on the one-based column and turns a return value of 0 into an error.
func (l *LP) column(col int, call string, f func(C.int) C.int) error {
	if err := l.open(); err != nil {
		return err
	}
	defer l.mu.Unlock()
	if col < 0 || col >= l.cols {
		return fmt.Errorf("lpsolve: no column %d; the problem has %d", col, l.cols)
	}
	return check(f(C.int(col+1)), call)
}

func check(code C.int, call string) error {
	if code == 0 {
		return fmt.Errorf("lpsolve: %s failed", call)
	}
	return nil
}
