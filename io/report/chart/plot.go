package chart

import (
	"cmp"
	"strings"
)

// Plot is a drawing with two axes.
type Plot struct {
	Drawing
	X, Y Scale
}

// Frame says what surrounds a plot's curves.
type Frame struct {
	Width, Height  float64 // Tall if 0
	XLow, XHigh    float64
	YLow, YHigh    float64
	XUnit, YUnit   Unit
	XLabel, YLabel string
	Title          string
	Entries        []Entry  // of the legend
	Groups         []string // names of x = 0, 1, … in the place of ticks and of XLow and XHigh
}

// The usual sizes of drawings, in pixels.
const (
	Wide = 1200
	Tall = 300
)

// lineHeight is the distance between lines of text.
const lineHeight = 15

// NewPlot draws title, legend, axes and grid.
func NewPlot(name string, f Frame) *Plot {
	p := &Plot{Drawing: Drawing{Name: name, Width: f.Width, Height: cmp.Or(f.Height, Tall)}}
	p.Defs()
	top := 10.0
	for _, line := range wrapped(f.Title, p.Width-16) {
		p.Text("b", "middle", p.Width/2, top+10, line)
		top += lineHeight + 2
	}
	if len(f.Entries) > 0 {
		top += 8 + p.Legend(8, top+8, p.Width-16, f.Entries)
	}
	p.Y = Scale{f.YLow, f.YHigh, p.Height - 42, top}
	yTicks := f.YUnit.Ticks(p.Y.Low, p.Y.High, 5)
	left := 0.0
	for _, v := range yTicks {
		left = max(left, TextWidth(f.YUnit.Text(v)))
	}
	p.X = Scale{f.XLow, f.XHigh, left + 34, p.Width - 14}
	groups := p.wrapGroups(f.Groups)
	for _, v := range yTicks {
		y := p.Y.At(v)
		p.Line("grid", p.X.From, y, p.X.To, y)
		p.Text("t", "end", p.X.From-7, y+4, minus(f.YUnit.Text(v)))
	}
	for k, lines := range groups {
		for i, line := range lines {
			p.Text("t", "middle", p.X.At(float64(k)), p.Y.From+18+lineHeight*float64(i), line)
		}
	}
	if groups == nil {
		for _, v := range f.XUnit.Ticks(f.XLow, f.XHigh, int(p.Width/90)) {
			x := p.X.At(v)
			p.Line("axis", x, p.Y.From, x, p.Y.From+4)
			p.Text("t", "middle", x, p.Y.From+18, minus(f.XUnit.Text(v)))
		}
	}
	p.Text("t m", "middle", (p.X.From+p.X.To)/2, p.Height-6, f.XUnit.Label(f.XLabel))
	p.upright("t m", 14, (p.Y.From+p.Y.To)/2, f.YUnit.Label(f.YLabel))
	return p
}

// wrapGroups breaks the names of groups into lines that fit below them, and makes room for the longest.
func (p *Plot) wrapGroups(names []string) (lines [][]string) {
	if names == nil {
		return nil
	}
	p.X.Low, p.X.High = -0.5, float64(len(names))-0.5
	most := 1
	for _, name := range names {
		l := wrapped(name, (p.X.To-p.X.From)/float64(len(names))-6)
		lines, most = append(lines, l), max(most, len(l))
	}
	p.Y.From -= lineHeight * float64(most-1)
	return lines
}

// At is where a point of the plot lies in the drawing.
func (p *Plot) At(x, y float64) Point { return Point{p.X.At(x), p.Y.At(y)} }

// minus writes the sign as people do.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// Base draws the axis along x, above all that is drawn before.
func (p *Plot) Base() { p.Line("axis", p.X.From, p.Y.From, p.X.To, p.Y.From) }

// Point is a place in a drawing.
type Point struct{ X, Y float64 }

// steps returns the points of a curve that keeps each value until the next edge: there is one edge more than values.
// Neighbours drawn at the same height share a step.
func (p *Plot) steps(edges, values []float64) []Point {
	var list []Point
	for k, v := range values {
		y := p.Y.At(v)
		if n := len(list); n > 0 && num(list[n-1].Y) == num(y) {
			list[n-1].X = p.X.At(edges[k+1])
			continue
		}
		list = append(list, Point{p.X.At(edges[k]), y}, Point{p.X.At(edges[k+1]), y})
	}
	return list
}

// Outline is the path through points.
func Outline(points []Point) string {
	var b strings.Builder
	for k, q := range points {
		switch {
		case k == 0:
			b.WriteString("M" + num(q.X) + " " + num(q.Y))
		case num(q.Y) == num(points[k-1].Y):
			b.WriteString("H" + num(q.X))
		case num(q.X) == num(points[k-1].X):
			b.WriteString("V" + num(q.Y))
		default:
			b.WriteString("L" + num(q.X) + " " + num(q.Y))
		}
	}
	return b.String()
}

// under is the path of the area between a curve and the axis.
func (p *Plot) under(points []Point) string {
	if len(points) == 0 {
		return ""
	}
	closed := append([]Point{{points[0].X, p.Y.At(0)}}, points...)
	return Outline(append(closed, Point{points[len(points)-1].X, p.Y.At(0)})) + "Z"
}

// Layer is one part of a stack.
type Layer struct {
	Class  string
	Hatch  bool
	Name   string
	Values []float64
}

// Stack draws layers on top of each other, the first lowest.
func (p *Plot) Stack(edges []float64, layers []Layer) {
	sums := make([][]float64, len(layers))
	for i, l := range layers {
		sums[i] = make([]float64, len(l.Values))
		for k, v := range l.Values {
			sums[i][k] = v
			if i > 0 {
				sums[i][k] += sums[i-1][k]
			}
		}
	}
	for i := len(layers) - 1; i >= 0; i-- {
		area := p.under(p.steps(edges, sums[i]))
		p.Path("paper", area) // hides what lies behind
		p.Path(layers[i].Class, area)
		if layers[i].Hatch {
			p.Hatch(area)
		}
	}
	p.Base()
}

// Steps draws a line that keeps each value until the next edge.
func (p *Plot) Steps(class string, edges, values []float64) {
	p.Path(class, Outline(p.steps(edges, values)))
}

// Level draws a line across at a value of y, with its name above it.
func (p *Plot) Level(class string, v float64, text string) {
	y := p.Y.At(v)
	p.Line(class, p.X.From, y, p.X.To, y)
	if text != "" {
		p.Text("t halo", "end", p.X.To-4, y-5, Shorten(text, p.X.To-p.X.From-4))
	}
}

// Entries is the legend of a stack.
func Entries(layers []Layer) []Entry {
	var list []Entry
	for _, l := range layers {
		list = append(list, Entry{Class: l.Class, Hatch: l.Hatch, Text: l.Name})
	}
	return list
}
