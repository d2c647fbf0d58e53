package page

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/io/report/chart"
)

// columns is a chart of stacked columns, one an item. Few items stand in their own order with their names; many are
// sorted from the largest on, several a column.
type columns struct {
	id, file, title, caption string
	unit, label              string // of the values
	what                     string // an item is
	names                    []string
	layers                   []stackOf
	bound                    float64 // a line across; 0: none
	boundText                string
	order                    bool // sort them, however few
}

// stackOf is one part of all columns.
type stackOf struct {
	class, name string
	hatch       bool
	value       []float64 // by item
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
	sorted := c.order || len(order) > chart.NamedColumns
	if sorted {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.total(b), c.total(a)) })
	}
	c.layers = slices.DeleteFunc(c.layers, func(l stackOf) bool { return len(l.value) == 0 || slices.Max(l.value) <= 0 })
	f := figure{ID: c.id, File: c.file, Title: c.title, Caption: c.caption, Table: c.table(order)}
	p := c.plot(order)
	if sorted {
		f.Caption += " Sorted, the largest first"
		if p.Each > 1 {
			f.Caption += fmt.Sprintf("; each column is the first of %s", plural(p.Each, c.what))
		}
		f.Caption += "."
	}
	return f.drawn(&p.Drawing)
}

func (c *columns) plot(order []int) *chart.ColumnPlot {
	top := c.bound
	names := make([]string, len(order))
	for k, i := range order {
		top, names[k] = max(top, c.total(i)), c.names[i]
	}
	u := chart.Unit{Size: 1, Name: c.unit}
	switch c.unit {
	case "s":
		u = chart.TimeUnit(top)
	case "":
	default:
		u = chart.Prefixed(top, c.unit)
	}
	var layers []chart.Layer
	for _, l := range c.layers {
		layers = append(layers, chart.Layer{Class: l.class, Hatch: l.hatch, Name: l.name})
	}
	entries := chart.Entries(layers)
	if len(entries) == 1 && entries[0].Text == "" {
		entries = nil
	}
	p := chart.NewColumns(c.id, names, c.what, chart.Frame{YHigh: max(top*1.08, 1e-9), YUnit: u, YLabel: c.label,
		Entries: entries})
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
			if p.Named {
				p.Titled(l.class+" edge", x, next, p.ColumnWidth, y-next, fmt.Sprintf("%s: %s %s", c.names[i], l.name, u.With(v)))
			} else {
				p.Rect(l.class, x, next, p.ColumnWidth, y-next)
			}
			if l.hatch {
				p.Hatch(chart.Box(x, next, p.ColumnWidth, y-next))
			}
			y = next
		}
		p.Label(k)
	}
	p.Base()
	if c.bound > 0 {
		p.Level("bound", c.bound, c.boundText+" "+u.With(c.bound))
	}
	return p
}

// table is the table behind the chart.
func (c *columns) table(order []int) *data {
	heads := []string{c.what}
	unit := ""
	if c.unit != "" {
		unit = " (" + c.unit + ")"
	}
	for _, l := range c.layers {
		heads = append(heads, "#"+cmp.Or(l.name, c.label)+unit)
	}
	t := newData(heads...)
	for _, i := range order {
		cells := []string{cmp.Or(c.names[i], "one without tasks")}
		for _, l := range c.layers {
			cells = append(cells, plainNumber(l.value[i]))
		}
		t.row(cells...)
	}
	return t.cut(plural(len(order), c.what))
}
