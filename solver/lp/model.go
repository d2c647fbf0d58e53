package lp

import (
	"fmt"
	"math"
	"slices"
)

// Infinite is the magnitude from which on a bound counts as infinite. 1e30 is customary in lp_solve and MPS.
const Infinite = 1e30

// Inf is the upper bound of a column that has none.
var Inf = math.Inf(1)

// Col is the dense, zero-based index of a column.
type Col int

// Row is the dense, zero-based index of a row. Deleting rows renumbers those behind them.
type Row int

// Relation joins the two sides of a row.
type Relation uint8

// The relations of a row.
const (
	LE Relation = iota // a·x <= b
	GE                 // a·x >= b
	EQ                 // a·x = b
)

// String returns "<=", ">=" or "=".
func (r Relation) String() string {
	if r <= EQ {
		return [...]string{"<=", ">=", "="}[r]
	}
	return fmt.Sprintf("Relation(%d)", uint8(r))
}

// Entry is one coefficient of a row.
type Entry struct {
	Col  Col
	Coef float64
}

// Model is a sparse LP or MILP. The zero value is an empty minimisation problem.
//
// AddCol, SetInt and AddRow do not return errors, so that a formulation reads like one. The first invalid argument
// makes the model invalid for good; [Model.Err], every backend and every writer report it. A Model is not safe for
// concurrent use while it changes.
type Model struct {
	Name     string
	Maximize bool
	Offset   float64 // constant of the objective
	// Comments are lines of ASCII that the writers put at the head of a file, to tell what columns and rows mean.
	Comments []string

	colName []string
	cost    []float64
	lower   []float64
	upper   []float64
	integer []bool
	numInt  int

	rowName  []string
	rel      []Relation
	rhs      []float64
	rowStart []int // rowStart[i] is the first entry of row i; one more element than rows, or none
	entries  []Entry

	err error
}

// NewModel returns an empty minimisation problem.
func NewModel(name string) *Model { return &Model{Name: name} }

// Err returns the first invalid argument that a method without an error result was given, or nil.
func (m *Model) Err() error {
	if m.err == nil && !finite(m.Offset) {
		return fmt.Errorf("lp: model %q: objective offset %v is not finite", m.Name, m.Offset)
	}
	return m.err
}

func (m *Model) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// AddCol appends a continuous column with lower <= x <= upper; only upper may be infinite. Names need not be unique or
// non-empty; the writers make them so. An invalid column leaves the model unchanged but for [Model.Err] and returns -1.
func (m *Model) AddCol(name string, cost, lower, upper float64) Col {
	if upper >= Infinite {
		upper = Inf
	}
	if !finite(cost) || !finite(lower) || !(lower <= upper) {
		m.fail(fmt.Errorf("lp: column %q: cost %v, bounds [%v, %v]", name, cost, lower, upper))
		return -1
	}
	m.colName = append(m.colName, name)
	m.cost = append(m.cost, cost)
	m.lower = append(m.lower, lower)
	m.upper = append(m.upper, upper)
	m.integer = append(m.integer, false)
	return Col(len(m.cost) - 1)
}

// SetInt requires that the column takes integer values only.
func (m *Model) SetInt(c Col) {
	if c < 0 || int(c) >= len(m.cost) {
		m.fail(fmt.Errorf("lp: no column %d; the model has %d", c, len(m.cost)))
		return
	}
	if !m.integer[c] {
		m.integer[c] = true
		m.numInt++
	}
}

// AddRow appends the row entries·x rel rhs. Coefficients of the same column are added up, zeros dropped, and the
// entries copied. An invalid row leaves the model unchanged but for [Model.Err] and returns -1.
func (m *Model) AddRow(name string, entries []Entry, rel Relation, rhs float64) Row {
	r, err := m.TryAddRow(name, entries, rel, rhs)
	if err != nil {
		m.fail(err)
	}
	return r
}

// TryAddRow is AddRow for callers that can handle an invalid row: it returns the error instead of keeping it.
func (m *Model) TryAddRow(name string, entries []Entry, rel Relation, rhs float64) (Row, error) {
	if rel > EQ {
		return -1, fmt.Errorf("lp: row %q: unknown relation %v", name, rel)
	}
	if !finite(rhs) {
		return -1, fmt.Errorf("lp: row %q: right-hand side %v is not finite", name, rhs)
	}
	for _, e := range entries {
		if e.Col < 0 || int(e.Col) >= len(m.cost) {
			return -1, fmt.Errorf("lp: row %q: no column %d; the model has %d", name, e.Col, len(m.cost))
		}
		if !finite(e.Coef) {
			return -1, fmt.Errorf("lp: row %q: coefficient %v of column %q is not finite", name, e.Coef, m.colName[e.Col])
		}
	}
	start := len(m.entries)
	m.entries = appendEntries(m.entries, entries)
	for _, e := range m.entries[start:] {
		if !finite(e.Coef) {
			m.entries = m.entries[:start]
			return -1, fmt.Errorf("lp: row %q: the coefficients of column %q add up to %v", name, m.colName[e.Col], e.Coef)
		}
	}
	if len(m.rowStart) == 0 {
		m.rowStart = append(m.rowStart, 0)
	}
	m.rowStart = append(m.rowStart, len(m.entries))
	m.rowName = append(m.rowName, name)
	m.rel = append(m.rel, rel)
	m.rhs = append(m.rhs, rhs)
	return Row(len(m.rhs) - 1), nil
}

// appendEntries appends src to dst in column order, duplicates added up and zeros dropped.
func appendEntries(dst, src []Entry) []Entry {
	start := len(dst)
	sorted := true
	for i, e := range src {
		if i > 0 && e.Col <= src[i-1].Col {
			sorted = false
		}
		dst = append(dst, e)
	}
	if !sorted {
		// Not stable, but the order of equal columns, and with it the last bit of their sum, depends on the input only.
		slices.SortFunc(dst[start:], func(a, b Entry) int { return int(a.Col) - int(b.Col) })
	}
	k := start
	for i := start; i < len(dst); {
		e := dst[i]
		for i++; i < len(dst) && dst[i].Col == e.Col; i++ {
			e.Coef += dst[i].Coef
		}
		if e.Coef != 0 {
			dst[k] = e
			k++
		}
	}
	return dst[:k]
}

// DeleteRows removes the given rows, in any order; the others keep theirs and are renumbered. A row that does not exist
// or is named twice is an error and nothing is deleted.
func (m *Model) DeleteRows(rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	gone := make([]bool, len(m.rhs))
	for _, r := range rows {
		if r < 0 || int(r) >= len(m.rhs) {
			return fmt.Errorf("lp: no row %d; the model has %d", r, len(m.rhs))
		}
		if gone[r] {
			return fmt.Errorf("lp: row %d is to be deleted twice", r)
		}
		gone[r] = true
	}
	k, end := 0, 0
	for i := range m.rhs {
		if gone[i] {
			continue
		}
		n := copy(m.entries[end:], m.entries[m.rowStart[i]:m.rowStart[i+1]])
		m.rowStart[k] = end
		end += n
		m.rowName[k], m.rel[k], m.rhs[k] = m.rowName[i], m.rel[i], m.rhs[i]
		k++
	}
	m.rowStart[k] = end
	m.entries, m.rowStart = m.entries[:end], m.rowStart[:k+1]
	clear(m.rowName[k:]) // so that the names can be garbage-collected
	m.rowName, m.rel, m.rhs = m.rowName[:k], m.rel[:k], m.rhs[:k]
	return nil
}

func finite(v float64) bool { return math.Abs(v) < Infinite }

// The read-only side of a Model. An index outside the model is a programming error, as for a slice.

// NumCols returns the number of columns.
func (m *Model) NumCols() int { return len(m.cost) }

// NumRows returns the number of rows, the objective not counted.
func (m *Model) NumRows() int { return len(m.rhs) }

// NumNonzeros returns the number of coefficients of all rows.
func (m *Model) NumNonzeros() int { return len(m.entries) }

// NumInts returns the number of integer columns.
func (m *Model) NumInts() int { return m.numInt }

// Cost returns the objective coefficient c_j.
func (m *Model) Cost(c Col) float64 { return m.cost[c] }

// Bounds returns l_j and u_j, Inf where there is none.
func (m *Model) Bounds(c Col) (lower, upper float64) { return m.lower[c], m.upper[c] }

// IsInt reports whether the column is integer.
func (m *Model) IsInt(c Col) bool { return m.integer[c] }

// ColName returns the name given to AddCol.
func (m *Model) ColName(c Col) string { return m.colName[c] }

// Relation returns the relation of a row.
func (m *Model) Relation(r Row) Relation { return m.rel[r] }

// RHS returns b_i.
func (m *Model) RHS(r Row) float64 { return m.rhs[r] }

// Entries returns the coefficients of a row in column order: a view into the model, which must not be changed, nor used
// after the next change of the model.
func (m *Model) Entries(r Row) []Entry {
	return m.entries[m.rowStart[r]:m.rowStart[r+1]:m.rowStart[r+1]]
}

// Objective returns c·x plus the offset.
func (m *Model) Objective(x []float64) float64 {
	sum := m.Offset
	for j, c := range m.cost {
		if c != 0 { // a column of cost 0 may be infinite in a ray; 0·Inf would be NaN
			sum += c * x[j]
		}
	}
	return sum
}
