package lp

import (
	"io"
	"slices"
	"strconv"
)

// mpsObjective names the objective row of MPS files.
const mpsObjective = "objective"

// WriteMPS writes the model in free MPS. Maximisation is stated by an OBJSENSE section.
//
// Names that are legal in both formats and distinct stay; the others are changed deterministically: characters outside
// [A-Za-z0-9_.] become '_', keywords and names that do not begin with a letter get a prefix, repetitions a number. The
// objective row has no right-hand side, because solvers disagree on its sign: the constant of the objective is the cost
// of the column objective_offset, fixed at 1. Every integer column has an explicit upper bound, since some readers
// assume 1. The bytes depend on the model only. The error is the model's or the writer's.
//
// Memory: a copy of the coefficients by column, 12 bytes each.
// Source: lp_solve reference guide, "mps-format"; IBM MPSX.
func WriteMPS(w io.Writer, m *Model) error {
	o, err := newWriter(w, m, mpsObjective)
	if err != nil {
		return err
	}
	o.comments("* ", "")
	o.str("NAME ", uniqueNames(1, func(int) string { return m.Name }, "model")[0], "\n")
	if m.Maximize {
		o.str("OBJSENSE\n    MAX\n")
	}
	o.mpsRows()
	o.mpsColumns()
	o.mpsRHS()
	o.mpsBounds()
	o.str("ENDATA\n")
	return o.w.Flush()
}

func (o *writer) mpsRows() {
	o.str("ROWS\n N ", mpsObjective, "\n")
	for i, name := range o.rows {
		o.str(" ", "LGE"[o.m.rel[i]:o.m.rel[i]+1], " ", name, "\n")
	}
}

func (o *writer) mpsColumns() {
	o.str("COLUMNS\n")
	byCol := o.m.byColumn()
	inInt, markers := false, 0
	marker := func(on bool) {
		if on == inInt {
			return
		}
		inInt = on
		o.str(" MARKER", strconv.Itoa(markers), " 'MARKER' ")
		markers++
		if on {
			o.str("'INTORG'\n")
		} else {
			o.str("'INTEND'\n")
		}
	}
	for j, name := range o.cols {
		offset := j == o.m.NumCols()
		marker(!offset && o.m.integer[j])
		from, to := 0, 0
		if !offset {
			from, to = byCol.start[j], byCol.start[j+1]
		}
		if c := o.cost(j); c != 0 || from == to {
			o.mpsValue(name, mpsObjective, c)
		}
		for k := from; k < to; k++ {
			o.mpsValue(name, o.rows[byCol.row[k]], byCol.coef[k])
		}
	}
	marker(false)
}

func (o *writer) mpsValue(column, row string, v float64) {
	o.str(" ", column, " ", row, " ")
	o.float(v)
	o.str("\n")
}

func (o *writer) mpsRHS() {
	o.str("RHS\n")
	for i, b := range o.m.rhs {
		if b != 0 {
			o.mpsValue("RHS", o.rows[i], b)
		}
	}
}

func (o *writer) mpsBounds() {
	o.str("BOUNDS\n")
	bound := func(kind, name string, v float64) {
		o.str(" ", kind, " BND ", name, " ")
		o.float(v)
		o.str("\n")
	}
	for j := range o.m.cost {
		lower, upper := o.m.lower[j], o.m.upper[j]
		name := o.cols[j]
		if lower == upper {
			bound("FX", name, lower)
			continue
		}
		if lower != 0 {
			bound("LO", name, lower)
		}
		switch {
		case upper != Inf:
			bound("UP", name, upper)
		case o.m.integer[j]:
			o.str(" PL BND ", name, "\n")
		}
	}
	if o.hasOffset {
		bound("FX", offsetColumn, 1)
	}
}

// columnMajor is the coefficient matrix by columns: column j has the entries start[j] to start[j+1], rows ascending.
type columnMajor struct {
	start []int
	row   []int32
	coef  []float64
}

func (m *Model) byColumn() columnMajor {
	c := columnMajor{make([]int, m.NumCols()+1), make([]int32, len(m.entries)), make([]float64, len(m.entries))}
	for _, e := range m.entries {
		c.start[e.Col+1]++
	}
	for j := range m.cost {
		c.start[j+1] += c.start[j]
	}
	next := slices.Clone(c.start)
	for i := range m.rhs {
		for _, e := range m.Entries(Row(i)) {
			k := next[e.Col]
			c.row[k], c.coef[k] = int32(i), e.Coef
			next[e.Col]++
		}
	}
	return c
}
