package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// jobCounts are the numbers of jobs of Figs. 7–12; the paper has every multiple of ten.
var jobCounts = []float64{10, 20, 40, 60, 80, 100}

// jobSweep is the comparison over numbers of jobs that Figs. 7–12 make.
func jobSweep(l *Lab, generate engine.Settings) *series {
	counts := slices.DeleteFunc(slices.Clone(jobCounts), func(n float64) bool { return n > float64(l.jobsMax) })
	return &series{l: l, xs: counts, modes: []mode{exactLP, stopped},
		scenario: func(x float64, m mode) scenario {
			return scenario{preset: "mars", generate: with(generate, engine.Settings{"jobs": number(x)}), params: m.params,
				algorithms: append(slices.Clone(jobAlgorithms), "mars-list")}
		}}
}

// sweepFigure measures and draws a sweep and judges the published values, which are for ε = 0.3.
func sweepFigure(l *Lab, f *report.Figure, source string, generate engine.Settings, v ratioTable) (*series, error) {
	if l.jobsMax < 10 {
		return nil, engine.Usagef("--jobs-max %d: this figure starts at 10 jobs", l.jobsMax)
	}
	s := jobSweep(l, generate)
	if err := s.run(); err != nil {
		return nil, err
	}
	f.Source, f.XLabel, f.YLabel = marsSource+", "+source, "jobs", "TWJCT / LP bound"
	describeRun(f, "mars", generate, s.modes, jobAlgorithms)
	f.Parameters["jobs"] = s.xs
	s.curves(f, jobAlgorithms)
	f.Curves = append(f.Curves, s.curve("mars-list", exactLP, len(jobAlgorithms)))
	s.near(f, jobAlgorithms, v, "jobs", stopped, exactLP, "; the paper states no delay factor (1.3 here) and draws "+
		"other instances")
	s.order(f, "MarS is below MARES, HUWF and HJWF", "mars", jobAlgorithms[1:], "")
	return s, nil
}

func fig7(l *Lab, f *report.Figure) error {
	mars := map[float64]float64{10: 1.32, 20: 1.39, 60: 1.38, 100: 1.38}
	s, err := sweepFigure(l, f, "Fig. 7", nil, ratioTable{"mars": mars, "mares": {10: 1.58, 20: 1.96, 100: 1.96},
		"huwf": {10: 1.77, 20: 2.17, 100: 2.17}, "hjwf": {10: 1.86, 20: 2.25, 100: 2.25}})
	if err != nil {
		return err
	}
	if err := s.formulations(f, mars); err != nil {
		return err
	}
	for _, u := range []string{"huwf", "hjwf"} {
		s.order(f, "MARES is below "+label[u], "mares", []string{u}, s.course(exactLP, "mares", u))
	}
	for _, m := range s.modes {
		var worst []float64
		for _, x := range s.xs {
			worst = append(worst, slices.Max(s.at("mars", m, x)))
		}
		f.Claims = append(f.Claims, report.AtMost("MarS stays less than 0.4 above the bound, on every instance ("+m.name+")",
			1.4, 0,
			[]float64{slices.Max(worst)}, "the theorem says 3/(1−ε) where no map is longer than a reduce of its job, else "+
				"4/(1−ε)"))
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
		f.Claims = append(f.Claims, report.AtLeast(claim+", here "+label[algorithm]+" ("+m.name+")", least, tolerance, gaps,
			"spread over the numbers of jobs"))
	}
}

// fewJobs is up to how many jobs the paper's form of the LP with every violated row takes seconds.
const fewJobs = 20

// formulations adds MarS from the paper's own form of the LP, where that is feasible.
func (s *series) formulations(f *report.Figure, v map[float64]float64) error {
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
	f.Parameters["runs"].(map[string]engine.Settings)[asPublished.name] = asPublished.params
	for _, x := range few.xs {
		f.Claims = append(f.Claims, report.Near(fmt.Sprintf("MarS at %s (%s)", at(x, "jobs"), asPublished.name),
			v[x], tolerance,
			few.at("mars", asPublished, x), fmt.Sprintf("the collapsed LP, stopped at the same ε by its most violated rows, "+
				"gives %.3f: it is another of many optimal points",
				report.Mean(s.at("mars", stopped, x)))))
	}
	return nil
}

func fig8(l *Lab, f *report.Figure) error {
	uniform := engine.Settings{"counts": "uniform"}
	s, err := sweepFigure(l, f, "Fig. 8", uniform, ratioTable{"mars": {10: 1.15, 60: 1.15, 100: 1.15},
		"mares": {10: 1.48, 100: 1.88}})
	if err != nil {
		return err
	}
	base, err := randomScenario(l)
	if err != nil {
		return err
	}
	s.change(f, base, "mars", stopped, func(ours []float64, why string) report.Claim {
		return report.Near("MarS changes against random numbers of tasks (ε = 0.3)", -0.17, tolerance, ours, why)
	})
	for _, a := range []string{"huwf", "hjwf"} {
		s.change(f, base, a, stopped, func(ours []float64, why string) report.Claim {
			return report.Near(label[a]+" changes against random numbers of tasks (ε = 0.3)", -0.2, tolerance, ours, why)
		})
	}
	return nil
}

func fig9(l *Lab, f *report.Figure) error {
	s, err := sweepFigure(l, f, "Fig. 9", engine.Settings{"times": "uniform"}, nil)
	if err != nil {
		return err
	}
	for _, m := range s.modes {
		other := s.modes[0]
		if m.name == other.name {
			other = s.modes[1]
		}
		limits := map[float64]float64{10: 1.08, 60: 1.02, 100: 1.02}
		for _, x := range slices.Sorted(maps.Keys(limits)) {
			if ours := s.at("mars", m, x); ours != nil {
				f.Claims = append(f.Claims, report.AtMost(fmt.Sprintf("MarS at %s (%s)", at(x, "jobs"), m.name), limits[x],
					0.005, ours,
					s.compareModes("mars", x, m, other)))
			}
		}
		s.gap(f, m, "mares", 0.35)
	}
	return nil
}

// gap claims the average distance between MarS and an algorithm.
func (s *series) gap(f *report.Figure, m mode, algorithm string, published float64) {
	gaps := make([]float64, len(s.l.seeds))
	for _, x := range s.xs {
		for i, d := range report.Difference(s.at(algorithm, m, x), s.at("mars", m, x)) {
			gaps[i] += d / float64(len(s.xs))
		}
	}
	f.Claims = append(f.Claims, report.Near(fmt.Sprintf("average gap between MarS and %s (%s)", label[algorithm], m.name),
		published, tolerance, gaps,
		"mean over the numbers of jobs"))
}

func fig10(l *Lab, f *report.Figure) error {
	s, err := sweepFigure(l, f, "Fig. 10", engine.Settings{"machines": "100"}, ratioTable{"mars": {10: 1.09, 100: 1.01}})
	if err != nil {
		return err
	}
	for i, a := range jobAlgorithms[1:] {
		if ours := s.at(a, stopped, 100); ours != nil {
			f.Claims = append(f.Claims, report.Near(label[a]+" above MarS at 100 jobs (ε = 0.3)", []float64{0.42, 0.75, 0.79}[i],
				tolerance,
				report.Difference(ours, s.at("mars", stopped, 100)), s.compareModes(a, 100, stopped, exactLP)))
		}
	}
	return nil
}

func fig11(l *Lab, f *report.Figure) error {
	return ordered(l, f, "Fig. 11", "increasing", map[string]float64{"mars": 0, "mares": 0, "huwf": 0.1, "hjwf": 0.1})
}

func fig12(l *Lab, f *report.Figure) error {
	if err := ordered(l, f, "Fig. 12", "decreasing", map[string]float64{"mars": 0, "mares": 0}); err != nil {
		return err
	}
	base, err := randomScenario(l)
	if err != nil {
		return err
	}
	s := jobSweep(l, engine.Settings{"uw-order": "decreasing"})
	s.order(f, "HUWF is below MARES", "huwf", []string{"mares"},
		"HUWF's order is then the order of releases; "+s.course(exactLP, "huwf", "mares"))
	s.change(f, base, "hjwf", stopped, func(ours []float64, why string) report.Claim {
		return report.AtLeast("HJWF is worse than in the random scenario (ε = 0.3)", 0, 0, ours, why)
	})
	return nil
}

// ordered is a sweep with ordered unit weights; shares are by how much of their ratio in the random scenario
// algorithms become worse, as published.
func ordered(l *Lab, f *report.Figure, source, order string, shares map[string]float64) error {
	s, err := sweepFigure(l, f, source, engine.Settings{"uw-order": order}, nil)
	if err != nil {
		return err
	}
	base, err := randomScenario(l)
	if err != nil {
		return err
	}
	for _, a := range jobAlgorithms {
		share, ok := shares[a]
		if !ok {
			continue
		}
		s.change(f, base, a, stopped, func(ours []float64, why string) report.Claim {
			relative := make([]float64, len(ours))
			for i := range ours {
				relative[i] = ours[i] / base.overall(a, stopped)
			}
			return report.Near(fmt.Sprintf("%s changes by this share of its ratio in the random scenario (ε = 0.3)", label[a]),
				share, tolerance, relative, why)
		})
	}
	return nil
}

// course says how algorithms' ratios move from the first x to the last.
func (s *series) course(m mode, algorithms ...string) string {
	first, last := s.xs[0], s.xs[len(s.xs)-1]
	var moves []string
	for _, a := range algorithms {
		moves = append(moves, fmt.Sprintf("%s goes from %.3f to %.3f", label[a], report.Mean(s.at(a, m, first)),
			report.Mean(s.at(a, m, last))))
	}
	return fmt.Sprintf("%s between %s and %s, %s", strings.Join(moves, " and "), number(first), at(last, "jobs"), m.name)
}

// overall is an algorithm's mean ratio over all x and seeds.
func (s *series) overall(algorithm string, m mode) float64 {
	var all []float64
	for _, x := range s.xs {
		all = append(all, s.at(algorithm, m, x)...)
	}
	return report.Mean(all)
}

// randomScenario is the sweep of Fig. 7, which others are compared with.
func randomScenario(l *Lab) (*series, error) {
	s := jobSweep(l, nil)
	return s, s.run()
}

// change claims how an algorithm's ratio changes against the random scenario of Fig. 7, on average over the sweep.
func (s *series) change(f *report.Figure, base *series, algorithm string, m mode,
	judge func(ours []float64, why string) report.Claim) {
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
	f.Claims = append(f.Claims,
		judge(report.Difference(here, there), fmt.Sprintf("%s averages %.3f here and %.3f in the random scenario, %s",
			label[algorithm],
			report.Mean(here), report.Mean(there), m.name)))
}
