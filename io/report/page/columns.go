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

// How many columns are named, and how many there are at most.
const (
	namedColumns = 30
	mostColumns  = 280
)

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
	sorted := c.order || len(order) > namedColumns
	if sorted {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.total(b), c.total(a)) })
	}
	c.layers = slices.DeleteFunc(c.layers, func(l stackOf) bool { return len(l.value) == 0 || slices.Max(l.value) <= 0 })
	each := (len(order) + mostColumns - 1) / mostColumns
	n := (len(order) + max(1, each) - 1) / max(1, each)
	f := figure{ID: c.id, File: c.file, Title: c.title, Caption: c.caption, Table: c.table(order)}
	if sorted {
		f.Caption += " Sorted, the largest first"
		if each > 1 {
			f.Caption += fmt.Sprintf("; each column is the first of %s", plural(each, c.what))
		}
		f.Caption += "."
	}
	return f.drawn(&c.plot(order, each, n).Drawing)
}

func (c *columns) plot(order []int, each, n int) *chart.Plot {
	top := c.bound
	for i := range c.names {
		top = max(top, c.total(i))
	}
	u := chart.Unit{Size: 1, Name: c.unit}
	switch c.unit {
	case "s":
		u = chart.TimeUnit(top)
	case "":
	default:
		u = chart.Prefixed(top, c.unit)
	}
	named := len(order) <= namedColumns
	var layers []chart.Layer
	for _, l := range c.layers {
		layers = append(layers, chart.Layer{Class: l.class, Hatch: l.hatch, Name: l.name})
	}
	entries := chart.Entries(layers)
	if len(entries) == 1 && entries[0].Text == "" {
		entries = nil
	}
	label := "rank"
	if named {
		label = c.what
	}
	p := chart.NewPlot(c.id, chart.Frame{XHigh: float64(n), YHigh: max(top*1.08, 1e-9),
		XUnit: chart.Unit{Size: 1 / float64(max(1, each))}, YUnit: u,
		XLabel: label, YLabel: c.label, Entries: entries, NoX: named})
	step := (p.X.To - p.X.From) / float64(max(1, n))
	gap := 0.0
	if step > 4 {
		gap = min(6, step/5)
	}
	labels := chart.Tails(c.names, step*0.9)
	for k := range n {
		i, y := order[k*max(1, each)], p.Y.From
		sum := 0.0
		for _, l := range c.layers {
			v := l.value[i]
			if v <= 0 {
				continue
			}
			sum += v
			x, next := p.X.From+step*float64(k)+gap/2, p.Y.At(sum)
			if named {
				p.Titled(l.class+" edge", x, next, step-gap, y-next, fmt.Sprintf("%s: %s %s", c.names[i], l.name, u.With(v)))
			} else {
				p.Rect(l.class, x, next, step-gap, y-next)
			}
			if l.hatch {
				p.Hatch(chart.Box(x, next, step-gap, y-next))
			}
			y = next
		}
		if named {
			p.Text("t", "middle", p.X.From+step*(float64(k)+0.5), p.Y.From+17, chart.Shorten(labels[i], step*0.9))
		}
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
	for _, i := range order[:min(len(order), dataRows)] {
		cells := []string{cmp.Or(c.names[i], "one without tasks")}
		for _, l := range c.layers {
			cells = append(cells, plainNumber(l.value[i]))
		}
		t.row(cells...)
	}
	if len(order) > dataRows {
		t.Note = fmt.Sprintf("The first %d of %s.", dataRows, plural(len(order), c.what))
	}
	return t
}
