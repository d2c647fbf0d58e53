package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"

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

// The parameters of the LP that orders tasks and bounds the objective. The paper stops constraint generation at 0.3.
// Its own form of the LP has every violated row and a variable per task, which takes seconds for up to fewJobs jobs and
// hours for more. Under the task objective its inequality over sets of tasks is the weaker one, and ε stops the LP of
// H-MARES.
var (
	stopped     = engine.Settings{"bound": "lp", "epsilon": "0.3"}
	asPublished = with(stopped, engine.Settings{"formulation": "published", "separation": "every"})
	taskParams  = engine.Settings{"objective": "twtct", "bound": "lp", "inequality": "published", "epsilon": "0.3"}
)

const fewJobs = 20

func jobParams(jobs float64) engine.Settings {
	if jobs <= fewJobs {
		return asPublished
	}
	return stopped
}

// label is how the paper writes an algorithm's name.
var label = map[string]string{"mars": "MarS", "mares": "MARES", "huwf": "HUWF", "hjwf": "HJWF", "so-mars": "SO-MarS",
	"tmars": "T-MarS", "tmars-list": "T-MarS, never idle", "h-mares": "H-MARES", "stf": "STF", "htwf": "HTWF"}

// The paper's algorithms by objective, in the order of its legends; neverIdle is T-MarS's order on machines that never
// wait for a task, which the paper has not. Those of Fig. 17 plan batch by batch but for MARES: for it, releases move
// to the batch's end.
var (
	jobAlgorithms   = []string{"mars", "mares", "huwf", "hjwf"}
	taskAlgorithms  = []string{"tmars", "h-mares", "stf", "htwf"}
	batchAlgorithms = []string{"so-mars", "mares", "huwf", "hjwf"}
)

const neverIdle = "tmars-list"

// tolerance is how far from a published ratio ours may lie and still be called the same: the figures are read and
// quoted to about that. Limits are read more precisely.
const tolerance, limitTolerance = 0.05, 0.005

// jobCounts are the numbers of jobs of Figs. 7–12; the paper has every multiple of ten.
var jobCounts = []float64{10, 20, 40, 60, 100}

// ratioTable holds published ratios: by algorithm, by x.
type ratioTable map[string]map[float64]float64

// series is the scenarios of one figure, by x.
type series struct {
	*figure
	xs       []float64
	scenario func(x float64) scenario
}

// ratio is an algorithm's ratios at x; nil beyond the figure's range.
func (s *series) ratio(algorithm string, x float64) samples {
	if !slices.Contains(s.xs, x) {
		return nil
	}
	return s.ratios(s.scenario(x), algorithm)
}

// curve is an algorithm's ratios over all x.
func (s *series) curve(algorithm string, color int) report.Curve {
	return newCurve(label[algorithm], report.Main, color, s.xs, func(x float64) samples { return s.ratio(algorithm, x) })
}

// curves draws algorithms.
func (s *series) curves(algorithms ...string) {
	for color, a := range algorithms {
		s.add(s.curve(a, color))
	}
}

// published judges published ratios, and draws those that are within the figure's range.
func (s *series) published(algorithms []string, v ratioTable, unit string) {
	for color, a := range algorithms {
		inside := map[float64]float64{}
		for _, x := range slices.Sorted(maps.Keys(v[a])) {
			if ours := s.ratio(a, x); ours != nil {
				inside[x] = v[a][x]
				s.claim(fmt.Sprintf("%s at %s %s", label[a], number(x), unit), near(v[a][x], tolerance), ours)
			}
		}
		if len(inside) > 0 {
			s.marks(label[a], color, inside)
		}
	}
}

// order claims that the first algorithm lies below the others.
func (s *series) order(claim, lower string, uppers ...string) {
	var above []report.Curve
	for _, u := range uppers {
		above = append(above, s.curve(u, 0))
	}
	s.below(claim, s.curve(lower, 0), above...)
}

// marsBelow is the paper's main claim, tmarsBelow the one under the task objective.
func (s *series) marsBelow(where string) {
	s.order("MarS is below MARES, HUWF and HJWF"+where, "mars", jobAlgorithms[1:]...)
}

func (s *series) tmarsBelow(where string) {
	s.order("T-MarS is below H-MARES, STF and HTWF"+where, "tmars", taskAlgorithms[1:]...)
	s.order(ours+"T-MarS, never idle is below H-MARES, STF and HTWF"+where, neverIdle, taskAlgorithms[1:]...)
}

// average is an algorithm's mean ratio over the sweep, seed by seed.
func (s *series) average(algorithm string) samples {
	sums := make(samples, len(s.seeds))
	for _, x := range s.xs {
		for i, v := range s.ratio(algorithm, x) {
			sums[i] += v / float64(len(s.xs))
		}
	}
	return sums
}

// from is a sweep's figure, which starts at the first number of jobs.
func (f *figure) from(jobs int) {
	if f.JobsMax < jobs {
		must(engine.Usagef("--jobs-max %d: this figure starts at %d jobs", f.JobsMax, jobs))
	}
}

// jobs are the preset's jobs.
func (f *figure) jobs(n float64, generate, params engine.Settings) scenario {
	return scenario{preset: "mars", generate: with(generate, engine.Settings{"jobs": number(n)}), params: params}
}

// jobSweep is the comparison over numbers of jobs that Figs. 7–12 make.
func (f *figure) jobSweep(generate engine.Settings) *series {
	f.from(10)
	return &series{f, upTo(f.JobsMax, jobCounts), func(x float64) scenario { return f.jobs(x, generate, jobParams(x)) }}
}

// sweepFigure draws a sweep and judges the published values.
func (f *figure) sweepFigure(generate engine.Settings, v ratioTable) *series {
	s := f.jobSweep(generate)
	s.curves(jobAlgorithms...)
	s.published(jobAlgorithms, v, "jobs")
	s.marsBelow("")
	return s
}

// thresholds draws a reading of MarS over the stop thresholds of Figs. 5 and 6, and judges the last beside the first,
// under both readings of the stop test: to the letter, and ours.
func (f *figure) thresholds(claim string, judge func(text string, last, first samples), of func(scenario) samples) {
	jobs := float64(min(fewJobs, f.JobsMax))
	mark := ""
	for color, test := range []string{"literal", "raised"} {
		name := fmt.Sprintf("%g jobs, stop test %s", jobs, test)
		c := f.line(name, color, steps(0.1, 0.1, 0.5), func(x float64) samples {
			return of(f.jobs(jobs, nil, engine.Settings{"bound": "lp", "separation": "every", "stop-test": test,
				"epsilon": number(x)}))
		})
		judge(fmt.Sprintf("%s%s (%s)", mark, claim, name), c.Points[4].Samples, c.Points[0].Samples)
		mark = ours
	}
}

func fig5(f *figure) {
	f.thresholds("the ratio grows little from ε = 0.1 to 0.5, by a tenth at most",
		func(text string, last, first samples) { f.minus(text, atMost(0.1, 0), last, first) },
		func(s scenario) samples { return f.ratios(s, "mars") })
}

func fig6(f *figure) {
	f.thresholds("iterations at ε = 0.5 as a share of those at 0.1, read as a half at most",
		func(text string, last, first samples) { f.claim(text, atMost(0.5, 0), last.Over(first)) },
		func(s scenario) samples { return f.each(s, "mars", func(r reading) float64 { return r.rounds }) })
}

func fig7(f *figure) {
	s := f.sweepFigure(nil, ratioTable{"mars": {10: 1.32, 20: 1.39, 60: 1.38, 100: 1.38},
		"mares": {10: 1.58, 20: 1.96, 100: 1.96}, "huwf": {10: 1.77, 20: 2.17}, "hjwf": {10: 1.86, 20: 2.25}})
	for _, u := range []string{"huwf", "hjwf"} {
		s.order("MARES is below "+label[u], "mares", u)
	}
	var all samples
	for _, p := range s.curve("mars", 0).Points {
		all = append(all, p.Samples...)
	}
	f.claim("MarS stays less than 0.4 above the bound, on every instance", report.Never(1.4), all)
	if xs := inRange(s.xs, 20, math.Inf(1)); len(xs) > 0 {
		f.below("the other algorithms are over 0.4 above MarS from 20 jobs on, here MARES",
			newCurve("", report.Main, 0, xs, func(x float64) samples { return s.ratio("mars", x).Plus(0.4) }),
			s.curve("mares", 0))
	}
}

func fig8(f *figure) {
	s := f.sweepFigure(engine.Settings{"counts": "uniform"}, ratioTable{"mars": {10: 1.15, 60: 1.15, 100: 1.15},
		"mares": {10: 1.48, 100: 1.88}})
	base := f.jobSweep(nil)
	f.minus("there is only a tiny difference between HUWF and HJWF: HJWF less HUWF, on average", near(0, tolerance),
		s.average("hjwf"), s.average("huwf"))
	for i, a := range []string{"mars", "huwf", "hjwf"} {
		f.minus(label[a]+" changes against random numbers of tasks", near([]float64{-0.17, -0.2, -0.2}[i], tolerance),
			s.average(a), base.average(a))
	}
}

func fig9(f *figure) {
	s := f.sweepFigure(engine.Settings{"times": "uniform"}, nil)
	limits := map[float64]float64{10: 1.08, 60: 1.02, 100: 1.02}
	for _, x := range slices.Sorted(maps.Keys(limits)) {
		if ours := s.ratio("mars", x); ours != nil {
			f.claim(fmt.Sprintf("MarS at %g jobs", x), atMost(limits[x], limitTolerance), ours)
		}
	}
	f.minus("average gap between MarS and MARES", near(0.35, tolerance), s.average("mares"), s.average("mars"))
	counts := f.jobSweep(engine.Settings{"counts": "uniform"})
	for _, a := range jobAlgorithms {
		f.minus(label[a]+" is lower than in Fig. 8, where numbers of tasks are uniform", atMost(0, 0), s.average(a),
			counts.average(a))
	}
}

func fig10(f *figure) {
	s := f.sweepFigure(engine.Settings{"machines": "100"}, ratioTable{"mars": {10: 1.09, 100: 1.01}})
	base := f.jobSweep(nil)
	for i, a := range jobAlgorithms[1:] {
		if ours := s.ratio(a, 100); ours != nil {
			f.minus(label[a]+" above MarS at 100 jobs", near([]float64{0.42, 0.75, 0.79}[i], tolerance), ours,
				s.ratio("mars", 100))
		}
		f.rising(label[a]+" grows with the number of jobs", s.curve(a, 0))
		f.minus(label[a]+" is lower than on 50 machines (Fig. 7)", atMost(0, 0), s.average(a), base.average(a))
	}
}

func fig11(f *figure) { f.ordered("increasing", []float64{0, 0, 0.1, 0.1}) }

func fig12(f *figure) {
	s, base := f.ordered("decreasing", []float64{0, 0})
	s.order("HUWF is below MARES", "huwf", "mares")
	f.minus("HJWF is worse than in the random scenario", atLeast(0, 0), s.average("hjwf"), base.average("hjwf"))
}

// ordered is a sweep with ordered unit weights, and the random scenario; shares are the published relative increases of
// the first algorithms' ratios over the random scenario.
func (f *figure) ordered(order string, shares []float64) (s, base *series) {
	s, base = f.sweepFigure(engine.Settings{"uw-order": order}, nil), f.jobSweep(nil)
	for k, share := range shares {
		here, random := s.average(jobAlgorithms[k]), base.average(jobAlgorithms[k])
		f.claim(label[jobAlgorithms[k]]+" changes by this share of its ratio in the random scenario",
			near(share, tolerance), here.Minus(random).Times(1/random.Mean()))
	}
	return s, base
}

// openJobs are the jobs of Figs. 14 and 17, whose number the paper does not state. With fewer, too, the LP is that of
// many jobs.
const openJobs = 60

// fig14 plans with wrong processing times. HJWF ignores them, so that it loses nothing.
func fig14(f *figure) {
	jobs := float64(min(openJobs, f.JobsMax))
	s := &series{f, []float64{0, 0.5, 1}, func(x float64) scenario {
		s := f.jobs(jobs, nil, stopped)
		if x > 0 {
			s.plan = engine.Settings{"prediction-error": number(x)}
		}
		return s
	}}
	s.curves(jobAlgorithms...)
	for _, a := range jobAlgorithms[:3] {
		f.minus(label[a]+" loses at an error of 100 %", atMost(0.09, limitTolerance), s.ratio(a, 1), s.ratio(a, 0))
	}
	s.marsBelow("")
}

// fig17 compares schedulers that learn of arrivals at multiples of an interval. All ratios are against the bound of the
// true releases.
func fig17(f *figure) {
	published := map[string]float64{"so-mars": 1.09, "mares": 1.35, "huwf": 1.63, "hjwf": 1.75}
	jobs, intervals := float64(min(openJobs, f.JobsMax)), []float64{10, 25, 50, 75, 100}
	var curves []report.Curve
	for color, a := range batchAlgorithms {
		c := f.line(label[a], color, intervals, func(x float64) samples {
			online := f.jobs(jobs, nil, stopped)
			if a == "mares" {
				online.batch = x
			} else {
				online.plan = engine.Settings{"batch-interval": number(x), "plan": "batches"}
			}
			return f.costs(online, a).Over(f.bounds(online, "huwf"))
		})
		curves = append(curves, c)
		limit := atLeast(1.53, limitTolerance)
		if color == 0 {
			limit = atMost(1.19, limitTolerance)
		}
		f.claim(label[a]+" at 100 s", limit, c.At(100))
		f.claim(label[a]+" at 50 s", near(published[a], tolerance), c.At(50))
		f.marks(label[a], color, map[float64]float64{50: published[a]})
	}
	f.below("SO-MarS is below the others", curves[0], curves[1:]...)
}
