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
	Source string
	XLabel string
	YLabel string
	// Groups names x = 0, 1, … and draws the figure as groups of bars; without it, curves are lines.
	Groups []string
	// Log draws both axes logarithmically: every value must be above 0, and there are no groups.
	Log        bool
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

// Point is what was measured at one x, once a seed.
type Point struct {
	X       float64
	Samples []float64
}

// Mean is the samples' mean; 0 without samples.
func (p Point) Mean() float64 { return Mean(p.Samples) }

// Mean is the mean of numbers; 0 if there are none.
func Mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// At is the samples at an x; nil if the curve has no such point.
func (c Curve) At(x float64) []float64 {
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

// WriteCSV writes the curves, one row a point: means over the seeds, and the least and the largest.
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
