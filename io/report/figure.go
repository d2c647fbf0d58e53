package report

import (
	"io"
	"math"
	"slices"
	"strconv"

	"mrsched/io/show"
	"mrsched/io/textpos"
)

// Figure is one figure of a paper, measured again.
type Figure struct {
	Name   string // of its files
	Title  string
	Paper  string // authors, where and when
	Source string // the paper and the place in it
	XLabel string
	YLabel string
	// Groups names x = 0, 1, … and draws the figure as groups of bars; without it, curves are lines.
	Groups     []string
	Curves     []Curve
	Claims     []Claim
	Parameters map[string]any
}

// Style is how a curve is drawn, and what it is.
type Style string

// The styles.
const (
	Main        Style = "main"        // a full line
	Alternative Style = "alternative" // a broken line: the same algorithm under other settings
	Published   Style = "published"   // marks: values that the paper's text states
)

// Curve is one line of a figure.
type Curve struct {
	Name  string
	Style Style
	// Color is a number; curves of one algorithm share it.
	Color  int
	Points []Point
}

// Point is what was measured at one x.
type Point struct {
	X       float64
	Samples Samples
}

// Mean is the samples' mean; 0 without samples.
func (p Point) Mean() float64 { return p.Samples.Mean() }

// Samples are measurements of one thing, one per seed.
type Samples []float64

// Mean is the mean of the samples; 0 if there are none.
func (v Samples) Mean() float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// Map applies a function to every sample.
func (v Samples) Map(f func(x float64) float64) Samples {
	list := make(Samples, len(v))
	for i, x := range v {
		list[i] = f(x)
	}
	return list
}

// Times multiplies every sample by a factor.
func (v Samples) Times(factor float64) Samples {
	return v.Map(func(x float64) float64 { return factor * x })
}

// Plus adds a number to every sample.
func (v Samples) Plus(y float64) Samples { return v.Map(func(x float64) float64 { return x + y }) }

// Minus is the difference seed by seed.
func (v Samples) Minus(w Samples) Samples {
	list := make(Samples, len(v))
	for i := range v {
		list[i] = v[i] - w[i]
	}
	return list
}

// Over is the quotient seed by seed.
func (v Samples) Over(w Samples) Samples {
	list := make(Samples, len(v))
	for i := range v {
		list[i] = v[i] / w[i]
	}
	return list
}

// At is the samples at an x; nil if the curve has no such point.
func (c Curve) At(x float64) Samples {
	for _, p := range c.Points {
		if p.X == x {
			return p.Samples
		}
	}
	return nil
}

// digits is how many decimals the files keep.
const digits = 4

// round cuts a number to what the files keep.
func round(v float64) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}

func text(v float64) string { return strconv.FormatFloat(round(v), 'f', -1, 64) }

// WriteCSV writes the curves, one row per point: means over the seeds, and the least and the largest.
func (f *Figure) WriteCSV(w io.Writer) error {
	c := textpos.NewCSVWriter(w)
	rows := [][]string{{"curve", "style", "x", "mean", "min", "max", "seeds"}}
	for _, curve := range f.Curves {
		for _, p := range curve.Points {
			x := text(p.X)
			if f.Groups != nil {
				x = f.Groups[int(p.X)]
			}
			rows = append(rows, []string{curve.Name, string(curve.Style), x,
				text(p.Mean()), text(slices.Min(p.Samples)), text(slices.Max(p.Samples)), strconv.Itoa(len(p.Samples))})
		}
	}
	return c.WriteAll(rows)
}

// WriteJSON writes the claims and the parameters.
func (f *Figure) WriteJSON(w io.Writer) error {
	return show.WriteJSON(w, struct {
		Name       string         `json:"name"`
		Title      string         `json:"title"`
		Source     string         `json:"source"`
		Claims     []Claim        `json:"claims"`
		Parameters map[string]any `json:"parameters"`
	}{f.Name, f.Title, f.Source, f.Claims, f.Parameters})
}
