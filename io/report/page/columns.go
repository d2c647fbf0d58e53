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
	f := figure{ID: c.id, File: c.file, Title: c.title, Caption: c.caption, Table: c.table(order)}
	p, each := c.plot(order)
	if sorted {
		f.Caption += " Sorted, the largest first"
		if each > 1 {
			f.Caption += fmt.Sprintf("; each column is the first of %s", plural(each, c.what))
		}
		f.Caption += "."
	}
	return f.drawn(&p.Drawing)
}

func (c *columns) plot(order []int) (p *chart.Plot, each int) {
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
	t := newColumnPlot(c.id, names, c.what, chart.Frame{YHigh: max(top*1.08, 1e-9), YUnit: u, YLabel: c.label, Entries: entries})
	p = t.Plot
	for k := range t.n {
		i, x, y := order[k*t.each], t.left(k), p.Y.From
		sum := 0.0
		for _, l := range c.layers {
			v := l.value[i]
			if v <= 0 {
				continue
			}
			sum += v
			next := p.Y.At(sum)
			if t.named {
				p.Titled(l.class+" edge", x, next, t.width, y-next, fmt.Sprintf("%s: %s %s", c.names[i], l.name, u.With(v)))
			} else {
				p.Rect(l.class, x, next, t.width, y-next)
			}
			if l.hatch {
				p.Hatch(chart.Box(x, next, t.width, y-next))
			}
			y = next
		}
		t.name(k)
	}
	p.Base()
	if c.bound > 0 {
		p.Level("bound", c.bound, c.boundText+" "+u.With(c.bound))
	}
	return p, t.each
}

// columnPlot has a column for each item, or for each of equally many items.
type columnPlot struct {
	*chart.Plot
	n, each          int  // columns, and items of each but the last
	named            bool // each column has its item's name
	labels           []string
	step, gap, width float64 // from one column to the next, between them, and of one
}

// newColumnPlot starts a plot of columns for items of some kind.
func newColumnPlot(id string, names []string, what string, f chart.Frame) *columnPlot {
	t := &columnPlot{each: max(1, (len(names)+mostColumns-1)/mostColumns), named: len(names) <= namedColumns}
	t.n = (len(names) + t.each - 1) / t.each
	f.XHigh, f.XUnit, f.NoX, f.XLabel = float64(t.n), chart.Unit{Size: 1 / float64(t.each)}, t.named, "rank"
	if t.named {
		f.XLabel = what
	}
	t.Plot = chart.NewPlot(id, f)
	t.step = (t.X.To - t.X.From) / float64(max(1, t.n))
	if t.step > 4 {
		t.gap = min(6, t.step/5)
	}
	t.width = t.step - t.gap
	t.labels = chart.Tails(names, t.step*0.9)
	return t
}

// left is where column k begins.
func (t *columnPlot) left(k int) float64 { return t.X.From + t.step*float64(k) + t.gap/2 }

// name writes the name below column k if there is room for names.
func (t *columnPlot) name(k int) {
	if t.named {
		t.Text("t", "middle", t.X.From+t.step*(float64(k)+0.5), t.Y.From+17, chart.Shorten(t.labels[k], t.step*0.9))
	}
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
