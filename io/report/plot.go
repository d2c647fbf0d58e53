package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"mrsched/io/report/chart"
)

const (
	plotWidth  = 720
	plotHeight = 420
	perCurve   = 8 // more height for each, as the legend grows
	// barShare is the part of a group's width that its bars take.
	barShare = 0.8
	// margin is the part of the axes that stays free at both ends.
	margin = 0.04
)

// fill and stroke are the classes of a curve's colour.
func (c Curve) fill() string   { return "c" + strconv.Itoa(c.Color%chart.Colours) }
func (c Curve) stroke() string { return "s" + strconv.Itoa(c.Color%chart.Colours) }

// WriteSVG draws the figure.
func (f *Figure) WriteSVG(w io.Writer) error {
	if err := f.drawable(); err != nil {
		return err
	}
	draw := f.lines
	if f.Groups != nil {
		draw = f.bars
	}
	_, err := io.WriteString(w, draw().Standalone(f.Title))
	return err
}

// drawable is an error if a point has no place on the axes.
func (f *Figure) drawable() error {
	for _, c := range f.Curves {
		for _, p := range c.Points {
			for _, v := range append([]float64{p.X}, p.Samples...) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("figure %s: cannot draw %v in curve %q", f.Name, v, c.Name)
				}
			}
		}
	}
	return nil
}

// frame is what the figure's axes share, whatever it draws.
func (f *Figure) frame() chart.Frame {
	a := chart.Frame{Width: plotWidth, Height: float64(plotHeight + perCurve*len(f.Curves)), Title: f.Title,
		XLabel: f.XLabel, YLabel: f.YLabel, XUnit: chart.Plain, YUnit: chart.Plain, Groups: f.Groups}
	var xs, ys []float64
	for _, c := range f.Curves {
		for _, p := range c.Points {
			xs, ys = append(xs, p.X), append(ys, p.Samples...)
		}
	}
	if f.Groups != nil {
		ys = append(ys, 0) // bars begin there
	}
	a.XLow, a.XHigh = extent(xs)
	a.YLow, a.YHigh = extent(ys)
	if f.Groups != nil && slices.Min(ys) == 0 {
		a.YLow = 0
	}
	return a
}

// extent is the range of an axis: that of the values with a margin.
func extent(values []float64) (low, high float64) {
	if len(values) == 0 {
		return 1, 2
	}
	low, high = slices.Min(values), slices.Max(values)
	if low == high {
		return low - 0.5, high + 0.5
	}
	return low - margin*(high-low), high + margin*(high-low)
}

// lines draws every curve as a line with dots and the spread of its seeds; published points are crosses.
func (f *Figure) lines() *chart.Plot {
	frame := f.frame()
	for _, c := range f.Curves {
		frame.Entries = append(frame.Entries, chart.Entry{Class: c.line(), Line: c.Style != Published,
			Cross: c.Style == Published, Text: c.Name})
	}
	p := chart.NewPlot(f.Name, frame)
	p.Base()
	p.Line("axis", p.X.From, p.Y.From, p.X.From, p.Y.To)
	for _, c := range f.Curves {
		var at []chart.Point
		for _, pt := range c.Points {
			at = append(at, p.At(pt.X, pt.Mean()))
		}
		if c.Style != Published {
			p.Path(c.line(), chart.Outline(at))
		}
		for k, pt := range c.Points {
			if c.Style == Published {
				p.Cross(c.stroke(), at[k])
				continue
			}
			spread(p, c.stroke(), at[k].X, pt)
			p.Dot(c.fill(), at[k], 2.5)
		}
	}
	return p
}

// line is the class of a curve's line.
func (c Curve) line() string {
	switch c.Style {
	case Published:
		return c.stroke()
	case Alternative:
		return c.stroke() + " curve dashed"
	}
	return c.stroke() + " curve"
}

// bars draws a group of bars for every x.
func (f *Figure) bars() *chart.Plot {
	frame := f.frame()
	for _, c := range f.Curves {
		frame.Entries = append(frame.Entries, chart.Entry{Class: c.area(), Text: c.Name})
	}
	p := chart.NewPlot(f.Name, frame)
	width := barShare / float64(len(f.Curves))
	for i, c := range f.Curves {
		for _, pt := range c.Points {
			left := pt.X - barShare/2 + float64(i)*width
			from, to, zero, y := p.X.At(left), p.X.At(left+width), p.Y.At(0), p.Y.At(pt.Mean())
			p.Rect(c.area()+" edge", from, min(zero, y), to-from, math.Abs(zero-y))
			if c.Style != Published {
				spread(p, "ink", (from+to)/2, pt)
			}
		}
	}
	p.Level("axis", 0, "")
	return p
}

// area is the class of a curve's bars: the paler the colour, the less they are of our main results.
func (c Curve) area() string {
	switch c.Style {
	case Alternative:
		return c.fill() + " h3"
	case Published:
		return c.fill() + " h1"
	}
	return c.fill()
}

// spread draws the least and the largest sample of a point.
func spread(p *chart.Plot, class string, x float64, pt Point) {
	if low, high := slices.Min(pt.Samples), slices.Max(pt.Samples); low < high {
		p.Whisker(class, x, p.Y.At(low), p.Y.At(high))
	}
}
