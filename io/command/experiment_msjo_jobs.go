package command

import (
	"fmt"
	"slices"

	"mrsched/io/report"
)

// thresholds are the scenarios of Figs. 5 and 6: MarS over stop thresholds.
func thresholds(l *lab) (main, every *series) {
	jobs := number(float64(min(100, l.jobsMax)))
	few := number(float64(min(50, l.jobsMax)))
	over := func(jobs string, m mode) *series {
		return &series{l: l, xs: steps(0, 0.1, 0.5), modes: []mode{m}, scenario: func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: settings{"jobs": jobs}, params: with(m.params, settings{"epsilon": number(x)}),
				algorithms: []string{"mars"}}
		}}
	}
	return over(jobs, mode{jobs + " jobs, most violated rows", settings{"bound": "lp"}, report.Main}),
		over(few, mode{few + " jobs, every violated row", settings{"bound": "lp", "separation": "every"}, report.Alternative})
}

func thresholdFigure(l *lab, f *report.Figure, what string) ([]*series, error) {
	main, every := thresholds(l)
	for _, s := range []*series{main, every} {
		if err := s.run(); err != nil {
			return nil, err
		}
	}
	f.Source, f.XLabel, f.YLabel = marsSource+", "+what, "stop threshold ε", "TWJCT / LP bound of the same ε"
	describeRun(f, "mars", settings{}, []mode{main.modes[0], every.modes[0]}, []string{"mars"})
	return []*series{main, every}, nil
}

func fig5(l *lab, f *report.Figure) error {
	both, err := thresholdFigure(l, f, "Fig. 5")
	if err != nil {
		return err
	}
	for color, s := range both {
		m := s.modes[0]
		f.Curves = append(f.Curves, s.curve("mars", m, color))
		loss := report.Difference(s.at("mars", m, s.xs[5]), s.at("mars", m, s.xs[1]))
		why := fmt.Sprintf("the bound falls by %.1f %% and the schedule grows by %.1f %% between ε = 0.1 and 0.5; at ε = 0 the ratio is %.3f",
			-100*(report.Mean(report.Quotient(s.l.bounds(s.scenario(s.xs[5], m), "mars"), s.l.bounds(s.scenario(s.xs[1], m), "mars")))-1),
			100*(report.Mean(report.Quotient(s.l.costs(s.scenario(s.xs[5], m), "mars"), s.l.costs(s.scenario(s.xs[1], m), "mars")))-1),
			report.Mean(s.at("mars", m, 0)))
		f.Claims = append(f.Claims,
			report.AtLeast("the ratio grows from ε = 0.1 to 0.5 by ("+m.name+")", 0, 0, loss, why),
			report.AtMost("that growth is small, read as a tenth at most ("+m.name+")", 0.1, 0, loss, why))
	}
	return nil
}

func fig6(l *lab, f *report.Figure) error {
	both, err := thresholdFigure(l, f, "Fig. 6")
	if err != nil {
		return err
	}
	f.YLabel = "LPs solved"
	for color, s := range both {
		m := s.modes[0]
		rounds := func(x float64) []float64 {
			return l.each(s.scenario(x, m), "mars", func(r reading) float64 { return r.rounds })
		}
		c := report.Curve{Name: m.name, Style: m.style, Color: color}
		for _, x := range s.xs[1:] { // at ε = 0 other rows are added: those that the first-order method finds
			c.Points = append(c.Points, report.Point{X: x, Samples: rounds(x)})
		}
		f.Curves = append(f.Curves, c)
		f.Claims = append(f.Claims, report.AtMost("iterations at ε = 0.5 as a share of those at 0.1, read as a half at most ("+m.name+")", 0.5, 0,
			report.Quotient(rounds(s.xs[5]), rounds(s.xs[1])),
			fmt.Sprintf("%.1f LPs at 0.1, %.1f at 0.3, %.1f at 0.5; how many rows an iteration adds decides their number",
				report.Mean(rounds(s.xs[1])), report.Mean(rounds(s.xs[3])), report.Mean(rounds(s.xs[5])))))
	}
	return nil
}

// sweep is the comparison over numbers of jobs that Figs. 7–12 make.
func sweep(l *lab, generate settings) *series {
	return &series{l: l, xs: steps(10, 10, float64(min(100, l.jobsMax))), modes: []mode{exactLP, stopped},
		scenario: func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: with(generate, settings{"jobs": number(x)}), params: m.params,
				algorithms: append(slices.Clone(jobAlgorithms), "mars-list")}
		}}
}

// sweepFigure measures and draws a sweep and judges the published values, which are for ε = 0.3.
func sweepFigure(l *lab, f *report.Figure, source string, generate settings, v values) (*series, error) {
	if l.jobsMax < 10 {
		return nil, usagef("--jobs-max %d: this figure starts at 10 jobs", l.jobsMax)
	}
	s := sweep(l, generate)
	if err := s.run(); err != nil {
		return nil, err
	}
	f.Source, f.XLabel, f.YLabel = marsSource+", "+source, "jobs", "TWJCT / LP bound"
	describeRun(f, "mars", generate, s.modes, jobAlgorithms)
	f.Parameters["jobs"] = s.xs
	s.curves(f, jobAlgorithms)
	f.Curves = append(f.Curves, s.curve("mars-list", exactLP, len(jobAlgorithms)))
	s.near(f, jobAlgorithms, v, "jobs", stopped, exactLP, "; the paper states no delay factor (1.3 here) and draws other instances")
	s.order(f, "MarS is below MARES, HUWF and HJWF", "mars", jobAlgorithms[1:], "")
	return s, nil
}

func fig7(l *lab, f *report.Figure) error {
	s, err := sweepFigure(l, f, "Fig. 7", nil, values{
		"mars": {10: 1.32, 20: 1.39, 50: 1.38, 100: 1.38}, "mares": {10: 1.58, 20: 1.96},
		"huwf": {10: 1.77, 20: 2.17}, "hjwf": {10: 1.86, 20: 2.25}})
	if err != nil {
		return err
	}
	if err := s.formulations(f); err != nil {
		return err
	}
	for _, u := range []string{"huwf", "hjwf"} {
		s.order(f, "MARES is below "+label[u], "mares", []string{u}, "")
	}
	for _, m := range s.modes {
		var worst []float64
		for _, x := range s.xs {
			worst = append(worst, slices.Max(s.at("mars", m, x)))
		}
		f.Claims = append(f.Claims, report.AtMost("MarS on every instance ("+m.name+")", 1.4, 0, []float64{slices.Max(worst)}, "the theorem says 3/(1−ε) where no map is longer than a reduce, else 4/(1−ε)"))
		s.lead(f, m, "mares", 0.4, "the other algorithms are over 0.4 above MarS from 20 jobs on")
	}
	return nil
}

// lead claims a distance between MarS and an algorithm, at 20 jobs or more on average.
func (s *series) lead(f *report.Figure, m mode, algorithm string, least float64, claim string) {
	var gaps []float64
	for _, x := range s.xs {
		if x >= 20 {
			gaps = append(gaps, report.Mean(report.Difference(s.at(algorithm, m, x), s.at("mars", m, x))))
		}
	}
	if gaps != nil {
		f.Claims = append(f.Claims, report.AtLeast(claim+", here "+label[algorithm]+" ("+m.name+")", least, tolerance, gaps, "spread over the numbers of jobs"))
	}
}

// fewJobs is up to how many jobs the paper's form of the LP with every violated row takes seconds.
const fewJobs = 20

// formulations adds MarS from the paper's own form of the LP, where that is feasible.
func (s *series) formulations(f *report.Figure) error {
	few := *s
	few.modes = []mode{asPublished}
	few.xs = slices.DeleteFunc(slices.Clone(s.xs), func(x float64) bool { return x > fewJobs })
	few.scenario = func(x float64, m mode) scenario {
		sc := s.scenario(x, m)
		sc.algorithms = []string{"mars"}
		return sc
	}
	if err := few.run(); err != nil {
		return err
	}
	f.Curves = append(f.Curves, few.curve("mars", asPublished, len(jobAlgorithms)+1))
	f.Parameters["runs"].(map[string]settings)[asPublished.name] = asPublished.params
	for x, v := range map[float64]float64{10: 1.32, 20: 1.39} {
		if ours := few.at("mars", asPublished, x); ours != nil {
			f.Claims = append(f.Claims, report.Near(fmt.Sprintf("MarS at %s (%s)", at(x, "jobs"), asPublished.name), v, tolerance, ours,
				fmt.Sprintf("the collapsed LP stopped at the same ε gives %.3f: the LP has many optimal points, and a stopped one even more; only the paper's rows give the paper's order",
					report.Mean(s.at("mars", stopped, x)))))
		}
	}
	slices.SortStableFunc(f.Claims, func(a, b report.Claim) int { return 0 })
	return nil
}

// change claims how an algorithm's ratio changes against the random scenario of Fig. 7, on average over the sweep.
func (s *series) change(f *report.Figure, base *series, algorithm string, m mode, judge func(ours []float64, why string) report.Claim) {
	mean := func(of *series) []float64 {
		sums := make([]float64, len(s.l.seeds))
		for _, x := range s.xs {
			for i, v := range of.at(algorithm, m, x) {
				sums[i] += v / float64(len(s.xs))
			}
		}
		return sums
	}
	here, there := mean(s), mean(base)
	f.Claims = append(f.Claims, judge(report.Difference(here, there), fmt.Sprintf("%s averages %.3f here and %.3f in the random scenario, %s", label[algorithm],
		report.Mean(here), report.Mean(there), m.name)))
}
