package lpsolve

import (
	"math"

	"mrsched/solver/lp"
)

// scaling holds binary exponents by which a model is scaled before lp_solve sees it: a'_ij = a_ij·2^(row_i+col_j), b'_i
// = b_i·2^row_i, c'_j = c_j·2^(col_j+cost), x'_j = x_j·2^−col_j, y'_i = y_i·2^(cost−row_i). Powers of two round
// nothing.
//
// lp_solve's own scaling costs ten times as much as loading the matrix, treats rows added later differently from those
// present at first, and in its dynamic mode returns wrong results after a warm start.
type scaling struct {
	row, col []int
	cost     int
}

// pow returns 2^e for the exponents that occur here, exactly.
func pow(e int) float64 { return math.Ldexp(1, e) }

const (
	// scalePasses is the number of rounds of geometric scaling; more change little.
	scalePasses = 3
	// maxExp keeps scale factors, and with them the error they can hide, below about a million.
	maxExp = 20
	// hugeValue is the magnitude of bounds and right-hand sides that are not scaled, so that they do not become infinite.
	hugeValue = 1e15
)

func unscaled(m *lp.Model) scaling {
	return scaling{row: make([]int, m.NumRows()), col: make([]int, m.NumCols())}
}

// newScaling computes geometric scaling: alternately every row and every column is divided by the root of its largest
// times its smallest coefficient.
func newScaling(m *lp.Model) scaling {
	s := unscaled(m)
	if m.NumNonzeros() > 0 {
		spans := make([]span, m.NumCols())
		for range scalePasses {
			for i := range s.row {
				s.row[i] = s.rowExp(m, lp.Row(i))
			}
			for j := range spans {
				spans[j] = emptySpan
			}
			for i := range s.row {
				for _, e := range m.Entries(lp.Row(i)) {
					spans[e.Col].add(exponent(e.Coef) + s.row[i])
				}
			}
			for j := range s.col {
				s.col[j] = s.colExp(m, lp.Col(j), spans[j])
			}
		}
		for i := range s.row {
			s.row[i] = s.rowExp(m, lp.Row(i))
		}
	}
	costs := emptySpan
	for j := range s.col {
		if c := m.Cost(lp.Col(j)); c != 0 {
			costs.add(exponent(c) + s.col[j])
		}
	}
	s.cost = costs.center()
	return s
}

// rowExp returns the exponent for a row, given those of the columns.
func (s *scaling) rowExp(m *lp.Model, r lp.Row) int {
	if math.Abs(m.RHS(r)) > hugeValue {
		return 0
	}
	values := emptySpan
	for _, e := range m.Entries(r) {
		values.add(exponent(e.Coef) + s.col[e.Col])
	}
	return values.center()
}

func (s *scaling) colExp(m *lp.Model, c lp.Col, values span) int {
	lower, upper := m.Bounds(c)
	if huge(lower) || huge(upper) {
		return 0
	}
	return values.center()
}

func huge(bound float64) bool { return math.Abs(bound) > hugeValue && !math.IsInf(bound, 0) }

// span is the range of a set of exponents.
type span struct{ low, high int }

var emptySpan = span{math.MaxInt, math.MinInt}

func (p *span) add(e int) {
	p.low, p.high = min(p.low, e), max(p.high, e)
}

// center returns the exponent that moves the middle of the span to 0.
func (p *span) center() int {
	if p.low > p.high {
		return 0
	}
	return max(-maxExp, min(maxExp, -(p.low+p.high)/2))
}

// exponent returns the binary exponent of v != 0, too small by up to 1074 − 1022 for denormal numbers.
func exponent(v float64) int {
	return int(math.Float64bits(v)>>52&0x7ff) - 1023
}
