package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/report/chart"
)

// columns is a chart of stacked bars, one an item; values below 0 have one layer. Few items have a row each, in their
// own order, with their names; many are columns, sorted from the largest on, several per column.
type columns struct {
	id, file, title, caption string
	unit                     chart.Unit
	label                    string // of the values
	what                     string // an item is
	names                    []string
	levels                   [][]string    // the names in parts; nil: they have one
	layers                   []chart.Layer // values by item
	looks                    []string      // by item; nil: those of the layers
	bound                    float64       // a line across
	boundText                string        // empty: there is no line
	order                    bool          // sort them, however few
	colours                  []chart.Entry
	data                     *data // nil: the values
}

func (c *columns) total(i int) float64 {
	sum := 0.0
	for _, l := range c.layers {
		sum += l.Values[i]
	}
	return sum
}

// draw draws the chart and its table.
func (c *columns) draw() *figure {
	order := make([]int, len(c.names))
	for i := range order {
		order[i] = i
	}
	named := len(order) <= chart.NamedRows
	sorted := c.order || !named
	if sorted {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.total(b), c.total(a)) })
	}
	c.layers = slices.DeleteFunc(c.layers, func(l chart.Layer) bool {
		return !slices.ContainsFunc(l.Values, func(v float64) bool { return v != 0 })
	})
	f := figure{ID: c.id, File: c.file, Title: c.title, Caption: c.caption, Table: cmp.Or(c.data, c.table(order))}
	if sorted {
		f.Caption += " Sorted, the largest first."
	}
	return f.drawn(func(id string, width float64) *chart.Drawing {
		frame := chart.Frame{Width: width, Entries: c.entries(), XLabel: c.label, XUnit: c.unit, YLabel: c.label,
			YUnit: c.unit}
		if named {
			return c.rows(id, frame, order)
		}
		return c.plot(id, frame, order)
	})
}

// top is the largest value, low the least or 0.
func (c *columns) top() float64 {
	top := c.bound
	for i := range c.names {
		top = max(top, c.total(i))
	}
	return max(top, 1e-9)
}

func (c *columns) low() float64 {
	low := 0.0
	for i := range c.names {
		low = min(low, c.total(i))
	}
	return low
}

func (c *columns) entries() []chart.Entry {
	entries := slices.Clone(c.colours)
	if len(c.layers) != 1 || c.layers[0].Name != "" {
		entries = append(entries, chart.Entries(c.layers)...)
	}
	if c.boundText != "" {
		entries = append(entries, chart.Entry{Class: "bound", Line: true, Text: c.boundText})
	}
	return entries
}

// parts are an item's parts, with where each begins and ends.
func (c *columns) parts(i int, part func(class string, l *chart.Layer, from, to float64)) {
	sum := 0.0
	for k := range c.layers {
		l := &c.layers[k]
		class := l.Class
		if c.looks != nil {
			class = c.looks[i]
		}
		if v := l.Values[i]; v != 0 {
			part(class, l, sum, sum+v)
			sum += v
		}
	}
}

// rows draws a row for every item.
func (c *columns) rows(id string, frame chart.Frame, order []int) *chart.Drawing {
	names := make([][]string, len(order))
	for k, i := range order {
		names[k] = []string{c.names[i]}
		if c.levels != nil {
			names[k] = c.levels[i]
		}
	}
	const height = 20
	frame.XLow, frame.XHigh = c.low()*1.04, c.top()*1.04
	p := chart.NewRows(id, frame, names, height, 0)
	for k, i := range order {
		y := p.Y.At(float64(k)) + 2
		c.parts(i, func(class string, l *chart.Layer, from, to float64) {
			x, next := p.X.At(min(from, to)), p.X.At(max(from, to))
			p.Titled(class, x, y, max(0.4, next-x-1), height-4,
				fmt.Sprintf("%s: %s %s", cmp.Or(c.names[i], "idle"), l.Name, c.unit.With(to-from)))
			if l.Hatch {
				p.Hatch(chart.Box(x, y, next-x-1, height-4))
			}
		})
	}
	p.Line("axis", p.X.At(0), p.Y.From, p.X.At(0), p.Y.To)
	if c.boundText != "" {
		p.Line("bound", p.X.At(c.bound), p.Y.From, p.X.At(c.bound), p.Y.To)
	}
	return &p.Drawing
}

// plot draws columns without names.
func (c *columns) plot(id string, frame chart.Frame, order []int) *chart.Drawing {
	frame.YLow, frame.YHigh = c.low()*1.08, c.top()*1.08
	p := chart.NewColumns(id, len(order), frame)
	if p.Each > 1 {
		p.Note(fmt.Sprintf("a column: the first of %s", plural(p.Each, c.what)))
	}
	for k := range p.N {
		i, x := order[k*p.Each], p.Left(k)
		c.parts(i, func(class string, l *chart.Layer, from, to float64) {
			y, next := p.Y.At(min(from, to)), p.Y.At(max(from, to))
			p.Rect(class, x, next, p.ColumnWidth, y-next)
			if l.Hatch {
				p.Hatch(chart.Box(x, next, p.ColumnWidth, y-next))
			}
		})
	}
	p.Level("axis", 0, "")
	if c.boundText != "" {
		p.Level("bound", c.bound, "")
	}
	return &p.Drawing
}

// table is the table behind the chart.
func (c *columns) table(order []int) *data {
	heads := []string{c.what}
	for _, l := range c.layers {
		heads = append(heads, "#"+cmp.Or(l.Name, c.label))
	}
	t := newData(heads...)
	for _, i := range order {
		cells := []string{cmp.Or(c.names[i], "one without tasks")}
		for _, l := range c.layers {
			cells = append(cells, c.unit.With(l.Values[i]))
		}
		t.row(cells...)
	}
	return t.cut(plural(len(order), c.what))
}
