package page

import (
	"cmp"
	"fmt"
	"slices"
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
	c.plot(order, each, n).into(&f)
	return &f
}

// into completes a figure with the plot.
func (p *plot) into(f *figure) { *f = *f.drawn(&p.drawing) }

func (c *columns) plot(order []int, each, n int) *plot {
	top := c.bound
	for i := range c.names {
		top = max(top, c.total(i))
	}
	u := unit{1, c.unit}
	switch c.unit {
	case "s":
		u = timeUnit(top)
	case "":
	default:
		u = prefixed(top, c.unit)
	}
	named := len(order) <= namedColumns
	var layers []layer
	for _, l := range c.layers {
		layers = append(layers, layer{class: l.class, hatch: l.hatch, name: l.name})
	}
	entries := entriesOf(layers)
	if len(entries) == 1 && entries[0].text == "" {
		entries = nil
	}
	label := "rank"
	if named {
		label = c.what
	}
	p := newPlot(c.id, frame{width: narrow, height: tall, xHigh: float64(n), yHigh: max(top*1.08, 1e-9),
		xUnit: unit{1 / float64(max(1, each)), ""}, yUnit: u,
		xLabel: label, yLabel: c.label, entries: entries, noX: named})
	step := (p.x.to - p.x.from) / float64(max(1, n))
	gap := 0.0
	if step > 4 {
		gap = min(6, step/5)
	}
	labels := tails(c.names, step*0.9)
	for k := range n {
		i, y := order[k*max(1, each)], p.y.from
		sum := 0.0
		for _, l := range c.layers {
			v := l.value[i]
			if v <= 0 {
				continue
			}
			sum += v
			x, next := p.x.from+step*float64(k)+gap/2, p.y.at(sum)
			if named {
				p.titled(l.class+" edge", x, next, step-gap, y-next, fmt.Sprintf("%s: %s %s", c.names[i], l.name, u.with(v)))
			} else {
				p.rect(l.class, x, next, step-gap, y-next)
			}
			if l.hatch {
				p.hatch(box(x, next, step-gap, y-next))
			}
			y = next
		}
		if named {
			p.text("t", "middle", p.x.from+step*(float64(k)+0.5), p.y.from+17, cut(labels[i], step*0.9))
		}
	}
	p.base()
	if c.bound > 0 {
		p.level("bound", c.bound, c.boundText+" "+u.with(c.bound))
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
