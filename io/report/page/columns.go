package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/report/chart"
)

// columns is a chart of stacked bars, one an item. Few items have a row each, in their own order, with their names;
// many are columns, sorted from the largest on, several per column.
type columns struct {
	id, file, title, caption string
	unit                     chart.Unit
	label                    string // of the values
	what                     string // an item is
	names                    []string
	levels                   [][]string // the names in parts; nil: they have one
	layers                   []stackOf
	bound                    float64 // a line across; 0: none
	boundText                string
	order                    bool // sort them, however few
}

// stackOf is one part of all columns.
type stackOf struct {
	class, name string
	classes     []string // by item, in the place of class
	hatch       bool
	value       []float64 // by item
}

// look is the class of an item's part.
func (l *stackOf) look(i int) string {
	if l.classes != nil {
		return l.classes[i]
	}
	return l.class
}

func (c *columns) total(i int) float64 {
	sum := 0.0
	for _, l := range c.layers {
		sum += l.value[i]
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
	c.layers = slices.DeleteFunc(c.layers, func(l stackOf) bool { return len(l.value) == 0 || slices.Max(l.value) <= 0 })
	f := figure{ID: c.id, File: c.file, Title: c.title, Caption: c.caption, Table: c.table(order)}
	if sorted {
		f.Caption += " Sorted, the largest first."
	}
	return f.drawn(func(id string, width float64) *chart.Drawing {
		if named {
			return c.rows(id, width, order)
		}
		return c.plot(id, width, order)
	})
}

// top is the largest value.
func (c *columns) top() float64 {
	top := c.bound
	for i := range c.names {
		top = max(top, c.total(i))
	}
	return max(top, 1e-9)
}

func (c *columns) entries() []chart.Entry {
	var layers []chart.Layer
	for _, l := range c.layers {
		layers = append(layers, chart.Layer{Class: l.class, Hatch: l.hatch, Name: l.name})
	}
	if len(layers) == 1 && layers[0].Name == "" {
		layers = nil
	}
	entries := chart.Entries(layers)
	if c.bound > 0 {
		entries = append(entries, chart.Entry{Class: "bound", Line: true, Text: c.boundText + " " + c.unit.With(c.bound)})
	}
	return entries
}

// rows draws a row for every item.
func (c *columns) rows(id string, width float64, order []int) *chart.Drawing {
	names := make([][]string, len(order))
	for k, i := range order {
		names[k] = []string{c.names[i]}
		if c.levels != nil {
			names[k] = c.levels[i]
		}
	}
	const height = 20
	p := chart.NewRows(id, chart.Frame{Width: width, Entries: c.entries(), XHigh: c.top() * 1.04, XUnit: c.unit,
		XLabel: c.label}, names, height, 0)
	for k, i := range order {
		x, y, sum := p.X.From, p.Y.At(float64(k))+2, 0.0
		for _, l := range c.layers {
			v := l.value[i]
			if v <= 0 {
				continue
			}
			sum += v
			next := p.X.At(sum)
			p.Titled(l.look(i), x, y, max(0.4, next-x-1), height-4,
				fmt.Sprintf("%s: %s %s", cmp.Or(c.names[i], "idle"), l.name, c.unit.With(v)))
			if l.hatch {
				p.Hatch(chart.Box(x, y, next-x-1, height-4))
			}
			x = next
		}
	}
	p.Line("axis", p.X.From, p.Y.From, p.X.From, p.Y.To)
	if c.bound > 0 {
		p.Line("bound", p.X.At(c.bound), p.Y.From, p.X.At(c.bound), p.Y.To)
	}
	return &p.Drawing
}

// plot draws columns without names.
func (c *columns) plot(id string, width float64, order []int) *chart.Drawing {
	p := chart.NewColumns(id, len(order), chart.Frame{Width: width, YHigh: c.top() * 1.08, YUnit: c.unit, YLabel: c.label,
		Entries: c.entries()})
	if p.Each > 1 {
		p.Note(fmt.Sprintf("a column: the first of %s", plural(p.Each, c.what)))
	}
	for k := range p.N {
		i, x, y := order[k*p.Each], p.Left(k), p.Y.From
		sum := 0.0
		for _, l := range c.layers {
			v := l.value[i]
			if v <= 0 {
				continue
			}
			sum += v
			next := p.Y.At(sum)
			p.Rect(l.look(i), x, next, p.ColumnWidth, y-next)
			if l.hatch {
				p.Hatch(chart.Box(x, next, p.ColumnWidth, y-next))
			}
			y = next
		}
	}
	p.Base()
	if c.bound > 0 {
		p.Level("bound", c.bound, "")
	}
	return &p.Drawing
}

// table is the table behind the chart.
func (c *columns) table(order []int) *data {
	heads := []string{c.what}
	for _, l := range c.layers {
		heads = append(heads, "#"+cmp.Or(l.name, c.label))
	}
	t := newData(heads...)
	for _, i := range order {
		cells := []string{cmp.Or(c.names[i], "one without tasks")}
		for _, l := range c.layers {
			cells = append(cells, c.unit.With(l.value[i]))
		}
		t.row(cells...)
	}
	return t.cut(plural(len(order), c.what))
}
