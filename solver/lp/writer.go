package lp

import (
	"bufio"
	"errors"
	"io"
	"strconv"
)

// offsetColumn carries Model.Offset in written files: a column fixed at 1 whose cost is the offset. Solvers disagree on
// the sign of a constant in the objective row itself.
const offsetColumn = "objective_offset"

// writer formats into a buffer; bufio keeps the first error, so that only flush has to report it.
type writer struct {
	m    *Model
	w    *bufio.Writer
	num  []byte
	cols []string // with the offset column last, if there is one
	rows []string

	hasOffset bool
}

func newWriter(w io.Writer, m *Model, objectiveRow string) (*writer, error) {
	if w == nil {
		return nil, errors.New("lp: nil writer")
	}
	if err := m.Err(); err != nil {
		return nil, err
	}
	out := &writer{m: m, w: bufio.NewWriterSize(w, 1<<16)}
	// Some readers reject a file without columns, so an empty model gets the offset column too.
	out.hasOffset = m.Offset != 0 || m.NumCols() == 0
	n := m.NumCols()
	out.cols = uniqueNames(n, func(j int) string { return m.colName[j] }, "C", offsetColumn)
	if out.hasOffset {
		out.cols = append(out.cols, offsetColumn)
	}
	out.rows = uniqueNames(m.NumRows(), func(i int) string { return m.rowName[i] }, "R", objectiveRow)
	return out, nil
}

func (o *writer) str(parts ...string) {
	for _, s := range parts {
		o.w.WriteString(s)
	}
}

// float writes the shortest decimal that reads back as v.
func (o *writer) float(v float64) {
	o.num = strconv.AppendFloat(o.num[:0], v+0, 'g', -1, 64) // +0 turns -0 into 0
	o.w.Write(o.num)
}

// comments writes the model's name, its comments and what the offset column means, a line each.
func (o *writer) comments(open, end string) {
	o.comment(open, "model ", o.m.Name, end)
	for _, text := range o.m.Comments {
		o.comment(open, "", text, end)
	}
	if o.hasOffset {
		o.str(open, "objective constant ")
		o.float(o.m.Offset)
		o.str(" is the cost of ", offsetColumn, end, "\n")
	}
}

// comment writes a text on a comment line of its own, with '_' for characters that are unprintable or end comments.
func (o *writer) comment(open, label, text, end string) {
	o.str(open, label)
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == '*' || c == '/' {
			c = '_'
		}
		o.w.WriteByte(c)
	}
	o.str(end, "\n")
}

// cost returns the objective coefficient of the j-th written column.
func (o *writer) cost(j int) float64 {
	if j == o.m.NumCols() {
		return o.m.Offset
	}
	return o.m.cost[j]
}

// Write writes the model as "mps" or "lp".
func Write(w io.Writer, m *Model, format string) error {
	if format == "mps" {
		return WriteMPS(w, m)
	}
	return WriteLP(w, m)
}
