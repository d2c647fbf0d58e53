package report

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	plotWidth  = 18 * vg.Centimeter
	plotHeight = 12 * vg.Centimeter
	lineWidth  = vg.Length(1.3)
	markRadius = vg.Length(3)
	// barShare is the part of a group's width that its bars take.
	barShare = 0.8
)

// palette holds colours that are told apart with any colour vision (Okabe and Ito 2008), in their order.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {60, 60, 60, 255},
}

func (c Curve) color() color.RGBA { return palette[c.Color%len(palette)] }

// WriteSVG draws the figure.
func (f *Figure) WriteSVG(w io.Writer) error { return f.draw(w, "svg") }

// draw draws the figure in one of gonum's formats.
func (f *Figure) draw(w io.Writer, format string) error {
	p := plot.New()
	p.Title.Text = f.Title
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	p.Add(plotter.NewGrid())
	curves := f.lines
	if f.Groups != nil {
		curves = f.bars
	}
	if err := curves(p); err != nil {
		return err
	}
	if f.Log {
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	}
	f.room(p)
	image, err := p.WriterTo(plotWidth, plotHeight, format)
	if err != nil {
		return err
	}
	_, err = image.WriteTo(w)
	return err
}

// room leaves space above the curves for the legend.
func (f *Figure) room(p *plot.Plot) {
	share := 0.07 * float64(min(len(f.Curves), 8))
	if f.Log {
		p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, share)
		return
	}
	p.Y.Max += (p.Y.Max - p.Y.Min) * share
}

// lines draws every curve as a line with marks and the spread of its seeds.
func (f *Figure) lines(p *plot.Plot) error {
	for _, c := range f.Curves {
		s := spread{c.Points, 0}
		marks, err := plotter.NewScatter(s)
		if err != nil {
			return err
		}
		marks.GlyphStyle = draw.GlyphStyle{Color: c.color(), Radius: markRadius, Shape: draw.CrossGlyph{}}
		if c.Style == Published {
			p.Add(marks)
			p.Legend.Add(c.Name, marks)
			continue
		}
		marks.Shape, marks.Radius = draw.CircleGlyph{}, markRadius/2
		line, err := plotter.NewLine(s)
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: c.color(), Width: lineWidth}
		if c.Style == Alternative {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		if err := errorBars(p, s, c.color()); err != nil {
			return err
		}
		p.Add(line, marks)
		p.Legend.Add(c.Name, line, marks)
	}
	return nil
}

// bars draws a group of bars for every x.
func (f *Figure) bars(p *plot.Plot) error {
	width := barShare / float64(len(f.Curves))
	for i, c := range f.Curves {
		left := -barShare/2 + float64(i)*width
		var rings []plotter.XYer
		for _, pt := range c.Points {
			x, y := pt.X+left, pt.Mean()
			rings = append(rings, plotter.XYs{{X: x, Y: 0}, {X: x + width, Y: 0}, {X: x + width, Y: y}, {X: x, Y: y}})
		}
		area, err := plotter.NewPolygon(rings...)
		if err != nil {
			return err
		}
		fill := c.color()
		switch c.Style {
		case Alternative:
			fill.A = 140
		case Published:
			fill.A = 40
		}
		area.Color = color.NRGBA(fill)
		area.LineStyle = draw.LineStyle{Color: c.color(), Width: lineWidth / 2}
		p.Add(area)
		p.Legend.Add(c.Name, area)
		if c.Style != Published {
			if err := errorBars(p, spread{c.Points, left + width/2}, color.RGBA{0, 0, 0, 255}); err != nil {
				return err
			}
		}
	}
	p.NominalX(f.Groups...)
	p.X.Min, p.X.Max = -0.6, float64(len(f.Groups))-0.4
	p.Y.Min = 0
	return nil
}

func errorBars(p *plot.Plot, s spread, c color.RGBA) error {
	bars, err := plotter.NewYErrorBars(s)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: c, Width: lineWidth / 2}
	p.Add(bars)
	return nil
}

// spread is points with their least and largest samples, as gonum wants them.
type spread struct {
	points []Point
	shift  float64
}

// Len is the number of points.
func (s spread) Len() int { return len(s.points) }

// XY is a point's mean.
func (s spread) XY(i int) (x, y float64) { return s.points[i].X + s.shift, s.points[i].Mean() }

// YError is how far the samples lie below and above the mean.
func (s spread) YError(i int) (low, high float64) {
	p := s.points[i]
	return math.Max(0, p.Mean()-slices.Min(p.Samples)), math.Max(0, slices.Max(p.Samples)-p.Mean())
}
