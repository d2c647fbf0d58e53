package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// jobCounts are the numbers of jobs of Figs. 7–12; the paper has every multiple of ten.
var jobCounts = []float64{10, 20, 40, 60, 80, 100}

// neverIdle are MarS's and HUWF's orders on machines that never wait for a task; the paper has neither.
var neverIdle = []string{"mars-list", "wspt-list"}

// jobSweep is the comparison over numbers of jobs that Figs. 7–12 make, measured.
func jobSweep(f *figure, generate engine.Settings) (*series, error) {
	s := &series{f, upTo(f.jobsMax, jobCounts), jobModes,
		func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: with(generate, engine.Settings{"jobs": number(x)}), params: m.params,
				algorithms: append(slices.Clone(jobAlgorithms), neverIdle...)}
		}}
	return s, s.run()
}

// sweepFigure measures and draws a sweep and judges the published values, which are for ε = 0.3.
func sweepFigure(f *figure, generate engine.Settings, v ratioTable) (*series, error) {
	if f.jobsMax < 10 {
		return nil, engine.Usagef("--jobs-max %d: this figure starts at 10 jobs", f.jobsMax)
	}
	s, err := jobSweep(f, generate)
	if err != nil {
		return nil, err
	}
	f.axes("jobs", "TWJCT / LP bound")
	s.state("mars", generate, jobAlgorithms)
	f.Parameters["jobs"] = s.xs
	s.curves(jobAlgorithms)
	for k, a := range neverIdle {
		f.draw(s.curve(a, exactLP, len(jobAlgorithms)+k))
	}
	s.published(jobAlgorithms, v, "jobs", stopped, exactLP, "; the paper states no delay factor (1.3 here) and draws "+
		"other instances")
	s.marsBelow("")
	s.order(ours+"MarS is below HUWF's order on machines that never wait", "mars", []string{"wspt-list"},
		"HUWF as published keeps machines idle for tasks that are not available yet; "+s.course("huwf", "wspt-list"))
	return s, nil
}

func fig7(f *figure) error {
	mars := map[float64]float64{10: 1.32, 20: 1.39, 60: 1.38, 100: 1.38}
	s, err := sweepFigure(f, nil, ratioTable{"mars": mars, "mares": {10: 1.58, 20: 1.96, 100: 1.96},
		"huwf": {10: 1.77, 20: 2.17, 100: 2.17}, "hjwf": {10: 1.86, 20: 2.25, 100: 2.25}})
	if err != nil {
		return err
	}
	if err := s.formulations(mars); err != nil {
		return err
	}
	for _, u := range []string{"huwf", "hjwf"} {
		s.order("MARES is below "+label[u], "mares", []string{u}, s.course("mares", u))
	}
	for _, m := range s.modes {
		var all samples
		for _, x := range s.xs {
			all = append(all, s.ratio("mars", m, x)...)
		}
		f.never("MarS stays less than 0.4 above the bound, on every instance ("+m.name+")", 1.4, all,
			"the theorem says 3/(1−ε) where no map is longer than a reduce of its job, else 4/(1−ε)")
		s.lead(m)
	}
	return nil
}

// lead claims the distance between MarS and MARES, the next, at 20 jobs or more.
func (s *series) lead(m mode) {
	gaps := newCurve("MARES less MarS", report.Main, 0, inRange(s.xs, 20, math.Inf(1)), func(x float64) samples {
		return s.ratio("mares", m, x).Minus(s.ratio("mars", m, x))
	})
	if gaps.Points == nil {
		return
	}
	least := extreme(gaps, -1)
	s.everywhere("the other algorithms are over 0.4 above MarS from 20 jobs on, here MARES ("+m.name+")", "≥ 0.4", gaps,
		0.4, math.Inf(1), "least at %g jobs: %s", least.X, interval(least.Samples, ""))
}

// fewJobs is the number of jobs up to which the paper's form of the LP with every violated row takes seconds.
const fewJobs = 20

// formulations adds MarS from the paper's own form of the LP, where that is feasible.
func (s *series) formulations(v map[float64]float64) error {
	few := &series{s.figure, upTo(fewJobs, s.xs), []mode{asPublished}, func(x float64, m mode) scenario {
		sc := s.scenario(x, m)
		sc.algorithms = []string{"mars"}
		return sc
	}}
	if err := few.run(); err != nil {
		return err
	}
	s.draw(few.curve("mars", asPublished, len(jobAlgorithms)+1))
	s.Parameters["runs"].(map[string]engine.Settings)[asPublished.name] = asPublished.params
	for _, x := range few.xs {
		s.near(fmt.Sprintf("MarS at %s (%s)", at(x, "jobs"), asPublished.name), v[x], tolerance,
			few.ratio("mars", asPublished, x), "the collapsed LP, stopped at the same ε by its most violated rows, gives "+
				"%.3f: it is another of many optimal points", s.ratio("mars", stopped, x).Mean())
	}
	return nil
}

func fig8(f *figure) error {
	s, err := sweepFigure(f, engine.Settings{"counts": "uniform"}, ratioTable{"mars": {10: 1.15, 60: 1.15, 100: 1.15},
		"mares": {10: 1.48, 100: 1.88}})
	if err != nil {
		return err
	}
	base, err := jobSweep(f, nil)
	if err != nil {
		return err
	}
	f.near("there is only a tiny difference between HUWF and HJWF: HJWF less HUWF, on average", 0, tolerance,
		s.average(func(x float64) samples { return s.ratio("hjwf", stopped, x).Minus(s.ratio("huwf", stopped, x)) }), "%s",
		s.course("huwf", "hjwf"))
	for i, a := range []string{"mars", "huwf", "hjwf"} {
		ours, why := s.change(base, a)
		f.near(label[a]+" changes against random numbers of tasks (ε = 0.3)", []float64{-0.17, -0.2, -0.2}[i], tolerance,
			ours, "%s", why)
	}
	return nil
}

func fig9(f *figure) error {
	s, err := sweepFigure(f, engine.Settings{"times": "uniform"}, nil)
	if err != nil {
		return err
	}
	limits := map[float64]float64{10: 1.08, 60: 1.02, 100: 1.02}
	for i, m := range jobModes {
		for _, x := range slices.Sorted(maps.Keys(limits)) {
			if ours := s.ratio("mars", m, x); ours != nil {
				f.atMost(fmt.Sprintf("MarS at %s (%s)", at(x, "jobs"), m.name), limits[x], 0.005, ours, "%s", s.compareModes("mars",
					x, m, jobModes[1-i]))
			}
		}
		f.near(fmt.Sprintf("average gap between MarS and MARES (%s)", m.name), 0.35, tolerance,
			s.average(func(x float64) samples { return s.ratio("mares", m, x).Minus(s.ratio("mars", m, x)) }), "mean over the "+
				"numbers of jobs")
	}
	if err := s.unreachable(limits); err != nil {
		return err
	}
	counts, err := jobSweep(f, engine.Settings{"counts": "uniform"})
	if err != nil {
		return err
	}
	for _, a := range jobAlgorithms {
		ours, _ := s.change(counts, a)
		f.atMost(label[a]+" is lower than in Fig. 8, where numbers of tasks are uniform (ε = 0.3)", 0, 0, ours,
			"%.3f here and %.3f there, on average", s.overall(a, stopped), counts.overall(a, stopped))
	}
	return nil
}

// unreachable compares published ratios to the LP with a stronger bound, which no schedule can beat.
func (s *series) unreachable(published map[float64]float64) error {
	stronger := func(x float64) scenario {
		sc := s.scenario(x, mode{"", engine.Settings{"bound": "two-sided"}, ""})
		sc.algorithms = []string{"mars"}
		return sc
	}
	for _, x := range inRange(s.xs, 60, math.Inf(1)) {
		limit, ok := published[x]
		if !ok {
			continue
		}
		if err := s.figure.run(stronger(x)); err != nil {
			return err
		}
		proven := s.each(stronger(x), "mars", func(r reading) float64 { return r.strongest })
		s.atLeast(fmt.Sprintf("%sno schedule is as good as published at %g jobs: the two-sided bound over the LP's", ours, x),
			limit, 0, proven.Over(s.bounds(s.scenario(x, exactLP), "mars")), "the LP lets all machines work on one job; the "+
				"two-sided bound counts the work before and after each task")
	}
	return nil
}

func fig10(f *figure) error {
	stated := map[float64]float64{10: 1.09, 100: 1.01}
	s, err := sweepFigure(f, engine.Settings{"machines": "100"}, ratioTable{"mars": stated})
	if err != nil {
		return err
	}
	if err := s.unreachable(stated); err != nil {
		return err
	}
	for i, a := range jobAlgorithms[1:] {
		if ours := s.ratio(a, stopped, 100); ours != nil {
			f.near(label[a]+" above MarS at 100 jobs (ε = 0.3)", []float64{0.42, 0.75, 0.79}[i], tolerance,
				ours.Minus(s.ratio("mars", stopped, 100)), "%s", s.compareModes(a, 100, stopped, exactLP))
		}
		f.rising(label[a]+" grows with the number of jobs (ε = 0.3)", "", s.curve(a, stopped, 0))
	}
	return nil
}

func fig11(f *figure) error {
	_, _, err := ordered(f, "increasing", map[string]float64{"mars": 0, "mares": 0, "huwf": 0.1, "hjwf": 0.1})
	return err
}

func fig12(f *figure) error {
	s, base, err := ordered(f, "decreasing", map[string]float64{"mars": 0, "mares": 0})
	if err != nil {
		return err
	}
	s.order("HUWF is below MARES", "huwf", []string{"mares"},
		"HUWF's order is then the order of releases; "+s.course("huwf", "mares"))
	ours, why := s.change(base, "hjwf")
	f.atLeast("HJWF is worse than in the random scenario (ε = 0.3)", 0, 0, ours, "%s", why)
	return nil
}

// ordered is a sweep with ordered unit weights, and the random scenario; shares are the published relative increases of
// the algorithms' ratios over the random scenario.
func ordered(f *figure, order string, shares map[string]float64) (s, base *series, err error) {
	if s, err = sweepFigure(f, engine.Settings{"uw-order": order}, nil); err != nil {
		return nil, nil, err
	}
	if base, err = jobSweep(f, nil); err != nil {
		return nil, nil, err
	}
	for _, a := range jobAlgorithms {
		if share, ok := shares[a]; ok {
			ours, why := s.change(base, a)
			random := base.overall(a, stopped)
			f.near(label[a]+" changes by this share of its ratio in the random scenario (ε = 0.3)", share, tolerance,
				ours.Map(func(x float64) float64 { return x / random }), "%s", why)
		}
	}
	return s, base, nil
}

// fig14 plans with wrong processing times.
func fig14(f *figure) error {
	generate := engine.Settings{"jobs": number(float64(f.jobsMax))}
	s := &series{f, steps(0, 0.2, 1), jobModes, func(x float64, m mode) scenario {
		return scenario{preset: "mars", generate: generate, algorithms: jobAlgorithms, params: with(m.params,
			engine.Settings{"prediction-error": number(x)})}
	}}
	if err := s.run(); err != nil {
		return err
	}
	f.axes("largest prediction error", "TWJCT / LP bound with true times")
	s.state("mars", generate, jobAlgorithms)
	f.Parameters["prediction-error"] = s.xs
	s.curves(jobAlgorithms)
	for _, m := range s.modes {
		for _, a := range jobAlgorithms[:3] { // HJWF ignores processing times, so it loses nothing
			right, wrong := s.ratio(a, m, 0), s.ratio(a, m, 1)
			f.atMost(fmt.Sprintf("%s loses at an error of 100 %% (%s)", label[a], m.name), 0.09, 0.005, wrong.Minus(right),
				"from %.3f to %.3f; the planned order is run with the true times", right.Mean(), wrong.Mean())
		}
	}
	s.marsBelow("")
	return nil
}

// batchAlgorithms learn of jobs in batches: SO-MarS by itself, the others by releases moved to the batch's end.
// batchPublished are their ratios at 50 s.
var (
	batchAlgorithms = []string{"so-mars", "mares", "huwf", "hjwf"}
	batchPublished  = map[string]float64{"so-mars": 1.09, "mares": 1.35, "huwf": 1.63, "hjwf": 1.75}
)

// fig17 compares schedulers that learn of arrivals at multiples of an interval. All ratios are against the bound
// of the true releases.
func fig17(f *figure) error {
	whole := engine.Settings{"jobs": number(float64(f.jobsMax))}
	s := &series{f, []float64{10, 25, 50, 75, 100}, jobModes,
		func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: whole, algorithms: batchAlgorithms[:1], params: with(m.params,
				engine.Settings{"batch-interval": number(x)})}
		}}
	late := *s
	late.scenario = func(x float64, m mode) scenario {
		return scenario{preset: "mars", generate: whole, params: m.params, algorithms: batchAlgorithms[1:], batch: x}
	}
	for _, part := range []*series{s, &late} {
		if err := part.run(); err != nil {
			return err
		}
	}
	f.axes("batch interval, seconds", "TWJCT / LP bound")
	s.state("mars", whole, batchAlgorithms)
	f.Parameters["batch-interval"] = s.xs
	for _, m := range s.modes {
		var curves []report.Curve
		for color, a := range batchAlgorithms {
			of := &late
			if a == "so-mars" {
				of = s
			}
			curves = append(curves, f.draw(newCurve(label[a]+", "+m.name, m.style, color, s.xs,
				func(x float64) samples {
					return f.costs(of.scenario(x, m), a).Over(f.bounds(s.scenario(x, m), "so-mars"))
				})))
		}
		batchClaims(f, m, curves)
	}
	for color, a := range batchAlgorithms {
		f.marks(label[a], color, map[float64]float64{50: batchPublished[a]})
	}
	return nil
}

func batchClaims(f *figure, m mode, curves []report.Curve) {
	for k, a := range batchAlgorithms {
		c := curves[k]
		why := "the paper's values lie below those of its Fig. 7 (MARES 1.96, HUWF 2.17, HJWF 2.25), so its set-up is " +
			"another one here"
		if a == "so-mars" {
			why = "a job waits half an interval on average before it is planned at all"
			f.atMost(label[a]+" at 100 s ("+m.name+")", 1.19, 0.005, c.At(100), "%s", why)
		}
		f.near(fmt.Sprintf("%s at 50 s (%s)", label[a], m.name), batchPublished[a], tolerance, c.At(50),
			"%.3f at 10 s and %.3f at 100 s; %s", c.At(10).Mean(), c.At(100).Mean(), why)
	}
	f.below("SO-MarS is below the others ("+m.name+")", curves[0], curves[1:], in("s"), "")
}

// thresholdSeries is MarS over stop thresholds of Figs. 5 and 6, by its most violated rows and by every one.
func thresholdSeries(f *figure) (list []*series, err error) {
	jobs, few := number(float64(min(100, f.jobsMax))), number(float64(min(30, f.jobsMax)))
	all := series{figure: f, modes: []mode{
		{jobs + " jobs, most violated rows", engine.Settings{"bound": "lp"}, report.Main},
		{few + " jobs, every violated row", engine.Settings{"bound": "lp", "separation": "every"}, report.Alternative}}}
	for i, n := range []string{jobs, few} {
		s := &series{f, steps(0.1, 0.1, 0.5), all.modes[i : i+1],
			func(x float64, m mode) scenario {
				return scenario{preset: "mars", generate: engine.Settings{"jobs": n}, algorithms: []string{"mars"},
					params: with(m.params, engine.Settings{"epsilon": number(x)})}
			}}
		if err := s.run(); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	all.state("mars", engine.Settings{}, []string{"mars"})
	return list, nil
}

func fig5(f *figure) error {
	both, err := thresholdSeries(f)
	if err != nil {
		return err
	}
	f.axes("stop threshold ε", "TWJCT / LP bound of the same ε")
	for color, s := range both {
		m := s.modes[0]
		f.draw(s.curve("mars", m, color))
		low, high := s.scenario(s.xs[0], m), s.scenario(s.xs[4], m)
		loss := f.ratios(high, "mars").Minus(f.ratios(low, "mars"))
		why := fmt.Sprintf("the bound falls by %.1f %% and the schedule grows by %.1f %% between ε = 0.1 and 0.5",
			-100*(f.bounds(high, "mars").Over(f.bounds(low, "mars")).Mean()-1),
			100*(f.costs(high, "mars").Over(f.costs(low, "mars")).Mean()-1))
		f.atLeast("the ratio grows from ε = 0.1 to 0.5 by ("+m.name+")", 0, 0, loss, "%s", why)
		f.atMost("that growth is small, read as a tenth at most ("+m.name+")", 0.1, 0, loss, "%s", why)
	}
	return nil
}

func fig6(f *figure) error {
	both, err := thresholdSeries(f)
	if err != nil {
		return err
	}
	f.axes("stop threshold ε", "LPs solved")
	for color, s := range both {
		m := s.modes[0]
		c := f.draw(newCurve(m.name, m.style, color, s.xs, func(x float64) samples {
			return f.each(s.scenario(x, m), "mars", func(r reading) float64 { return r.rounds })
		}))
		first, last := c.Points[0], c.Points[4]
		f.atMost("iterations at ε = 0.5 as a share of those at 0.1, read as a half at most ("+m.name+")", 0.5, 0,
			last.Samples.Over(first.Samples), "%.1f LPs at 0.1, %.1f at 0.3, %.1f at 0.5; how many rows an iteration adds "+
				"decides their number", first.Mean(), c.Points[2].Mean(), last.Mean())
	}
	return nil
}
