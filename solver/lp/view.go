package lp

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

// Bounds returns l_j and u_j, ±Inf where there is none.
func (m *Model) Bounds(c Col) (lower, upper float64) { return m.lower[c], m.upper[c] }

// IsInt reports whether the column is integer.
func (m *Model) IsInt(c Col) bool { return m.integer[c] }

// ColName returns the name given to AddCol.
func (m *Model) ColName(c Col) string { return m.colName[c] }

// RowName returns the name given to AddRow.
func (m *Model) RowName(r Row) string { return m.rowName[r] }

// Relation returns the relation of a row.
func (m *Model) Relation(r Row) Relation { return m.rel[r] }

// RHS returns b_i.
func (m *Model) RHS(r Row) float64 { return m.rhs[r] }

// Entries returns the coefficients of a row in column order: a view into the model, neither to be changed nor kept
// beyond the next change of the model.
func (m *Model) Entries(r Row) []Entry {
	return m.entries[m.rowStart[r]:m.rowStart[r+1]:m.rowStart[r+1]]
}

// Activity returns a_i·x.
func (m *Model) Activity(r Row, x []float64) float64 {
	var sum float64
	for _, e := range m.Entries(r) {
		sum += e.Coef * x[e.Col]
	}
	return sum
}

// Objective returns c·x plus the offset.
func (m *Model) Objective(x []float64) float64 {
	sum := m.Offset
	for j, c := range m.cost {
		if c != 0 { // a free column of cost 0 may be infinite in a ray; 0·Inf would be NaN
			sum += c * x[j]
		}
	}
	return sum
}
