package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
)

const marsSource = "Ling et al., JPDC 2016"

// msjoExperiments are the figures of the MarS paper.
func msjoExperiments() []Experiment {
	return []Experiment{
		{"mars-fig5", "msjo", "Stop threshold against TWJCT ratio", fig5},
		{"mars-fig6", "msjo", "Stop threshold against iterations of constraint generation", fig6},
		{"mars-fig7", "msjo", "Everything random", fig7},
		{"mars-fig8", "msjo", "Uniform numbers of tasks", fig8},
		{"mars-fig9", "msjo", "Uniform processing times", fig9},
		{"mars-fig10", "msjo", "100 machines", fig10},
		{"mars-fig11", "msjo", "Unit weights that increase with release", fig11},
		{"mars-fig12", "msjo", "Unit weights that decrease with release", fig12},
		{"mars-fig14", "msjo", "Wrong predictions of processing times", fig14},
		{"mars-fig15", "msjo", "Task objective against the number of tasks", fig15},
		{"mars-fig16", "msjo", "Relative waiting times of tasks", fig16},
		{"mars-fig17", "msjo", "Semi-online: jobs learned of in batches", fig17},
		{"mars-fig18", "msjo", "Wikipedia word counts on 16 EC2 machines", fig18},
		{"mars-fig19", "msjo", "The same under the task objective", fig19},
		{"mars-fig21", "msjo", "Wikipedia word counts on 12 local servers", fig21},
	}
}

// mode is one way to solve the LP that orders tasks and bounds the objective.
type mode struct {
	name   string
	params engine.Settings
	style  report.Style
}

// The modes under the job objective.
var (
	// exactLP solves CLS-LP to its end.
	exactLP = mode{"exact LP", engine.Settings{"bound": "lp"}, report.Main}
	// stopped stops constraint generation at the paper's threshold.
	stopped = mode{"ε = 0.3", engine.Settings{"bound": "lp", "epsilon": "0.3"}, report.Alternative}
	// asPublished keeps the paper's rows too: every violated one, a variable a task. Feasible for few jobs.
	asPublished = mode{"ε = 0.3, the paper's rows",
		engine.Settings{"bound": "lp", "epsilon": "0.3", "formulation": "published", "separation": "every"},
		report.Alternative}
)

// label is how the paper writes an algorithm's name.
var label = map[string]string{"mars": "MarS", "mars-list": "MarS, never idle", "mares": "MARES", "huwf": "HUWF",
	"hjwf":    "HJWF",
	"so-mars": "SO-MarS", "tmars": "T-MarS", "tmars-list": "T-MarS, never idle", "h-mares": "H-MARES", "stf": "STF",
	"htwf": "HTWF", "htwf-list": "HTWF, never idle"}

// jobAlgorithms are compared in Figs. 7–14, taskAlgorithms in Figs. 15, 16 and 19; the first is the paper's own.
var (
	jobAlgorithms  = []string{"mars", "mares", "huwf", "hjwf"}
	taskAlgorithms = []string{"tmars", "h-mares", "stf", "htwf"}
)

// series is the scenarios of one figure, by x and mode, and the readings' way to the curves.
type series struct {
	l        *Lab
	xs       []float64
	modes    []mode
	scenario func(x float64, m mode) scenario
}

// run measures all scenarios.
func (s *series) run() error {
	var list []scenario
	for _, x := range s.xs {
		for _, m := range s.modes {
			list = append(list, s.scenario(x, m))
		}
	}
	return s.l.run(list...)
}

// at is an algorithm's ratios at x, one a seed; nil beyond the figure's range.
func (s *series) at(algorithm string, m mode, x float64) []float64 {
	if !slices.Contains(s.xs, x) {
		return nil
	}
	return s.l.ratios(s.scenario(x, m), algorithm)
}

// curve is an algorithm's ratios over all x.
func (s *series) curve(algorithm string, m mode, color int) report.Curve {
	c := report.Curve{Name: label[algorithm] + ", " + m.name, Style: m.style, Color: color}
	for _, x := range s.xs {
		c.Points = append(c.Points, report.Point{X: x, Samples: s.at(algorithm, m, x)})
	}
	return c
}

// curves draws algorithms under all modes.
func (s *series) curves(f *report.Figure, algorithms []string) {
	for _, m := range s.modes {
		for color, a := range algorithms {
			f.Curves = append(f.Curves, s.curve(a, m, color))
		}
	}
}

// published adds the values that the paper's text states for an algorithm.
func published(f *report.Figure, name string, color int, stated map[float64]float64) {
	c := report.Curve{Name: name + ", published", Style: report.Published, Color: color}
	for _, x := range slices.Sorted(maps.Keys(stated)) {
		c.Points = append(c.Points, report.Point{X: x, Samples: []float64{stated[x]}})
	}
	f.Curves = append(f.Curves, c)
}

// ratioTable holds published ratios: by algorithm, by x.
type ratioTable map[string]map[float64]float64

// tolerance is how far from a published ratio ours may lie and still be called the same: the figures are read and
// quoted to about that.
const tolerance = 0.05

// near judges published ratios against those of a mode, with the reasons that the other mode shows.
func (s *series) near(f *report.Figure, algorithms []string, v ratioTable, unit string, m, other mode, because string) {
	for color, a := range algorithms {
		if v[a] == nil {
			continue
		}
		for _, x := range slices.Sorted(maps.Keys(v[a])) {
			if ours := s.at(a, m, x); ours != nil {
				f.Claims = append(f.Claims, report.Near(fmt.Sprintf("%s at %s (%s)", label[a], at(x, unit), m.name), v[a][x],
					tolerance, ours,
					s.compareModes(a, x, m, other)+because))
			}
		}
		if inside := within(v[a], s.xs); len(inside) > 0 {
			published(f, label[a], color, inside)
		}
	}
}

// at prints a position on the x axis.
func at(x float64, unit string) string { return strconv.FormatFloat(x, 'f', -1, 64) + " " + unit }

func within(v map[float64]float64, xs []float64) map[float64]float64 {
	inside := map[float64]float64{}
	for x, y := range v {
		if slices.Contains(xs, x) {
			inside[x] = y
		}
	}
	return inside
}

// compareModes says how bound and schedule of one mode relate to those of another.
func (s *series) compareModes(algorithm string, x float64, m, other mode) string {
	a, b := s.scenario(x, m), s.scenario(x, other)
	percent := func(p, q []float64) float64 { return 100 * (report.Mean(report.Quotient(p, q)) - 1) }
	return fmt.Sprintf("with %s the ratio is %.3f: against that, %s moves the bound by %+.1f %% and the schedule by "+
		"%+.1f %%", other.name,
		report.Mean(s.at(algorithm, other, x)), m.name, percent(s.l.bounds(a, algorithm), s.l.bounds(b, algorithm)),
		percent(s.l.costs(a, algorithm), s.l.costs(b, algorithm)))
}

// order claims that the first algorithm lies below the others, under every mode.
func (s *series) order(f *report.Figure, claim string, lower string, uppers []string, why string) {
	for _, m := range s.modes {
		var above []report.Curve
		for _, u := range uppers {
			above = append(above, s.curve(u, m, 0))
		}
		where := func(x float64) string {
			if f.Groups != nil {
				return f.Groups[int(x)]
			}
			return at(x, f.XLabel)
		}
		f.Claims = append(f.Claims, report.Below(claim+" ("+m.name+")", s.curve(lower, m, 0), above, where, why))
	}
}

// describeRun states what was run.
func describeRun(f *report.Figure, preset string, generate engine.Settings, modes []mode, algorithms []string) {
	f.Parameters["preset"], f.Parameters["generate"], f.Parameters["algorithms"] = preset, generate, algorithms
	runs := map[string]engine.Settings{}
	for _, m := range modes {
		runs[m.name] = m.params
	}
	f.Parameters["runs"] = runs
}

// with adds settings to others.
func with(base engine.Settings, more engine.Settings) engine.Settings {
	all := maps.Clone(base)
	if all == nil {
		all = engine.Settings{}
	}
	maps.Copy(all, more)
	return all
}

// steps are from, from+by, … up to.
func steps(from, by, to float64) (list []float64) {
	for k := 0; ; k++ {
		x := from + float64(k)*by
		if x > to+by/1e6 {
			return list
		}
		list = append(list, x)
	}
}

// number prints a setting's value.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
