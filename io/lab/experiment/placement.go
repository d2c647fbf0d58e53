package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

const placementSource = "Tan, Meng, Meng, Zhang, INFOCOM 2013"

// placementExperiments are the figures of the reduce placement paper, its Theorem 2, and what its policy is sensitive
// to.
func placementExperiments() []Experiment {
	return []Experiment{
		{"placement-fig8", "reduceplace", "Intermediate data against job processing time", placementFig8},
		{"placement-fig9", "reduceplace", "Fetching cost saved against greedy and random placement", placementFig9},
		{"placement-fig10", "reduceplace", "Two sorts a minute apart, under random and enhanced placement", placementFig10},
		{"placement-theorem2", "reduceplace", "Thresholds for K jobs that never leave", placementTheorem2},
		{"placement-window", "reduceplace", "How many arrivals receding horizon control remembers", placementWindow},
		{"placement-misestimate", "reduceplace", "Intermediate data estimated from the first 5 % of the maps",
			placementMisestimate},
	}
}

// jobsPerUnit is the simulated jobs for each job of --jobs-max: by default the paper's 50 000.
const jobsPerUnit = 500

// placed is a scenario of the preset placement.
func placed(lambda float64, jobs int, generate, params engine.Settings, algorithms ...string) scenario {
	base := engine.Settings{"jobs": strconv.Itoa(jobs), "lambda": number(lambda)}
	return scenario{preset: "placement", generate: with(base, generate), params: params, algorithms: algorithms}
}

// saved is by how many percent an algorithm is cheaper than another, one value a seed.
func saved(cost, against []float64) []float64 {
	list := make([]float64, len(cost))
	for i := range list {
		list[i] = 100 * (1 - cost[i]/against[i])
	}
	return list
}

// confidence is the 95 % interval of the mean, by Student's t; all of the line for one value.
func confidence(v []float64) (low, high float64) {
	if len(v) < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	mean, deviation := stat.MeanStdDev(v, nil)
	n := float64(len(v))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	return mean - half, mean + half
}

// interval prints a mean and its confidence interval.
func interval(v []float64, unit string) string {
	low, high := confidence(v)
	if math.IsInf(low, 0) {
		return fmt.Sprintf("%.2f%s", report.Mean(v), unit)
	}
	return fmt.Sprintf("%.2f%s (95 %% confidence: %.2f … %.2f)", report.Mean(v), unit, low, high)
}

// band adds the ends of the confidence interval of a curve, if there are several seeds.
func band(f *report.Figure, c report.Curve) {
	ends := []report.Curve{{Name: c.Name + ", 95 % confidence, lower end", Style: report.Alternative, Color: c.Color},
		{Name: c.Name + ", 95 % confidence, upper end", Style: report.Alternative, Color: c.Color}}
	for _, p := range c.Points {
		low, high := confidence(p.Samples)
		if math.IsInf(low, 0) {
			return
		}
		ends[0].Points = append(ends[0].Points, report.Point{X: p.X, Samples: []float64{low}})
		ends[1].Points = append(ends[1].Points, report.Point{X: p.X, Samples: []float64{high}})
	}
	f.Curves = append(f.Curves, ends...)
}

// curveOver is a curve whose samples a function gives at each x.
func curveOver(name string, style report.Style, color int, xs []float64, at func(x float64) []float64) report.Curve {
	c := report.Curve{Name: name, Style: style, Color: color}
	for _, x := range xs {
		c.Points = append(c.Points, report.Point{X: x, Samples: at(x)})
	}
	return c
}

// extreme is the point with the largest mean (sign 1) or the smallest (sign −1).
func extreme(c report.Curve, sign float64) report.Point {
	return slices.MaxFunc(c.Points, func(a, b report.Point) int {
		if d := sign * (a.Mean() - b.Mean()); d != 0 {
			return int(math.Copysign(1, d))
		}
		return 0
	})
}

// inside is the part of a curve that lies in a range.
func inside(c report.Curve, from, to float64) report.Curve {
	c.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p report.Point) bool { return p.X < from || p.X > to })
	return c
}
