package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// marsPaper is the MarS paper.
var marsPaper = paper{"msjo", "Ling et al., JPDC 2016", []entry{
	{"mars-fig5", "Stop threshold against TWJCT ratio", "Fig. 5", fig5},
	{"mars-fig6", "Stop threshold against iterations of constraint generation", "Fig. 6", fig6},
	{"mars-fig7", "Everything random", "Fig. 7", fig7},
	{"mars-fig8", "Uniform numbers of tasks", "Fig. 8", fig8},
	{"mars-fig9", "Uniform processing times", "Fig. 9", fig9},
	{"mars-fig10", "100 machines", "Fig. 10", fig10},
	{"mars-fig11", "Unit weights that increase with release", "Fig. 11", fig11},
	{"mars-fig12", "Unit weights that decrease with release", "Fig. 12", fig12},
	{"mars-fig14", "Wrong predictions of processing times", "Fig. 14", fig14},
	{"mars-fig15", "Task objective against the number of tasks", "Fig. 15", fig15},
	{"mars-fig16", "Relative waiting times of tasks", "Fig. 16", fig16},
	{"mars-fig17", "Semi-online: jobs learned of in batches", "Fig. 17", fig17},
	{"mars-fig18", "Wikipedia word counts on 16 EC2 machines", "Fig. 18", fig18},
	{"mars-fig19", "The same under the task objective", "Fig. 19", fig19},
	{"mars-fig21", "Wikipedia word counts on 12 local servers", "Fig. 21", fig21},
}}

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
	// asPublished keeps the paper's rows too: every violated one, a variable per task. Feasible for few jobs.
	asPublished = mode{"ε = 0.3, the paper's rows", engine.Settings{"bound": "lp", "epsilon": "0.3",
		"formulation": "published", "separation": "every"}, report.Alternative}
	jobModes = []mode{exactLP, stopped}
)

// label is how the paper writes an algorithm's name.
var label = map[string]string{"mars": "MarS", "mars-list": "MarS, never idle", "mares": "MARES", "huwf": "HUWF",
	"hjwf": "HJWF", "so-mars": "SO-MarS", "tmars": "T-MarS", "tmars-list": "T-MarS, never idle", "h-mares": "H-MARES",
	"stf": "STF", "htwf": "HTWF", "htwf-list": "HTWF, never idle",
	"wspt-list": "HUWF, never idle"}

// tolerance is how far our ratio may lie from a published one and still count as equal: the figures can be read to
// about that precision.
var (
	jobAlgorithms  = []string{"mars", "mares", "huwf", "hjwf"}
	taskAlgorithms = []string{"tmars", "h-mares", "stf", "htwf"}
)

// tolerance is how far from a published ratio ours may lie and still be called the same: the figures are read and
// quoted to about that.
const tolerance = 0.05

// ratios holds published ratios: by algorithm, by x.
type ratioTable map[string]map[float64]float64

// series is the scenarios of one figure, by x and mode.
type series struct {
	*figure
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
	return s.figure.run(list...)
}

// state says what was run.
func (s *series) state(preset string, generate engine.Settings, algorithms []string) {
	runs := map[string]engine.Settings{}
	for _, m := range s.modes {
		runs[m.name] = m.params
	}
	s.setParameters(map[string]any{"jobs_max": s.jobsMax, "preset": preset, "generate": generate, "algorithms": algorithms,
		"runs": runs})
}

// ratio is an algorithm's ratios at x; nil beyond the figure's range.
func (s *series) ratio(algorithm string, m mode, x float64) samples {
	if !slices.Contains(s.xs, x) {
		return nil
	}
	return s.ratios(s.scenario(x, m), algorithm)
}

// curve is an algorithm's ratios over all x.
func (s *series) curve(algorithm string, m mode, color int) report.Curve {
	return newCurve(label[algorithm]+", "+m.name, m.style, color, s.xs, func(x float64) samples {
		return s.ratio(algorithm,
			m, x)
	})
}

// curves draws algorithms under all modes.
func (s *series) curves(algorithms []string) {
	for _, m := range s.modes {
		for color, a := range algorithms {
			s.draw(s.curve(a, m, color))
		}
	}
}

// published judges published ratios against those of a mode, with what the other mode shows as the reason.
func (s *series) published(algorithms []string, v ratioTable, unit string, m, other mode, because string) {
	for color, a := range algorithms {
		inside := map[float64]float64{}
		for _, x := range slices.Sorted(maps.Keys(v[a])) {
			if ours := s.ratio(a, m, x); ours != nil {
				inside[x] = v[a][x]
				s.near(fmt.Sprintf("%s at %s (%s)", label[a], at(x, unit), m.name), v[a][x], tolerance, ours, "%s",
					s.compareModes(a, x, m, other)+because)
			}
		}
		if len(inside) > 0 {
			s.marks(label[a], color, inside)
		}
	}
}

// compareModes says how bound and schedule of one mode relate to those of another.
func (s *series) compareModes(algorithm string, x float64, m, other mode) string {
	a, b := s.scenario(x, m), s.scenario(x, other)
	percent := func(p, q samples) float64 { return 100 * (p.Over(q).Mean() - 1) }
	return fmt.Sprintf("with %s the ratio is %.3f: against that, %s moves the bound by %+.1f %% and the schedule by "+
		"%+.1f %%", other.name, s.ratio(algorithm, other, x).Mean(), m.name, percent(s.bounds(a, algorithm),
		s.bounds(b, algorithm)), percent(s.costs(a, algorithm), s.costs(b, algorithm)))
}

// order claims that the first algorithm lies below the others, under every mode.
func (s *series) order(claim, lower string, uppers []string, why string) {
	for _, m := range s.modes {
		var above []report.Curve
		for _, u := range uppers {
			above = append(above, s.curve(u, m, 0))
		}
		where := in(s.XLabel)
		if s.Groups != nil {
			where = func(x float64) string { return s.Groups[int(x)] }
		}
		s.below(claim+" ("+m.name+")", s.curve(lower, m, 0), above, where, "%s", why)
	}
}

// marsBelow is the paper's main claim.
func (s *series) marsBelow(where string) {
	s.order("MarS is below MARES, HUWF and HJWF"+where, "mars", jobAlgorithms[1:], "")
}

// average is the mean of a value over all x, seed by seed.
func (s *series) average(of func(x float64) samples) samples {
	sums := make(samples, len(s.seeds))
	for _, x := range s.xs {
		for i, v := range of(x) {
			sums[i] += v / float64(len(s.xs))
		}
	}
	return sums
}

// overall is an algorithm's mean ratio over all x and seeds.
func (s *series) overall(algorithm string, m mode) float64 {
	var all samples
	for _, x := range s.xs {
		all = append(all, s.ratio(algorithm, m, x)...)
	}
	return all.Mean()
}

// change is how an algorithm's ratio at ε = 0.3 changes against another series, on average over the sweep.
func (s *series) change(base *series, algorithm string) (ours samples, why string) {
	mean := func(of *series) samples {
		return s.average(func(x float64) samples { return of.ratio(algorithm, stopped, x) })
	}
	here, there := mean(s), mean(base)
	return here.Minus(there), fmt.Sprintf("%s averages %.3f here and %.3f in the random scenario, %s", label[algorithm],
		here.Mean(), there.Mean(), stopped.name)
}

// course says how algorithms' ratios from the exact LP move from the first x to the last.
func (s *series) course(algorithms ...string) string {
	first, last := s.xs[0], s.xs[len(s.xs)-1]
	var moves []string
	for _, a := range algorithms {
		moves = append(moves, fmt.Sprintf("%s goes from %.3f to %.3f", label[a], s.ratio(a, exactLP, first).Mean(),
			s.ratio(a, exactLP, last).Mean()))
	}
	return fmt.Sprintf("%s between %s and %s, %s", strings.Join(moves, " and "), number(first), at(last, "jobs"),
		exactLP.name)
}
