package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// The settings of placement-window.
var (
	windowSizes = []float64{1, 3, 10, 30, 100, 300, 1000, 10000}
	windowLoads = []float64{0.6, 0.9, 0.95}
)

// placementWindow varies Δ, of which the paper says nothing. Jobs are half those of placement-fig9.
func placementWindow(l *Lab, f *report.Figure) error {
	jobs := jobsPerUnit * l.jobsMax / 2
	at := func(lambda, window float64) scenario {
		return placed(lambda, jobs, nil, engine.Settings{"window": number(window)}, "rhc")
	}
	base := func(lambda float64) scenario { return placed(lambda, jobs, nil, nil, "greedy") }
	var list []scenario
	for _, lambda := range windowLoads {
		list = append(list, base(lambda))
		for _, w := range windowSizes {
			list = append(list, at(lambda, w))
		}
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = placementSource+", §IV", "Δ, latest arrivals that are averaged (decimal logarithm)",
		"fetching cost saved against greedy, %"
	describeRun(f, "placement", engine.Settings{"jobs": strconv.Itoa(jobs)}, nil, []string{"greedy", "rhc"})
	f.Parameters["window"], f.Parameters["lambda"] = windowSizes, windowLoads
	for color, lambda := range windowLoads {
		over := func(w float64) []float64 {
			return saved(l.costs(at(lambda, w), "rhc"), l.costs(base(lambda), "greedy"))
		}
		c := report.Curve{Name: fmt.Sprintf("rhc, λ = %g", lambda), Style: report.Main, Color: color}
		var best []float64
		bestWindow := 0.0
		for _, w := range windowSizes {
			v := over(w)
			c.Points = append(c.Points, report.Point{X: math.Log10(w), Samples: v})
			if best == nil || report.Mean(v) > report.Mean(best) {
				best, bestWindow = v, w
			}
		}
		f.Curves = append(f.Curves, c)
		f.Claims = append(f.Claims,
			report.AtMost(fmt.Sprintf("mrsched: Δ = 100 is as good as any at λ = %g (percentage points lost, tolerance 0.5)",
				lambda), 0, 0.5,
				report.Difference(best, over(100)),
				fmt.Sprintf("%s at Δ = 100, %s at the best Δ = %g, %s at Δ = 1; the paper states no Δ", interval(over(100), " %"),
					interval(best, " %"), bestWindow, interval(over(1), " %"))))
	}
	return nil
}

// The settings of placement-misestimate: 2 of 40 maps are 5 %.
const (
	estimateMaps  = 40
	estimateShare = "0.05"
	estimateLoad  = 0.9
)

var estimateSpreads = []float64{0, 0.25, 0.5, 1, 1.5}

// placementMisestimate lets policies estimate a job's data from its first maps, by how much maps differ. Jobs are a
// quarter of those of placement-fig9.
func placementMisestimate(l *Lab, f *report.Figure) error {
	jobs := jobsPerUnit * l.jobsMax / 4
	policies := []string{"rhc", "lookahead"}
	exact := placed(estimateLoad, jobs, nil, nil, "greedy", "rhc", "lookahead")
	at := func(spread float64) scenario {
		return placed(estimateLoad, jobs, engine.Settings{"maps": strconv.Itoa(estimateMaps), "map-spread": number(spread)},
			engine.Settings{"estimate": estimateShare}, policies...)
	}
	list := []scenario{exact}
	for _, spread := range estimateSpreads {
		list = append(list, at(spread))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = placementSource+", §I-B", "spread of the maps' outputs (standard deviation of their "+
		"logarithms)", "fetching cost saved against greedy, %"
	describeRun(f, "placement", engine.Settings{"jobs": strconv.Itoa(jobs), "lambda": number(estimateLoad),
		"maps": strconv.Itoa(estimateMaps)}, nil, policies)
	f.Parameters["map_spread"], f.Parameters["estimate"] = estimateSpreads, estimateShare
	greedy := l.costs(exact, "greedy")
	for color, name := range policies {
		whose := ""
		if name == "lookahead" {
			whose = "mrsched: "
		}
		known := saved(l.costs(exact, name), greedy)
		estimated := curveOver(name+", estimated from 5 % of the maps", report.Main, color, estimateSpreads,
			func(x float64) []float64 { return saved(l.costs(at(x), name), greedy) })
		f.Curves = append(f.Curves, estimated, curveOver(name+", data known", report.Alternative, color, estimateSpreads,
			func(float64) []float64 { return known }))
		for _, p := range estimated.Points {
			f.Claims = append(f.Claims,
				report.AtMost(fmt.Sprintf("%san estimate from 5 %% of the maps is accurate enough for %s where outputs spread "+
					"by %g (percentage points lost, at most 1)", whose, name, p.X), 1, 0,
					report.Difference(known, p.Samples),
					fmt.Sprintf("data off by %.0f %% on average and %.0f %% at most; %s with it, %s with data known, both against "+
						"greedy",
						100*report.Mean(l.estimateErrors(at(p.X), name, "estimate_error_mean")),
						100*report.Mean(l.estimateErrors(at(p.X), name, "estimate_error_max")),
						interval(p.Samples, " %"), interval(known, " %"))))
		}
	}
	errors := map[string]string{} // not a curve: it would dwarf the others
	for _, x := range estimateSpreads {
		errors[number(x)] = fmt.Sprintf("%.1f", 100*report.Mean(l.estimateErrors(at(x), "rhc", "estimate_error_mean")))
	}
	f.Parameters["mean_error_percent_by_spread"] = errors
	return nil
}

// estimateErrors are a fact of the runs, one a seed.
func (l *Lab) estimateErrors(s scenario, algorithm, fact string) []float64 {
	return l.each(s, algorithm, func(r reading) float64 {
		n, _ := r.found[fact].(json.Number)
		v, err := strconv.ParseFloat(string(n), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	})
}
