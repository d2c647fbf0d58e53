package page

import "strings"

// plot is a drawing with two axes.
type plot struct {
	drawing
	x, y scale
}

// frame says what a plot's axes are.
type frame struct {
	width, height  float64
	xLow, xHigh    float64
	yLow, yHigh    float64
	xUnit, yUnit   unit
	xLabel, yLabel string
	entries        []entry // of the legend
	noX            bool    // no ticks along x
}

// The usual sizes of pictures, in pixels.
const (
	wide   = 1200
	narrow = 590
	tall   = 300
)

// newPlot draws axes, grid and legend.
func newPlot(name string, f frame) *plot {
	p := &plot{drawing: drawing{name: name, width: f.width, height: f.height}}
	p.defs()
	top := 10.0
	if len(f.entries) > 0 {
		top = 18 + p.legend(8, 18, f.width-16, f.entries)
	}
	yTicks := f.yUnit.ticks(f.yLow, f.yHigh, 5)
	left := 0.0
	for _, v := range yTicks {
		left = max(left, widthOf(f.yUnit.text(v)))
	}
	left += 34
	p.x = scale{f.xLow, f.xHigh, left, f.width - 14}
	p.y = scale{f.yLow, f.yHigh, f.height - 42, top}
	for _, v := range yTicks {
		y := p.y.at(v)
		p.line("grid", p.x.from, y, p.x.to, y)
		p.text("t", "end", p.x.from-7, y+4, minus(f.yUnit.text(v)))
	}
	if !f.noX {
		for _, v := range f.xUnit.ticks(f.xLow, f.xHigh, int(f.width/90)) {
			x := p.x.at(v)
			p.line("axis", x, p.y.from, x, p.y.from+4)
			p.text("t", "middle", x, p.y.from+18, minus(f.xUnit.text(v)))
		}
	}
	p.text("t m", "middle", (p.x.from+p.x.to)/2, f.height-6, f.xUnit.label(f.xLabel))
	p.upright("t m", 14, (p.y.from+p.y.to)/2, f.yUnit.label(f.yLabel))
	return p
}

// minus writes the sign as people do.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// base draws the axis along x, over what the plot shows.
func (p *plot) base() { p.line("axis", p.x.from, p.y.from, p.x.to, p.y.from) }

// point is a corner of a curve.
type point struct{ x, y float64 }

// steps are the points of a curve that keeps each value until the next edge; edges are one more than values. Values
// that draw alike share a step.
func (p *plot) steps(edges, values []float64) []point {
	var list []point
	for k, v := range values {
		y := p.y.at(v)
		if n := len(list); n > 0 && num(list[n-1].y) == num(y) {
			list[n-1].x = p.x.at(edges[k+1])
			continue
		}
		list = append(list, point{p.x.at(edges[k]), y}, point{p.x.at(edges[k+1]), y})
	}
	return list
}

// outline joins points.
func outline(points []point) string {
	var b strings.Builder
	for k, q := range points {
		switch {
		case k == 0:
			b.WriteString("M" + num(q.x) + " " + num(q.y))
		case num(q.y) == num(points[k-1].y):
			b.WriteString("H" + num(q.x))
		case num(q.x) == num(points[k-1].x):
			b.WriteString("V" + num(q.y))
		default:
			b.WriteString("L" + num(q.x) + " " + num(q.y))
		}
	}
	return b.String()
}

// under closes a curve down to the axis.
func (p *plot) under(points []point) string {
	if len(points) == 0 {
		return ""
	}
	closed := append([]point{{points[0].x, p.y.at(0)}}, points...)
	return outline(append(closed, point{points[len(points)-1].x, p.y.at(0)})) + "Z"
}

// layer is one part of a stack.
type layer struct {
	class  string
	hatch  bool
	name   string
	values []float64
}

// stack draws layers on top of each other, the first lowest.
func (p *plot) stack(edges []float64, layers []layer) {
	sums := make([][]float64, len(layers))
	for i, l := range layers {
		sums[i] = make([]float64, len(l.values))
		for k, v := range l.values {
			sums[i][k] = v
			if i > 0 {
				sums[i][k] += sums[i-1][k]
			}
		}
	}
	for i := len(layers) - 1; i >= 0; i-- {
		area := p.under(p.steps(edges, sums[i]))
		p.path("paper", area) // what lies behind is not to be seen through
		p.path(layers[i].class, area)
		if layers[i].hatch {
			p.hatch(area)
		}
	}
	p.base()
}

// level draws a line across at a value of y, with its name above it.
func (p *plot) level(class string, v float64, text string) {
	y := p.y.at(v)
	p.line(class, p.x.from, y, p.x.to, y)
	if text != "" {
		p.text("t halo", "end", p.x.to-4, y-5, text)
	}
}

// entriesOf is the legend of a stack.
func entriesOf(layers []layer) []entry {
	var list []entry
	for _, l := range layers {
		list = append(list, entry{class: l.class, hatch: l.hatch, text: l.name})
	}
	return list
}
