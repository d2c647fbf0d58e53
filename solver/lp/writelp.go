package lp

import "io"

// termsPerLine keeps the lines of an LP file short enough to read.
const termsPerLine = 8

// WriteLP writes the model in the lp-format of lp_solve 5.5 (not CPLEX's, which shares its name): an objective that
// lists every column, so that the column order survives, one labelled line per row, then bounds and integer
// declarations.
//
// Names are made legal and distinct (see WriteMPS), a constant objective term is the cost of the fixed column
// objective_offset, and the bytes depend on the model only. The error is the model's or the writer's.
//
// Source: lp_solve reference guide, "lp-format".
func WriteLP(w io.Writer, m *Model) error {
	o, err := newWriter(w, m, "")
	if err != nil {
		return err
	}
	o.comments("/* ", " */")
	o.lpObjective()
	for i := range m.rhs {
		o.lpRow(i)
	}
	o.lpBounds()
	o.lpInts()
	return o.w.Flush()
}

func (o *writer) lpObjective() {
	if o.m.Maximize {
		o.str("max:")
	} else {
		o.str("min:")
	}
	for j, name := range o.cols {
		o.lpTerm(j, o.cost(j), name)
	}
	o.str(";\n\n")
}

func (o *writer) lpTerm(position int, coef float64, name string) {
	if position%termsPerLine == 0 && position > 0 {
		o.str("\n ")
	}
	if coef < 0 {
		o.str(" ")
	} else {
		o.str(" +")
	}
	o.float(coef)
	o.str(" ", name)
}

func (o *writer) lpRow(i int) {
	o.str(o.rows[i], ":")
	entries := o.m.Entries(Row(i))
	for k, e := range entries {
		o.lpTerm(k, e.Coef, o.cols[e.Col])
	}
	if len(entries) == 0 {
		o.lpTerm(0, 0, o.cols[0]) // without a term the line would be a range on another row
	}
	o.str(" ", o.m.rel[i].String(), " ")
	o.float(o.m.rhs[i])
	o.str(";\n")
}

// lpBounds writes what differs from 0 <= x < infinity. A relation without a label is a bound.
func (o *writer) lpBounds() {
	bound := func(name, rel string, v float64) {
		o.str(name, " ", rel, " ")
		o.float(v)
		o.str(";\n")
	}
	o.str("\n")
	for j := range o.m.cost {
		lower, upper := o.m.lower[j], o.m.upper[j]
		name := o.cols[j]
		if lower != 0 { // before the upper bound: a negative upper bound over a lower bound of 0 is refused
			bound(name, ">=", lower)
		}
		if upper != Inf {
			bound(name, "<=", upper)
		}
	}
	if o.hasOffset {
		bound(offsetColumn, "=", 1)
	}
}

func (o *writer) lpInts() {
	if o.m.numInt == 0 {
		return
	}
	o.str("\nint ")
	n := 0
	for j, isInt := range o.m.integer {
		if !isInt {
			continue
		}
		if n > 0 {
			o.str(",")
			if n%termsPerLine == 0 {
				o.str("\n ")
			}
		}
		o.str(o.cols[j])
		n++
	}
	o.str(";\n")
}
