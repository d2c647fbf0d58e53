package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// What figures of the job objective and of the task objective show.
const (
	jobRatio  = "TWJCT / LP bound"
	taskRatio = "TWTCT / LP bound"
)

// marsPaper is the MarS paper.
var marsPaper = paper{"msjo", "Ling et al., JPDC 2016", []entry{
	{"mars-fig5", "Stop threshold against TWJCT ratio", "Fig. 5", "stop threshold ε", jobRatio + " of the same ε", fig5},
	{"mars-fig6", "Stop threshold against iterations of constraint generation", "Fig. 6", "stop threshold ε",
		"LPs solved", fig6},
	{"mars-fig7", "Everything random", "Fig. 7", "jobs", jobRatio, fig7},
	{"mars-fig8", "Uniform numbers of tasks", "Fig. 8", "jobs", jobRatio, fig8},
	{"mars-fig9", "Uniform processing times", "Fig. 9", "jobs", jobRatio, fig9},
	{"mars-fig10", "100 machines", "Fig. 10", "jobs", jobRatio, fig10},
	{"mars-fig11", "Unit weights that increase with release", "Fig. 11", "jobs", jobRatio, fig11},
	{"mars-fig12", "Unit weights that decrease with release", "Fig. 12", "jobs", jobRatio, fig12},
	{"mars-fig14", "Wrong predictions of processing times", "Fig. 14", "largest prediction error",
		jobRatio + " with true times", fig14},
	{"mars-fig15", "Task objective against the number of tasks", "Fig. 15", "tasks", taskRatio, fig15},
	{"mars-fig16", "Relative waiting times of tasks", "Fig. 16", "relative waiting time", "share of the tasks", fig16},
	{"mars-fig17", "Semi-online: jobs learned of in batches", "Fig. 17", "batch interval, seconds", jobRatio, fig17},
	{"mars-fig18", "Wikipedia word counts on 16 EC2 machines", "Fig. 18", "", "objective / LP bound", fig18},
	{"mars-fig19", "The same under the task objective", "Fig. 19", "", "objective / LP bound", fig19},
	{"mars-fig21", "Wikipedia word counts on 12 local servers", "Fig. 21", "", "objective / LP bound", fig21},
}}

// mode is one way to solve the LP that orders tasks and bounds the objective.
type mode struct {
	name   string
	params engine.Settings
	style  report.Style
	own    bool // not the paper's
}

// states is a claim under the mode.
func (m mode) states(text string) string {
	if text += " (" + m.name + ")"; m.own && !strings.HasPrefix(text, ours) {
		return ours + text
	}
	return text
}

// The modes. Under the job objective the paper stops constraint generation at ε = 0.3; its own form of the LP has every
// violated row and a variable per task, which is feasible for few jobs. Under the task objective its inequality over
// sets of tasks is the weaker one, and ε stops the LP of H-MARES.
var (
	exactLP     = mode{"exact LP", engine.Settings{"bound": "lp"}, report.Main, true}
	stopped     = mode{"ε = 0.3", engine.Settings{"bound": "lp", "epsilon": "0.3"}, report.Alternative, false}
	asPublished = mode{"ε = 0.3, the paper's rows", engine.Settings{"bound": "lp", "epsilon": "0.3",
		"formulation": "published", "separation": "every"}, report.Alternative, false}
	strongTasks = mode{"stronger inequality", engine.Settings{"objective": "twtct", "inequality": "schulz"}, report.Main,
		true}
	paperTasks = mode{"the paper's inequality, ε = 0.3 in H-MARES", engine.Settings{"objective": "twtct",
		"inequality": "published", "epsilon": "0.3"}, report.Alternative, false}
	jobModes  = []mode{exactLP, stopped}
	taskModes = []mode{strongTasks, paperTasks}
)

// label is how the paper writes an algorithm's name.
var label = map[string]string{"mars": "MarS", "mares": "MARES", "huwf": "HUWF", "hjwf": "HJWF", "so-mars": "SO-MarS",
	"tmars": "T-MarS", "tmars-list": "T-MarS, never idle", "h-mares": "H-MARES", "stf": "STF", "htwf": "HTWF",
	"htwf-list": "HTWF, never idle"}

// The paper's algorithms by objective, in the order of its legends; under the task objective also its orders on
// machines that never wait for a task, which the paper has not; and those of Fig. 17, which plan batch by batch but for
// MARES: for it, releases move to the batch's end.
var (
	jobAlgorithms     = []string{"mars", "mares", "huwf", "hjwf"}
	taskAlgorithms    = []string{"tmars", "h-mares", "stf", "htwf"}
	allTaskAlgorithms = append(slices.Clone(taskAlgorithms), "tmars-list", "htwf-list")
	tmarsVariants     = []string{"tmars", "tmars-list"}
	batchAlgorithms   = []string{"so-mars", "mares", "huwf", "hjwf"}
)

// tolerance is how far from a published ratio ours may lie and still be called the same: the figures are read and
// quoted to about that. Limits are read more precisely.
const tolerance, limitTolerance = 0.05, 0.005

// fewJobs is the number of jobs up to which the paper's form of the LP with every violated row takes seconds.
const fewJobs = 20

// jobCounts are the numbers of jobs of Figs. 7–12; the paper has every multiple of ten.
var jobCounts = []float64{10, 20, 40, 60, 80, 100}

// ratioTable holds published ratios: by algorithm, by x.
type ratioTable map[string]map[float64]float64

// series is the scenarios of one figure, by x and mode.
type series struct {
	*figure
	xs       []float64
	modes    []mode
	scenario func(x float64, m mode) scenario
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
	return newCurve(label[algorithm]+", "+m.name, m.style, color, s.xs,
		func(x float64) samples { return s.ratio(algorithm, m, x) })
}

// curves draws algorithms under all modes.
func (s *series) curves(algorithms []string) {
	for _, m := range s.modes {
		for color, a := range algorithms {
			s.add(s.curve(a, m, color))
		}
	}
}

// published judges published ratios, and draws those that are within the figure's range.
func (s *series) published(algorithms []string, v ratioTable, unit string, m mode) {
	for color, a := range algorithms {
		inside := map[float64]float64{}
		for _, x := range slices.Sorted(maps.Keys(v[a])) {
			m := m
			if a == "mars" && x <= fewJobs {
				m = asPublished
			}
			if ours := s.ratio(a, m, x); ours != nil {
				inside[x] = v[a][x]
				s.claim(m.states(fmt.Sprintf("%s at %s", label[a], number(x)+" "+unit)), near(v[a][x], tolerance), ours)
			}
		}
		if len(inside) > 0 {
			s.marks(label[a], color, inside)
		}
	}
}

// order claims that the first algorithm lies below the others, under every mode.
func (s *series) order(claim, lower string, uppers ...string) {
	for _, m := range s.modes {
		var above []report.Curve
		for _, u := range uppers {
			above = append(above, s.curve(u, m, 0))
		}
		s.below(m.states(claim), s.curve(lower, m, 0), above...)
	}
}

// marsBelow is the paper's main claim, tmarsBelow the one under the task objective.
func (s *series) marsBelow(where string) {
	s.order("MarS is below MARES, HUWF and HJWF"+where, "mars", jobAlgorithms[1:]...)
}

func (s *series) tmarsBelow(where string) {
	for _, v := range tmarsVariants {
		s.order(ownOrder(v)+label[v]+" is below H-MARES, STF and HTWF"+where, v, taskAlgorithms[1:]...)
	}
}

// average is an algorithm's mean ratio over the sweep, seed by seed.
func (s *series) average(algorithm string, m mode) samples {
	sums := make(samples, len(s.seeds))
	for _, x := range s.xs {
		for i, v := range s.ratio(algorithm, m, x) {
			sums[i] += v / float64(len(s.xs))
		}
	}
	return sums
}

// from is a sweep's figure, which starts at the first number of jobs.
func (f *figure) from(jobs int) {
	if f.jobsMax < jobs {
		must(engine.Usagef("--jobs-max %d: this figure starts at %d jobs", f.jobsMax, jobs))
	}
}

// jobSweep is the comparison over numbers of jobs that Figs. 7–12 make.
func (f *figure) jobSweep(generate engine.Settings) *series {
	f.from(10)
	return &series{f, upTo(f.jobsMax, jobCounts), jobModes, func(x float64, m mode) scenario {
		return scenario{preset: "mars", generate: with(generate, engine.Settings{"jobs": number(x)}), params: m.params}
	}}
}

// sweepFigure draws a sweep and judges the published values, which are for ε = 0.3.
func (f *figure) sweepFigure(generate engine.Settings, v ratioTable) *series {
	s := f.jobSweep(generate)
	s.curves(jobAlgorithms)
	s.published(jobAlgorithms, v, "jobs", stopped)
	s.marsBelow("")
	return s
}

// thresholds is MarS over the stop thresholds of Figs. 5 and 6 under both readings of the stop test.
func (f *figure) thresholds() (list []*series) {
	jobs := number(float64(min(fewJobs, f.jobsMax)))
	for _, test := range []string{"literal", "raised"} {
		m := mode{jobs + " jobs, stop test " + test, engine.Settings{"bound": "lp", "separation": "every",
			"stop-test": test}, report.Main, false}
		list = append(list, &series{f, steps(0.1, 0.1, 0.5), []mode{m}, func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: engine.Settings{"jobs": jobs},
				params: with(m.params, engine.Settings{"epsilon": number(x)})}
		}})
	}
	return list
}

func fig5(f *figure) {
	for color, s := range f.thresholds() {
		m := s.modes[0]
		f.add(s.curve("mars", m, color))
		low, high := s.ratio("mars", m, s.xs[0]), s.ratio("mars", m, s.xs[4])
		f.minus(m.states("the ratio grows little from ε = 0.1 to 0.5, by a tenth at most"), atMost(0.1, 0), high, low)
	}
}

func fig6(f *figure) {
	for color, s := range f.thresholds() {
		m := s.modes[0]
		c := f.add(newCurve(m.name, m.style, color, s.xs, func(x float64) samples {
			return f.each(s.scenario(x, m), "mars", func(r reading) float64 { return r.rounds })
		}))
		f.over(m.states("iterations at ε = 0.5 as a share of those at 0.1, read as a half at most"), atMost(0.5, 0),
			c.Points[4].Samples, c.Points[0].Samples)
	}
}

func fig7(f *figure) {
	mars := map[float64]float64{10: 1.32, 20: 1.39, 60: 1.38, 100: 1.38}
	s := f.sweepFigure(nil, ratioTable{"mars": mars, "mares": {10: 1.58, 20: 1.96, 100: 1.96},
		"huwf": {10: 1.77, 20: 2.17}, "hjwf": {10: 1.86, 20: 2.25}})
	for _, u := range []string{"huwf", "hjwf"} {
		s.order("MARES is below "+label[u], "mares", u)
	}
	for _, m := range s.modes {
		mars, mares := s.curve("mars", m, 0), s.curve("mares", m, 0)
		var all samples
		for _, p := range mars.Points {
			all = append(all, p.Samples...)
		}
		f.claim(m.states("MarS stays less than 0.4 above the bound, on every instance"), never(1.4), all)
		gaps := newCurve("", report.Main, 0, inRange(s.xs, 20, math.Inf(1)),
			func(x float64) samples { return mares.At(x).Minus(mars.At(x)) })
		if gaps.Points != nil {
			f.state(report.Everywhere(m.states("the other algorithms are over 0.4 above MarS from 20 jobs on, here MARES"),
				"≥ 0.4", gaps, 0.4, math.Inf(1))).Why = fmt.Sprintf("least at %g jobs", extreme(gaps, -1).X)
		}
	}
}

func fig8(f *figure) {
	s := f.sweepFigure(engine.Settings{"counts": "uniform"}, ratioTable{"mars": {10: 1.15, 60: 1.15, 100: 1.15},
		"mares": {10: 1.48, 100: 1.88}})
	base := f.jobSweep(nil)
	f.minus("there is only a tiny difference between HUWF and HJWF: HJWF less HUWF, on average", near(0, tolerance),
		s.average("hjwf", stopped), s.average("huwf", stopped))
	for i, a := range []string{"mars", "huwf", "hjwf"} {
		f.minus(label[a]+" changes against random numbers of tasks (ε = 0.3)",
			near([]float64{-0.17, -0.2, -0.2}[i], tolerance), s.average(a, stopped), base.average(a, stopped))
	}
}

func fig9(f *figure) {
	s := f.sweepFigure(engine.Settings{"times": "uniform"}, nil)
	limits := map[float64]float64{10: 1.08, 60: 1.02, 100: 1.02}
	for _, m := range jobModes {
		for _, x := range slices.Sorted(maps.Keys(limits)) {
			if ours := s.ratio("mars", m, x); ours != nil {
				f.claim(m.states(fmt.Sprintf("MarS at %s", number(x)+" jobs")), atMost(limits[x], limitTolerance), ours)
			}
		}
		f.minus(m.states("average gap between MarS and MARES"), near(0.35, tolerance),
			s.average("mares", m), s.average("mars", m))
	}
	counts := f.jobSweep(engine.Settings{"counts": "uniform"})
	for _, a := range jobAlgorithms {
		f.minus(label[a]+" is lower than in Fig. 8, where numbers of tasks are uniform (ε = 0.3)", atMost(0, 0),
			s.average(a, stopped), counts.average(a, stopped))
	}
}

func fig10(f *figure) {
	s := f.sweepFigure(engine.Settings{"machines": "100"}, ratioTable{"mars": {10: 1.09, 100: 1.01}})
	for i, a := range jobAlgorithms[1:] {
		if ours := s.ratio(a, stopped, 100); ours != nil {
			f.minus(label[a]+" above MarS at 100 jobs (ε = 0.3)", near([]float64{0.42, 0.75, 0.79}[i], tolerance), ours,
				s.ratio("mars", stopped, 100))
		}
		f.rising(label[a]+" grows with the number of jobs (ε = 0.3)", "", s.curve(a, stopped, 0))
	}
}

func fig11(f *figure) { f.ordered("increasing", []float64{0, 0, 0.1, 0.1}) }

func fig12(f *figure) {
	s, base := f.ordered("decreasing", []float64{0, 0})
	s.order("HUWF is below MARES", "huwf", "mares")
	f.minus("HJWF is worse than in the random scenario (ε = 0.3)", atLeast(0, 0), s.average("hjwf", stopped),
		base.average("hjwf", stopped))
}

// ordered is a sweep with ordered unit weights, and the random scenario; shares are the published relative increases of
// the first algorithms' ratios over the random scenario.
func (f *figure) ordered(order string, shares []float64) (s, base *series) {
	s, base = f.sweepFigure(engine.Settings{"uw-order": order}, nil), f.jobSweep(nil)
	for k, share := range shares {
		a := jobAlgorithms[k]
		here, random := s.average(a, stopped), base.average(a, stopped)
		f.compared(label[a]+" changes by this share of its ratio in the random scenario (ε = 0.3)", near(share, tolerance),
			here.Minus(random).Times(1/random.Mean()), here, random)
	}
	return s, base
}

// fig14 plans with wrong processing times. HJWF ignores them, so that it loses nothing.
func fig14(f *figure) {
	s := &series{f, steps(0, 0.2, 1), jobModes, func(x float64, m mode) scenario {
		return scenario{preset: "mars", generate: engine.Settings{"jobs": number(float64(f.jobsMax))},
			params: with(m.params, engine.Settings{"prediction-error": number(x)})}
	}}
	s.curves(jobAlgorithms)
	for _, m := range s.modes {
		for _, a := range jobAlgorithms[:3] {
			f.minus(m.states(label[a]+" loses at an error of 100 %"), atMost(0.09, limitTolerance),
				s.ratio(a, m, 1), s.ratio(a, m, 0))
		}
	}
	s.marsBelow("")
}

// fig17 compares schedulers that learn of arrivals at multiples of an interval. All ratios are against the bound of the
// true releases.
func fig17(f *figure) {
	published := map[string]float64{"so-mars": 1.09, "mares": 1.35, "huwf": 1.63, "hjwf": 1.75}
	base := scenario{preset: "mars", generate: engine.Settings{"jobs": number(float64(f.jobsMax))}}
	intervals := []float64{10, 25, 50, 75, 100}
	for _, m := range jobModes {
		var curves []report.Curve
		for color, a := range batchAlgorithms {
			c := f.add(newCurve(label[a]+", "+m.name, m.style, color, intervals, func(x float64) samples {
				online, late := base.using(m.params).using(engine.Settings{"batch-interval": number(x), "plan": "batches"}),
					base.using(m.params)
				late.batch = x
				if a != "mares" {
					late = online
				}
				return f.costs(late, a).Over(f.bounds(online, "so-mars"))
			}))
			curves = append(curves, c)
			if a == "so-mars" {
				f.claim(m.states(label[a]+" at 100 s"), atMost(1.19, limitTolerance), c.At(100))
			}
			f.claim(m.states(label[a]+" at 50 s"), near(published[a], tolerance), c.At(50))
		}
		f.below(m.states("SO-MarS is below the others"), curves[0], curves[1:]...)
	}
	for color, a := range batchAlgorithms {
		f.marks(label[a], color, map[float64]float64{50: published[a]})
	}
}
